package main

import (
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// testFile is what one test file declares.
type testFile struct {
	path    string
	syntax  *ast.File
	tests   []string
	lookups bool
	broken  bool
}

// readTestFile parses a test file of the tree. A file that other platforms have declares nothing.
func readTestFile(path string) testFile {
	file := testFile{path: path}
	name := filepath.Join(workFolder, path)
	matches, err := build.Default.MatchFile(filepath.Dir(name), filepath.Base(name))
	if err == nil && !matches {
		return file
	}
	text, err := os.ReadFile(name)
	if err != nil {
		file.broken = true
		return file
	}
	file.syntax, err = parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || file.syntax == nil {
		file.broken = true
		return file
	}
	file.lookups = strings.Contains(string(text), "kaiju")
	file.tests = testsOf(file.syntax)
	return file
}

// testsOf are the functions that the test binary runs without being asked for benchmarks, in their order.
func testsOf(file *ast.File) []string {
	running := map[string]bool{}
	for _, example := range doc.Examples(file) {
		if example.Output != "" || example.EmptyOutput {
			running["Example"+example.Name] = true
		}
	}
	var found []string
	for _, declared := range file.Decls {
		function, ok := declared.(*ast.FuncDecl)
		if !ok || function.Recv != nil || function.Type.TypeParams != nil {
			continue
		}
		name := function.Name.Name
		switch {
		case named(name, "Test") && takes(function, "T"), named(name, "Fuzz") && takes(function, "F"), running[name]:
			found = append(found, name)
		}
	}
	return found
}

func named(name, prefix string) bool {
	rest, ok := strings.CutPrefix(name, prefix)
	first, _ := utf8.DecodeRuneInString(rest)
	return ok && (rest == "" || !unicode.IsLower(first))
}

// takes tells whether the function has one parameter, a pointer to testing.T (or F).
func takes(function *ast.FuncDecl, kind string) bool {
	list := function.Type.Params.List
	if len(list) != 1 || len(list[0].Names) > 1 {
		return false
	}
	pointer, ok := list[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	switch target := pointer.X.(type) {
	case *ast.SelectorExpr:
		return target.Sel.Name == kind
	case *ast.Ident:
		return target.Name == kind
	}
	return false
}
