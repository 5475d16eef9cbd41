package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Places inside a sandbox.
const (
	workFolder    = "/kaiju/work"
	scratchFolder = "/kaiju/scratch"
	outFolder     = "/kaiju/scratch/out"
)

// session is the go command over the tree, with a cache of its own that starts as full as the warm one.
type session struct {
	overlay map[string]string
	folder  string
}

// newSession lays the warm cache into the scratch folder by links, so that what one command compiles the next
// one finds, and writes the module file that all commands use instead of the tree's own.
func newSession() (*session, error) {
	s := &session{overlay: map[string]string{}, folder: scratchFolder}
	if err := os.MkdirAll(filepath.Join(s.folder, "tmp"), 0o755); err != nil {
		return nil, err
	}
	if err := linkCache(os.Getenv("KAIJU_WARM_CACHE"), filepath.Join(s.folder, "cache")); err != nil {
		return nil, err
	}
	return s, s.writeModule("")
}

// withValues lets tests, and nothing else, reach the module that holds the values of a run: the library was
// built without it before.
func (s *session) withValues() error {
	if err := s.writeModule(fmt.Sprintf("\nrequire %s v0.0.0\n\nreplace %s => %s\n", valuesModule, valuesModule, s.valuesFolder())); err != nil {
		return err
	}
	return writeValues(s.valuesFolder())
}

func linkCache(warm, cache string) error {
	for number := range 256 {
		name := fmt.Sprintf("%02x", number)
		if err := os.MkdirAll(filepath.Join(cache, name), 0o755); err != nil {
			return err
		}
		entries, err := os.ReadDir(filepath.Join(warm, name))
		if err != nil && !os.IsNotExist(err) {
			return err
		}
		for _, entry := range entries {
			old := filepath.Join(warm, name, entry.Name())
			if err := os.Symlink(old, filepath.Join(cache, name, entry.Name())); err != nil {
				return err
			}
		}
	}
	// A cache without this file is searched for old entries first.
	return os.WriteFile(filepath.Join(cache, "trim.txt"), fmt.Appendf(nil, "%d", now().Unix()), 0o644)
}

// writeModule writes go.mod and go.sum of the environment, with more lines behind them.
func (s *session) writeModule(more string) error {
	given := os.Getenv("KAIJU_MODULE")
	text, err := os.ReadFile(filepath.Join(given, "go.mod"))
	if err != nil {
		return err
	}
	text = append(text, more...)
	sums, err := os.ReadFile(filepath.Join(given, "go.sum"))
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	if err := os.WriteFile(filepath.Join(s.folder, "go.mod"), text, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.folder, "go.sum"), sums, 0o644)
}

func (s *session) valuesFolder() string { return filepath.Join(s.folder, "values") }

// lay puts a file into the tree, or takes one out of it, without touching the tree.
func (s *session) lay(path string, content []byte) error {
	target := ""
	if content != nil {
		target = filepath.Join(s.folder, "overlay", path)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(target, content, 0o644); err != nil {
			return err
		}
	}
	s.overlay[filepath.Join(workFolder, path)] = target
	return nil
}

// flags stand behind the verb of every go command.
func (s *session) flags() ([]string, error) {
	overlay, err := json.Marshal(map[string]any{"Replace": s.overlay})
	if err != nil {
		return nil, err
	}
	file := filepath.Join(s.folder, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o644); err != nil {
		return nil, err
	}
	return []string{"-mod=readonly", "-modfile=" + filepath.Join(s.folder, "go.mod"), "-overlay=" + file}, nil
}

// building are the flags that decide what a compiled package is; the warm cache was filled with the same.
var building = []string{"-trimpath", "-buildvcs=false"}

// command runs `go VERB FLAGS ARGUMENTS` in the tree and returns what it said, and whether its status was 0.
func (s *session) command(verb string, arguments ...string) (stdout, stderr []byte, ok bool, err error) {
	flags, err := s.flags()
	if err != nil {
		return nil, nil, false, err
	}
	return s.plain(verb, append(flags, arguments...)...)
}

// plain runs `go VERB ARGUMENTS` with the tree's own go.mod.
func (s *session) plain(verb string, arguments ...string) (stdout, stderr []byte, ok bool, err error) {
	command := exec.Command("go", append([]string{verb}, arguments...)...)
	command.Dir = workFolder
	command.Env = append(os.Environ(), "GOCACHE="+filepath.Join(s.folder, "cache"), "GOTMPDIR="+filepath.Join(s.folder, "tmp"))
	var out, said bytes.Buffer
	command.Stdout, command.Stderr = &out, &said
	err = command.Run()
	if _, ended := err.(*exec.ExitError); ended {
		return out.Bytes(), said.Bytes(), false, nil
	}
	return out.Bytes(), said.Bytes(), err == nil, err
}

// inFolder is a folder of the tree as a package pattern.
func inFolder(folder string) string {
	if folder == "." || folder == "" {
		return "."
	}
	return "./" + folder
}

func folderOf(path string) string {
	return filepath.ToSlash(filepath.Dir(path))
}

func isGo(path string) bool     { return strings.HasSuffix(path, ".go") }
func isTestGo(path string) bool { return strings.HasSuffix(path, "_test.go") }
