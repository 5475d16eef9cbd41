package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
)

type sitesOrder struct {
	// Tests by test file.
	Tests map[string][]string `json:"tests"`
}

// site is a place of a test that can be altered: what stands there is looked up at run time.
type site struct {
	Test        string `json:"test"`
	Path        string `json:"path"`
	Start       int    `json:"start"`
	End         int    `json:"end"`
	Replacement string `json:"replacement"`
	Kind        string `json:"kind"`
	Weak        bool   `json:"weak"`
	Conditional bool   `json:"conditional"`
	Slot        string `json:"slot"`
	Real        string `json:"real"`
	// Altered are the wrong values that can stand there instead.
	Altered []string `json:"altered"`
	// condition is what is turned around.
	condition *assertion
}

// Kinds of assertions, as the grader names them.
const (
	equal  = "=="
	truth  = "bool"
	raises = "raises"
	helper = "helper"
)

func findSites(input *json.Decoder) (any, error) {
	var order sitesOrder
	if err := input.Decode(&order); err != nil {
		return nil, err
	}
	s, err := newSession()
	if err != nil {
		return nil, err
	}
	folders := map[string]bool{}
	for path := range order.Tests {
		folders[folderOf(path)] = true
	}
	packages, err := s.testPackages(slices.Sorted(maps.Keys(folders)))
	if err != nil {
		return nil, err
	}
	found, asked := []site{}, []question{}
	for _, p := range packages {
		f := newFinder(p, order.Tests)
		sites, err := p.compiling(f.all())
		if err != nil {
			return nil, err
		}
		sites, questions, err := f.withQuestions(sites)
		if err != nil {
			return nil, err
		}
		found, asked = append(found, sites...), append(asked, questions...)
	}
	return map[string]any{"sites": found, "asked": asked}, nil
}

// complaint of the type checker, and the function that it is about.
type complaint struct {
	token.Position
	at       token.Pos
	function string
}

// complaints about the package with edits of its files.
func (p *testPackage) complaints(edits func(path string) []edit) ([]complaint, error) {
	trial := &testPackage{files: p.files, syntax: map[string]*ast.File{}, texts: map[string][]byte{}, found: p.found, exports: p.exports}
	for path, text := range p.texts {
		if err := trial.parse(path, apply(text, edits(path))); err != nil {
			return nil, fmt.Errorf("lookups: %w", err)
		}
	}
	if err := trial.parse(accessors, fmt.Appendf(nil, declaredAccessors, p.pkg.Name())); err != nil {
		return nil, err
	}
	var found []complaint
	for _, one := range trial.check() {
		made := complaint{Position: p.files.PositionFor(one.Pos, false), at: one.Pos}
		if file := trial.syntax[made.Filename]; file != nil {
			made.function = functionAt(file, made)
		}
		found = append(found, made)
	}
	return found, nil
}

// compiling are the sites that, all laid in together, leave the package well typed.
func (p *testPackage) compiling(sites []site) ([]site, error) {
	for len(sites) > 0 {
		complaints, err := p.complaints(func(path string) []edit { return editsOf(sites, path) })
		if err != nil {
			return nil, err
		}
		bad := map[int]bool{}
		for _, where := range complaints {
			if index := siteAt(sites, where.Filename, where.Offset); index >= 0 {
				bad[index] = true
			}
		}
		if len(bad) == 0 {
			return sites, nil
		}
		kept := []site{}
		for index, one := range sites {
			if !bad[index] {
				kept = append(kept, one)
			}
		}
		sites = kept
	}
	return sites, nil
}

func editsOf(sites []site, path string) []edit {
	var edits []edit
	for _, one := range sites {
		if one.Path == path {
			edits = append(edits, edit{one.Start, one.End, one.Replacement})
		}
	}
	return edits
}

// siteAt is the site whose replacement holds this offset of the altered file, or the next one before it.
func siteAt(sites []site, path string, offset int) int {
	shift, found := 0, -1
	for _, index := range inOrder(sites, path) {
		one := sites[index]
		if one.Start+shift > offset+1 {
			break
		}
		found = index
		shift += len(one.Replacement) - (one.End - one.Start)
	}
	return found
}

func inOrder(sites []site, path string) []int {
	var order []int
	for index, one := range sites {
		if one.Path == path {
			order = append(order, index)
		}
	}
	slices.SortFunc(order, func(one, other int) int { return sites[one].Start - sites[other].Start })
	return order
}

// slotOf names a place.
func slotOf(path string, start int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", path, start))
	return hex.EncodeToString(sum[:5])
}
