package main

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"go/constant"
	"go/types"
	"math/rand"
	"regexp"
	"slices"
	"strings"
)

// mostOthers is how many wrong values a place gets: four runs can show that many.
//
// Values are drawn as often as the tests have them: a rare one would tell. All that are drawn for one place come
// about in the same way, and nothing of it depends on which of them is the real one: who sees several of them must
// not see which one the others were made of.
const mostOthers = 3

// chance draws the same for every preparation of a file, and what a library that does not have the file cannot know.
func (f *finder) chance(slot, path string) *rand.Rand {
	sum := sha256.Sum256(append([]byte(slot+"\x00"), f.texts[path]...))
	return rand.New(rand.NewSource(int64(binary.BigEndian.Uint64(sum[:]))))
}

// drawn are different ones of these, the more likely the more often they are listed.
func drawn(values []string, chance *rand.Rand) []string {
	slices.Sort(values)
	chance.Shuffle(len(values), func(one, other int) { values[one], values[other] = values[other], values[one] })
	var found []string
	for _, value := range values {
		if len(found) < mostOthers && !slices.Contains(found, value) {
			found = append(found, value)
		}
	}
	return found
}

// richer is the first of two ways to alter something, unless the second has more values.
func richer(one, other []string) []string {
	if len(other) > len(one) {
		return other
	}
	return one
}

// otherTexts are other expected texts of the same look and length, or the same text with one word, else one letter
// or digit, become others. Those of the same file come first.
func (f *finder) otherTexts(text, path string, chance *rand.Rand) []string {
	var found []string
	for _, file := range []string{path, ""} {
		if len(found) == 0 {
			texts := f.expectedTexts(text, file)
			alike := slices.DeleteFunc(slices.Clone(texts), func(other string) bool { return !alikeInLook(text, other) })
			if lookOf(text) == code {
				texts = alike
			}
			found = richer(sameLength(alike, text, chance), otherWords(text, texts, chance))
			if text == "" {
				found = drawn(alike, chance)
			}
		}
	}
	if len(found) == 0 || lookOf(text) == code {
		found = richer(found, otherLetters(text, chance))
	}
	if len(found) == 0 {
		found = drawn(f.expectedTexts(text, ""), chance)
	}
	if len(found) == 0 {
		found = []string{text + "a"}
	}
	return found
}

// expectedTexts are those texts of one file, or all, that differ from this one.
func (f *finder) expectedTexts(text, path string) []string {
	var found []string
	for _, one := range f.values(constant.String, path) {
		if other := constant.StringVal(one.Value); folded(other) != folded(text) {
			found = append(found, other)
		}
	}
	slices.Sort(found)
	return found
}

func sameLength(texts []string, text string, chance *rand.Rand) []string {
	var same []string
	for _, one := range texts {
		if len(one) == len(text) {
			same = append(same, one)
		}
	}
	return drawn(same, chance)
}

// Looks of texts: sentences, words, what has digits and no blank, and what has neither letters nor digits.
const (
	sentence = iota
	word
	code
	marks
)

func lookOf(text string) int {
	switch {
	case strings.ContainsAny(text, " \n\t"):
		return sentence
	case strings.ContainsAny(text, "0123456789"):
		return code
	case !words.MatchString(text):
		return marks
	}
	return word
}

// alikeInLook takes no sentence for a text that is empty, and anything else.
func alikeInLook(text, other string) bool {
	if text == "" {
		return lookOf(other) != sentence
	}
	return lookOf(text) == lookOf(other)
}

// values are the expected values of a kind in a file, or in all, in no order.
func (f *finder) values(kind constant.Kind, path string) []types.TypeAndValue {
	var found []types.TypeAndValue
	for literal := range f.literals {
		if path != "" && f.files.PositionFor(literal.Pos(), false).Filename != path {
			continue
		}
		if one := f.info.Types[literal]; one.Value != nil && one.Value.Kind() == kind {
			found = append(found, one)
		}
	}
	return found
}

var words = regexp.MustCompile(`[A-Za-z]+|[0-9]+`)

// otherWords are the text with one word become others of the same length and form; none where none is alike.
func otherWords(text string, texts []string, chance *rand.Rand) []string {
	places := words.FindAllStringIndex(text, -1)
	chance.Shuffle(len(places), func(one, other int) { places[one], places[other] = places[other], places[one] })
	var found []string
	for _, place := range places {
		word := text[place[0]:place[1]]
		var alike []string
		for _, one := range texts {
			for _, other := range words.FindAllString(one, -1) {
				if formOf(other) == formOf(word) && !strings.EqualFold(other, word) {
					alike = append(alike, text[:place[0]]+other+text[place[1]:])
				}
			}
		}
		if found = richer(found, drawn(alike, chance)); len(found) == mostOthers {
			break
		}
	}
	return found
}

// formOf a word is its length and whether it is of digits, of small letters or of large ones.
func formOf(word string) string {
	return fmt.Sprint(len(word), word[0] <= '9', word == strings.ToLower(word), word == strings.ToUpper(word))
}

func folded(text string) string {
	return strings.ToLower(strings.Join(strings.Fields(text), ""))
}

// otherLetters are the text with one letter or digit become its neighbours; none where it has none.
func otherLetters(text string, chance *rand.Rand) []string {
	var places []int
	for index := range len(text) {
		if first, _ := ringOf(text[index]); first != 0 {
			places = append(places, index)
		}
	}
	if len(places) == 0 {
		return nil
	}
	place := places[chance.Intn(len(places))]
	var found []string
	for _, char := range neighbours(text[place], chance) {
		found = append(found, text[:place]+string(rune(char))+text[place+1:])
	}
	return found
}

// ringOf a letter or digit is the first of its kind and how many there are; of anything else, nothing.
func ringOf(char byte) (first byte, size int) {
	switch {
	case 'a' <= char && char <= 'z':
		return 'a', 26
	case 'A' <= char && char <= 'Z':
		return 'A', 26
	case '0' <= char && char <= '9':
		return '0', 10
	}
	return 0, 0
}

// neighbours of a letter or digit on the ring of its kind: some before it, some behind it, in any order.
func neighbours(char byte, chance *rand.Rand) []byte {
	first, size := ringOf(char)
	if size == 0 {
		return nil
	}
	before := chance.Intn(mostOthers + 1)
	var found []byte
	for step := range mostOthers + 1 {
		other := first + byte((int(char-first)+size-before+step)%size)
		if other != char {
			found = append(found, other)
		}
	}
	chance.Shuffle(len(found), func(one, other int) { found[one], found[other] = found[other], found[one] })
	return found
}
