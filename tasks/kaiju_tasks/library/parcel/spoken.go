package parcel

import (
	"fmt"
	"strings"
)

const (
	alphabet  = "0123456789abcdefghjkmnpqrstvwxyz"
	groupSize = 4
)

// SpokenError tells what a spoken text has that it must not have.
type SpokenError struct {
	// Position is the offset in the text, -1 for the text as a whole.
	Position int
	Reason   string
}

func (e *SpokenError) Error() string {
	if e.Position < 0 {
		return "spoken: " + e.Reason
	}
	return fmt.Sprintf("spoken: position %d: %s", e.Position, e.Reason)
}

// Speak writes data in 32 digits that cannot be mistaken for each other, five bits a digit, the highest first and the
// last digit filled up with zero bits, then one check digit, in groups of four joined by dashes. The check digit is
// the sum of each digit times its place, counted from 1, modulo 32. No data gives an empty text.
func Speak(data []byte) string {
	if len(data) == 0 {
		return ""
	}
	reader := NewBitReader(data)
	var digits []byte
	sum := 0
	for reader.Left() > 0 {
		width := min(5, reader.Left())
		digit, _ := reader.Read(width)
		digit <<= 5 - width
		digits = append(digits, alphabet[digit])
		sum += len(digits) * int(digit)
	}
	digits = append(digits, alphabet[sum%len(alphabet)])
	return grouped(digits)
}

// Hear reads what Speak wrote. Case, dashes and spaces do not count; i and l are read as 1, o as 0. Anything else is a
// *SpokenError: "unknown digit" with its position, "check digit does not match" or "no such length" without one.
func Hear(text string) ([]byte, error) {
	var digits []int
	for position, char := range strings.ToLower(text) {
		if char == '-' || char == ' ' {
			continue
		}
		digit := digitOf(char)
		if digit < 0 {
			return nil, &SpokenError{position, "unknown digit"}
		}
		digits = append(digits, digit)
	}
	if len(digits) == 0 {
		return []byte{}, nil
	}
	last := len(digits) - 1
	if size := last * 5 / 8; last == 0 || (size*8+4)/5 != last {
		return nil, &SpokenError{-1, "no such length"}
	}
	sum := 0
	var writer BitWriter
	for index, digit := range digits[:last] {
		sum += (index + 1) * digit
		if err := writer.Write(uint64(digit), 5); err != nil {
			return nil, err
		}
	}
	if sum%len(alphabet) != digits[last] {
		return nil, &SpokenError{-1, "check digit does not match"}
	}
	return writer.Bytes()[:last*5/8], nil
}

func digitOf(char rune) int {
	switch char {
	case 'i', 'l':
		char = '1'
	case 'o':
		char = '0'
	}
	return strings.IndexRune(alphabet, char)
}

func grouped(digits []byte) string {
	var text strings.Builder
	for index, digit := range digits {
		if index > 0 && index%groupSize == 0 {
			text.WriteByte('-')
		}
		text.WriteByte(digit)
	}
	return text.String()
}
