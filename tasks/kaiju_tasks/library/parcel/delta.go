package parcel

import "errors"

// ErrOrder says that a series that must rise does not.
var ErrOrder = errors.New("parcel: series does not rise")

// AppendSeries appends a series of numbers: its length, then each number as its difference to the one before (the
// first to 0), zigzag and variable-length. Differences wrap around, so that every series can be written.
func AppendSeries(data []byte, series []int64) []byte {
	data = AppendUint(data, uint64(len(series)))
	var last int64
	for _, n := range series {
		data = AppendUint(data, ZigZag(n-last))
		last = n
	}
	return data
}

// Series reads what AppendSeries wrote and returns it with the count of bytes read.
func Series(data []byte) ([]int64, int, error) {
	length, read, err := Uint(data)
	if err != nil {
		return nil, 0, err
	}
	if length > uint64(len(data)-read) {
		return nil, 0, ErrShort
	}
	series := make([]int64, 0, length)
	var last int64
	for range length {
		step, size, err := Uint(data[read:])
		if err != nil {
			return nil, 0, err
		}
		read += size
		last += UnZigZag(step)
		series = append(series, last)
	}
	return series, read, nil
}

// Gaps are the differences of a series that rises: the first to zero, each other to the one before, less one. A
// series that falls, stays or begins below zero is ErrOrder.
func Gaps(series []int64) ([]uint64, error) {
	gaps := make([]uint64, 0, len(series))
	next := int64(0)
	for _, n := range series {
		if n < next {
			return nil, ErrOrder
		}
		gaps = append(gaps, uint64(n-next))
		next = n + 1
	}
	return gaps, nil
}

// Ranges joins numbers of a rising series that follow each other into pairs of first and last.
func Ranges(series []int64) ([][2]int64, error) {
	gaps, err := Gaps(series)
	if err != nil {
		return nil, err
	}
	ranges := [][2]int64{}
	for index, n := range series {
		if index > 0 && gaps[index] == 0 {
			ranges[len(ranges)-1][1] = n
			continue
		}
		ranges = append(ranges, [2]int64{n, n})
	}
	return ranges, nil
}
