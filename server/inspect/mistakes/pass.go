package mistakes

import (
	"context"
	"slices"
	"sync"

	"agentdungeon/server/inspect"
)

// passed has the results of one pass over the syntax trees of a repository, for all checks that read such trees
// (checks.go). They share the pass, because a parser takes much longer than a check.
type passed struct {
	of         map[string][]inspect.Finding // by the check's id
	unknown    []unknown
	given      map[string]bool // names that some file defines for all files
	caught     bool            // the program handles uncaught errors
	pythonGone pythonUses
	runs       runs
}

// add returns the function that adds findings of a check.
func (p *passed) add(check string) func(inspect.Finding) {
	return func(f inspect.Finding) { p.of[check] = append(p.of[check], f) }
}

// look is one part of the pass. A file must contain one of words; nil means any file but TypeScript, which a compiler
// has checked. read examines the tree of the file. If whole is set, the tree must have no syntax errors.
type look struct {
	check string
	words []string
	read  func(t *inspect.Tree, tell func(inspect.Finding))
	whole bool
}

func (l *look) reads(f *inspect.File, data []byte) bool {
	if l.words == nil {
		return f.Lang != "TypeScript" && f.Lang != "TSX"
	}
	return inspect.HasAny(data, l.words...)
}

var (
	pythonLooks = []look{
		{"healer/unfit-call", nil, findUnfit, true},
		{"healer/defined-twice", nil, findTwice, true},
		{"healer/wrong-condition", nil, findSlips, true},
		{"healer/lost-promise", []string{"async "}, coroutines, false},
	}
	scriptLooks = []look{
		{"healer/defined-twice", nil, findTwice, true},
		{"healer/wrong-condition", nil, findSlips, true},
		{"healer/lost-promise", []string{"async "}, scriptPromises, false},
		{"healer/crash-from-outside", []string{"require(", "import "}, findCrashes, false},
		{"healer/double-answer", []string{"res.", "response."}, scriptAnswers, false},
		{"healer/double-answer", []string{"(err", "(e)", "(error"}, scriptCallbacks, false},
		{"healer/removed-api", nil, findRemoved, true},
	}
)

// built matches code that may add a name to the builtins of Python.
var built = inspect.Pattern(`\[['"](\w+)['"]\]\s*=|\bbuiltins?(?:__)?\.(\w+)\s*=`)

// pass reads the trees once and caches its findings with the repository.
func pass(ctx context.Context, r *inspect.Repo) *passed {
	type key struct{}
	return inspect.Memo(r, key{}, func() *passed {
		p := &passed{of: map[string][]inspect.Finding{}, given: map[string]bool{}, runs: runs{},
			pythonGone: pythonUses{back: map[string]bool{}, imported: map[string]bool{}}}
		ctx := context.WithoutCancel(ctx)
		p.read(ctx, r, pythonNames, pythonLooks, "Python")
		p.read(ctx, r, scriptNames, scriptLooks, inspect.Scripts...)
		tellUnknown(p.unknown, p.given, p.add("healer/unknown-name"))
		p.pythonGone.tell(r, p.given, p.add("healer/removed-name"))
		if crashes := p.of["healer/crash-from-outside"]; p.caught {
			for i := range crashes {
				crashes[i].Suspect("the program has a handler of uncaught errors")
			}
		}
		p.runs.lower(ctx, r, p.of)
		return p
	})
}

func (p *passed) read(ctx context.Context, r *inspect.Repo, s *speech, looks []look, langs ...string) {
	var text []byte
	own := func(f *inspect.File, data []byte) bool {
		text = data
		if inspect.HasAny(data, "builtin") { // the file may add names to Python's builtins
			for _, m := range built.FindAllSubmatch(data, -1) {
				p.given[string(m[1])+string(m[2])] = true
			}
		}
		p.caught = p.caught || !f.Test && inspect.HasAny(data, "uncaughtException")
		return !f.Test && len(data) < maxText && slices.ContainsFunc(looks, func(l look) bool { return l.reads(f, data) })
	}
	for t := range r.Trees(ctx, own, langs...) {
		bad := sync.OnceValue(func() bool { return broken(t) })
		var lines []int
		if s.reads(t.File, text) && !bad() {
			for _, u := range unknownIn(t, s, p.given) {
				p.unknown, lines = append(p.unknown, u), append(lines, u.line)
			}
		}
		if t.File.Lang == "Python" && !bad() {
			for _, u := range p.pythonGone.find(r, t) {
				lines = append(lines, u.line)
			}
		}
		for _, l := range looks {
			if l.reads(t.File, text) && !(l.whole && bad()) {
				add := p.add(l.check)
				l.read(t, func(f inspect.Finding) {
					lines = append(lines, f.Line)
					add(f)
				})
			}
		}
		p.runs.see(t, lines)
	}
}

// reads reports whether undefined names in a file can be found: its language is supported, and no comment or import
// says that names come from elsewhere.
func (s *speech) reads(f *inspect.File, data []byte) bool {
	switch {
	case inspect.Shown(f) || s.quiet.Match(data):
		return false
	case f.Lang == "Python":
		return true
	}
	return f.Lang == "JavaScript" && inspect.HasAny(data, "require(", "module.exports", "import ", "export ") &&
		!inspect.HasAny(data, "eslint-env", "/* global", "/*global", "/* globals", "@ts-nocheck")
}
