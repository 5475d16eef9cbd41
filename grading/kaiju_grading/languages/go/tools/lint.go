package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/format"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

type lintOrder struct {
	Packages []string `json:"packages"`
	Sources  []string `json:"sources"`
}

type lintAnswer struct {
	Files    int       `json:"files"`
	Problems []problem `json:"problems"`
	// Failed says why a linter could not look; empty when all could.
	Failed string `json:"failed"`
}

// lint is gofmt, go vet and staticcheck over the library's files.
func lint(input *json.Decoder) (any, error) {
	var order lintOrder
	if err := input.Decode(&order); err != nil {
		return nil, err
	}
	s, err := newSession()
	if err != nil {
		return nil, err
	}
	answer := &lintAnswer{Files: len(order.Sources), Problems: []problem{}}
	for _, path := range order.Sources {
		text, err := os.ReadFile(filepath.Join(workFolder, path))
		if err != nil {
			return nil, err
		}
		formatted, err := format.Source(text)
		if err == nil && !bytes.Equal(formatted, text) {
			answer.Problems = append(answer.Problems, problem{Path: path, Line: firstDifference(text, formatted), Rule: "gofmt",
				Message: "not formatted as gofmt does", Severity: "warning"})
		}
	}
	if err := s.vet(order, answer); err != nil {
		return nil, err
	}
	return answer, s.staticcheck(order, answer)
}

func firstDifference(one, other []byte) int {
	line := 1
	for index := range min(len(one), len(other)) {
		if one[index] != other[index] {
			return line
		}
		if one[index] == '\n' {
			line++
		}
	}
	return line
}

// vet writes one object a package, between comments: package, analyzer, findings.
func (s *session) vet(order lintOrder, answer *lintAnswer) error {
	said, complaints, ok, err := s.command("vet", slices.Concat(building, []string{"-json"}, order.Packages)...)
	if err != nil {
		return err
	}
	if !ok {
		answer.Failed = "go vet: " + tail(append(said, complaints...), 500)
		answer.Problems = append(answer.Problems, compileProblems(append(said, complaints...))...)
		return nil
	}
	var plain []string
	for _, line := range strings.Split(string(said)+"\n"+string(complaints), "\n") {
		if !strings.HasPrefix(line, "#") {
			plain = append(plain, line)
		}
	}
	decoder := json.NewDecoder(strings.NewReader(strings.Join(plain, "\n")))
	for decoder.More() {
		var one map[string]map[string]json.RawMessage
		if err := decoder.Decode(&one); err != nil {
			return fmt.Errorf("go vet: %w", err)
		}
		for _, analyzers := range one {
			for _, analyzer := range slices.Sorted(maps.Keys(analyzers)) {
				var findings []struct{ Posn, Message string }
				if json.Unmarshal(analyzers[analyzer], &findings) != nil {
					// Not findings but why it could not run.
					answer.Failed = "go vet: " + analyzer + ": " + tail(analyzers[analyzer], 500)
					return nil
				}
				for _, finding := range findings {
					answer.add(order, "vet:"+analyzer, finding.Posn, finding.Message)
				}
			}
		}
	}
	return nil
}

func compileProblems(text []byte) []problem {
	found := problemsOf(text)
	for index := range found {
		found[index].Rule, found[index].Severity = "compile", "error"
	}
	return found
}

// staticcheck tells what comments of the tree ask it to ignore, too.
func (s *session) staticcheck(order lintOrder, answer *lintAnswer) error {
	program := os.Getenv("KAIJU_STATICCHECK")
	if program == "" && answer.Failed == "" {
		answer.Failed = "staticcheck is missing from the environment"
	}
	if answer.Failed != "" {
		return nil
	}
	flags, err := s.flags()
	if err != nil {
		return err
	}
	cache := filepath.Join(s.folder, "staticcheck")
	if warm := os.Getenv("KAIJU_STATICCHECK_CACHE"); warm != "" {
		if err := os.CopyFS(cache, os.DirFS(warm)); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	command := exec.Command(program, append([]string{"-f", "json", "-tests=false", "-show-ignored", "-checks", os.Getenv("KAIJU_CHECKS")}, order.Packages...)...)
	command.Dir = workFolder
	command.Env = append(os.Environ(), "GOCACHE="+filepath.Join(s.folder, "cache"), "GOTMPDIR="+filepath.Join(s.folder, "tmp"),
		"STATICCHECK_CACHE="+cache, "GOFLAGS="+strings.Join(append(flags, building...), " "))
	var said, complaints bytes.Buffer
	command.Stdout, command.Stderr = &said, &complaints
	if err := command.Run(); err != nil && command.ProcessState.ExitCode() != 1 {
		answer.Failed = fmt.Sprintf("staticcheck: %v: %s", err, tail(complaints.Bytes(), 500))
		return nil
	}
	decoder := json.NewDecoder(&said)
	for decoder.More() {
		var finding struct {
			Code, Message string
			Location      struct {
				File         string
				Line, Column int
			}
		}
		if err := decoder.Decode(&finding); err != nil {
			return fmt.Errorf("staticcheck: %w", err)
		}
		where := fmt.Sprintf("%s:%d:%d", finding.Location.File, finding.Location.Line, finding.Location.Column)
		if finding.Code == "compile" {
			answer.Failed = "staticcheck: " + where + ": " + finding.Message
			continue
		}
		answer.add(order, finding.Code, where, finding.Message)
	}
	return nil
}

// add a finding in one of the library's files.
func (a *lintAnswer) add(order lintOrder, rule, where, message string) {
	parts := strings.Split(where, ":")
	if len(parts) < 3 {
		return
	}
	path := strings.TrimPrefix(strings.Join(parts[:len(parts)-2], ":"), workFolder+"/")
	if !slices.Contains(order.Sources, path) {
		return
	}
	line, _ := strconv.Atoi(parts[len(parts)-2])
	column, _ := strconv.Atoi(parts[len(parts)-1])
	a.Problems = append(a.Problems, problem{Path: path, Line: line, Column: column, Rule: rule, Message: message, Severity: "warning"})
}
