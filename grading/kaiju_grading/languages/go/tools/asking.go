package main

import (
	"go/ast"
	"maps"
	"slices"
)

// altered is what one test looks up, and what it can be asked.
type altered struct {
	// plain are its flips when nothing is asked, flips the same beside its questions.
	plain, flips []site
	questions    []question
}

// withQuestions lets every test be asked that can be, and is well typed with that.
func (f *finder) withQuestions(flips []site) ([]site, []question, error) {
	tests := map[string]*altered{}
	for _, one := range flips {
		if tests[one.Test] == nil {
			tests[one.Test] = &altered{}
		}
		tests[one.Test].plain = append(tests[one.Test].plain, one)
	}
	for _, function := range f.functions() {
		if one := tests[f.enclosing(function)]; one != nil {
			one.flips = one.plain
			if found, reached := f.questionsOf(function, one.plain); len(found) > 0 {
				one.ask(f, found, reached)
			}
		}
	}
	for {
		bad, err := f.illTyped(tests)
		if err != nil {
			return nil, nil, err
		}
		if len(bad) == 0 {
			break
		}
		for _, one := range bad {
			one.flips, one.questions = one.plain, nil
		}
	}
	var sites []site
	questions := []question{}
	for _, test := range slices.Sorted(maps.Keys(tests)) {
		sites = append(sites, tests[test].flips...)
		questions = append(questions, tests[test].questions...)
	}
	return sites, questions, nil
}

// illTyped are tests that do not compile when they are asked.
func (f *finder) illTyped(tests map[string]*altered) ([]*altered, error) {
	complaints, err := f.complaints(func(path string) []edit {
		edits := map[edit]bool{}
		for _, one := range tests {
			for _, part := range slices.Concat(editsOf(one.flips, path), one.edits(path)) {
				edits[part] = true
			}
		}
		return slices.Collect(maps.Keys(edits))
	})
	var found []*altered
	for _, one := range complaints {
		if test := tests[one.Filename+"::"+one.function]; test != nil && len(test.questions) > 0 {
			found = append(found, test)
		}
	}
	return found, err
}

func (t *altered) edits(path string) []edit {
	var found []edit
	for _, one := range t.questions {
		if one.Path == path {
			found = append(found, edit{one.Start, one.End, one.Replacement})
		}
	}
	return found
}

// ask lets the comparisons that questions reach ask: those that stand in a condition that is a flip within its text.
func (t *altered) ask(f *finder, found []question, reached []*equality) {
	t.flips, t.questions = slices.Clone(t.plain), found
	test, path := found[0].Test, found[0].Path
	inner := map[int][]edit{}
	seen := map[*equality]bool{}
	for _, one := range reached {
		if seen[one] {
			continue
		}
		seen[one] = true
		made := one.edits(f.offset)
		outer := slices.IndexFunc(t.flips, func(flip site) bool {
			return flip.condition != nil && flip.Start <= made[0].from && made[len(made)-1].to <= flip.End
		})
		if outer >= 0 {
			inner[outer] = append(inner[outer], made...)
			continue
		}
		for _, part := range made {
			t.questions = append(t.questions, question{Test: test, Path: path, Start: part.from, End: part.to, Replacement: part.text})
		}
	}
	for index, edits := range inner {
		flip := &t.flips[index]
		flip.Replacement = f.conditionText(*flip.condition, path, edits)
		t.questions = append(t.questions, question{Test: test, Path: path, Start: flip.Start, End: flip.End,
			Replacement: flip.Replacement, Slot: flip.Slot, Real: flip.Real})
	}
}

// functionAt is the name of the function of a file that holds a position.
func functionAt(file *ast.File, complaint complaint) string {
	for _, declared := range file.Decls {
		if function, ok := declared.(*ast.FuncDecl); ok && function.Pos() <= complaint.at && complaint.at <= function.End() {
			return function.Name.Name
		}
	}
	return ""
}
