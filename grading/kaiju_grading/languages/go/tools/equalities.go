package main

import (
	"go/ast"
	"go/token"
)

// equality is a comparison that no test passes unless it finds both sides equal.
type equality struct {
	// x and y are what is compared.
	x, y ast.Expr
	// certain: no test passes without it.
	certain bool
	// edits let it ask: each stands before, between or behind these.
	edits func(offset func(token.Pos) int) []edit
}

// demand is what a test that passes asks of a condition.
type demand struct {
	// truth is what the condition must be, if that is forced: of two conditions one may do.
	truth, forced, certain bool
}

// compared finds the operands of a condition.
func (f *finder) compared(condition ast.Expr, wanted demand) {
	switch node := ast.Unparen(condition).(type) {
	case *ast.BinaryExpr:
		switch node.Op {
		case token.LAND, token.LOR:
			// Both of `A && B` must hold, and neither of `A || B` may: so both are looked at, or no test passes.
			both := wanted.forced && wanted.truth == (node.Op == token.LAND)
			each := demand{truth: wanted.truth, forced: both, certain: both && wanted.certain}
			f.compared(node.X, each)
			f.compared(node.Y, each)
		case token.EQL, token.NEQ:
			f.mark(node.X, wanted.certain, false)
			f.mark(node.Y, wanted.certain, false)
			if wanted.forced && wanted.truth == (node.Op == token.EQL) {
				f.equalities = append(f.equalities, sameOf(node, wanted.certain))
			}
		}
	case *ast.UnaryExpr:
		if node.Op == token.NOT {
			wanted.truth = !wanted.truth
			f.compared(node.X, wanted)
		}
	case *ast.CallExpr:
		if f.comparing(node) {
			for _, argument := range node.Args {
				f.mark(argument, wanted.certain, false)
			}
			if wanted.forced && wanted.truth {
				f.equalities = append(f.equalities, f.pairOf(node, wanted.certain)...)
			}
		}
	}
}

// sameOf is `x == y` or `x != y`.
func sameOf(node *ast.BinaryExpr, certain bool) *equality {
	name := "kaijuSame("
	if node.Op == token.NEQ {
		name = "!kaijuSame("
	}
	return &equality{node.X, node.Y, certain, func(offset func(token.Pos) int) []edit {
		start, end := offset(node.X.Pos()), offset(node.Y.End())
		return []edit{{start, start, name}, {offset(node.X.End()), offset(node.Y.Pos()), ", "}, {end, end, ")"}}
	}}
}

// pairOf is a call of a function that compares its two arguments.
func (f *finder) pairOf(call *ast.CallExpr, certain bool) []*equality {
	names := map[string]string{"reflect.DeepEqual": "kaijuPair(", "bytes.Equal": "kaijuBytes("}
	callee := f.callee(call)
	name := names[callee.Pkg().Path()+"."+callee.Name()]
	if name == "" || len(call.Args) != 2 {
		return nil
	}
	return []*equality{{call.Args[0], call.Args[1], certain, func(offset func(token.Pos) int) []edit {
		start, end := offset(call.Args[0].Pos()), offset(call.Args[1].End())
		return []edit{{start, start, name}, {end, end, ")"}}
	}}}
}

// callOf is an assertion of testify that its first two arguments are equal.
func callOf(call *ast.CallExpr, arguments []ast.Expr, certain bool) *equality {
	return &equality{arguments[0], arguments[1], certain, func(offset func(token.Pos) int) []edit {
		start, end := offset(call.Fun.Pos()), offset(call.Fun.End())
		return []edit{{start, start, "kaijuCall("}, {end, end, ")"}}
	}}
}
