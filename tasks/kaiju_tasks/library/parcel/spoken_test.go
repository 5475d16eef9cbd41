package parcel

import (
	"bytes"
	"errors"
	"testing"
)

func TestSpeakGroupsFiveBitDigits(t *testing.T) {
	for _, tt := range []struct {
		data []byte
		want string
	}{
		{nil, ""},
		{[]byte{0}, "000"},
		{[]byte{0xff}, "zwq"},
		{[]byte("go"), "cxqg-b"},
		{[]byte("parcel"), "e1gq-4rv5-dgt"},
	} {
		if got := Speak(tt.data); got != tt.want {
			t.Errorf("Speak(%x) = %q, want %q", tt.data, got, tt.want)
		}
	}
}

func TestHearReadsWhatWasSpoken(t *testing.T) {
	for length := range 12 {
		data := bytes.Repeat([]byte{0x5a, 0xc3}, 6)[:length]
		got, err := Hear(Speak(data))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, data) {
			t.Errorf("%d bytes: got %x", length, got)
		}
	}
}

func TestHearForgivesCaseAndSpaces(t *testing.T) {
	got, err := Hear(" CXQ GB ")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != "go" {
		t.Errorf("got %q", got)
	}
}

func TestHearReadsLettersThatLookLikeDigits(t *testing.T) {
	got, err := Hear("ooO")
	if err != nil || len(got) != 1 || got[0] != 0 {
		t.Errorf("%x, %v", got, err)
	}
	if _, err := Hear("eIgq-4rv5-dgt"); err != nil {
		t.Errorf("i for 1: %v", err)
	}
}

func TestHearNoticesSwappedDigits(t *testing.T) {
	_, err := Hear("xcqg-b")
	var spoken *SpokenError
	if !errors.As(err, &spoken) {
		t.Fatalf("got %v", err)
	}
	if spoken.Position != -1 {
		t.Errorf("position %d", spoken.Position)
	}
	if spoken.Error() != "spoken: check digit does not match" {
		t.Errorf("text %q", spoken.Error())
	}
}

func TestHearNamesTheUnknownDigit(t *testing.T) {
	_, err := Hear("cx!g")
	if err == nil {
		t.Fatal("no error")
	}
	if err.Error() != "spoken: position 2: unknown digit" {
		t.Errorf("text %q", err.Error())
	}
}

func TestHearRefusesLengthsThatNoDataHas(t *testing.T) {
	for _, text := range []string{"0", "00", "0000", "0000000"} {
		_, err := Hear(text)
		if err == nil {
			t.Errorf("%s: no error", text)
			continue
		}
		if err.Error() != "spoken: no such length" {
			t.Errorf("%s: %q", text, err.Error())
		}
	}
}

func TestHearOfNothingIsNothing(t *testing.T) {
	got, err := Hear(" - ")
	if err != nil || got == nil || len(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
}
