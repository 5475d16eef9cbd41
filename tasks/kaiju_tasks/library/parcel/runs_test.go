package parcel

import (
	"bytes"
	"encoding/hex"
	"errors"
	"testing"
)

func TestPackShortensRuns(t *testing.T) {
	for _, tt := range []struct {
		name, data, want string
	}{
		{"nothing", "", ""},
		{"plain", "010203", "06010203"},
		{"a run alone", "aaaaaaaa", "09aa"},
		{"a run too short", "aaaaaa", "06aaaaaa"},
		{"a run inside", "01bbbbbbbbbb02", "02010bbb0202"},
		{"two runs", "000000001111111111", "09000b11"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := hex.EncodeToString(Pack(unhex(t, tt.data))); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestPackWritesLongHeaders(t *testing.T) {
	if got := hex.EncodeToString(Pack(make([]byte, 1000))); got != "d10f00" {
		t.Errorf("got %s", got)
	}
}

func TestUnpackGivesTheDataBack(t *testing.T) {
	data := unhex(t, "0001020202020202030400000000ff")
	got, err := Unpack(Pack(data), 100)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, data) {
		t.Errorf("got %x", got)
	}
}

func TestUnpackOfNothingIsEmpty(t *testing.T) {
	got, err := Unpack(nil, 0)
	if err != nil || got == nil || len(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestUnpackHoldsItsLimit(t *testing.T) {
	if _, err := Unpack(unhex(t, "d10f00"), 999); !errors.Is(err, ErrRange) {
		t.Errorf("one too many: %v", err)
	}
	got, err := Unpack(unhex(t, "d10f00"), 1000)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1000 {
		t.Errorf("length %d", len(got))
	}
}

func TestUnpackHoldsItsLimitOverAllPieces(t *testing.T) {
	if _, err := Unpack(unhex(t, "0601020309aa"), 6); !errors.Is(err, ErrRange) {
		t.Errorf("got %v", err)
	}
}

func TestUnpackRefusesARunOfNoLength(t *testing.T) {
	for _, text := range []string{"00", "01aa"} {
		if _, err := Unpack(unhex(t, text), 10); !errors.Is(err, ErrRun) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestUnpackRefusesWhatEndsTooEarly(t *testing.T) {
	for _, text := range []string{"06aabb", "09", "80"} {
		if _, err := Unpack(unhex(t, text), 10); !errors.Is(err, ErrShort) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
