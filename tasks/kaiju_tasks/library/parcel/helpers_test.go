package parcel

import (
	"encoding/hex"
	"testing"
)

// unhex is bytes written as pairs of hexadecimal digits.
func unhex(t *testing.T, text string) []byte {
	t.Helper()
	data, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
