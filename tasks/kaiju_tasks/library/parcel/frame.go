package parcel

import (
	"errors"
	"fmt"
)

// ErrChecksum says that a frame was damaged.
var ErrChecksum = errors.New("parcel: checksum does not match")

// ErrMark says that no frame begins here.
var ErrMark = errors.New("parcel: no frame begins here")

const (
	mark    = 0xA7
	sumSize = 2
	modulus = 251
)

// Checksum is a position-dependent sum: low starts at 1 and grows by every byte, high by low after every byte, both
// modulo 251. The result is high*256 + low.
func Checksum(data []byte) uint16 {
	low, high := uint16(1), uint16(0)
	for _, one := range data {
		low = (low + uint16(one)) % modulus
		high = (high + low) % modulus
	}
	return high<<8 | low
}

// Seal makes a frame: the byte 0xA7, the length of the payload as AppendUint writes it, the payload, and its Checksum
// as two bytes, the higher one first.
func Seal(payload []byte) []byte {
	frame := AppendUint([]byte{mark}, uint64(len(payload)))
	frame = append(frame, payload...)
	sum := Checksum(payload)
	return append(frame, byte(sum>>8), byte(sum))
}

// Open reads the frame at the beginning of data and returns its payload and what stands behind it. Errors: ErrShort,
// ErrMark, ErrChecksum, ErrRange.
func Open(data []byte) (payload, rest []byte, err error) {
	if len(data) == 0 {
		return nil, nil, ErrShort
	}
	if data[0] != mark {
		return nil, nil, ErrMark
	}
	length, size, err := Uint(data[1:])
	if err != nil {
		return nil, nil, err
	}
	body := data[1+size:]
	if uint64(len(body)) < sumSize || length > uint64(len(body)-sumSize) {
		return nil, nil, ErrShort
	}
	payload, rest = body[:length], body[length+sumSize:]
	if sum := Checksum(payload); body[length] != byte(sum>>8) || body[length+1] != byte(sum) {
		return nil, nil, ErrChecksum
	}
	return payload, rest, nil
}

// Split opens frame after frame. An error names the number of the frame, from 0, and wraps the cause.
func Split(data []byte) ([][]byte, error) {
	payloads := [][]byte{}
	for len(data) > 0 {
		payload, rest, err := Open(data)
		if err != nil {
			return payloads, fmt.Errorf("frame %d: %w", len(payloads), err)
		}
		payloads = append(payloads, payload)
		data = rest
	}
	return payloads, nil
}

// Resync is the offset of the first whole frame in data at or after from, -1 when there is none.
func Resync(data []byte, from int) int {
	for at := max(0, from); at < len(data); at++ {
		if _, _, err := Open(data[at:]); err == nil {
			return at
		}
	}
	return -1
}
