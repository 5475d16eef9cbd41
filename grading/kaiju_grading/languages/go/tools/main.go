// Command kaijugo is what Kaiju does with Go source inside a sandbox: it reads instructions from standard
// input and writes one JSON answer to the report descriptor. Standard library only.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// Verbs by name. Each reads its instructions and returns its answer.
var verbs = map[string]func(*json.Decoder) (any, error){
	"build":   buildLibrary,
	"compile": compile,
	"doc":     documentation,
	"list":    listPackages,
	"own":     buildItself,
	"private": privateNames,
	"sites":   findSites,
	"stub":    stub,
	"lint":    lint,
}

func main() {
	if len(os.Args) != 2 {
		fail(fmt.Errorf("expected one verb, got %q", os.Args[1:]))
	}
	input := json.NewDecoder(os.Stdin)
	if os.Args[1] == "run" {
		hide()
		if err := run(input, report()); err != nil {
			fail(err)
		}
		return
	}
	verb, ok := verbs[os.Args[1]]
	if !ok {
		fail(fmt.Errorf("unknown verb %q", os.Args[1]))
	}
	answer, err := verb(input)
	if err == nil {
		err = json.NewEncoder(report()).Encode(answer)
	}
	if err != nil {
		fail(err)
	}
}

// report is the result channel, which is neither stdout nor stderr.
func report() *os.File {
	number, err := strconv.Atoi(os.Getenv("KAIJU_REPORT_FD"))
	if err != nil {
		fail(fmt.Errorf("KAIJU_REPORT_FD: %w", err))
	}
	syscall.CloseOnExec(number)
	return os.NewFile(uintptr(number), "report")
}

// hide keeps the programs that this one starts, which run as the same user, out of its memory and descriptors.
func hide() {
	const setDumpable = 4
	syscall.RawSyscall(syscall.SYS_PRCTL, setDumpable, 0, 0)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "kaijugo:", err)
	os.Exit(70)
}
