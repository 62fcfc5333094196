package main

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// A verdict says what became of a mutant.
type verdict struct {
	killed bool
	fault  string // why it counts as not killed; "" for a killed one
	output string // what the test printed
}

func (v verdict) word() string {
	if v.fault != "" {
		return "NOT KILLED"
	}
	return "killed"
}

// outcome is what one run of one test showed.
type outcome struct {
	built, ran, passed bool
	output             string   // of the test and its subtests, or of the compiler
	crash              string   // the line that tells of a panic, a timeout or a race
	asserts            []string // each message of the testing package, without its place
}

// crashes are lines by which a process ends that was not ended by an assertion.
// synctest's deadlock is a panic, and so is the test binary's own timeout.
var crashes = regexp.MustCompile(`^(panic: |fatal error: |\*\*\* Test killed|WARNING: DATA RACE|signal: |exit status 2|unexpected fault address)`)

// message is how the testing package prints what a test says; further lines of the same message
// are indented deeper.
var message = regexp.MustCompile(`^(\s*)[\w.-]+\.go:\d+: (.*)`)

// read takes "go test -json" apart, for one test of one package.
func read(r io.Reader, test string) (outcome, error) {
	o := outcome{built: true}
	var all, own, build strings.Builder
	dec := json.NewDecoder(r)
	for {
		var ev struct{ Action, Test, Output, FailedBuild string }
		if err := dec.Decode(&ev); err == io.EOF {
			break
		} else if err != nil {
			return o, fmt.Errorf("what go test printed is not JSON: %w", err)
		}
		of := ev.Test == test || strings.HasPrefix(ev.Test, test+"/")
		switch ev.Action {
		case "build-output":
			build.WriteString(ev.Output)
		case "build-fail":
			o.built = false
		case "output":
			all.WriteString(ev.Output)
			if of {
				own.WriteString(ev.Output)
			}
			if line := strings.TrimSpace(ev.Output); o.crash == "" && crashes.MatchString(line) {
				o.crash = line
			}
		case "pass":
			if ev.Test == test {
				o.ran, o.passed = true, true
			}
		case "fail":
			o.built = o.built && ev.FailedBuild == ""
			if ev.Test == test {
				o.ran = true
			}
		}
	}
	o.asserts = messages(own.String())
	switch {
	case !o.built:
		o.output = build.String()
	case o.ran:
		o.output = own.String()
	default:
		o.output = all.String()
	}
	return o, nil
}

// messages are what a test has said, each with all of its lines.
func messages(text string) []string {
	var out []string
	depth := -1
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		indented := len(line) - len(strings.TrimLeft(line, " \t"))
		if m := message.FindStringSubmatch(line); m != nil {
			out, depth = append(out, m[2]), len(m[1])
		} else if depth >= 0 && indented > depth {
			out[len(out)-1] += "\n" + strings.TrimSpace(line)
		} else {
			depth = -1
		}
	}
	return out
}

// judge compares the run on the tree with the run on the broken tree.
func judge(m mutant, whole, broken outcome) verdict {
	v := verdict{output: broken.output}
	switch {
	case !whole.built || !whole.passed:
		v.fault, v.output = fmt.Sprintf("%s does not pass on the tree as it is", m.test), whole.output
	case !broken.built:
		v.fault = "the break does not compile"
	case broken.crash != "":
		v.fault = "the test is ended by a crash, not by an assertion: " + broken.crash
	case !broken.ran:
		v.fault = "the test did not end"
	case broken.passed:
		v.fault = "survives: " + m.test + " passes with the break"
	default:
		for _, said := range broken.asserts {
			if strings.Contains(said, m.says) {
				v.killed = true
				return v
			}
		}
		v.fault = fmt.Sprintf("%s fails, but by no assertion that says %q", m.test, m.says)
	}
	return v
}

func indent(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("          | " + line)
	}
	return b.String()
}
