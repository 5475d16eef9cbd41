package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// runOrder asks for chosen tests of some programs.
type runOrder struct {
	Programs []struct {
		// File is the program, Folder where it runs: both below the tree.
		File   string   `json:"file"`
		Folder string   `json:"folder"`
		Tests  []string `json:"tests"`
	} `json:"programs"`
	// Values by slot.
	Values map[string]string `json:"values"`
	// Idle is how long, in seconds, a program may say nothing before it is ended.
	Idle int `json:"idle"`
}

// channel writes records, one JSON object a line. The reader outside trusts none of them.
type channel struct {
	lock sync.Mutex
	json *json.Encoder
}

func (c *channel) write(record map[string]any) error {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.json.Encode(record)
}

// run starts each program once for all of its tests. Where it dies before its closing record, no pass of it
// counts: all that it did not show as failed runs again, each test in a process of its own.
func run(input *json.Decoder, out io.Writer) error {
	var order runOrder
	if err := input.Decode(&order); err != nil {
		return err
	}
	c := &channel{json: json.NewEncoder(out)}
	for number, program := range order.Programs {
		r := runner{channel: c, program: number, file: filepath.Join(workFolder, program.File),
			folder: filepath.Join(workFolder, program.Folder), table: tableOf(order.Values),
			idle: time.Duration(order.Idle) * time.Second}
		if err := r.all(program.Tests); err != nil {
			return err
		}
	}
	return c.write(map[string]any{"event": "closed"})
}

func tableOf(values map[string]string) []byte {
	var text []byte
	for _, slot := range slices.Sorted(maps.Keys(values)) {
		text = fmt.Appendf(text, "%s %d\n%s\n", slot, len(values[slot]), values[slot])
	}
	return text
}

type runner struct {
	*channel
	program int
	file    string
	folder  string
	table   []byte
	idle    time.Duration
	process int
}

func (r *runner) all(tests []string) error {
	seen, err := r.once(tests)
	if err != nil || seen.closed || len(tests) < 2 || !seen.begun {
		return err
	}
	for _, name := range tests {
		if seen.failed[name] || seen.guilty == name {
			continue
		}
		if _, err := r.once([]string{name}); err != nil {
			return err
		}
	}
	return nil
}

// glance is what the runner needs to know of a process to go on; verdicts are made outside.
type glance struct {
	begun, closed bool
	failed        map[string]bool
	// guilty is the one test that was running when the process died.
	guilty string
}

func (r *runner) once(tests []string) (glance, error) {
	number := r.process
	r.process++
	if err := r.write(map[string]any{"event": "started", "program": r.program, "process": number, "tests": tests}); err != nil {
		return glance{}, err
	}
	watch := &watched{write: func(text []byte) error {
		return r.write(map[string]any{"event": "said", "program": r.program, "process": number, "text": text})
	}, last: now()}
	answers := &passed{write: func(text []byte) error {
		return r.write(map[string]any{"event": "answered", "program": r.program, "process": number, "text": text})
	}, left: mostAnswered}
	status, idle, err := r.start(tests, watch, answers)
	if err != nil {
		return glance{}, err
	}
	record := map[string]any{"event": "ended", "program": r.program, "process": number, "idle": idle}
	if status.Signaled() {
		record["signal"] = int(status.Signal())
	} else {
		record["exit"] = status.ExitStatus()
	}
	return look(watch.text), r.write(record)
}

func (r *runner) start(tests []string, watch *watched, answers *passed) (syscall.WaitStatus, bool, error) {
	reading, writing, err := os.Pipe()
	if err != nil {
		return 0, false, err
	}
	hearing, saying, err := os.Pipe()
	if err != nil {
		return 0, false, errors.Join(err, reading.Close(), writing.Close())
	}
	defer hearing.Close()
	quoted := make([]string, len(tests))
	for index, name := range tests {
		quoted[index] = regexp.QuoteMeta(name)
	}
	command := exec.Command(r.file, "-test.v=test2json", "-test.paniconexit0", "-test.count=1", "-test.timeout=0",
		"-test.run=^("+strings.Join(quoted, "|")+")$")
	command.Dir, command.Env = r.folder, append(environment(), "PWD="+r.folder)
	command.Stdout, command.Stderr, command.ExtraFiles = watch, os.Stderr, []*os.File{reading, saying}
	command.WaitDelay = time.Second
	if err := command.Start(); err != nil {
		return 0, false, errors.Join(err, reading.Close(), writing.Close(), saying.Close())
	}
	reading.Close()
	saying.Close()
	heard := answers.from(hearing)
	go func() {
		// A library that dies at once does not read it: that is no fault.
		writing.Write(r.table)
		writing.Close()
	}()
	idle := r.guard(command, watch)
	err = command.Wait()
	// What the program started may have kept its end open.
	hearing.SetReadDeadline(now().Add(command.WaitDelay))
	<-heard
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) && !errors.Is(err, exec.ErrWaitDelay) {
		return 0, false, err
	}
	status, _ := command.ProcessState.Sys().(syscall.WaitStatus)
	return status, idle(), nil
}

// environment is what the tests see: nothing of what the runner was told.
func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(entry string) bool { return strings.HasPrefix(entry, "KAIJU_") })
}

// guard ends the program when it says nothing for too long. The answer tells whether it had to.
func (r *runner) guard(command *exec.Cmd, watch *watched) func() bool {
	done, ended := make(chan struct{}), make(chan bool, 1)
	go func() {
		ticker := time.NewTicker(50 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				ended <- false
				return
			case <-ticker.C:
				if r.idle > 0 && watch.silent() > r.idle {
					command.Process.Kill()
					ended <- true
					return
				}
			}
		}
	}()
	return func() bool { close(done); return <-ended }
}

var frame = regexp.MustCompile("\x16(?:=== RUN   |--- (PASS|FAIL|SKIP): |(PASS|FAIL)\n)([^\\s/]*)")

func look(text []byte) glance {
	seen := glance{failed: map[string]bool{}}
	running := map[string]bool{}
	for _, match := range frame.FindAllSubmatchIndex(text, -1) {
		name := string(text[match[6]:match[7]])
		if match[7] < len(text) && text[match[7]] == '/' {
			continue // a part of a test
		}
		switch {
		case match[4] >= 0:
			seen.closed = true
		case match[2] < 0:
			seen.begun, running[name] = true, true
		default:
			delete(running, name)
			seen.failed[name] = string(text[match[2]:match[3]]) == "FAIL"
		}
	}
	if len(running) == 1 {
		for name := range running {
			seen.guilty = name
		}
	}
	return seen
}
