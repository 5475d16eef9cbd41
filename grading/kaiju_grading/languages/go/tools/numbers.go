package main

import (
	"go/constant"
	"go/types"
	"math/rand"
	"slices"
	"strconv"
	"strings"
)

// otherIntegers have as many digits; a letter becomes another one.
func (f *finder) otherIntegers(value types.TypeAndValue, letter bool, chance *rand.Rand) []string {
	whole := constant.ToInt(value.Value)
	text := whole.ExactString()
	if code, exact := constant.Int64Val(whole); letter && exact && code < 128 {
		var found []string
		for _, char := range neighbours(byte(code), chance) {
			found = append(found, strconv.Itoa(int(char)))
		}
		return found
	}
	var alike []string
	for _, one := range f.values(constant.Int, "") {
		other := one.Value.ExactString()
		if types.Identical(one.Type, value.Type) && len(other) == len(text) && other != text && (other[0] == '-') == (text[0] == '-') {
			alike = append(alike, other)
		}
	}
	found := drawn(alike, chance)
	near := otherDigits(value, text, chance)
	switch {
	case len(text) == 1:
		for _, one := range near {
			if len(found) < mostOthers && !slices.Contains(found, one) {
				found = append(found, one)
			}
		}
		return found
	case len(found) > 1:
		return found
	}
	return richer(found, near)
}

// otherDigits are the number with its last digit become others that its type holds.
func otherDigits(value types.TypeAndValue, text string, chance *rand.Rand) []string {
	last := len(text) - 1
	var found []string
	for _, digit := range neighbours(text[last], chance) {
		other := text[:last] + string(rune(digit))
		if other != "-0" && holdsNumber(value.Type, other) {
			found = append(found, other)
		}
	}
	return found
}

// holdsNumber tells whether a number is one of the type.
func holdsNumber(typ types.Type, text string) bool {
	basic, ok := under(typ).(*types.Basic)
	if !ok {
		return false
	}
	bits := map[types.BasicKind]int{types.Int8: 8, types.Uint8: 8, types.Int16: 16, types.Uint16: 16, types.Int32: 32, types.Uint32: 32}[basic.Kind()]
	if bits == 0 {
		bits = 64
	}
	var err error
	if basic.Info()&types.IsUnsigned != 0 {
		_, err = strconv.ParseUint(text, 10, bits)
	} else {
		_, err = strconv.ParseInt(text, 10, bits)
	}
	return err == nil
}

// otherFloats have another first digit that counts: further away than any tolerance, and even or odd like it.
func otherFloats(real float64, chance *rand.Rand) []string {
	text := strconv.FormatFloat(real, 'g', -1, 64)
	mantissa, _, _ := strings.Cut(text, "e")
	place := strings.IndexAny(mantissa, "123456789")
	if place < 0 {
		place = strings.IndexByte(mantissa, '0')
	}
	if place < 0 {
		return nil
	}
	var found []string
	for digit := '0' + (text[place]-'0')%2; digit <= '9'; digit += 2 {
		if digit != text[place] {
			found = append(found, text[:place]+string(rune(digit))+text[place+1:])
		}
	}
	return drawn(found, chance)
}
