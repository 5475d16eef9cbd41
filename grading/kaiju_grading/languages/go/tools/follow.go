package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// follow is where the value of an expression goes: up through what is built of it, into variables and fields.
func (a *asker) follow(node ast.Expr) *way {
	for {
		if one := a.operands[node]; one != nil {
			return &way{equalities: []*equality{one}}
		}
		switch parent := a.parents[node].(type) {
		case *ast.ParenExpr, *ast.StarExpr:
			node = parent.(ast.Expr)
		case *ast.UnaryExpr:
			if parent.Op != token.SUB && parent.Op != token.AND {
				return nowhere
			}
			node = parent
		case *ast.KeyValueExpr:
			if parent.Value != node {
				return nowhere
			}
			node = parent
		case *ast.CompositeLit:
			if field := a.fieldOf(parent, node); field != nil && a.ofTests(field) {
				both := &way{}
				both.join(a.object(field))
				both.join(a.follow(parent))
				return both
			}
			node = parent
		case *ast.IndexExpr:
			if parent.X != node || !a.everyOne(parent) {
				return nowhere
			}
			node = parent
		case *ast.SelectorExpr:
			return a.selected(parent)
		case *ast.CallExpr:
			if !a.converts(parent) {
				return a.given(parent, node)
			}
			node = parent
		default:
			return a.kept(node)
		}
	}
}

// kept follows what a statement stores.
func (a *asker) kept(node ast.Expr) *way {
	switch parent := a.parents[node].(type) {
	case *ast.AssignStmt:
		index := slices.Index(parent.Rhs, node)
		if index >= 0 && len(parent.Lhs) == len(parent.Rhs) {
			if name, ok := parent.Lhs[index].(*ast.Ident); ok && (parent.Tok == token.DEFINE || parent.Tok == token.ASSIGN) {
				return a.object(a.objectOf(name))
			}
		}
	case *ast.ValueSpec:
		index := slices.Index(parent.Values, node)
		if index >= 0 && len(parent.Names) == len(parent.Values) {
			return a.object(a.info.Defs[parent.Names[index]])
		}
	case *ast.RangeStmt:
		if parent.X == node && parent.Tok != token.ASSIGN {
			if name, ok := parent.Value.(*ast.Ident); ok && name.Name != "_" {
				return a.object(a.info.Defs[name])
			}
			return &way{}
		}
	}
	return nowhere
}

// object is where a variable or field of this test goes, whatever uses it.
func (a *asker) object(object types.Object) *way {
	if object == nil {
		return nowhere
	}
	if known := a.ways[object]; known != nil {
		return known
	}
	found := &way{}
	a.ways[object] = found
	if variable, ok := object.(*types.Var); !ok || (!variable.IsField() && variable.Parent() == a.pkg.Scope()) {
		found.lost = true
		return found
	}
	again := false
	for _, name := range a.used[object] {
		if a.assigned(object, name) {
			again = true
		} else {
			found.join(a.use(name))
		}
	}
	// Of several values each is compared if all comparisons are.
	found.lost = found.lost || (again && slices.ContainsFunc(found.equalities, func(one *equality) bool { return !one.certain }))
	return found
}

// assigned tells whether a variable gets another value at the level where it is declared: whatever the library does.
func (a *asker) assigned(object types.Object, name *ast.Ident) bool {
	parent, ok := a.parents[name].(*ast.AssignStmt)
	declared := a.declared[object]
	return ok && declared != nil && slices.Contains(parent.Lhs, ast.Expr(name)) && len(parent.Lhs) == len(parent.Rhs) &&
		(parent.Tok == token.ASSIGN || parent.Tok == token.DEFINE) && a.scope(name) == a.scope(declared)
}

// scope is the innermost one around a node.
func (a *asker) scope(node ast.Node) ast.Node {
	for node != nil {
		if node = a.parents[node]; node != nil {
			switch node.(type) {
			case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause, *ast.FuncLit, *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt:
				return node
			}
		}
	}
	return nil
}

