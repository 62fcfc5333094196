package main

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// A verdict is the result of trying a mutant.
type verdict struct {
	killed bool
	fault  string // why the mutant counts as not killed; "" for a killed one
	output string // what the test printed
}

func (v verdict) word() string {
	if v.fault != "" {
		return "NOT KILLED"
	}
	return "killed"
}

// outcome is the result of running one test once.
type outcome struct {
	built, ran, passed bool
	output             string   // output of the test and its subtests, or of the compiler
	crash              string   // the line that reports a panic, a timeout or a race
	asserts            []string // the messages of failed assertions, without file and line
}

// crashes matches a line that shows that the test process has crashed, so that its failure proves nothing. A deadlock in
// synctest and the test binary's own timeout are panics.
var crashes = regexp.MustCompile(`^(panic: |fatal error: |\*\*\* Test killed|WARNING: DATA RACE|signal: |exit status 2|unexpected fault address)`)

// message matches the first line of a message that the testing package prints. Further lines of the message have a
// deeper indentation.
var message = regexp.MustCompile(`^(\s*)[\w.-]+\.go:\d+: (.*)`)

// read parses the output of "go test -json" for one test of one package.
func read(r io.Reader, test string) (outcome, error) {
	o := outcome{built: true}
	var all, own, build strings.Builder
	dec := json.NewDecoder(r)
	for {
		var ev struct{ Action, Test, Output, FailedBuild string }
		if err := dec.Decode(&ev); err == io.EOF {
			break
		} else if err != nil {
			return o, fmt.Errorf("parse the output of go test -json: %w", err)
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

// messages returns the messages in a test's output, each with all its lines.
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

// judge compares whole, the result of the test on the unchanged tree, with broken, its result on the broken tree.
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
