package main

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"slices"
)

// question is an edit of a test that is asked: the lookup of an expected value, or what lets a comparison hand
// over what it was given.
type question struct {
	Test        string `json:"test"`
	Path        string `json:"path"`
	Start       int    `json:"start"`
	End         int    `json:"end"`
	Replacement string `json:"replacement"`
	// Slot and Real are set where a value is looked up.
	Slot string `json:"slot"`
	Real string `json:"real"`
	// Type of an expected value; empty where nothing is asked.
	Type   string `json:"type"`
	Echoed bool   `json:"echoed"`
}

// asker looks for what one test can be asked.
type asker struct {
	*finder
	function *ast.FuncDecl
	parents  map[ast.Node]ast.Node
	operands map[ast.Expr]*equality
	// used are the identifiers of the function by what they name.
	used map[types.Object][]*ast.Ident
	// declared are the identifiers that declare them.
	declared map[types.Object]*ast.Ident
	// ways are the comparisons that a variable or field reaches, while and after they are sought.
	ways map[types.Object]*way
}

// way is where a value goes.
type way struct {
	equalities []*equality
	// lost: elsewhere than into comparisons that must find it equal.
	lost bool
}

func (w *way) join(other *way) {
	w.equalities = append(w.equalities, other.equalities...)
	w.lost = w.lost || other.lost
}

// surely tells whether no test passes without one of these comparisons, and nothing else is done with the value.
func (w *way) surely() bool {
	return !w.lost && slices.ContainsFunc(w.equalities, func(one *equality) bool { return one.certain })
}

var nowhere = &way{lost: true}

func newAsker(f *finder, function *ast.FuncDecl) *asker {
	a := &asker{finder: f, function: function, parents: map[ast.Node]ast.Node{}, operands: map[ast.Expr]*equality{},
		used: map[types.Object][]*ast.Ident{}, declared: map[types.Object]*ast.Ident{}, ways: map[types.Object]*way{}}
	var above []ast.Node
	ast.Inspect(function, func(node ast.Node) bool {
		if node == nil {
			above = above[:len(above)-1]
			return true
		}
		if len(above) > 0 {
			a.parents[node] = above[len(above)-1]
		}
		above = append(above, node)
		if name, ok := node.(*ast.Ident); ok {
			if object := f.info.Uses[name]; object != nil {
				a.used[object] = append(a.used[object], name)
			}
			if object := f.info.Defs[name]; object != nil {
				a.declared[object] = name
			}
		}
		return true
	})
	for _, one := range f.equalities {
		a.operands[one.x], a.operands[one.y] = one, one
	}
	return a
}

// questionsOf one test are expected values that surely are compared, and do nothing else.
func (f *finder) questionsOf(function *ast.FuncDecl, sites []site) ([]question, []*equality) {
	a := newAsker(f, function)
	var found []question
	var reached []*equality
	asked := map[ast.Expr]bool{}
	ast.Inspect(function.Body, func(node ast.Node) bool {
		literal, ok := node.(ast.Expr)
		if !ok || !f.literals[literal] {
			return true
		}
		index := slices.IndexFunc(sites, func(one site) bool {
			return one.Start == f.offset(literal.Pos()) && one.End == f.offset(literal.End()) && !one.Conditional
		})
		kind := f.askable(literal)
		if index < 0 || kind == "" {
			return true
		}
		if to := a.follow(literal); to.surely() {
			one := sites[index]
			asked[literal] = true
			reached = append(reached, to.equalities...)
			found = append(found, question{Test: one.Test, Path: one.Path, Start: one.Start, End: one.End,
				Replacement: one.Replacement, Slot: one.Slot, Real: one.Real, Type: kind})
		}
		return true
	})
	for index, literal := range f.inOrder(asked) {
		found[index].Echoed = f.said(function, literal, asked)
	}
	return found, reached
}

func (f *finder) inOrder(asked map[ast.Expr]bool) []ast.Expr {
	var found []ast.Expr
	for literal := range asked {
		found = append(found, literal)
	}
	slices.SortFunc(found, func(one, other ast.Expr) int { return int(one.Pos() - other.Pos()) })
	return found
}

// askable is how the values of a literal's type are told; empty for types too small to stand for a slot.
func (f *finder) askable(literal ast.Expr) string {
	basic, ok := f.info.TypeOf(literal).Underlying().(*types.Basic)
	if !ok || f.through[literal] {
		return ""
	}
	return kindOfAnswer(basic)
}

func kindOfAnswer(basic *types.Basic) string {
	switch basic.Kind() {
	case types.String, types.UntypedString:
		return "text"
	case types.Int, types.Int32, types.Int64, types.Uint, types.Uint32, types.Uint64, types.UntypedInt, types.UntypedRune:
		return "whole"
	case types.Float64, types.UntypedFloat:
		return "float"
	}
	return ""
}

// said tells whether the test says a value elsewhere, too: alone, or as a word of a text.
func (f *finder) said(function *ast.FuncDecl, literal ast.Expr, asked map[ast.Expr]bool) bool {
	value := f.info.Types[literal].Value
	text := value.ExactString()
	if value.Kind() == constant.String {
		text = constant.StringVal(value)
	}
	word := regexp.MustCompile(`(^|[^A-Za-z0-9])` + regexp.QuoteMeta(text) + `($|[^A-Za-z0-9])`)
	found := false
	ast.Inspect(function.Body, func(node ast.Node) bool {
		other, ok := node.(ast.Expr)
		if !ok || asked[other] {
			return true
		}
		if one := f.info.Types[other].Value; one != nil {
			if one.Kind() == constant.String {
				found = found || (text != "" && word.MatchString(constant.StringVal(one))) || constant.StringVal(one) == text
			} else if one.Kind() == value.Kind() {
				found = found || constant.Compare(one, token.EQL, value)
			}
		}
		return true
	})
	return found
}
