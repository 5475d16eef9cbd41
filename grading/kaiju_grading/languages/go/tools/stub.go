package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const removed = `{ panic("not implemented") }`

type stubOrder struct {
	Packages []string `json:"packages"`
	Sources  []string `json:"sources"`
	// Keep maps "path:qualified.name" to why the body stays.
	Keep map[string]string `json:"keep"`
}

type account struct {
	Stubbed   []string          `json:"stubbed"`
	Trivial   []string          `json:"trivial"`
	Kept      map[string]string `json:"kept"`
	Lambdas   int               `json:"lambdas"`
	BodyLines int               `json:"body_lines"`
	KeptLines int               `json:"kept_lines"`
}

type stubAnswer struct {
	Files    map[string]string   `json:"files"`
	Accounts map[string]*account `json:"accounts"`
}

type edit struct {
	from, to int
	text     string
}

func stub(input *json.Decoder) (any, error) {
	var order stubOrder
	if err := input.Decode(&order); err != nil {
		return nil, err
	}
	names, err := packageNames(order.Packages)
	if err != nil {
		return nil, err
	}
	answer := stubAnswer{Files: map[string]string{}, Accounts: map[string]*account{}}
	for _, name := range order.Sources {
		text, err := os.ReadFile(filepath.Join(workFolder, name))
		if err != nil {
			return nil, err
		}
		one := &account{Stubbed: []string{}, Trivial: []string{}, Kept: map[string]string{}}
		stubbed, err := stubFile(name, text, order.Keep, one)
		if err == nil {
			stubbed, err = dropImports(stubbed, names)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		answer.Files[name], answer.Accounts[name] = string(stubbed), one
	}
	return answer, nil
}

// packageNames by import path, of everything that the packages reach.
func packageNames(packages []string) (map[string]string, error) {
	s, err := newSession()
	if err != nil {
		return nil, err
	}
	said, _, _, err := s.command("list", append([]string{"-e", "-deps", "-f", "{{.ImportPath}}\t{{.Name}}"}, packages...)...)
	names := map[string]string{}
	for _, line := range strings.Split(string(said), "\n") {
		if imported, name, ok := strings.Cut(line, "\t"); ok {
			names[imported] = name
		}
	}
	return names, err
}

// stubFile edits bytes between positions: comments, directives and the form of all that stays are untouched.
func stubFile(name string, text []byte, keep map[string]string, one *account) ([]byte, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var edits []edit
	body := func(block *ast.BlockStmt, with string) edit {
		return edit{files.PositionFor(block.Lbrace, false).Offset, files.PositionFor(block.End(), false).Offset, with}
	}
	lines := func(block *ast.BlockStmt) int {
		return max(1, files.PositionFor(block.End(), false).Line-files.PositionFor(block.Lbrace, false).Line-1)
	}
	for _, one_ := range file.Decls {
		switch declared := one_.(type) {
		case *ast.FuncDecl:
			qualified := qualifiedName(declared)
			if declared.Body == nil || len(declared.Body.List) == 0 {
				one.Trivial = append(one.Trivial, qualified)
				continue
			}
			one.BodyLines += lines(declared.Body)
			if reason, kept := keep[name+":"+qualified]; kept {
				one.Kept[qualified] = reason
				one.KeptLines += lines(declared.Body)
				continue
			}
			one.Stubbed = append(one.Stubbed, qualified)
			with := removed
			if declared.Recv == nil && declared.Name.Name == "init" {
				with = "{}" // a panic here would end every program that imports the package
			}
			edits = append(edits, body(declared.Body, with))
		case *ast.GenDecl:
			ast.Inspect(declared, func(node ast.Node) bool {
				closure, ok := node.(*ast.FuncLit)
				if ok {
					one.Lambdas++
					edits = append(edits, body(closure.Body, removed))
				}
				return !ok
			})
		}
	}
	return apply(text, edits), nil
}

// qualifiedName is `Name` or `Type.Name`.
func qualifiedName(function *ast.FuncDecl) string {
	if function.Recv == nil || len(function.Recv.List) == 0 {
		return function.Name.Name
	}
	return receiver(function.Recv.List[0].Type) + "." + function.Name.Name
}

func receiver(expression ast.Expr) string {
	switch target := expression.(type) {
	case *ast.StarExpr:
		return receiver(target.X)
	case *ast.IndexExpr:
		return receiver(target.X)
	case *ast.IndexListExpr:
		return receiver(target.X)
	case *ast.ParenExpr:
		return receiver(target.X)
	case *ast.Ident:
		return target.Name
	}
	return "?"
}

// dropImports takes out the imports that nothing uses any more.
func dropImports(text []byte, names map[string]string) ([]byte, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	used := selected(file)
	var edits []edit
	at := func(from, to token.Pos) edit {
		return edit{files.PositionFor(from, false).Offset, files.PositionFor(to, false).Offset, ""}
	}
	for _, one := range file.Decls {
		declared, ok := one.(*ast.GenDecl)
		if !ok || declared.Tok != token.IMPORT {
			continue
		}
		var gone []edit
		for _, spec := range declared.Specs {
			imported := spec.(*ast.ImportSpec)
			if name := localName(imported, names); name == "_" || name == "." || name == "C" || used[name] {
				continue
			}
			from, to := imported.Pos(), imported.End()
			if imported.Doc != nil {
				from = imported.Doc.Pos()
			}
			if imported.Comment != nil {
				to = imported.Comment.End()
			}
			gone = append(gone, at(from, to))
		}
		if len(gone) > 0 && len(gone) == len(declared.Specs) {
			gone = []edit{at(declared.Pos(), declared.End())}
		}
		edits = append(edits, gone...)
	}
	stubbed := apply(text, edits)
	if formatted, err := format.Source(stubbed); err == nil {
		stubbed = formatted
	}
	return stubbed, nil
}

// selected are the names that something is selected from.
func selected(file *ast.File) map[string]bool {
	used := map[string]bool{}
	ast.Inspect(file, func(node ast.Node) bool {
		if selector, ok := node.(*ast.SelectorExpr); ok {
			if name, ok := selector.X.(*ast.Ident); ok {
				used[name.Name] = true
			}
		}
		return true
	})
	return used
}

// localName is what a file calls a package that it imports.
func localName(imported *ast.ImportSpec, names map[string]string) string {
	where, _ := strconv.Unquote(imported.Path.Value)
	switch {
	case imported.Name != nil:
		return imported.Name.Name
	case where == "C":
		return "C"
	case names[where] != "":
		return names[where]
	}
	return guessed(where)
}

var versioned = regexp.MustCompile(`^v\d+$`)

// guessed is the usual name of a package that was not loaded, such as one of another platform.
func guessed(where string) string {
	base := path.Base(where)
	if versioned.MatchString(base) {
		base = path.Base(path.Dir(where))
	}
	base, _, _ = strings.Cut(base, ".")
	return strings.TrimPrefix(base, "go-")
}

func apply(text []byte, edits []edit) []byte {
	// What is put in comes before what begins there.
	slices.SortStableFunc(edits, func(one, other edit) int { return cmp.Or(one.from-other.from, one.to-other.to) })
	var out bytes.Buffer
	done := 0
	for _, one := range edits {
		if one.from < done {
			continue
		}
		out.Write(text[done:one.from])
		out.WriteString(one.text)
		done = one.to
	}
	out.Write(text[done:])
	return out.Bytes()
}
