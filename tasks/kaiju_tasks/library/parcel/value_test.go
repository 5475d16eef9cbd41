package parcel

import (
	"encoding/hex"
	"errors"
	"testing"
)

func sample() Value {
	return Map(map[string]Value{
		"name": Text("box"),
		"size": List(Int(2), Int(-3)),
		"open": Bool(true),
		"lid":  {},
	})
}

func TestStringWritesWhatPeopleRead(t *testing.T) {
	for _, tt := range []struct {
		value Value
		want  string
	}{
		{Value{}, "none"},
		{Bool(false), "false"},
		{Int(-5), "-5"},
		{Text("a\"b"), `"a\"b"`},
		{List(), "[]"},
		{List(Int(1), List(Text("x"))), `[1, ["x"]]`},
		{sample(), `{lid: none, name: "box", open: true, size: [2, -3]}`},
	} {
		if got := tt.value.String(); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

func TestKindsHaveNames(t *testing.T) {
	for _, tt := range []struct {
		kind Kind
		want string
	}{{KindNone, "none"}, {KindBool, "bool"}, {KindInt, "int"}, {KindText, "text"}, {KindList, "list"}, {KindMap, "map"}, {9, "kind(9)"}} {
		if got := tt.kind.String(); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

func TestMarshalWritesKindsAndLengths(t *testing.T) {
	for _, tt := range []struct {
		value Value
		want  string
	}{
		{Value{}, "00"},
		{Bool(true), "0101"},
		{Int(-1), "0201"},
		{Text("hi"), "03026869"},
		{List(Int(1), Value{}), "0402020200"},
		{Map(map[string]Value{"b": Int(0), "a": Bool(false)}), "050201610100" + "01620200"},
	} {
		got, err := Marshal(tt.value)
		if err != nil {
			t.Fatal(err)
		}
		if text := hex.EncodeToString(got); text != tt.want {
			t.Errorf("%s: got %s, want %s", tt.value, text, tt.want)
		}
	}
}

func TestUnmarshalGivesTheValueBack(t *testing.T) {
	data, err := Marshal(sample())
	if err != nil {
		t.Fatal(err)
	}
	got, err := Unmarshal(data)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != `{lid: none, name: "box", open: true, size: [2, -3]}` {
		t.Errorf("got %s", got)
	}
}

func TestUnmarshalNamesTheOffset(t *testing.T) {
	for _, tt := range []struct {
		data, want string
		cause      error
	}{
		{"", "offset 0: parcel: input ends too early", ErrShort},
		{"09", "offset 0: parcel: unknown kind", ErrKind},
		{"0000", "offset 1: parcel: data after the value", ErrTrailing},
		{"0102", "offset 1: parcel: number out of range", ErrRange},
		{"0401", "offset 2: parcel: input ends too early", ErrShort},
		{"03056869", "offset 2: parcel: input ends too early", ErrShort},
	} {
		_, err := Unmarshal(unhex(t, tt.data))
		if !errors.Is(err, tt.cause) {
			t.Errorf("%s: %v", tt.data, err)
			continue
		}
		if err.Error() != tt.want {
			t.Errorf("%s: got %q, want %q", tt.data, err, tt.want)
		}
	}
}

func TestNestingHasALimit(t *testing.T) {
	value := Int(1)
	for range MaxDepth {
		value = List(value)
	}
	data, err := Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Unmarshal(data); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	if _, err := Marshal(List(value)); !errors.Is(err, ErrDepth) {
		t.Errorf("marshal: %v", err)
	}
	if _, err := Unmarshal(append([]byte{4, 1}, data...)); !errors.Is(err, ErrDepth) {
		t.Errorf("unmarshal: %v", err)
	}
}

func TestAtFollowsAPath(t *testing.T) {
	for _, tt := range []struct {
		path, want string
		found      bool
	}{
		{"name", `"box"`, true},
		{"size.1", "-3", true},
		{"size.2", "none", false},
		{"size.x", "none", false},
		{"nothing", "none", false},
		{"name.0", "none", false},
		{"lid", "none", true},
	} {
		got, found := sample().At(tt.path)
		if found != tt.found {
			t.Errorf("%s: found %t", tt.path, found)
		}
		if got.String() != tt.want {
			t.Errorf("%s: got %s, want %s", tt.path, got, tt.want)
		}
	}
}

func TestLenAndKind(t *testing.T) {
	if got := Text("héllo").Len(); got != 6 {
		t.Errorf("text: %d", got)
	}
	if got := sample().Len(); got != 4 {
		t.Errorf("map: %d", got)
	}
	if got := Int(77).Len(); got != 0 {
		t.Errorf("int: %d", got)
	}
	if got := sample().Kind(); got != KindMap {
		t.Errorf("kind: %s", got)
	}
}
