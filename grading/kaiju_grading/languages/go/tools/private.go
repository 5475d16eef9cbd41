package main

import (
	"encoding/json"
	"go/types"
	"maps"
	"slices"
	"strings"
)

type privateOrder struct {
	// Tests are the test files whose uses count.
	Tests []string `json:"tests"`
}

// privateNames are names of the library that only its own package can use, and that these tests use.
func privateNames(input *json.Decoder) (any, error) {
	var order privateOrder
	if err := input.Decode(&order); err != nil {
		return nil, err
	}
	s, err := newSession()
	if err != nil {
		return nil, err
	}
	folders := map[string]bool{}
	for _, path := range order.Tests {
		folders[folderOf(path)] = true
	}
	packages, err := s.testPackages(slices.Sorted(maps.Keys(folders)))
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for _, p := range packages {
		for name, object := range p.info.Uses {
			used := p.files.PositionFor(name.Pos(), false).Filename
			declared := p.files.PositionFor(object.Pos(), false).Filename
			if object.Pkg() != p.pkg || object.Exported() || !slices.Contains(order.Tests, used) || isTestGo(declared) || declared == "" {
				continue
			}
			if qualified := p.qualified(object); qualified != "" {
				found[p.pkg.Path()+":"+qualified] = true
			}
		}
	}
	return map[string]any{"names": slices.Sorted(maps.Keys(found))}, nil
}

// qualified is `name`, `Type.method` or `Type.field`; empty for what is local to a function.
func (p *testPackage) qualified(object types.Object) string {
	if object.Parent() == p.pkg.Scope() {
		return object.Name()
	}
	if function, ok := object.(*types.Func); ok {
		if receiver := function.Signature().Recv(); receiver != nil {
			name := types.TypeString(receiver.Type(), func(*types.Package) string { return "" })
			name, _, _ = strings.Cut(strings.TrimPrefix(name, "*"), "[")
			return name + "." + object.Name()
		}
	}
	if variable, ok := object.(*types.Var); ok && variable.IsField() {
		for _, name := range p.pkg.Scope().Names() {
			if owner, ok := p.pkg.Scope().Lookup(name).Type().Underlying().(*types.Struct); ok && holds(owner, variable) {
				return name + "." + object.Name()
			}
		}
	}
	return ""
}

func holds(structure *types.Struct, field *types.Var) bool {
	for index := range structure.NumFields() {
		if structure.Field(index) == field {
			return true
		}
	}
	return false
}
