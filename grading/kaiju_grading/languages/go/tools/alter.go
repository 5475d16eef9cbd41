package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// sitesOf one test: expected values first, then conditions that hold none of these.
func (f *finder) sitesOf(function *ast.FuncDecl, test string) []site {
	var found []site
	path := f.files.PositionFor(function.Pos(), false).Filename
	add := func(start, end int, one site) {
		overlaps := slices.ContainsFunc(found, func(other site) bool { return start < other.End && other.Start < end })
		if one.Replacement == "" || overlaps {
			return
		}
		one.Test, one.Path, one.Start, one.End = test, path, start, end
		found = append(found, one)
	}
	constants := constantPlaces(function)
	ast.Inspect(function.Body, func(node ast.Node) bool {
		if node == nil || constants[node] {
			return false
		}
		literal, ok := node.(ast.Expr)
		if !ok {
			return true
		}
		if certain, expected := f.literals[literal]; expected {
			add(f.offset(literal.Pos()), f.offset(literal.End()), f.valueSite(literal, path, certain))
		}
		return true
	})
	for _, one := range f.asserts {
		if function.Pos() <= one.condition.Pos() && one.condition.End() <= function.End() {
			add(f.offset(one.condition.Pos()), f.offset(one.condition.End()), f.conditionSite(one, path))
		}
	}
	if strings.HasPrefix(function.Name.Name, "Example") {
		start := f.offset(function.Body.Lbrace) + 1
		slot, number := slotOf(path, start)
		real := number&1 == 0
		add(start, start, site{Replacement: fmt.Sprintf(" kaijuPrint(%s); ", unlike(slot, real)), Kind: equal, Weak: true,
			Slot: slot, Real: strconv.FormatBool(real), Altered: strconv.FormatBool(!real)})
	}
	return found
}

// constantPlaces are nodes where only a constant can stand, with all that they hold.
func constantPlaces(function *ast.FuncDecl) map[ast.Node]bool {
	places := map[ast.Node]bool{}
	ast.Inspect(function.Body, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.GenDecl:
			places[node] = node.Tok == token.CONST
		case *ast.ArrayType:
			places[node] = true
		case *ast.KeyValueExpr:
			places[node.Key] = true
		case *ast.BinaryExpr:
			places[node] = node.Op == token.SHL || node.Op == token.SHR
		case *ast.StructType:
			places[node] = true
		case *ast.CaseClause:
			for _, one := range node.List {
				places[one] = true
			}
		}
		return true
	})
	return places
}

// unlike is an expression that is false in a run as written, whichever value the table has for that: bits in a
// table must not tell what is altered.
func unlike(slot string, real bool) string {
	if real {
		return "!kaijuBool(" + quoted(slot) + ")"
	}
	return "kaijuBool(" + quoted(slot) + ")"
}

func (f *finder) conditionSite(one assertion, path string) site {
	slot, number := slotOf(path, f.offset(one.condition.Pos()))
	real := number&1 == 0
	found := site{Kind: one.kind, Weak: true, Conditional: !one.certain, Slot: slot,
		Real: strconv.FormatBool(real), Altered: strconv.FormatBool(!real)}
	switch {
	case one.isError:
		found.Replacement = fmt.Sprintf("kaijuError(%s, %s)", f.text(one.condition), unlike(slot, real))
	case real:
		found.Replacement = fmt.Sprintf("(%s) == kaijuBool(%s)", f.text(one.condition), quoted(slot))
	default:
		found.Replacement = fmt.Sprintf("(%s) != kaijuBool(%s)", f.text(one.condition), quoted(slot))
	}
	return found
}

// valueSite alters a literal; without a replacement when it cannot be.
func (f *finder) valueSite(literal ast.Expr, path string, certain bool) site {
	value := f.info.Types[literal]
	basic, ok := under(value.Type).(*types.Basic)
	name := f.typeName(value.Type, path)
	if !ok || value.Value == nil || name == "" {
		return site{}
	}
	slot, number := slotOf(path, f.offset(literal.Pos()))
	found := site{Kind: equal, Conditional: !certain, Slot: slot}
	if f.through[literal] {
		found.Kind = helper
	}
	accessor, plain := "", ""
	switch info := basic.Info(); {
	case info&types.IsBoolean != 0:
		accessor, plain = "kaijuBool", "bool"
		found.Real = strconv.FormatBool(constant.BoolVal(value.Value))
		found.Altered = strconv.FormatBool(!constant.BoolVal(value.Value))
		found.Weak, found.Kind = true, truth
	case info&types.IsString != 0:
		accessor, plain = "kaijuString", "string"
		found.Real = constant.StringVal(value.Value)
		found.Altered = f.otherText(found.Real, number)
	case info&types.IsInteger != 0:
		accessor, plain, found.Real, found.Altered = f.otherInteger(value, info&types.IsUnsigned != 0, isRune(literal), number)
	case info&types.IsFloat != 0:
		accessor, plain = "kaijuFloat", "float64"
		real, _ := constant.Float64Val(value.Value)
		found.Real = strconv.FormatFloat(real, 'g', -1, 64)
		found.Altered = strconv.FormatFloat(real+1+float64(number%3), 'g', -1, 64)
	}
	if accessor == "" || found.Altered == found.Real {
		return site{}
	}
	found.Replacement = fmt.Sprintf("%s(%s)", accessor, quoted(slot))
	if name != plain {
		found.Replacement = fmt.Sprintf("%s(%s)", name, found.Replacement)
	}
	return found
}

func isRune(literal ast.Expr) bool {
	basic, ok := literal.(*ast.BasicLit)
	return ok && basic.Kind == token.CHAR
}

