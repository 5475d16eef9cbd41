package parcel

import (
	"encoding/hex"
	"errors"
	"testing"
)

func TestBitsArePackedHighestFirst(t *testing.T) {
	var w BitWriter
	for _, part := range []struct {
		n     uint64
		width uint
	}{{1, 1}, {2, 3}, {9, 4}} {
		if err := w.Write(part.n, part.width); err != nil {
			t.Fatal(err)
		}
	}
	if got := hex.EncodeToString(w.Bytes()); got != "a9" {
		t.Errorf("got %s", got)
	}
}

func TestBitsCrossTheBordersOfBytes(t *testing.T) {
	var w BitWriter
	_ = w.Write(5, 3)
	_ = w.Write(0x3ff, 10)
	if got := hex.EncodeToString(w.Bytes()); got != "bff8" {
		t.Errorf("got %s", got)
	}
	if w.Len() != 13 {
		t.Errorf("length %d", w.Len())
	}
}

func TestAWriterWithNothingIsEmpty(t *testing.T) {
	var w BitWriter
	if w.Len() != 0 || len(w.Bytes()) != 0 {
		t.Errorf("%d bits, %d bytes", w.Len(), len(w.Bytes()))
	}
}

func TestWriteRefusesWhatDoesNotFit(t *testing.T) {
	var w BitWriter
	if err := w.Write(8, 3); !errors.Is(err, ErrRange) {
		t.Errorf("8 in 3 bits: %v", err)
	}
	if err := w.Write(0, 65); !errors.Is(err, ErrRange) {
		t.Errorf("65 bits: %v", err)
	}
	if w.Len() != 0 {
		t.Errorf("length %d", w.Len())
	}
}

func TestWriteTakesWholeWords(t *testing.T) {
	var w BitWriter
	_ = w.Write(1, 4)
	if err := w.Write(0xfedcba9876543210, 64); err != nil {
		t.Fatal(err)
	}
	if got := hex.EncodeToString(w.Bytes()); got != "1fedcba98765432100" {
		t.Errorf("got %s", got)
	}
}

func TestBytesIsACopy(t *testing.T) {
	var w BitWriter
	_ = w.Write(0xab, 8)
	w.Bytes()[0] = 0
	if got := w.Bytes()[0]; got != 0xab {
		t.Errorf("got %x", got)
	}
}

func TestReadGivesBackWhatWasWritten(t *testing.T) {
	r := NewBitReader([]byte{0xbf, 0xf8})
	first, err := r.Read(3)
	if err != nil || first != 5 {
		t.Errorf("first: %d, %v", first, err)
	}
	second, err := r.Read(10)
	if err != nil || second != 1023 {
		t.Errorf("second: %d, %v", second, err)
	}
	if r.Left() != 3 {
		t.Errorf("left: %d", r.Left())
	}
}

func TestReadOfTooMuchReadsNothing(t *testing.T) {
	r := NewBitReader([]byte{0x80})
	if _, err := r.Read(9); !errors.Is(err, ErrShort) {
		t.Errorf("9 bits: %v", err)
	}
	if _, err := r.Read(65); !errors.Is(err, ErrRange) {
		t.Errorf("65 bits: %v", err)
	}
	if n, err := r.Read(1); err != nil || n != 1 {
		t.Errorf("1 bit: %d, %v", n, err)
	}
}

func TestAlignSkipsToTheNextByte(t *testing.T) {
	r := NewBitReader([]byte{0xff, 0x01})
	_, _ = r.Read(3)
	if skipped := r.Align(); skipped != 5 {
		t.Errorf("skipped %d", skipped)
	}
	if again := r.Align(); again != 0 {
		t.Errorf("skipped %d again", again)
	}
	if n, _ := r.Read(8); n != 1 {
		t.Errorf("read %d", n)
	}
}
