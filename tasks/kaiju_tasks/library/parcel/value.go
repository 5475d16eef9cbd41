package parcel

import (
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// Kind of a value.
type Kind byte

// The kinds, as they stand in encoded data.
const (
	KindNone Kind = iota
	KindBool
	KindInt
	KindText
	KindList
	KindMap
)

func (k Kind) String() string {
	switch k {
	case KindNone:
		return "none"
	case KindBool:
		return "bool"
	case KindInt:
		return "int"
	case KindText:
		return "text"
	case KindList:
		return "list"
	case KindMap:
		return "map"
	}
	return "kind(" + strconv.Itoa(int(k)) + ")"
}

// ErrKind says that encoded data has a kind that does not exist.
var ErrKind = errors.New("parcel: unknown kind")

// ErrDepth says that values are nested too deeply.
var ErrDepth = errors.New("parcel: nested too deeply")

// ErrTrailing says that data goes on after the value.
var ErrTrailing = errors.New("parcel: data after the value")

// MaxDepth is how deeply lists and maps may be nested.
const MaxDepth = 16

// Value is a none, a bool, an int, a text, a list of values or a map from text to values. The zero value is none.
type Value struct {
	kind  Kind
	n     int64
	text  string
	items []Value
	keys  []string
}

// Bool makes a bool.
func Bool(b bool) Value {
	if b {
		return Value{kind: KindBool, n: 1}
	}
	return Value{kind: KindBool}
}

// Int makes an int.
func Int(n int64) Value { return Value{kind: KindInt, n: n} }

// Text makes a text.
func Text(s string) Value { return Value{kind: KindText, text: s} }

// List makes a list.
func List(items ...Value) Value { return Value{kind: KindList, items: items} }

// Map makes a map; its keys are kept sorted.
func Map(entries map[string]Value) Value {
	v := Value{kind: KindMap}
	for key := range entries {
		v.keys = append(v.keys, key)
	}
	sort.Strings(v.keys)
	for _, key := range v.keys {
		v.items = append(v.items, entries[key])
	}
	return v
}

// Kind of the value.
func (v Value) Kind() Kind { return v.kind }

// Len is the count of bytes of a text, of items of a list, of entries of a map; 0 for anything else.
func (v Value) Len() int {
	if v.kind == KindText {
		return len(v.text)
	}
	return len(v.items)
}

// At follows a path of keys and list positions, such as "users.0.name". The second result tells whether it leads
// somewhere. An empty path leads to the value itself.
func (v Value) At(path string) (Value, bool) {
	if path == "" {
		return v, true
	}
	step, rest, _ := strings.Cut(path, ".")
	switch v.kind {
	case KindList:
		index, err := strconv.Atoi(step)
		if err != nil || index < 0 || index >= len(v.items) {
			return Value{}, false
		}
		return v.items[index].At(rest)
	case KindMap:
		index := sort.SearchStrings(v.keys, step)
		if index == len(v.keys) || v.keys[index] != step {
			return Value{}, false
		}
		return v.items[index].At(rest)
	}
	return Value{}, false
}

// String writes the value as people read it: none, true, -5, "text", [1, 2], {a: 1, b: [none]}.
func (v Value) String() string {
	switch v.kind {
	case KindBool:
		return strconv.FormatBool(v.n != 0)
	case KindInt:
		return strconv.FormatInt(v.n, 10)
	case KindText:
		return strconv.Quote(v.text)
	case KindList:
		parts := make([]string, len(v.items))
		for index, item := range v.items {
			parts[index] = item.String()
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case KindMap:
		parts := make([]string, len(v.items))
		for index, item := range v.items {
			parts[index] = v.keys[index] + ": " + item.String()
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return "none"
}

// Marshal encodes a value: its kind as one byte, then a bool as a byte 0 or 1, an int as a zigzag number, a text as
// its length and its bytes, a list as its length and its items, a map as its length and key (as a text without kind)
// and item in turn. ErrDepth when it is nested more deeply than MaxDepth.
func Marshal(v Value) ([]byte, error) {
	return v.append(nil, 0)
}

func (v Value) append(data []byte, depth int) ([]byte, error) {
	if depth > MaxDepth {
		return nil, ErrDepth
	}
	data = append(data, byte(v.kind))
	switch v.kind {
	case KindBool:
		return append(data, byte(v.n)), nil
	case KindInt:
		return AppendUint(data, ZigZag(v.n)), nil
	case KindText:
		return appendText(data, v.text), nil
	case KindList, KindMap:
		data = AppendUint(data, uint64(len(v.items)))
	}
	var err error
	for index, item := range v.items {
		if v.kind == KindMap {
			data = appendText(data, v.keys[index])
		}
		if data, err = item.append(data, depth+1); err != nil {
			return nil, err
		}
	}
	return data, nil
}

func appendText(data []byte, text string) []byte {
	return append(AppendUint(data, uint64(len(text))), text...)
}

// Unmarshal is the inverse of Marshal. All of data must be used: else ErrTrailing. Other errors: ErrShort, ErrRange,
// ErrKind, ErrDepth, each wrapped with the offset where it was found, as "offset 3: ...".
func Unmarshal(data []byte) (Value, error) {
	d := decoder{data: data}
	v, err := d.value(0)
	if err == nil && d.at < len(data) {
		err = ErrTrailing
	}
	if err != nil {
		return Value{}, fmt.Errorf("offset %d: %w", d.at, err)
	}
	return v, nil
}

type decoder struct {
	data []byte
	at   int
}

func (d *decoder) value(depth int) (Value, error) {
	if depth > MaxDepth {
		return Value{}, ErrDepth
	}
	if d.at >= len(d.data) {
		return Value{}, ErrShort
	}
	v := Value{kind: Kind(d.data[d.at])}
	if v.kind > KindMap {
		return Value{}, ErrKind
	}
	d.at++
	var err error
	switch v.kind {
	case KindBool:
		return d.bool()
	case KindInt:
		var n uint64
		n, err = d.number()
		v.n = UnZigZag(n)
	case KindText:
		v.text, err = d.text()
	case KindList, KindMap:
		err = d.items(&v, depth)
	}
	return v, err
}

func (d *decoder) bool() (Value, error) {
	if d.at >= len(d.data) {
		return Value{}, ErrShort
	}
	if d.data[d.at] > 1 {
		return Value{}, ErrRange
	}
	d.at++
	return Bool(d.data[d.at-1] == 1), nil
}

func (d *decoder) number() (uint64, error) {
	n, size, err := Uint(d.data[d.at:])
	d.at += size
	return n, err
}

func (d *decoder) text() (string, error) {
	length, err := d.number()
	if err != nil {
		return "", err
	}
	if length > uint64(len(d.data)-d.at) {
		return "", ErrShort
	}
	d.at += int(length)
	return string(d.data[d.at-int(length) : d.at]), nil
}

func (d *decoder) items(v *Value, depth int) error {
	length, err := d.number()
	if err != nil {
		return err
	}
	for range length {
		if v.kind == KindMap {
			key, err := d.text()
			if err != nil {
				return err
			}
			v.keys = append(v.keys, key)
		}
		item, err := d.value(depth + 1)
		if err != nil {
			return err
		}
		v.items = append(v.items, item)
	}
	return nil
}
