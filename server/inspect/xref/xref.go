// Package xref answers who refers to whom in a repository: which files import a file, which lines call a function,
// which tests belong to either. Go is read by its types where they are known, JavaScript, TypeScript and Python by
// syntax trees and resolved imports; each place has a confidence and, if it is not sure, a reason.
//
// The package caches nothing and reads files only through inspect.Repo. It parses at most maxParsed of the files
// that contain the searched word, and returns at most MaxRefs places; an answer has the number of omitted places.
// server/facts and server/agent/review use it.
//
//   - what an answer is, and its limits: xref.go
//   - imports of a file and what they mean: imports.go
//   - who imports: importers.go; declarations of functions: functions.go; who calls: golang.go, calls.go
//   - tests: tests.go
package xref

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

// Limits of an answer.
const (
	MaxRefs   = 300   // places
	maxParsed = 1_000 // files of JavaScript, TypeScript and Python
)

// Ref is a place that refers to the searched file or function.
type Ref struct {
	inspect.Place
	Quote string // the line
	In    string // the function or test around it, "" for none
	How   string // "imports", "calls" or "names"
	// Confidence is inspect.Sure, Likely or Doubtful. Why is the reason for a confidence other than Sure.
	Confidence string
	Why        string
	Test       bool // the place is in a test
}

// Answer has the places that refer to something: the most certain first, those outside of tests before those in tests.
type Answer struct {
	Refs []Ref
	Left int // places beyond MaxRefs
	// Unread has sentences about the files that were not examined.
	Unread []string
}

// asking is the state of one question, such as "who calls this function", while it is answered.
type asking struct {
	ctx    context.Context
	repo   *inspect.Repo
	parsed int
	beyond int // files that were not parsed
	broken int // files that could not be parsed
	unlike int // number of calls of methods with the same name in Go files that do not import the package
	files  map[string][]imported
	refs   []Ref
}

func ask(ctx context.Context, r *inspect.Repo) *asking {
	return &asking{ctx: ctx, repo: r, files: map[string][]imported{}}
}

// answer returns the places that were found, sorted and limited to MaxRefs. The error is that of the context.
func (a *asking) answer() (*Answer, error) {
	if err := a.ctx.Err(); err != nil {
		return nil, err
	}
	slices.SortFunc(a.refs, func(x, y Ref) int {
		return cmp.Or(rank(x.Confidence)-rank(y.Confidence), compareBool(x.Test, y.Test), strings.Compare(x.Path, y.Path),
			x.Line-y.Line, strings.Compare(x.How, y.How))
	})
	out := &Answer{Refs: distinct(a.refs, func(r *Ref) inspect.Place { return r.Place })}
	if over := len(out.Refs) - MaxRefs; over > 0 {
		out.Refs, out.Left = out.Refs[:MaxRefs], over
	}
	if a.beyond > 0 {
		out.Unread = append(out.Unread, fmt.Sprintf("%d more files have the word; a question parses at most %d.", a.beyond,
			maxParsed))
	}
	if a.unlike > 0 {
		out.Unread = append(out.Unread, fmt.Sprintf("%d more places have only the name of the method, in files whose types "+
			"are unknown and that do not import its package.", a.unlike))
	}
	if a.broken > 0 {
		out.Unread = append(out.Unread, fmt.Sprintf("%d files could not be parsed.", a.broken))
	}
	return out, nil
}

// distinct returns the places, without those whose key an earlier place has.
func distinct[K comparable](refs []Ref, key func(*Ref) K) []Ref {
	seen := map[K]bool{}
	return slices.DeleteFunc(refs, func(r Ref) bool {
		was := seen[key(&r)]
		seen[key(&r)] = true
		return was
	})
}

func rank(confidence string) int {
	return slices.Index([]string{inspect.Sure, inspect.Likely, inspect.Doubtful}, confidence)
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// add adds r to the references, after it has set the place of r (a line of f), the text of that line, and whether f is
// a test. text is the content of f.
func (a *asking) add(f *inspect.File, text []byte, line int, r Ref) {
	r.Place, r.Quote, r.Test = inspect.Place{Path: f.Path, Line: line}, inspect.Line(text, line), f.Test
	a.refs = append(a.refs, r)
}

// tree parses a file of JavaScript, TypeScript or Python. It returns nil if that is not possible.
func (a *asking) tree(f *inspect.File) *syntax.Tree {
	lang, known := syntax.LanguageOf(f.Lang)
	text, ok := a.repo.Text(f.Path)
	if !known || !ok || a.ctx.Err() != nil {
		return nil
	}
	if a.parsed++; a.parsed > maxParsed {
		a.beyond++
		return nil
	}
	t, err := syntax.Parse(a.ctx, lang, text)
	if err != nil {
		a.broken++
		return nil
	}
	return t
}

// with yields the project's own files of JavaScript, TypeScript and Python whose text has one of the words; without
// words, all files that import something.
func (a *asking) with(words ...string) func(yield func(*inspect.File) bool) {
	if len(words) == 0 {
		words = []string{"import", "require", "from"}
	}
	return func(yield func(*inspect.File) bool) {
		for f, text := range a.repo.All(a.ctx, "JavaScript", "JSX", "TypeScript", "TSX", "Python") {
			has := slices.ContainsFunc(words, func(w string) bool { return bytes.Contains(text, []byte(w)) })
			if has && !yield(f) {
				return
			}
		}
	}
}
