package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// sitesOf one test: expected values first, then conditions that hold none of these.
func (f *finder) sitesOf(function *ast.FuncDecl, test string) []site {
	var found []site
	path := f.files.PositionFor(function.Pos(), false).Filename
	within := func(start, end int) func(site) bool {
		return func(other site) bool { return start < other.End && other.Start < end }
	}
	add := func(start, end int, one site) {
		if one.Replacement == "" || slices.ContainsFunc(found, within(start, end)) {
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
			start, end := f.offset(one.condition.Pos()), f.offset(one.condition.End())
			inside := within(start, end)
			if one.certain && !slices.ContainsFunc(found, func(other site) bool { return inside(other) && !other.Conditional }) {
				// Better turned around for certain than with a value that may not be looked at.
				found = slices.DeleteFunc(found, inside)
			}
			add(start, end, f.conditionSite(one, path))
		}
	}
	if strings.HasPrefix(function.Name.Name, "Example") {
		start := f.offset(function.Body.Lbrace) + 1
		slot := slotOf(path, start)
		real := f.realBit(slot, path)
		add(start, start, site{Replacement: fmt.Sprintf(" kaijuPrint(%s); ", unlike(slot, real)), Kind: equal, Weak: true,
			Slot: slot, Real: strconv.FormatBool(real), Altered: []string{strconv.FormatBool(!real)}})
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

// realBit is what a table has for a condition that is as written.
func (f *finder) realBit(slot, path string) bool { return f.chance(slot, path).Intn(2) == 0 }

func (f *finder) conditionSite(one assertion, path string) site {
	slot := slotOf(path, f.offset(one.condition.Pos()))
	real := f.realBit(slot, path)
	return site{Kind: one.kind, Weak: true, Conditional: !one.certain, Slot: slot,
		Real: strconv.FormatBool(real), Altered: []string{strconv.FormatBool(!real)},
		Replacement: f.conditionText(one, path, nil), condition: &one}
}

// conditionText is a condition that is turned around when the table says so, with edits of its own text.
func (f *finder) conditionText(one assertion, path string, inner []edit) string {
	start := f.offset(one.condition.Pos())
	slot := slotOf(path, start)
	real := f.realBit(slot, path)
	var moved []edit
	for _, part := range inner {
		moved = append(moved, edit{part.from - start, part.to - start, part.text})
	}
	text := apply([]byte(f.text(one.condition)), moved)
	switch {
	case one.isError:
		return fmt.Sprintf("kaijuError(%s, %s)", text, unlike(slot, real))
	case real:
		return fmt.Sprintf("(%s) == kaijuBool(%s)", text, quoted(slot))
	}
	return fmt.Sprintf("(%s) != kaijuBool(%s)", text, quoted(slot))
}

// valueSite alters a literal; without a replacement when it cannot be.
func (f *finder) valueSite(literal ast.Expr, path string, certain bool) site {
	value := f.info.Types[literal]
	basic, ok := under(value.Type).(*types.Basic)
	name := f.typeName(value.Type, path)
	if !ok || value.Value == nil || name == "" {
		return site{}
	}
	slot := slotOf(path, f.offset(literal.Pos()))
	found := site{Kind: equal, Conditional: !certain, Slot: slot}
	if f.through[literal] {
		found.Kind = helper
	}
	accessor, plain := "", ""
	chance := f.chance(slot, path)
	switch info := basic.Info(); {
	case info&types.IsBoolean != 0:
		accessor, plain = "kaijuBool", "bool"
		found.Real = strconv.FormatBool(constant.BoolVal(value.Value))
		found.Altered = []string{strconv.FormatBool(!constant.BoolVal(value.Value))}
		found.Weak, found.Kind = true, truth
	case info&types.IsString != 0:
		accessor, plain = "kaijuString", "string"
		found.Real = constant.StringVal(value.Value)
		if utf8.ValidString(found.Real) { // a table is JSON on its way
			found.Altered = f.otherTexts(found.Real, path, chance)
		}
	case info&types.IsInteger != 0:
		accessor, plain, found.Real = integer(value, info&types.IsUnsigned != 0)
		if accessor != "" {
			found.Altered = f.otherIntegers(value, isRune(literal), chance)
		}
	case info&types.IsFloat != 0:
		accessor, plain = "kaijuFloat", "float64"
		real, _ := constant.Float64Val(value.Value)
		found.Real = strconv.FormatFloat(real, 'g', -1, 64)
		found.Altered = otherFloats(real, chance)
	}
	if accessor == "" || len(found.Altered) == 0 {
		return site{}
	}
	found.Replacement = fmt.Sprintf("%s(%s)", accessor, quoted(slot))
	if name != plain {
		found.Replacement = fmt.Sprintf("%s(%s)", name, found.Replacement)
	}
	return found
}

// integer is how a whole number is looked up; empty when it is too large.
func integer(value types.TypeAndValue, unsigned bool) (accessor, plain, real string) {
	whole := constant.ToInt(value.Value)
	if _, exact := constant.Uint64Val(whole); unsigned && exact {
		return "kaijuUint", "uint64", whole.ExactString()
	}
	if _, exact := constant.Int64Val(whole); !unsigned && exact {
		return "kaijuInt", "int64", whole.ExactString()
	}
	return "", "", ""
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
