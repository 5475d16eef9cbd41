package main

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// problem is one complaint of the compiler, the linker or the go command about a place in the tree.
type problem struct {
	Path     string `json:"path"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Message  string `json:"message"`
	Rule     string `json:"rule,omitempty"`
	Severity string `json:"severity,omitempty"`
}

var place = regexp.MustCompile(`^(?:vet: )?(?:/kaiju/work/|\./)?((?:[^\s:]+/)*[^\s:/]+\.go):(\d+)(?::(\d+))?: (.*)$`)

// problemsOf reads the places that a go command names. Paths are those of the tree.
func problemsOf(text []byte) []problem {
	var found []problem
	for _, line := range strings.Split(string(text), "\n") {
		match := place.FindStringSubmatch(line)
		if match == nil || strings.HasPrefix(match[1], "../") || strings.HasPrefix(match[1], "/") {
			continue
		}
		number, _ := strconv.Atoi(match[2])
		column, _ := strconv.Atoi(match[3])
		found = append(found, problem{Path: match[1], Line: number, Column: column, Message: match[4]})
	}
	return found
}

func now() time.Time { return time.Now() }

// tail is the end of a text, where the reason of a failure stands.
func tail(text []byte, most int) string {
	if len(text) > most {
		text = text[len(text)-most:]
	}
	return strings.ToValidUTF8(strings.TrimSpace(string(text)), "?")
}
