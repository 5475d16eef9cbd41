package main

// askedSource is how a program of tests answers. A slot that is asked has no value; what stands for it in what a
// test expects tells only which slot it is. Where a comparison meets it, what was computed is handed over, and all
// else is compared as ever.
const askedSource = `package lookup

import (
	"encoding/hex"
	"reflect"
	"strconv"
	"sync"
	"syscall"

	values "` + valuesModule + `"
)

// Bounds of what is handed over.
const (
	mostOfOne = 1 << 14
	mostOfAll = 1 << 22
	mostTimes = 8
)

var (
	lock sync.Mutex
	// Slots by what stands for them.
	texts   = map[string]string{}
	numbers = map[int64]string{}
	// Numbers by slot.
	taken = map[string]int64{}
	said  = map[string]int{}
	heard = map[string]bool{}
	size  int
)

func textFor(slot string) string {
	lock.Lock()
	defer lock.Unlock()
	text := "kaiju asks " + slot
	texts[text] = slot
	return text
}

// numberFor is one that every type of 32 bits and more holds.
func numberFor(slot string) int64 {
	lock.Lock()
	defer lock.Unlock()
	number, known := taken[slot]
	if known {
		return number
	}
	wide, err := strconv.ParseInt(slot, 16, 64)
	check(err == nil)
	for number = wide % (1 << 30); numbers[1<<30+number] != ""; number = (number + 1) % (1 << 30) {
	}
	number += 1 << 30
	taken[slot], numbers[number] = number, slot
	return number
}

// slotOf is the slot that a value stands for, and whether it stands for the opposite number.
func slotOf(value reflect.Value) (slot string, minus bool) {
	lock.Lock()
	defer lock.Unlock()
	switch value.Kind() {
	case reflect.String:
		return texts[value.String()], false
	case reflect.Slice:
		if value.Type().Elem().Kind() == reflect.Uint8 {
			return texts[string(value.Bytes())], false
		}
	case reflect.Int, reflect.Int32, reflect.Int64:
		return slotOfNumber(value.Int())
	case reflect.Uint, reflect.Uint32, reflect.Uint64:
		if number := value.Uint(); number < 1<<31 {
			return numbers[int64(number)], false
		}
	case reflect.Float64:
		if number := value.Float(); number > -1<<31 && number < 1<<31 && number == float64(int64(number)) {
			return slotOfNumber(int64(number))
		}
	}
	return "", false
}

func slotOfNumber(number int64) (slot string, minus bool) {
	if slot := numbers[number]; slot != "" {
		return slot, false
	}
	return numbers[-number], numbers[-number] != ""
}

// asking tells whether anything can be asked yet.
func asking() bool {
	lock.Lock()
	defer lock.Unlock()
	return len(texts)+len(numbers) > 0
}

// textOf is an answer as a line has it.
func textOf(value reflect.Value, minus bool) string {
	text := ""
	switch value.Kind() {
	case reflect.String:
		text = "t " + hex.EncodeToString([]byte(value.String()))
	case reflect.Slice:
		text = "t " + hex.EncodeToString(value.Bytes())
	case reflect.Int, reflect.Int32, reflect.Int64:
		number := value.Int()
		if minus {
			number = -number
		}
		text = "i " + strconv.FormatInt(number, 10)
	case reflect.Uint, reflect.Uint32, reflect.Uint64:
		text = "i " + strconv.FormatUint(value.Uint(), 10)
	case reflect.Float64:
		number := value.Float()
		if minus {
			number = -number
		}
		text = "f " + strconv.FormatFloat(number, 'g', -1, 64)
	}
	if len(text) > 2*mostOfOne {
		return "-"
	}
	return text
}

type answer struct{ slot, text string }

// say hands answers over, each once.
func say(answers []answer) {
	lock.Lock()
	defer lock.Unlock()
	for _, one := range answers {
		line := one.slot + " " + one.text + "\n"
		if heard[line] || said[one.slot] == mostTimes || size+len(line) > mostOfAll {
			continue
		}
		heard[line] = true
		said[one.slot]++
		size += len(line)
		for rest := []byte(line); len(rest) > 0; {
			count, err := syscall.Write(values.Answers, rest)
			if err != nil && err != syscall.EINTR {
				return
			}
			if count > 0 {
				rest = rest[count:]
			}
		}
	}
}
`
