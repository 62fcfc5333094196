package suites

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/lex"
)

// pythonFile is a test file in Python.
type pythonFile struct {
	file   *inspect.File
	data   []byte
	masked []byte
	lines  []string // the lines of masked, with tabs expanded
	plain  [][]byte // the lines of data
	tests  []pythonTest
	// defs are the names of all functions of the file.
	defs map[string]bool
}

// pythonTest is a function or class whose name begins with test.
type pythonTest struct {
	name       string
	class      bool
	line       int // of def, from 1
	from, to   int // the body is lines[from:to]
	block      int // the block that declares it; only tests of one block hide each other
	params     []string
	decorators []string // masked, without @
	first      int      // line of the first decorator, or of def
	nested     bool     // a function declares it
	owner      string   // the class statement around it, "" if there is none
}

var (
	pythonDef   = inspect.Pattern(`^(\s*)(?:async\s+)?(def|class)\s+(\w+)\s*([(:\[])`)
	pythonBlock = inspect.Pattern(`^(\s*)\S`)
)

// pythonTests yields the Python test files that have tests. If there are triggers, it yields only the files whose text
// contains one of them.
func pythonTests(ctx context.Context, r *inspect.Repo, triggers ...string) func(yield func(*pythonFile) bool) {
	return func(yield func(*pythonFile) bool) {
		for f, data := range r.All(ctx, "Python") {
			base := f.Base()
			if !f.Test || !strings.HasPrefix(base, "test") && !strings.HasSuffix(base, "_test.py") || strings.Contains(f.Path, "fixture") || strings.Contains(f.Path, "testdata/") {
				continue
			}
			if !holds(data, triggers) {
				continue
			}
			p := &pythonFile{file: f, data: data, masked: lex.Scan(f.Lang, data).Code, plain: bytes.Split(data, []byte("\n")), defs: map[string]bool{}}
			p.read()
			if len(p.tests) > 0 && !yield(p) {
				return
			}
		}
	}
}

func holds(data []byte, triggers []string) bool {
	return len(triggers) == 0 || slices.ContainsFunc(triggers, func(t string) bool { return bytes.Contains(data, []byte(t)) })
}

func (p *pythonFile) read() {
	for line := range bytes.Lines(p.masked) {
		p.lines = append(p.lines, strings.ReplaceAll(strings.TrimRight(string(line), "\r\n"), "\t", "        "))
	}
	type open struct {
		indent, id, test int
		text             string
	}
	blocks := []open{{indent: -1, test: -1}}
	ids, depth := 0, 0
	var decorators []string
	first := -1
	end := func(indent, at int) {
		for n := len(blocks) - 1; n > 0 && blocks[n].indent >= indent; n-- {
			if t := blocks[n].test; t >= 0 {
				p.tests[t].to = at
			}
			blocks = blocks[:n]
		}
	}
	for i, line := range p.lines {
		inside := depth > 0
		depth = max(0, depth+strings.Count(line, "(")+strings.Count(line, "[")+strings.Count(line, "{")-strings.Count(line, ")")-strings.Count(line, "]")-strings.Count(line, "}"))
		m := pythonBlock.FindStringSubmatch(line)
		if inside || m == nil || p.inText(i) {
			continue
		}
		indent := len(m[1])
		end(indent, i)
		text := strings.TrimSpace(line)
		if strings.HasPrefix(text, "@") {
			if first < 0 {
				first = i
			}
			decorators = append(decorators, text[1:])
			continue
		}
		test := -1
		if d := pythonDef.FindStringSubmatch(line); d != nil {
			p.defs[d[3]] = true
			if strings.HasPrefix(strings.ToLower(d[3]), "test") && len(blocks) < 50 {
				t := pythonTest{name: d[3], class: d[2] == "class", line: i + 1, from: i + 1, to: len(p.lines), block: blocks[len(blocks)-1].id, decorators: decorators, first: i + 1}
				if first >= 0 {
					t.first = first + 1
				}
				for _, b := range blocks {
					t.nested = t.nested || strings.HasPrefix(b.text, "def ") || strings.HasPrefix(b.text, "async def ")
					if strings.HasPrefix(b.text, "class ") {
						t.owner = b.text
					}
				}
				if !t.class {
					t.params, t.from = p.signature(i)
				}
				test = len(p.tests)
				p.tests = append(p.tests, t)
			}
		}
		decorators, first = nil, -1
		if opens(text) || test >= 0 {
			ids++
			blocks = append(blocks, open{indent, ids, test, text})
		}
	}
}

// opens reports whether a line begins a block.
func opens(text string) bool {
	for _, word := range []string{"def ", "class ", "async ", "if ", "elif ", "else", "for ", "while ", "try", "except", "finally", "with ", "match ", "case "} {
		if strings.HasPrefix(text, word) {
			return true
		}
	}
	return false
}

// inText reports whether line i begins or ends a string of several lines. In the masked text such a line begins with a
// quote that has no partner.
func (p *pythonFile) inText(i int) bool {
	t := strings.TrimSpace(p.lines[i])
	return t != "" && (t[0] == '"' || t[0] == '\'') && strings.Count(t, t[:1])%2 == 1
}

// signature returns the parameters of the function that begins on a line, and the index of the line
// on which its body begins.
func (p *pythonFile) signature(at int) (params []string, body int) {
	text := ""
	depth := 0
	for i := at; i < len(p.lines) && i < at+60; i++ {
		text += p.lines[i] + " "
		depth += strings.Count(p.lines[i], "(") - strings.Count(p.lines[i], ")")
		if depth <= 0 {
			body = i + 1
			break
		}
		body = i + 1
	}
	_, text, _ = strings.Cut(text, "(")
	text, _, _ = strings.Cut(text, ")")
	for part := range strings.SplitSeq(text, ",") {
		name, _, _ := strings.Cut(strings.TrimSpace(part), ":")
		name, _, _ = strings.Cut(name, "=")
		if name = strings.Trim(name, "* "); name != "" && name != "self" && name != "cls" {
			params = append(params, name)
		}
	}
	return params, body
}

// raw returns the lines of a test's body as they are in the file.
func (p *pythonFile) raw(t *pythonTest) []byte {
	from, to := min(t.from, len(p.plain)), min(t.to, len(p.plain))
	return bytes.Join(p.plain[from:max(from, to)], []byte("\n"))
}

// body returns the masked lines of a test's body.
func (p *pythonFile) body(t *pythonTest) string {
	from, to := min(t.from, len(p.lines)), min(t.to, len(p.lines))
	if from >= to {
		return ""
	}
	return strings.Join(p.lines[from:to], "\n")
}
