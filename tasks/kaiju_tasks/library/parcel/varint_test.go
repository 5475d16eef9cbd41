package parcel

import (
	"encoding/hex"
	"errors"
	"testing"
)

func TestAppendUintWritesTheLowestSevenBitsFirst(t *testing.T) {
	for _, tt := range []struct {
		n    uint64
		want string
	}{{0, "00"}, {1, "01"}, {127, "7f"}, {128, "8001"}, {300, "ac02"}, {16384, "808001"}, {1 << 35, "808080808001"}} {
		if got := hex.EncodeToString(AppendUint(nil, tt.n)); got != tt.want {
			t.Errorf("AppendUint(%d) = %s, want %s", tt.n, got, tt.want)
		}
	}
}

func TestAppendUintKeepsWhatIsThere(t *testing.T) {
	if got := hex.EncodeToString(AppendUint([]byte{0xff}, 5)); got != "ff05" {
		t.Errorf("got %s", got)
	}
}

func TestUintReadsOneNumber(t *testing.T) {
	n, size, err := Uint(unhex(t, "ac02ff"))
	if err != nil {
		t.Fatal(err)
	}
	if n != 300 {
		t.Errorf("number %d", n)
	}
	if size != 2 {
		t.Errorf("size %d", size)
	}
}

func TestUintReadsTheLargestNumber(t *testing.T) {
	n, size, err := Uint(unhex(t, "ffffffffffffffffff01"))
	if err != nil || n != 18446744073709551615 || size != 10 {
		t.Errorf("%d, %d, %v", n, size, err)
	}
}

func TestUintRefusesMoreThan64Bits(t *testing.T) {
	for _, text := range []string{"ffffffffffffffffff02", "8080808080808080808001"} {
		if _, size, err := Uint(unhex(t, text)); !errors.Is(err, ErrRange) || size != 0 {
			t.Errorf("%s: %d, %v", text, size, err)
		}
	}
}

func TestUintRefusesAnUnfinishedNumber(t *testing.T) {
	if _, _, err := Uint(nil); !errors.Is(err, ErrShort) {
		t.Errorf("nothing: %v", err)
	}
	if _, _, err := Uint([]byte{0x80, 0x80}); !errors.Is(err, ErrShort) {
		t.Errorf("two bytes: %v", err)
	}
}

func TestUintSizeIsWhatAppendUintAppends(t *testing.T) {
	for _, tt := range []struct {
		n    uint64
		want int
	}{{0, 1}, {127, 1}, {128, 2}, {16383, 2}, {16384, 3}, {1 << 63, 10}} {
		if got := UintSize(tt.n); got != tt.want {
			t.Errorf("UintSize(%d) = %d, want %d", tt.n, got, tt.want)
		}
		if len(AppendUint(nil, tt.n)) != UintSize(tt.n) {
			t.Errorf("%d: size and length differ", tt.n)
		}
	}
}

func TestZigZagKeepsSmallMagnitudesSmall(t *testing.T) {
	for _, tt := range []struct {
		n    int64
		want uint64
	}{{0, 0}, {-1, 1}, {1, 2}, {-2, 3}, {2, 4}, {-64, 127}, {64, 128}} {
		if got := ZigZag(tt.n); got != tt.want {
			t.Errorf("ZigZag(%d) = %d, want %d", tt.n, got, tt.want)
		}
		if back := UnZigZag(tt.want); back != tt.n {
			t.Errorf("UnZigZag(%d) = %d", tt.want, back)
		}
	}
}

func TestZigZagCoversTheWholeRange(t *testing.T) {
	if got := ZigZag(-9223372036854775808); got != 18446744073709551615 {
		t.Errorf("lowest: %d", got)
	}
	if got := UnZigZag(18446744073709551614); got != 9223372036854775807 {
		t.Errorf("highest: %d", got)
	}
}
