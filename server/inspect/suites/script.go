package suites

import (
	"bytes"
	"context"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/lex"
)

// scriptFile is a test file in JavaScript or TypeScript.
type scriptFile struct {
	file   *inspect.File
	data   []byte
	masked []byte
	plain  [][]byte // the lines of data
	lines  *inspect.Index
	tests  []scriptTest
	// helpers caches the results of the method helper, by name.
	helpers map[string]bool
}

// scriptTest is a call of a function such as it(), test() or describe() with a title.
type scriptTest struct {
	name  string // it, test, describe, xit, fit, ...
	mods  string // ".skip", ".only.each"
	title string
	at    int // where the call begins
	line  int
	group bool // describe, context, suite and their variants
	// from and to are the offsets of the function's body between its braces; from is -1 if the test has no function
	// with braces. params is set if the function has parameters.
	from, to int
	params   bool
}

var scriptCall = inspect.Pattern(`\b(it|test|specify|describe|context|suite|xit|xtest|xdescribe|xcontext|fit|ftest|fdescribe|fcontext)((?:\s*\.\s*(?:only|skip|todo|each|concurrent|sequential|failing|fails|serial|parallel|skipIf|runIf|for))*)\s*\(`)

var groups = map[string]bool{"describe": true, "context": true, "suite": true, "xdescribe": true, "xcontext": true, "fdescribe": true, "fcontext": true}

// scriptTests yields the JavaScript and TypeScript test files that have tests. If there are triggers, it yields only
// the files whose text contains one of them.
func scriptTests(ctx context.Context, r *inspect.Repo, triggers ...string) func(yield func(*scriptFile) bool) {
	return func(yield func(*scriptFile) bool) {
		for f, data := range r.All(ctx, lex.Scripts...) {
			if !f.Test || strings.Contains(strings.ToLower(f.Path), "fixture") || strings.Contains(f.Path, "testdata/") || !holds(data, triggers) {
				continue
			}
			src := lex.Scan(f.Lang, data)
			s := &scriptFile{file: f, data: data, masked: src.Code, lines: src.Index, plain: bytes.Split(data, []byte("\n")), helpers: map[string]bool{}}
			s.read()
			if len(s.tests) > 0 && !yield(s) {
				return
			}
		}
	}
}

func (s *scriptFile) read() {
	m := s.masked
	pairs := lex.Pairs(m)
	lineAt, line := 0, 1
	for _, x := range scriptCall.FindAllSubmatchIndex(m, -1) {
		if x[0] > 0 && (m[x[0]-1] == '.' || m[x[0]-1] == '$') {
			continue
		}
		t := scriptTest{name: string(m[x[2]:x[3]]), mods: strings.Join(strings.Fields(string(m[x[4]:x[5]])), ""), at: x[0], from: -1}
		open := x[1] - 1
		if strings.HasSuffix(t.mods, ".each") || strings.HasSuffix(t.mods, ".for") || strings.HasSuffix(t.mods, "If") {
			if pairs[open] < 0 {
				continue
			}
			open = int(pairs[open]) + 1
			if open >= len(m) || m[open] != '(' {
				continue
			}
		}
		end := int(pairs[open])
		first := open + 1
		for first < len(m) && strings.IndexByte(" \t\r\n", m[first]) >= 0 {
			first++
		}
		if end < 0 || first >= end || strings.IndexByte("\"'`", m[first]) < 0 {
			continue
		}
		stop := first + 1
		for stop < end && m[stop] != m[first] {
			stop++
		}
		t.title = inspect.Clip(strings.Join(strings.Fields(string(s.data[first+1:stop])), " "), 60)
		for ; lineAt < x[0]; lineAt++ {
			if m[lineAt] == '\n' {
				line++
			}
		}
		t.line = line
		t.group = groups[t.name]
		s.function(&t, pairs, stop+1, end)
		s.tests = append(s.tests, t)
	}
}

// function looks for a function among the arguments between two offsets. It sets from, to and params of t.
func (s *scriptFile) function(t *scriptTest, pairs []int32, at, end int) {
	m := s.masked
	for i := at; i < end; i++ {
		switch m[i] {
		case '(':
			if pairs[i] < 0 {
				return
			}
			close := int(pairs[i])
			t.params = t.params || strings.TrimSpace(string(m[i+1:min(close, i+200)])) != ""
			i = close
		case '[':
			if pairs[i] < 0 {
				return
			}
			i = int(pairs[i])
		case '{':
			if pairs[i] < 0 {
				return
			}
			before := strings.TrimRight(string(m[max(at, i-30):i]), " \t\r\n")
			if strings.HasSuffix(before, "=>") || strings.HasSuffix(before, ")") {
				t.from, t.to = i+1, int(pairs[i])
				// The parameter of x => {} is not in brackets.
				if arrow := strings.TrimRight(strings.TrimSuffix(before, "=>"), " \t\r\n"); arrow != before && arrow != "" && lex.Word(arrow[len(arrow)-1]) && !strings.HasSuffix(arrow, "async") {
					t.params = true
				}
				return
			}
			i = int(pairs[i])
		}
	}
}

// maxBody is the maximum size in bytes of a test's body that is searched. Without a limit, nested groups would be
// searched again for each group around them.
const maxBody = 20_000

func (t *scriptTest) skips() bool {
	return strings.HasPrefix(t.name, "x") || strings.Contains(t.mods, ".skip") && !strings.Contains(t.mods, "skipIf")
}

func (t *scriptTest) focuses() bool {
	return strings.HasPrefix(t.name, "f") || strings.Contains(t.mods, ".only")
}
