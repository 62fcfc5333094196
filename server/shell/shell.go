// Package shell parses command lines: it returns the commands of a line with their words and redirections, as far as
// they follow without running the line.
//
// It owns no state, runs nothing and reads no disk. The readers of coding agents call Files to learn which files a
// command reads and edits; server/withheld calls Parse to find every file that a command names; server/coding calls
// Tests to learn how tests ended.
//
// # Where to look
//
//   - the commands of a line: shell.go
//   - the files that a line surely reads or edits: files.go
//   - whether a line runs tests, and how they ended: tests.go
package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// Limits. If a line exceeds them, Parse ignores the rest and returns whole false.
const (
	maxLine     = 64 << 10 // maximum length of a command line, in bytes
	maxCommands = 200
	maxWords    = 500 // words of one command
	maxNested   = 3   // depth of "sh -c" within "sh -c"
)

// Command is a simple command of a command line.
type Command struct {
	// Words has the command's name and its arguments, without quotes. A word whose value is known only when the command
	// runs, such as "$X", is "". Patterns such as "*.go" stay as they are.
	Words []string
	Dir   string   // the folder to which "cd" commands before this one change, relative or absolute, "" for none
	In    []string // files that the command reads by redirections
	Out   []string // files that the command writes by redirections
}

// Parse returns the commands of a line in order, including those in substitutions and in scripts of "sh -c". whole is
// false if the line or a part of it could not be parsed: then there may be more commands.
func Parse(line string) (all []Command, whole bool) {
	p := parser{whole: true}
	p.line(line, 0)
	return p.all, p.whole
}

type parser struct {
	all   []Command
	dir   string
	whole bool
}

func (p *parser) line(text string, depth int) {
	if len(text) > maxLine || depth > maxNested {
		p.whole = false
		return
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		p.whole = false
		return
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		if s, ok := node.(*syntax.Stmt); ok {
			p.statement(s, depth)
		}
		return true
	})
}

func (p *parser) statement(s *syntax.Stmt, depth int) {
	c := Command{Dir: p.dir}
	for _, r := range s.Redirs {
		if r.Word == nil {
			continue
		}
		switch r.Op {
		case syntax.RdrIn:
			c.In = append(c.In, p.words(r.Word)...)
		case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll, syntax.RdrInOut:
			c.Out = append(c.Out, p.words(r.Word)...)
		}
	}
	call, ok := s.Cmd.(*syntax.CallExpr)
	if ok && len(call.Args) <= maxWords {
		for _, w := range call.Args {
			c.Words = append(c.Words, p.words(w)...)
		}
	}
	if ok && len(call.Args) > maxWords || len(p.all) == maxCommands {
		p.whole = false
		return
	}
	if len(c.Words)+len(c.In)+len(c.Out) == 0 {
		return
	}
	p.all = append(p.all, c)
	switch script, ok := Script(c.Words); {
	case ok:
		p.line(script, depth+1)
	case len(c.Words) == 2 && c.Words[0] == "cd" && c.Words[1] != "":
		p.dir = join(p.dir, c.Words[1])
	}
}

// words returns the words into which a shell expands w: "{a,b}" gives several.
func (p *parser) words(w *syntax.Word) []string {
	var out []string
	env := &expand.Config{NoUnset: true, Env: expand.ListEnviron("HOME=~")}
	own := syntax.Word{Parts: slices.Clone(w.Parts)} // SplitBraces changes its argument, and the walk still needs w
	syntax.SplitBraces(&own)
	for part, err := range expand.BracesSeq(env, &own) {
		word := ""
		if err == nil {
			word, err = expand.Literal(env, part)
		}
		if err != nil {
			word, p.whole = "", false
		}
		if out = append(out, word); len(out) == maxWords {
			p.whole = false
			break
		}
	}
	return out
}

// Script returns the script of words such as ["bash", "-lc", "ls"].
func Script(words []string) (script string, ok bool) {
	if len(words) < 3 {
		return "", false
	}
	switch path.Base(words[0]) {
	case "sh", "bash", "zsh", "dash", "ksh":
	default:
		return "", false
	}
	for i, w := range words[1 : len(words)-1] {
		if strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.HasSuffix(w, "c") {
			return words[i+2], true
		}
	}
	return "", false
}

func join(dir, to string) string {
	if dir == "" || path.IsAbs(to) || strings.HasPrefix(to, "~") {
		return path.Clean(to)
	}
	return path.Join(dir, to)
}
