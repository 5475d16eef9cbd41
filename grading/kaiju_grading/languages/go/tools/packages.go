package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// listed is what `go list` says of one package.
type listed struct {
	ImportPath, ForTest, Name, Dir, Export string
	GoFiles, Imports                       []string
	ImportMap                              map[string]string
	Standard                               bool
	Error                                  *struct{ Err string }
}

// list asks for packages with the export data of everything that they and their tests import.
func (s *session) list(patterns ...string) ([]listed, error) {
	arguments := slices.Concat(building, []string{"-e", "-export", "-deps", "-test",
		"-json=ImportPath,ForTest,Name,Dir,Export,GoFiles,Imports,ImportMap,Standard,Error"}, patterns)
	said, _, _, err := s.command("list", arguments...)
	if err != nil {
		return nil, err
	}
	var found []listed
	decoder := json.NewDecoder(strings.NewReader(string(said)))
	for {
		var one listed
		if err := decoder.Decode(&one); errors.Is(err, io.EOF) {
			return found, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		found = append(found, one)
	}
}

// testPackage is one package of tests, type-checked from its source: the library's own with its tests inside, or
// the one beside it.
type testPackage struct {
	files  *token.FileSet
	syntax map[string]*ast.File
	texts  map[string][]byte
	info   *types.Info
	pkg    *types.Package
	found  listed
	// exports by import path, of everything in reach.
	exports map[string]string
}

// testPackages of some folders. A package that does not type-check is checked as far as it goes.
func (s *session) testPackages(folders []string) ([]*testPackage, error) {
	patterns := []string{}
	for _, folder := range folders {
		patterns = append(patterns, inFolder(folder))
	}
	found, err := s.list(patterns...)
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	for _, one := range found {
		exports[one.ImportPath] = one.Export
	}
	var checked []*testPackage
	for _, one := range found {
		relative, err := filepath.Rel(workFolder, one.Dir)
		own := err == nil && slices.Contains(folders, filepath.ToSlash(relative))
		if !own || one.ForTest == "" || !strings.Contains(one.ImportPath, " [") || !slices.ContainsFunc(one.GoFiles, isTestGo) {
			continue
		}
		p := &testPackage{files: token.NewFileSet(), syntax: map[string]*ast.File{}, texts: map[string][]byte{}, found: one, exports: exports}
		for _, name := range one.GoFiles {
			text, err := os.ReadFile(filepath.Join(one.Dir, name))
			if err != nil {
				return nil, err
			}
			if err := p.parse(filepath.ToSlash(filepath.Join(relative, name)), text); err != nil {
				return nil, err
			}
		}
		p.check()
		checked = append(checked, p)
	}
	return checked, nil
}

func (p *testPackage) parse(path string, text []byte) error {
	file, err := parser.ParseFile(p.files, path, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	p.syntax[path], p.texts[path] = file, text
	return nil
}

// check type-checks the syntax and returns every complaint.
func (p *testPackage) check() []types.Error {
	var complaints []types.Error
	p.info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	lookup := func(path string) (io.ReadCloser, error) {
		if mapped := p.found.ImportMap[path]; mapped != "" {
			path = mapped
		}
		if p.exports[path] == "" {
			return nil, fmt.Errorf("no export data of %s", path)
		}
		return os.Open(p.exports[path])
	}
	config := types.Config{
		Importer:    importer.ForCompiler(p.files, "gc", lookup),
		FakeImportC: true,
		Error: func(err error) {
			if found, ok := err.(types.Error); ok {
				complaints = append(complaints, found)
			}
		},
	}
	files := []*ast.File{}
	for _, path := range p.paths() {
		files = append(files, p.syntax[path])
	}
	path, _, _ := strings.Cut(p.found.ImportPath, " ")
	p.pkg, _ = config.Check(path, p.files, files, p.info)
	return complaints
}

func (p *testPackage) paths() []string {
	paths := []string{}
	for path := range p.syntax {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return paths
}

func (p *testPackage) offset(position token.Pos) int {
	return p.files.PositionFor(position, false).Offset
}
