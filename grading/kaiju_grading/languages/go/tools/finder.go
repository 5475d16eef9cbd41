package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// finder looks for what the tests of one package compare.
type finder struct {
	*testPackage
	tests map[string][]string
	// sinks are variables and fields that assertions compare; true where one of these is surely reached.
	sinks map[types.Object]bool
	// inputs are those that the library is given: altering these alters more than an expectation.
	inputs map[types.Object]bool
	// literals are expected values as they stand in the source; true as for sinks.
	literals map[ast.Expr]bool
	// through are literals that reach an assertion by a function's parameter.
	through map[ast.Expr]bool
	// params of the functions that test files declare.
	params  map[types.Object]parameter
	asserts []assertion
	// equalities are comparisons that no test passes unless they find both sides equal.
	equalities []*equality
	grown      bool
}

type parameter struct {
	function types.Object
	index    int
}

// assertion is a condition that decides whether a test fails.
type assertion struct {
	// condition is negated by an alteration; for wrapped errors it is the error.
	condition ast.Expr
	isError   bool
	kind      string
	certain   bool
}

func newFinder(p *testPackage, tests map[string][]string) *finder {
	return &finder{testPackage: p, tests: tests, sinks: map[types.Object]bool{}, inputs: map[types.Object]bool{},
		literals: map[ast.Expr]bool{}, through: map[ast.Expr]bool{}, params: map[types.Object]parameter{}}
}

// all sites of the package's tests, none of which overlap.
func (f *finder) all() []site {
	for _, function := range f.functions() {
		f.declareParams(function)
		f.block(function.Body.List, len(f.enclosing(function)) > 0)
	}
	f.collectInputs()
	for f.grown = true; f.grown; {
		f.grown = false
		for _, path := range f.testPaths() {
			ast.Inspect(f.syntax[path], f.spread)
		}
	}
	var found []site
	for _, function := range f.functions() {
		if test := f.enclosing(function); test != "" {
			found = append(found, f.sitesOf(function, test)...)
		}
	}
	return found
}

func (f *finder) testPaths() []string {
	return slices.DeleteFunc(f.paths(), func(path string) bool { return !isTestGo(path) })
}

func (f *finder) functions() []*ast.FuncDecl {
	var found []*ast.FuncDecl
	for _, path := range f.testPaths() {
		for _, declared := range f.syntax[path].Decls {
			if function, ok := declared.(*ast.FuncDecl); ok && function.Body != nil {
				found = append(found, function)
			}
		}
	}
	return found
}

// enclosing is the id of the test that a function is; empty for one that is none, or not asked for.
func (f *finder) enclosing(function *ast.FuncDecl) string {
	path := f.files.PositionFor(function.Pos(), false).Filename
	if function.Recv == nil && slices.Contains(f.tests[path], function.Name.Name) {
		return path + "::" + function.Name.Name
	}
	return ""
}

func (f *finder) declareParams(function *ast.FuncDecl) {
	index := 0
	for _, field := range function.Type.Params.List {
		for _, name := range field.Names {
			if object := f.info.Defs[name]; object != nil {
				f.params[object] = parameter{f.info.Defs[function.Name], index}
			}
			index++
		}
		if len(field.Names) == 0 {
			index++
		}
	}
}

// spread carries sinks on: to what is assigned to them, what they range over, what is given for them.
func (f *finder) spread(node ast.Node) bool {
	switch node := node.(type) {
	case *ast.AssignStmt:
		if len(node.Lhs) == len(node.Rhs) && (node.Tok == token.DEFINE || node.Tok == token.ASSIGN) {
			for index, left := range node.Lhs {
				f.flow(f.objectOf(left), node.Rhs[index])
			}
		}
	case *ast.ValueSpec:
		if len(node.Names) == len(node.Values) {
			for index, name := range node.Names {
				f.flow(f.info.Defs[name], node.Values[index])
			}
		}
	case *ast.RangeStmt:
		if node.Value != nil {
			f.flow(f.objectOf(node.Value), node.X)
		}
	case *ast.CompositeLit:
		f.fields(node)
	case *ast.CallExpr:
		f.arguments(node)
	}
	return true
}

func (f *finder) flow(object types.Object, value ast.Expr) {
	if certain, ok := f.sinks[object]; ok && object != nil {
		f.mark(value, certain, false)
	}
}

// fields of a struct that assertions compare.
func (f *finder) fields(literal *ast.CompositeLit) {
	structure, ok := under(f.info.TypeOf(literal)).(*types.Struct)
	if !ok {
		return
	}
	for index, element := range literal.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			if name, ok := pair.Key.(*ast.Ident); ok {
				f.flow(f.info.Uses[name], pair.Value)
			}
		} else if index < structure.NumFields() {
			f.flow(structure.Field(index), element)
		}
	}
}

