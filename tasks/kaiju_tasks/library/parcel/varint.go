// Package parcel is a codec for compact binary messages.
package parcel

import "errors"

// ErrShort says that the input ends before the value does.
var ErrShort = errors.New("parcel: input ends too early")

// ErrRange says that a number does not fit.
var ErrRange = errors.New("parcel: number out of range")

// AppendUint appends n in groups of seven bits, the lowest first; every byte but the last has its top bit set.
func AppendUint(data []byte, n uint64) []byte {
	for n >= 0x80 {
		data = append(data, byte(n)|0x80)
		n >>= 7
	}
	return append(data, byte(n))
}

// Uint reads a number that AppendUint wrote and returns it with the count of bytes read. A number of more than 64
// bits is ErrRange, a missing byte ErrShort; the count is 0 then.
func Uint(data []byte) (n uint64, size int, err error) {
	var shift uint
	for index, one := range data {
		if shift == 63 && one > 1 || shift > 63 {
			return 0, 0, ErrRange
		}
		n |= uint64(one&0x7f) << shift
		if one < 0x80 {
			return n, index + 1, nil
		}
		shift += 7
	}
	return 0, 0, ErrShort
}

// UintSize is the count of bytes that AppendUint appends for n.
func UintSize(n uint64) int {
	size := 1
	for n >= 0x80 {
		n >>= 7
		size++
	}
	return size
}

// ZigZag maps signed numbers to unsigned ones so that small magnitudes stay small: 0, -1, 1, -2 become 0, 1, 2, 3.
func ZigZag(n int64) uint64 {
	return uint64(n<<1) ^ uint64(n>>63)
}

// UnZigZag is the inverse of ZigZag.
func UnZigZag(n uint64) int64 {
	return int64(n>>1) ^ -int64(n&1)
}
