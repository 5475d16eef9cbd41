package main

// matchSource compares what a test expects with what it got.
const matchSource = `package lookup

import "reflect"

// deepest is how far a comparison goes.
const deepest = 200

// Same is one == other.
func Same(one, other interface{}) bool {
	if _, asked, equal := compare(one, other, false); asked {
		return equal
	}
	return one == other
}

// Pair is what a function that compares is given for these two.
func Pair(one, other interface{}) (interface{}, interface{}) {
	if want, asked, equal := compare(one, other, true); asked && equal {
		return want, want
	}
	return one, other
}

// Bytes is Pair for bytes.
func Bytes(one, other []byte) ([]byte, []byte) {
	if want, asked, equal := compare(one, other, true); asked && equal {
		return want.([]byte), want.([]byte)
	}
	return one, other
}

// Call is a function that fails a test unless the third last of what it may be given equals the second last; the
// last are words.
func Call(equal interface{}) func(...interface{}) bool {
	function := reflect.ValueOf(equal)
	return func(given ...interface{}) bool {
		place := function.Type().NumIn() - 3
		if _, asked, same := compare(given[place], given[place+1], true); asked && same {
			given[place+1] = given[place]
		}
		arguments := make([]reflect.Value, len(given))
		for index, one := range given {
			if arguments[index] = reflect.ValueOf(one); one != nil {
				continue
			}
			kind := function.Type().In(min(index, place+2))
			if index >= place+2 {
				kind = kind.Elem()
			}
			arguments[index] = reflect.Zero(kind)
		}
		results := function.Call(arguments)
		return len(results) == 0 || results[0].Bool()
	}
}

func min(one, other int) int {
	if one < other {
		return one
	}
	return other
}

// compare tells which of two is expected, whether it is asked for, and whether the other one has its form.
func compare(one, other interface{}, deep bool) (want interface{}, asked, equal bool) {
	if !asking() {
		return nil, false, false
	}
	first, second := reflect.ValueOf(one), reflect.ValueOf(other)
	inFirst, inSecond := newMatcher(deep).holds(first, 0), newMatcher(deep).holds(second, 0)
	if inFirst == inSecond {
		return nil, false, false
	}
	if want = other; inFirst {
		first, second, want = second, first, one
	}
	m := newMatcher(deep)
	if equal = m.match(first, second, 0); equal {
		say(m.answers)
	}
	return want, true, equal
}

// matcher walks through values by their kinds: it calls no method of theirs. deep: through pointers, as
// reflect.DeepEqual does; else as == does.
type matcher struct {
	deep  bool
	seen  map[[2]uintptr]bool
	answers []answer
}

func newMatcher(deep bool) *matcher {
	return &matcher{deep: deep, seen: map[[2]uintptr]bool{}}
}

// holds tells whether something in a value stands for a slot.
func (m *matcher) holds(value reflect.Value, depth int) bool {
	if !value.IsValid() || depth > deepest {
		return false
	}
	if slot, _ := slotOf(value); slot != "" {
		return true
	}
	switch value.Kind() {
	case reflect.Array, reflect.Slice:
		if plain(value.Type().Elem().Kind()) || (value.Kind() == reflect.Slice && !m.deep) {
			return false
		}
		for index := 0; index < value.Len(); index++ {
			if m.holds(value.Index(index), depth+1) {
				return true
			}
		}
	case reflect.Interface:
		return m.holds(value.Elem(), depth+1)
	case reflect.Ptr:
		place := [2]uintptr{value.Pointer(), 0}
		if !m.deep || m.seen[place] {
			return false
		}
		m.seen[place] = true
		return m.holds(value.Elem(), depth+1)
	case reflect.Struct:
		for index := 0; index < value.NumField(); index++ {
			if m.holds(value.Field(index), depth+1) {
				return true
			}
		}
	case reflect.Map:
		if !m.deep {
			return false
		}
		for entries := value.MapRange(); entries.Next(); {
			if m.holds(entries.Value(), depth+1) {
				return true
			}
		}
	}
	return false
}

// plain are kinds that never stand for a slot.
func plain(kind reflect.Kind) bool {
	return kind == reflect.Bool || kind == reflect.Uint8 || kind == reflect.Int8 || kind == reflect.Uint16 || kind == reflect.Int16
}

// match notes what was got where a slot is asked; all else must be equal.
func (m *matcher) match(got, want reflect.Value, depth int) bool {
	if !got.IsValid() || !want.IsValid() {
		return got.IsValid() == want.IsValid()
	}
	if got.Type() != want.Type() || depth > deepest {
		return false
	}
	if slot, minus := slotOf(want); slot != "" {
		m.answers = append(m.answers, answer{slot, textOf(got, minus)})
		return true
	}
	switch want.Kind() {
	case reflect.Array, reflect.Slice:
		return m.elements(got, want, depth)
	case reflect.Interface:
		return m.match(got.Elem(), want.Elem(), depth+1)
	case reflect.Ptr:
		place := [2]uintptr{got.Pointer(), want.Pointer()}
		if place[0] == place[1] || (m.deep && m.seen[place]) {
			return true
		}
		m.seen[place] = true
		return m.deep && m.match(got.Elem(), want.Elem(), depth+1)
	case reflect.Struct:
		for index := 0; index < want.NumField(); index++ {
			if !m.match(got.Field(index), want.Field(index), depth+1) {
				return false
			}
		}
		return true
	case reflect.Map:
		return m.entries(got, want, depth)
	}
	return scalar(got, want)
}

func (m *matcher) elements(got, want reflect.Value, depth int) bool {
	if want.Kind() == reflect.Slice && (!m.deep || got.IsNil() != want.IsNil()) {
		return false
	}
	if got.Len() != want.Len() {
		return false
	}
	for index := 0; index < want.Len(); index++ {
		if !m.match(got.Index(index), want.Index(index), depth+1) {
			return false
		}
	}
	return true
}

func (m *matcher) entries(got, want reflect.Value, depth int) bool {
	if !m.deep || got.IsNil() != want.IsNil() || got.Len() != want.Len() {
		return false
	}
	for _, key := range want.MapKeys() {
		if !m.match(got.MapIndex(key), want.MapIndex(key), depth+1) {
			return false
		}
	}
	return true
}

func scalar(got, want reflect.Value) bool {
	switch want.Kind() {
	case reflect.Bool:
		return got.Bool() == want.Bool()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return got.Int() == want.Int()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return got.Uint() == want.Uint()
	case reflect.Float32, reflect.Float64:
		return got.Float() == want.Float()
	case reflect.Complex64, reflect.Complex128:
		return got.Complex() == want.Complex()
	case reflect.String:
		return got.String() == want.String()
	case reflect.Func:
		return got.IsNil() && want.IsNil()
	}
	return got.Pointer() == want.Pointer() // a channel
}
`