func (a *asker) use(name *ast.Ident) *way {
	switch parent := a.parents[name].(type) {
	case *ast.SelectorExpr:
		if parent.Sel == name {
			return a.follow(parent)
		}
	case *ast.KeyValueExpr:
		if literal, ok := a.parents[parent].(*ast.CompositeLit); ok && parent.Key == name {
			if _, ok := under(a.info.TypeOf(literal)).(*types.Struct); ok {
				return &way{} // what stands behind it is followed from there
			}
		}
	}
	return a.follow(name)
}

// selected is where a part goes. Fields that test files declare are followed by themselves.
func (a *asker) selected(node *ast.SelectorExpr) *way {
	chosen := a.info.Selections[node]
	if chosen == nil || chosen.Kind() != types.FieldVal {
		return nowhere
	}
	if a.ofTests(chosen.Obj()) {
		return &way{}
	}
	return a.follow(node)
}

// given is where an argument goes: a length tells no value, and words for people change nothing.
func (a *asker) given(call *ast.CallExpr, node ast.Expr) *way {
	index := slices.Index(call.Args, node)
	if index < 0 {
		return nowhere
	}
	if name, ok := ast.Unparen(call.Fun).(*ast.Ident); ok && a.info.Uses[name] == types.Universe.Lookup("len") {
		if basic, ok := a.info.TypeOf(node).Underlying().(*types.Basic); !ok || basic.Info()&types.IsString == 0 {
			return &way{}
		}
		return nowhere
	}
	callee := a.callee(call)
	if callee == nil || callee.Pkg() == nil {
		return nowhere
	}
	words := []string{"Error", "Errorf", "Fatal", "Fatalf", "Log", "Logf"}
	if callee.Pkg().Path() == "testing" && slices.Contains(words, callee.Name()) {
		return &way{}
	}
	if signature, ok := callee.Type().(*types.Signature); ok && testify(callee) {
		if signature.Variadic() && index >= signature.Params().Len()-1 {
			return &way{}
		}
	}
	return nowhere
}

// fieldOf is the field that an element of a literal fills.
func (a *asker) fieldOf(literal *ast.CompositeLit, element ast.Expr) types.Object {
	structure, ok := under(a.info.TypeOf(literal)).(*types.Struct)
	if !ok {
		return nil
	}
	if pair, ok := element.(*ast.KeyValueExpr); ok {
		name, _ := pair.Key.(*ast.Ident)
		return a.info.Uses[name]
	}
	index := slices.Index(literal.Elts, element)
	if index < 0 || index >= structure.NumFields() {
		return nil
	}
	return structure.Field(index)
}

// ofTests tells whether test files declare something.
func (a *asker) ofTests(object types.Object) bool {
	return strings.HasSuffix(a.files.PositionFor(object.Pos(), false).Filename, "_test.go")
}

// converts tells whether a call is a conversion that keeps apart what stands for slots.
func (a *asker) converts(call *ast.CallExpr) bool {
	kind, ok := a.info.Types[call.Fun]
	if !ok || !kind.IsType() || len(call.Args) != 1 {
		return false
	}
	switch made := kind.Type.Underlying().(type) {
	case *types.Basic:
		return kindOfAnswer(made) != ""
	case *types.Slice:
		part, ok := made.Elem().Underlying().(*types.Basic)
		return ok && part.Kind() == types.Uint8
	case *types.Interface:
		return true
	}
	return false
}

// everyOne tells whether an index is a constant, or one of a loop over all that is indexed: then which parts are
// compared is not the library's choice.
func (a *asker) everyOne(node *ast.IndexExpr) bool {
	if a.info.Types[node.Index].Value != nil {
		return true
	}
	index := a.objectOf(node.Index)
	for above := a.parents[node]; above != nil && index != nil; above = a.parents[above] {
		if loop, ok := above.(*ast.RangeStmt); ok && loop.Key != nil && a.objectOf(loop.Key) == index {
			whole := a.objectOf(loop.X)
			return whole != nil && whole == a.objectOf(node.X)
		}
	}
	return false
}