func under(typ types.Type) types.Type {
	if typ == nil {
		return nil
	}
	if pointer, ok := typ.Underlying().(*types.Pointer); ok {
		return pointer.Elem().Underlying()
	}
	return typ.Underlying()
}

func (f *finder) arguments(call *ast.CallExpr) {
	callee := f.callee(call)
	if callee == nil {
		return
	}
	for object := range f.sinks {
		if given, ok := f.params[object]; ok && given.function == callee && given.index < len(call.Args) {
			f.mark(call.Args[given.index], false, true)
		}
	}
}

// mark takes an expression for something that an assertion compares.
func (f *finder) mark(expression ast.Expr, certain, through bool) {
	switch node := ast.Unparen(expression).(type) {
	case *ast.BasicLit:
		f.markLiteral(node, certain, through)
	case *ast.Ident:
		if node.Name == "true" || node.Name == "false" {
			f.markLiteral(node, certain, through)
		} else {
			f.markObject(f.info.Uses[node], certain)
		}
	case *ast.SelectorExpr:
		if chosen := f.info.Selections[node]; chosen != nil && chosen.Kind() == types.FieldVal {
			f.markObject(chosen.Obj(), certain)
		}
	case *ast.UnaryExpr:
		if node.Op == token.SUB || node.Op == token.AND || node.Op == token.NOT {
			f.mark(node.X, certain, through)
		}
	case *ast.StarExpr:
		f.mark(node.X, certain, through)
	case *ast.IndexExpr:
		f.mark(node.X, certain, through)
	case *ast.CompositeLit:
		for _, element := range node.Elts {
			if pair, ok := element.(*ast.KeyValueExpr); ok {
				element = pair.Value
			}
			f.mark(element, certain, through)
		}
	case *ast.CallExpr:
		if kind, ok := f.info.Types[node.Fun]; ok && kind.IsType() && len(node.Args) == 1 {
			f.mark(node.Args[0], certain, through) // a conversion
		}
	}
}

func (f *finder) markLiteral(literal ast.Expr, certain, through bool) {
	before, known := f.literals[literal]
	f.literals[literal] = before || certain
	f.through[literal] = f.through[literal] || through
	f.grown = f.grown || !known
}

func (f *finder) markObject(object types.Object, certain bool) {
	variable, ok := object.(*types.Var)
	if !ok || f.inputs[object] {
		return
	}
	if before, known := f.sinks[variable]; !known || (certain && !before) {
		f.sinks[variable] = before || certain
		f.grown = true
	}
}

// collectInputs finds what tests hand to functions that are neither theirs nor a tool of testing.
func (f *finder) collectInputs() {
	for _, path := range f.testPaths() {
		ast.Inspect(f.syntax[path], func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok {
				return true
			}
			if f.harmless(call) {
				return true
			}
			for _, argument := range call.Args {
				switch given := ast.Unparen(argument).(type) {
				case *ast.Ident, *ast.SelectorExpr:
					if object := f.objectOf(given); object != nil {
						f.inputs[object] = true
						delete(f.sinks, object)
					}
				}
			}
			return true
		})
	}
}

// harmless are calls that only compare, convert, print or are followed into.
func (f *finder) harmless(call *ast.CallExpr) bool {
	if kind, ok := f.info.Types[call.Fun]; ok && (kind.IsType() || kind.IsBuiltin()) {
		return true
	}
	callee := f.callee(call)
	if callee == nil || callee.Pkg() == nil {
		return callee != nil
	}
	if strings.HasSuffix(f.files.PositionFor(callee.Pos(), false).Filename, "_test.go") {
		return true
	}
	switch callee.Pkg().Path() {
	case "testing", "fmt", "reflect", "bytes", "strings", "errors", "log", "sort", "slices", "maps", "github.com/google/go-cmp/cmp":
		return true
	}
	return testify(callee)
}

func testify(callee types.Object) bool {
	path := callee.Pkg().Path()
	return strings.HasSuffix(path, "/assert") || strings.HasSuffix(path, "/require")
}

func (f *finder) callee(call *ast.CallExpr) types.Object {
	switch function := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return f.info.Uses[function]
	case *ast.SelectorExpr:
		return f.info.Uses[function.Sel]
	}
	return nil
}

// objectOf is the variable or field that an expression names.
func (f *finder) objectOf(expression ast.Expr) types.Object {
	switch node := ast.Unparen(expression).(type) {
	case *ast.Ident:
		if object := f.info.Defs[node]; object != nil {
			return object
		}
		return f.info.Uses[node]
	case *ast.SelectorExpr:
		if chosen := f.info.Selections[node]; chosen != nil && chosen.Kind() == types.FieldVal {
			return chosen.Obj()
		}
	}
	return nil
}

func (f *finder) text(node ast.Node) string {
	path := f.files.PositionFor(node.Pos(), false).Filename
	return string(f.texts[path][f.offset(node.Pos()):f.offset(node.End())])
}

func quoted(slot string) string { return fmt.Sprintf("%q", slot) }
