package parcel

import "errors"

// ErrRun says that a run in packed data has no length.
var ErrRun = errors.New("parcel: run of no length")

const minRun = 4

// Pack shortens runs of equal bytes. Its output is a sequence of pieces, each with a header number as AppendUint
// writes it: an even header 2n stands before n bytes taken as they are, an odd header 2n+1 before one byte that is
// repeated n times. Only runs of four bytes and more are packed.
func Pack(data []byte) []byte {
	var packed []byte
	plain := 0
	for at := 0; at < len(data); {
		run := runLength(data[at:])
		if run < minRun {
			at += run
			continue
		}
		packed = appendPlain(packed, data[plain:at])
		packed = append(AppendUint(packed, uint64(run)<<1|1), data[at])
		at += run
		plain = at
	}
	return appendPlain(packed, data[plain:])
}

// Unpack is the inverse of Pack. It refuses to make more than limit bytes: ErrRange.
func Unpack(packed []byte, limit int) ([]byte, error) {
	data := []byte{}
	for len(packed) > 0 {
		header, size, err := Uint(packed)
		if err != nil {
			return nil, err
		}
		packed = packed[size:]
		count := header >> 1
		if count == 0 {
			return nil, ErrRun
		}
		if count > uint64(limit-len(data)) {
			return nil, ErrRange
		}
		if header&1 == 1 {
			if len(packed) == 0 {
				return nil, ErrShort
			}
			for range count {
				data = append(data, packed[0])
			}
			packed = packed[1:]
			continue
		}
		if count > uint64(len(packed)) {
			return nil, ErrShort
		}
		data = append(data, packed[:count]...)
		packed = packed[count:]
	}
	return data, nil
}

func runLength(data []byte) int {
	length := 1
	for length < len(data) && data[length] == data[0] {
		length++
	}
	return length
}

func appendPlain(packed, plain []byte) []byte {
	if len(plain) == 0 {
		return packed
	}
	return append(AppendUint(packed, uint64(len(plain))<<1), plain...)
}
