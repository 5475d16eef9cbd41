package parcel

import (
	"encoding/hex"
	"errors"
	"reflect"
	"testing"
)

func TestAppendSeriesWritesDifferences(t *testing.T) {
	for _, tt := range []struct {
		series []int64
		want   string
	}{
		{nil, "00"},
		{[]int64{5}, "010a"},
		{[]int64{100, 101, 99}, "03c8010203"},
		{[]int64{-1, -1, 0}, "03010002"},
	} {
		if got := hex.EncodeToString(AppendSeries(nil, tt.series)); got != tt.want {
			t.Errorf("%v: got %s, want %s", tt.series, got, tt.want)
		}
	}
}

func TestSeriesReadsWhatWasWritten(t *testing.T) {
	series, size, err := Series(unhex(t, "03c8010203ff"))
	if err != nil {
		t.Fatal(err)
	}
	if want := []int64{100, 101, 99}; !reflect.DeepEqual(series, want) {
		t.Errorf("got %v", series)
	}
	if size != 5 {
		t.Errorf("size %d", size)
	}
}

func TestSeriesSurvivesTheWholeRange(t *testing.T) {
	series := []int64{9223372036854775807, -9223372036854775808, 0}
	got, _, err := Series(AppendSeries(nil, series))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, series) {
		t.Errorf("got %v", got)
	}
}

func TestSeriesRefusesALengthThatCannotBe(t *testing.T) {
	if _, _, err := Series(unhex(t, "ffffffff0f00")); !errors.Is(err, ErrShort) {
		t.Errorf("got %v", err)
	}
}

func TestSeriesRefusesMissingNumbers(t *testing.T) {
	series, size, err := Series(unhex(t, "020280"))
	if !errors.Is(err, ErrShort) {
		t.Errorf("error %v", err)
	}
	if series != nil || size != 0 {
		t.Errorf("%v, %d", series, size)
	}
}

func TestGapsOfARisingSeries(t *testing.T) {
	gaps, err := Gaps([]int64{0, 1, 5, 6, 20})
	if err != nil {
		t.Fatal(err)
	}
	if want := []uint64{0, 0, 3, 0, 13}; !reflect.DeepEqual(gaps, want) {
		t.Errorf("got %v", gaps)
	}
}

func TestGapsRefuseASeriesThatDoesNotRise(t *testing.T) {
	for _, series := range [][]int64{{3, 3}, {3, 2}, {-1}} {
		if gaps, err := Gaps(series); !errors.Is(err, ErrOrder) || gaps != nil {
			t.Errorf("%v: %v, %v", series, gaps, err)
		}
	}
}

func TestRangesJoinNeighbours(t *testing.T) {
	ranges, err := Ranges([]int64{0, 1, 2, 7, 9, 10})
	if err != nil {
		t.Fatal(err)
	}
	if want := [][2]int64{{0, 2}, {7, 7}, {9, 10}}; !reflect.DeepEqual(ranges, want) {
		t.Errorf("got %v", ranges)
	}
}

func TestRangesOfNothingAreNone(t *testing.T) {
	ranges, err := Ranges(nil)
	if err != nil || ranges == nil || len(ranges) != 0 {
		t.Errorf("%v, %v", ranges, err)
	}
	if _, err := Ranges([]int64{2, 1}); !errors.Is(err, ErrOrder) {
		t.Errorf("falling: %v", err)
	}
}
