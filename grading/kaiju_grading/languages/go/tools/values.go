package main

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// valuesModule sorts before every import path that a module can have: packages are initialised in the order of
// their paths, so that the table is read, and its descriptor closed, before any code of the library runs.
const valuesModule = "0.kaiju/values"

// accessors is the name of the file that gives a package of tests its lookups.
const accessors = "kaiju_values_test.go"

const tableSource = `// Package values holds the values of one run of the tests, by slot.
package values

import "syscall"

// Descriptor is where the table is read from: "SLOT LENGTH\nVALUE\n" for each slot.
const descriptor = 3

// Answers is the descriptor that takes what is asked.
const Answers = 4

var table = map[string]string{}

// told is whether there was a table: a program that a test starts by itself has none.
var told bool

func init() {
	var text []byte
	buffer := make([]byte, 1<<16)
	for {
		count, err := syscall.Read(descriptor, buffer)
		if err == syscall.EINTR {
			continue
		}
		told = err == nil
		if err != nil || count <= 0 {
			break
		}
		text = append(text, buffer[:count]...)
	}
	syscall.Close(descriptor)
	syscall.CloseOnExec(Answers)
	for len(text) > 0 {
		slot, rest := cut(text, ' ')
		size, rest := cut(rest, '\n')
		length := 0
		for _, digit := range size {
			length = length*10 + int(digit-'0')
		}
		if length+1 > len(rest) {
			break
		}
		table[string(slot)] = string(rest[:length])
		text = rest[length+1:]
	}
}

func cut(text []byte, mark byte) (before, after []byte) {
	for index, char := range text {
		if char == mark {
			return text[:index], text[index+1:]
		}
	}
	return text, nil
}

// Get is the value of a slot; there is none of what is asked.
func Get(slot string) (string, bool) {
	if !told {
		panic("no value")
	}
	value, ok := table[slot]
	return value, ok
}
`

const lookupSource = `// Package lookup reads values as what a test compares.
package lookup

import (
	"errors"
	"os"
	"strconv"

	values "` + valuesModule + `"
)

func String(slot string) string {
	value, ok := values.Get(slot)
	if !ok {
		return textFor(slot)
	}
	return value
}

func Int(slot string) int64 {
	value, ok := values.Get(slot)
	if !ok {
		return numberFor(slot)
	}
	number, err := strconv.ParseInt(value, 10, 64)
	check(err == nil)
	return number
}

func Uint(slot string) uint64 {
	value, ok := values.Get(slot)
	if !ok {
		return uint64(numberFor(slot))
	}
	number, err := strconv.ParseUint(value, 10, 64)
	check(err == nil)
	return number
}

func Float(slot string) float64 {
	value, ok := values.Get(slot)
	if !ok {
		return float64(numberFor(slot))
	}
	number, err := strconv.ParseFloat(value, 64)
	check(err == nil)
	return number
}

func Bool(slot string) bool {
	value, ok := values.Get(slot)
	check(ok)
	return value == "true"
}

// Error is err or, for opposite, an error for none and none for an error.
func Error(err error, opposite bool) error {
	if !opposite {
		return err
	}
	if err == nil {
		return errors.New("unexpected")
	}
	return nil
}

// Print writes what no example expects, if it is told to.
func Print(more bool) {
	if more {
		os.Stdout.WriteString("unexpected\n")
	}
}

func check(good bool) {
	if !good {
		panic("bad value")
	}
}
`

const accessorSource = `package %[1]s

import kaijulookup%[2]s "` + valuesModule + `/lookup"

func kaijuString%[2]s(slot string) string { return kaijulookup%[2]s.String(slot) }
func kaijuInt%[2]s(slot string) int64     { return kaijulookup%[2]s.Int(slot) }
func kaijuUint%[2]s(slot string) uint64   { return kaijulookup%[2]s.Uint(slot) }
func kaijuFloat%[2]s(slot string) float64 { return kaijulookup%[2]s.Float(slot) }
func kaijuBool%[2]s(slot string) bool     { return kaijulookup%[2]s.Bool(slot) }
func kaijuError%[2]s(err error, opposite bool) error { return kaijulookup%[2]s.Error(err, opposite) }
func kaijuPrint%[2]s(more bool)           { kaijulookup%[2]s.Print(more) }
func kaijuSame%[2]s(one, other interface{}) bool { return kaijulookup%[2]s.Same(one, other) }
func kaijuPair%[2]s(one, other interface{}) (interface{}, interface{}) { return kaijulookup%[2]s.Pair(one, other) }
func kaijuBytes%[2]s(one, other []byte) ([]byte, []byte) { return kaijulookup%[2]s.Bytes(one, other) }
func kaijuCall%[2]s(equal interface{}) func(...interface{}) bool { return kaijulookup%[2]s.Call(equal) }
`

// accessorCall is a lookup as sites have it.
var accessorCall = regexp.MustCompile(`\bkaiju(String|Int|Uint|Float|Bool|Error|Print|Same|Pair|Bytes|Call)\(`)

// marked gives every lookup of a test file a name that no library can have declared.
func marked(text []byte, mark string) []byte {
	return accessorCall.ReplaceAll(text, []byte("kaiju${1}"+mark+"("))
}

// newMark is what this compilation adds to the names of its lookups.
func newMark() string {
	random := make([]byte, 8)
	rand.Read(random)
	return hex.EncodeToString(random)
}

// declaredAccessors are the same names for a type check that knows no other package.
const declaredAccessors = `package %s

func kaijuString(slot string) string { panic(0) }
func kaijuInt(slot string) int64     { panic(0) }
func kaijuUint(slot string) uint64   { panic(0) }
func kaijuFloat(slot string) float64 { panic(0) }
func kaijuBool(slot string) bool     { panic(0) }
func kaijuError(err error, opposite bool) error { panic(0) }
func kaijuPrint(more bool)           { panic(0) }
func kaijuSame(one, other interface{}) bool { panic(0) }
func kaijuPair(one, other interface{}) (interface{}, interface{}) { panic(0) }
func kaijuBytes(one, other []byte) ([]byte, []byte) { panic(0) }
func kaijuCall(equal interface{}) func(...interface{}) bool { panic(0) }
`

// writeValues writes the module.
func writeValues(folder string) error {
	files := map[string]string{
		"go.mod":           fmt.Sprintf("module %s\n\ngo 1.16\n", valuesModule),
		"values.go":        tableSource,
		"lookup/lookup.go": lookupSource,
		"lookup/asked.go":  askedSource,
		"lookup/match.go":  matchSource,
	}
	for name, text := range files {
		target := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(target, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
