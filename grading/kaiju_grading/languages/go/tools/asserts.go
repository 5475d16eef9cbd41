package main

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// block walks statements and notes their assertions. certain: whether a library that passes the test as written
// cannot avoid them; the answer is the same for what follows.
func (f *finder) block(list []ast.Stmt, certain bool) bool {
	for _, statement := range list {
		certain = f.statement(statement, certain)
	}
	return certain
}

func (f *finder) statement(statement ast.Stmt, certain bool) bool {
	switch node := statement.(type) {
	case *ast.IfStmt:
		return f.branch(node, certain)
	case *ast.BlockStmt:
		return f.block(node.List, certain)
	case *ast.LabeledStmt:
		return f.statement(node.Stmt, certain)
	case *ast.RangeStmt:
		f.closures(node.X)
		f.block(node.Body.List, certain && f.fixed(node.X))
		return certain && !leaves(node.Body)
	case *ast.ForStmt:
		f.block(node.Body.List, certain && f.counts(node))
		return certain && !leaves(node.Body)
	case *ast.ExprStmt:
		if call, ok := node.X.(*ast.CallExpr); ok {
			f.call(call, certain)
		}
	case *ast.ReturnStmt, *ast.BranchStmt:
		f.closures(node)
		return false
	case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		f.cases(node)
		return certain && !leaves(node)
	default:
		f.closures(node)
	}
	return certain
}

func (f *finder) cases(node ast.Node) {
	ast.Inspect(node, func(inner ast.Node) bool {
		switch inner := inner.(type) {
		case *ast.CaseClause:
			f.block(inner.Body, false)
			return false
		case *ast.CommClause:
			f.block(inner.Body, false)
			return false
		}
		return true
	})
}

// branch: `if cond { t.Error() }` is an assertion, and so is its mirror image.
func (f *finder) branch(node *ast.IfStmt, certain bool) bool {
	if node.Init != nil {
		f.statement(node.Init, certain)
	}
	f.closures(node.Cond)
	otherwise, _ := node.Else.(*ast.BlockStmt)
	bad := f.fails(node.Body)
	failing := bad != (otherwise != nil && f.fails(otherwise))
	if failing {
		f.compared(node.Cond, demand{truth: !bad, forced: true, certain: certain})
		f.asserts = append(f.asserts, assertion{condition: node.Cond, kind: f.kindOf(node.Cond), certain: certain})
	}
	f.block(node.Body.List, false)
	if node.Else != nil {
		f.statement(node.Else, false)
	}
	if failing && node.Else == nil {
		return certain // whoever leaves here has failed
	}
	return certain && !leaves(node)
}

// fails tells whether a block marks the test as failed.
func (f *finder) fails(block *ast.BlockStmt) bool {
	return slices.ContainsFunc(block.List, func(statement ast.Stmt) bool {
		expression, ok := statement.(*ast.ExprStmt)
		if !ok {
			return false
		}
		call, ok := expression.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		callee := f.callee(call)
		if callee == nil || callee.Pkg() == nil || callee.Pkg().Path() != "testing" {
			return false
		}
		return slices.Contains([]string{"Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"}, callee.Name())
	})
}

func (f *finder) kindOf(condition ast.Expr) string {
	if binary, ok := ast.Unparen(condition).(*ast.BinaryExpr); ok {
		for _, side := range []ast.Expr{binary.X, binary.Y} {
			if f.isError(side) {
				return raises
			}
		}
	}
	return truth
}

func (f *finder) isError(expression ast.Expr) bool {
	typ := f.info.TypeOf(expression)
	return typ != nil && types.Identical(typ, types.Universe.Lookup("error").Type())
}

// comparing are functions that tell whether their arguments are equal.
func (f *finder) comparing(call *ast.CallExpr) bool {
	callee := f.callee(call)
	if callee == nil || callee.Pkg() == nil {
		return false
	}
	switch callee.Pkg().Path() + "." + callee.Name() {
	case "reflect.DeepEqual", "bytes.Equal", "slices.Equal", "maps.Equal", "github.com/google/go-cmp/cmp.Equal", "github.com/google/go-cmp/cmp.Diff":
		return true
	}
	return false
}

// call: a part of a test, an assertion of testify, or something else with closures.
func (f *finder) call(call *ast.CallExpr, certain bool) {
	callee := f.callee(call)
	if callee != nil && callee.Pkg() != nil {
		if callee.Pkg().Path() == "testing" && callee.Name() == "Run" && len(call.Args) == 2 {
			if part, ok := call.Args[1].(*ast.FuncLit); ok {
				f.block(part.Body.List, certain)
				return
			}
		}
		if testify(callee) {
			f.testifyCall(callee, call, certain)
		}
	}
	f.closures(call)
}