// typeName is how this file writes the type; empty when it cannot.
func (f *finder) typeName(typ types.Type, path string) string {
	switch typ := typ.(type) {
	case *types.Basic:
		if typ.Info()&types.IsUntyped == 0 {
			return typ.Name()
		}
		return types.Default(typ).String()
	case *types.Named:
		object := typ.Obj()
		if typ.TypeArgs() != nil || object.Parent() == nil || object.Pkg() == nil {
			return ""
		}
		if object.Pkg() == f.pkg {
			return object.Name()
		}
		for _, imported := range f.syntax[path].Imports {
			if where, _ := strconv.Unquote(imported.Path.Value); where == object.Pkg().Path() && object.Exported() {
				name := object.Pkg().Name()
				if imported.Name != nil {
					name = imported.Name.Name
				}
				if name != "_" && name != "." {
					return name + "." + object.Name()
				}
			}
		}
	}
	return ""
}

// otherText is another expected text of this package's tests that has the same length, or the same text with one
// word, else one letter or digit, become another. Values are drawn as often as the tests have them: a rare one
// would tell.
func (f *finder) otherText(text string, number uint32) string {
	var same, others []string
	for _, one := range f.values(constant.String) {
		other := constant.StringVal(one.Value)
		if folded(other) == folded(text) {
			continue
		}
		others = append(others, other)
		if len(other) == len(text) {
			same = append(same, other)
		}
	}
	slices.Sort(same)
	slices.Sort(others)
	changed := otherWord(text, others, number)
	if changed == text {
		changed = changedText(text, number)
	}
	switch {
	case len(same) > 0 && (number&1 == 0 || changed == text):
		return same[int(number>>1)%len(same)]
	case changed != text:
		return changed
	case len(others) > 0:
		return others[int(number>>1)%len(others)]
	}
	return text + "a"
}

// values are the expected values of a kind, in no order.
func (f *finder) values(kind constant.Kind) []types.TypeAndValue {
	var found []types.TypeAndValue
	for literal := range f.literals {
		if one := f.info.Types[literal]; one.Value != nil && one.Value.Kind() == kind {
			found = append(found, one)
		}
	}
	return found
}

var words = regexp.MustCompile(`[A-Za-z]+|[0-9]+`)

// otherWord is the text with one word become another of the same length and form; the same text where none is alike.
func otherWord(text string, texts []string, number uint32) string {
	places := words.FindAllStringIndex(text, -1)
	for turn := range places {
		place := places[(int(number>>1)+turn)%len(places)]
		word := text[place[0]:place[1]]
		var alike []string
		for _, one := range texts {
			for _, other := range words.FindAllString(one, -1) {
				if formOf(other) == formOf(word) && !strings.EqualFold(other, word) {
					alike = append(alike, other)
				}
			}
		}
		if len(alike) > 0 {
			return text[:place[0]] + alike[int(number>>1)%len(alike)] + text[place[1]:]
		}
	}
	return text
}

// formOf a word is its length and whether it is of digits, of small letters or of large ones.
func formOf(word string) string {
	return fmt.Sprint(len(word), word[0] <= '9', word == strings.ToLower(word), word == strings.ToUpper(word))
}

func folded(text string) string {
	return strings.ToLower(strings.Join(strings.Fields(text), ""))
}

func changedText(text string, number uint32) string {
	var places []int
	for index := range len(text) {
		if other(text[index]) != text[index] {
			places = append(places, index)
		}
	}
	if len(places) == 0 {
		return text
	}
	changed := []byte(text)
	place := places[int(number>>1)%len(places)]
	changed[place] = other(changed[place])
	return string(changed)
}

// other letter or digit of the same kind; anything else stays.
func other(char byte) byte {
	switch {
	case char == 'z' || char == 'Z' || char == '9':
		return char - 1
	case 'a' <= char && char < 'z', 'A' <= char && char < 'Z', '0' <= char && char < '9':
		return char + 1
	}
	return char
}

// otherInteger has as many digits.
func (f *finder) otherInteger(value types.TypeAndValue, unsigned, letter bool, number uint32) (accessor, plain, real, altered string) {
	whole := constant.ToInt(value.Value)
	if unsigned {
		if _, exact := constant.Uint64Val(whole); !exact {
			return "", "", "", ""
		}
		return "kaijuUint", "uint64", whole.ExactString(), f.otherNumber(value, number)
	}
	integer, exact := constant.Int64Val(whole)
	if !exact {
		return "", "", "", ""
	}
	if letter && integer < 128 {
		return "kaijuInt", "int64", whole.ExactString(), strconv.Itoa(int(other(byte(integer))))
	}
	return "kaijuInt", "int64", whole.ExactString(), f.otherNumber(value, number)
}

// otherNumber is one of the same type that the tests expect elsewhere, or a neighbour.
func (f *finder) otherNumber(value types.TypeAndValue, number uint32) string {
	text := constant.ToInt(value.Value).ExactString()
	var alike []string
	for _, one := range f.values(constant.Int) {
		other := one.Value.ExactString()
		if types.Identical(one.Type, value.Type) && len(other) == len(text) && other != text {
			alike = append(alike, other)
		}
	}
	if len(alike) == 0 {
		return nextDigits(text)
	}
	slices.Sort(alike)
	return alike[int(number>>1)%len(alike)]
}

func nextDigits(text string) string {
	last := len(text) - 1
	digit := text[last]
	if digit == '9' {
		return text[:last] + "8"
	}
	return text[:last] + string(digit+1)
}
