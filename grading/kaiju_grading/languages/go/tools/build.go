package main

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// buildOrder asks for a build of the library alone.
type buildOrder struct {
	Packages []string `json:"packages"`
	Sources  []string `json:"sources"`
	// Own are folders that only the task fills.
	Own []string `json:"own"`
	// Embeds and Shadows are what the library does itself: "path" and "folder:name".
	Embeds  []string `json:"embeds"`
	Shadows []string `json:"shadows"`
}

type buildAnswer struct {
	OK       bool      `json:"ok"`
	Problems []problem `json:"problems"`
	Said     string    `json:"said"`
}

func buildLibrary(input *json.Decoder) (any, error) {
	var order buildOrder
	if err := input.Decode(&order); err != nil {
		return nil, err
	}
	refused, unread := refusals(order)
	if len(refused) > 0 {
		return buildAnswer{Problems: refused}, nil
	}
	s, err := newSession()
	if err != nil {
		return nil, err
	}
	_, said, ok, err := s.command("build", slices.Concat(building, []string{"-gcflags=-e", "-o", "/dev/null"}, order.Packages)...)
	if ok && len(unread) > 0 {
		return buildAnswer{Problems: unread}, err
	}
	return buildAnswer{OK: ok, Problems: problemsOf(said), Said: tail(said, 4000)}, err
}

// refusals are what a library must not hold although it would compile; unread are files that only the compiler
// may be able to read, as it does what is nested deeper than a parser goes: nobody has looked at what they hold.
func refusals(order buildOrder) (found, unread []problem) {
	for _, path := range order.Sources {
		if slices.Contains(order.Own, folderOf(path)) {
			found = append(found, problem{Path: path, Message: "this folder is the task's own: the tests need it as it is"})
			continue
		}
		files := token.NewFileSet()
		text, err := os.ReadFile(filepath.Join(workFolder, path))
		if err != nil {
			continue
		}
		file, err := parser.ParseFile(files, path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			unread = append(unread, problem{Path: path, Line: 1, Message: "this file cannot be read: " + tail([]byte(err.Error()), 200)})
			continue // if the compiler cannot either, it says it better
		}
		at := func(position token.Pos, message string) {
			where := files.PositionFor(position, false)
			found = append(found, problem{Path: path, Line: where.Line, Column: where.Column, Message: message})
		}
		checkComments(file, slices.Contains(order.Embeds, path), at)
		for name, position := range declared(file) {
			if predeclared[name] && !slices.Contains(order.Shadows, folderOf(path)+":"+name) {
				at(position, "a package-level "+name+" would change what tests in this package mean by it")
			}
		}
	}
	return found, unread
}

func checkComments(file *ast.File, embeds bool, at func(token.Pos, string)) {
	for _, group := range file.Comments {
		for _, comment := range group.List {
			switch {
			case strings.HasPrefix(comment.Text, "//go:embed") && !embeds:
				at(comment.Pos(), "//go:embed is not taken here: the library has none in this file")
			case strings.HasPrefix(comment.Text, "//go:linkname"), strings.HasPrefix(comment.Text, "//go:cgo_"):
				at(comment.Pos(), strings.Fields(comment.Text)[0]+" is not taken")
			case strings.HasPrefix(comment.Text, "//line "), strings.HasPrefix(comment.Text, "/*line "):
				at(comment.Pos(), "line directives are not taken")
			}
		}
	}
}

// declared are the package-level names of a file.
func declared(file *ast.File) map[string]token.Pos {
	names := map[string]token.Pos{}
	for _, one := range file.Decls {
		switch one := one.(type) {
		case *ast.FuncDecl:
			if one.Recv == nil {
				names[one.Name.Name] = one.Name.Pos()
			}
		case *ast.GenDecl:
			for _, spec := range one.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						names[name.Name] = name.Pos()
					}
				case *ast.TypeSpec:
					names[spec.Name.Name] = spec.Name.Pos()
				}
			}
		}
	}
	return names
}

var predeclared = map[string]bool{}

func init() {
	for _, name := range strings.Fields(`any append bool byte cap clear close comparable complex complex128 complex64
		copy delete error false float32 float64 imag int int16 int32 int64 int8 iota len make max min new nil panic print
		println real recover rune string true uint uint16 uint32 uint64 uint8 uintptr`) {
		predeclared[name] = true
	}
}