func (f *finder) testifyCall(callee types.Object, call *ast.CallExpr, certain bool) {
	arguments := call.Args
	if signature, ok := callee.Type().(*types.Signature); ok && signature.Recv() == nil && len(arguments) > 0 {
		arguments = arguments[1:]
	}
	switch strings.TrimSuffix(callee.Name(), "f") {
	case "Equal", "EqualValues", "Exactly", "Len", "EqualError", "ElementsMatch":
		for _, argument := range arguments[:min(2, len(arguments))] {
			f.mark(argument, certain, false)
		}
		signature, ok := callee.Type().(*types.Signature)
		if callee.Name() == "Equal" && ok && signature.Variadic() && len(arguments) > 1 {
			f.equalities = append(f.equalities, callOf(call, arguments, certain))
		}
	case "True", "False":
		f.note(arguments, truth, false, certain)
	case "NoError", "Error", "Nil", "NotNil":
		if len(arguments) > 0 && f.isError(arguments[0]) {
			f.note(arguments, raises, true, certain)
		}
	}
}

func (f *finder) note(arguments []ast.Expr, kind string, isError, certain bool) {
	if len(arguments) > 0 {
		f.asserts = append(f.asserts, assertion{condition: arguments[0], isError: isError, kind: kind, certain: certain})
	}
}

// closures inside something else may never be called.
func (f *finder) closures(node ast.Node) {
	ast.Inspect(node, func(inner ast.Node) bool {
		closure, ok := inner.(*ast.FuncLit)
		if ok {
			f.block(closure.Body.List, false)
		}
		return !ok
	})
}

// fixed tells whether what is ranged over is written down, so that the library cannot make it shorter.
func (f *finder) fixed(expression ast.Expr) bool {
	switch node := ast.Unparen(expression).(type) {
	case *ast.CompositeLit:
		return len(node.Elts) > 0
	case *ast.BasicLit:
		return positive(f.info.Types[node].Value)
	case *ast.Ident:
		return f.literalVariable(f.info.Uses[node])
	}
	return false
}

func positive(value constant.Value) bool {
	return value != nil && value.Kind() == constant.Int && constant.Sign(value) > 0
}

// counts tells whether a loop counts up to a constant from a smaller one: its body is run.
func (f *finder) counts(node *ast.ForStmt) bool {
	start, ok := node.Init.(*ast.AssignStmt)
	condition, also := node.Cond.(*ast.BinaryExpr)
	if !ok || !also || len(start.Lhs) != 1 || len(start.Rhs) != 1 || condition.Op != token.LSS {
		return false
	}
	first, last := f.info.Types[start.Rhs[0]].Value, f.info.Types[condition.Y].Value
	counted := f.objectOf(start.Lhs[0])
	return counted != nil && counted == f.objectOf(condition.X) && first != nil && last != nil &&
		constant.Compare(first, token.LSS, last)
}

// literalVariable: whether all that is ever assigned to it is one literal.
func (f *finder) literalVariable(object types.Object) bool {
	if object == nil {
		return false
	}
	literals, others := 0, 0
	count := func(left []ast.Expr, right []ast.Expr) {
		for index, target := range left {
			if f.objectOf(target) != object {
				continue
			}
			if len(left) == len(right) {
				if literal, ok := right[index].(*ast.CompositeLit); ok && len(literal.Elts) > 0 {
					literals++
					continue
				}
			}
			others++
		}
	}
	for _, path := range f.testPaths() {
		ast.Inspect(f.syntax[path], func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.AssignStmt:
				count(node.Lhs, node.Rhs)
			case *ast.ValueSpec:
				names := []ast.Expr{}
				for _, name := range node.Names {
					names = append(names, name)
				}
				count(names, node.Values)
			}
			return true
		})
	}
	return literals == 1 && others == 0
}

// leaves tells whether something inside ends the function, a loop or the test early.
func leaves(node ast.Node) bool {
	found := false
	ast.Inspect(node, func(inner ast.Node) bool {
		switch inner := inner.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt, *ast.BranchStmt:
			found = true
		case *ast.SelectorExpr:
			found = found || strings.HasPrefix(inner.Sel.Name, "Skip")
		}
		return true
	})
	return found
}
