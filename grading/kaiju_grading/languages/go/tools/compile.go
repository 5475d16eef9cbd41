package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
)

type compileOrder struct {
	// Parts are test files by name of what is run together.
	Parts map[string][]string `json:"parts"`
}

type program struct {
	Folder string `json:"folder"`
	File   string `json:"file"`
}

type compileAnswer struct {
	// Programs by folder of the tree.
	Programs map[string]program `json:"programs"`
	// Tests by test file, in their order.
	Tests map[string][]string `json:"tests"`
	// Failed are test files that are in no program, and why.
	Failed   map[string]string `json:"failed"`
	Problems []problem         `json:"problems"`
}

// compile makes one program for each folder with tests. A file that does not compile is left out, and the rest
// compiled again.
func compile(input *json.Decoder) (any, error) {
	var order compileOrder
	if err := input.Decode(&order); err != nil {
		return nil, err
	}
	s, err := newSession()
	if err != nil {
		return nil, err
	}
	if err := s.withValues(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(outFolder, 0o755); err != nil {
		return nil, err
	}
	folders := map[string][]testFile{}
	for _, name := range testFiles(order.Parts) {
		folders[folderOf(name)] = append(folders[folderOf(name)], readTestFile(name))
	}
	answer := compileAnswer{Programs: map[string]program{}, Tests: map[string][]string{}, Failed: map[string]string{}}
	for folder, files := range folders {
		if err := s.layAccessors(folder); err != nil {
			return nil, err
		}
		for _, file := range files {
			answer.Tests[file.path] = file.tests
		}
		if !slices.ContainsFunc(files, func(file testFile) bool { return file.broken || len(file.tests) > 0 }) {
			delete(folders, folder)
		}
	}
	err = s.compileAll(folders, &answer)
	return answer, err
}

func testFiles(parts map[string][]string) []string {
	found := map[string]bool{}
	for _, files := range parts {
		for _, name := range files {
			if isTestGo(name) {
				found[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// layAccessors gives each package of tests of a folder the functions that look values up, under names of this
// compilation alone: a library may have declared any other. Files of no part count, too: they compile with the rest.
func (s *session) layAccessors(folder string) error {
	entries, err := os.ReadDir(filepath.Join(workFolder, folder))
	if err != nil {
		return err
	}
	mark := newMark()
	names := map[string]bool{}
	for _, entry := range entries {
		file := testFile{path: path.Join(folder, entry.Name())}
		if isTestGo(file.path) {
			file = readTestFile(file.path)
		}
		if !file.lookups || file.syntax == nil {
			continue
		}
		names[file.syntax.Name.Name] = true
		if err := s.layMarked(file.path, mark); err != nil {
			return err
		}
	}
	for number, name := range slices.Sorted(maps.Keys(names)) {
		file := fmt.Sprintf("kaiju%d_values_test.go", number)
		if err := s.lay(path.Join(folder, file), fmt.Appendf(nil, accessorSource, name, mark)); err != nil {
			return err
		}
	}
	return nil
}

// layMarked renames the lookups of a test file, whose place stays what errors name.
func (s *session) layMarked(path, mark string) error {
	place := filepath.Join(workFolder, path)
	text, err := os.ReadFile(place)
	if err != nil {
		return err
	}
	return s.lay(path, append(fmt.Appendf(nil, "//line %s:1\n", place), marked(text, mark)...))
}

// compileAll goes round until every folder has its program or nobody to blame.
func (s *session) compileAll(folders map[string][]testFile, answer *compileAnswer) error {
	waiting := slices.Sorted(maps.Keys(folders))
	for len(waiting) > 0 {
		var again []string
		for _, batch := range batches(waiting) {
			patterns := []string{}
			for _, folder := range batch {
				patterns = append(patterns, inFolder(folder))
			}
			said, err := s.compileBatch(batch, patterns, answer)
			if err != nil {
				return err
			}
			for _, folder := range batch {
				if _, ok := answer.Programs[folder]; ok {
					continue
				}
				left, err := s.blame(folder, folders[folder], said, answer)
				if err != nil {
					return err
				}
				folders[folder] = left
				if len(left) > 0 {
					again = append(again, folder)
				}
			}
		}
		waiting = again
	}
	return nil
}

// batches are folders whose programs have different names.
func batches(folders []string) [][]string {
	var found [][]string
	for _, folder := range folders {
		index := slices.IndexFunc(found, func(batch []string) bool { return fits(batch, folder) })
		if index < 0 {
			found = append(found, []string{folder})
		} else {
			found[index] = append(found[index], folder)
		}
	}
	return found
}

// alone are folders whose program is not named after them.
var alone = regexp.MustCompile(`^(\.|(.*/)?v[0-9]+)$`)

func fits(batch []string, folder string) bool {
	return !alone.MatchString(folder) && !slices.ContainsFunc(batch, func(other string) bool {
		return alone.MatchString(other) || path.Base(other) == path.Base(folder)
	})
}

func (s *session) compileBatch(batch, patterns []string, answer *compileAnswer) ([]byte, error) {
	target, err := os.MkdirTemp(s.folder, "programs")
	if err != nil {
		return nil, err
	}
	arguments := slices.Concat([]string{"-c", "-vet=off"}, building, []string{"-gcflags=-e", "-ldflags=-s -w", "-o", target + "/"}, patterns)
	_, said, _, err := s.command("test", arguments...)
	if err != nil {
		return nil, err
	}
	made, err := filepath.Glob(filepath.Join(target, "*.test"))
	if err != nil {
		return nil, err
	}
	for _, folder := range batch {
		for _, file := range made {
			if len(batch) == 1 || filepath.Base(file) == path.Base(folder)+".test" {
				name := fmt.Sprintf("%d.test", len(answer.Programs))
				if err := os.Rename(file, filepath.Join(outFolder, name)); err != nil {
					return nil, err
				}
				answer.Programs[folder] = program{Folder: folder, File: name}
				break
			}
		}
	}
	return said, nil
}

// blame takes the files with errors out of a folder's tests; what is left is to be compiled again. When no file
// of the tests is to blame, none is left.
func (s *session) blame(folder string, files []testFile, said []byte, answer *compileAnswer) ([]testFile, error) {
	reasons := map[string]string{}
	var elsewhere []problem
	for _, found := range problemsOf(said) {
		if isTestGo(found.Path) {
			if reasons[found.Path] == "" {
				reasons[found.Path] = fmt.Sprintf("%s:%d: %s", found.Path, found.Line, found.Message)
			}
		} else {
			elsewhere = append(elsewhere, found)
		}
	}
	var left []testFile
	for _, file := range files {
		if reason, bad := reasons[file.path]; bad {
			answer.Failed[file.path] = reason
			if err := s.lay(file.path, nil); err != nil {
				return nil, err
			}
		} else {
			left = append(left, file)
		}
	}
	if len(left) == len(files) {
		answer.Problems = append(answer.Problems, elsewhere...)
		for _, file := range files {
			answer.Failed[file.path] = "the tests do not compile: " + tail(said, 1500)
		}
		return nil, nil
	}
	if !slices.ContainsFunc(left, func(file testFile) bool { return len(file.tests) > 0 }) {
		return nil, nil
	}
	return left, nil
}
