package parcel_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"testing"

	"kaiju.example/parcel"
)

func TestChecksumDependsOnThePosition(t *testing.T) {
	for _, tt := range []struct {
		data string
		want uint16
	}{{"", 1}, {"a", 25186}, {"ab", 11204}, {"ba", 11460}, {"parcel", 55938}} {
		if got := parcel.Checksum([]byte(tt.data)); got != tt.want {
			t.Errorf("Checksum(%q) = %d, want %d", tt.data, got, tt.want)
		}
	}
}

func TestSealWritesMarkLengthPayloadAndSum(t *testing.T) {
	if got := hex.EncodeToString(parcel.Seal([]byte("ab"))); got != "a70261622bc4" {
		t.Errorf("got %s", got)
	}
	if got := hex.EncodeToString(parcel.Seal(nil)); got != "a7000001" {
		t.Errorf("empty: got %s", got)
	}
}

func TestOpenReturnsPayloadAndRest(t *testing.T) {
	payload, rest, err := parcel.Open(append(parcel.Seal([]byte("hello")), "tail"...))
	if err != nil {
		t.Fatal(err)
	}
	if string(payload) != "hello" {
		t.Errorf("payload %q", payload)
	}
	if string(rest) != "tail" {
		t.Errorf("rest %q", rest)
	}
}

func TestOpenRefusesWhatIsNoFrame(t *testing.T) {
	if _, _, err := parcel.Open([]byte("hello")); !errors.Is(err, parcel.ErrMark) {
		t.Errorf("text: %v", err)
	}
	if _, _, err := parcel.Open(nil); !errors.Is(err, parcel.ErrShort) {
		t.Errorf("nothing: %v", err)
	}
}

func TestOpenNoticesEveryChangedByte(t *testing.T) {
	frame := parcel.Seal([]byte("payload"))
	for index := 2; index < len(frame); index++ {
		damaged := append([]byte(nil), frame...)
		damaged[index] ^= 0x11
		if _, _, err := parcel.Open(damaged); !errors.Is(err, parcel.ErrChecksum) {
			t.Errorf("byte %d: %v", index, err)
		}
	}
}

func TestOpenRefusesACutFrame(t *testing.T) {
	frame := parcel.Seal([]byte("payload"))
	for length := range frame {
		if _, _, err := parcel.Open(frame[:length]); !errors.Is(err, parcel.ErrShort) {
			t.Errorf("%d bytes: %v", length, err)
		}
	}
}

func TestSplitOpensAllFrames(t *testing.T) {
	payloads, err := parcel.Split(append(parcel.Seal([]byte("one")), parcel.Seal([]byte("two"))...))
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%s", payloads); got != "[one two]" {
		t.Errorf("got %s", got)
	}
}

func TestSplitNamesTheFrameThatIsDamaged(t *testing.T) {
	payloads, err := parcel.Split(append(parcel.Seal([]byte("one")), 0xa7, 9))
	if !errors.Is(err, parcel.ErrShort) {
		t.Fatalf("got %v", err)
	}
	if err.Error() != "frame 1: parcel: input ends too early" {
		t.Errorf("text %q", err)
	}
	if len(payloads) != 1 {
		t.Errorf("%d payloads", len(payloads))
	}
}

func TestResyncFindsTheNextFrame(t *testing.T) {
	data := append([]byte("noise\xa7"), parcel.Seal([]byte("x"))...)
	for _, tt := range []struct{ from, want int }{{0, 6}, {-3, 6}, {6, 6}, {7, -1}, {99, -1}} {
		if got := parcel.Resync(data, tt.from); got != tt.want {
			t.Errorf("from %d: got %d, want %d", tt.from, got, tt.want)
		}
	}
}
