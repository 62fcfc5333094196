package inspect

import (
	"context"
	"iter"
	"sort"
	"sync"

	"agentdungeon/server/syntax"
)

// Tree is the syntax tree of a file in JavaScript, TypeScript or Python. Go has GoFile.
type Tree struct {
	*syntax.Tree
	File *File

	index func() *Index
	// remarks has the first and the last line of each comment, in the order of the lines.
	remarks func() [][2]int
}

// Parses reports whether files in a language have syntax trees: by Repo.Go or by Repo.Trees.
func Parses(lang string) bool {
	_, known := syntax.LanguageOf(lang)
	return known || lang == "Go"
}

// Trees yields the syntax trees of those of the project's own files in some languages for which want returns true.
// Parsing takes a hundred times as long as searching for a word, so want should search for words that every finding
// needs. No tree is kept. Files with lines too long to be written by people are left out; files that cannot be
// parsed are added to Unread, and no later check tries them again, because a text that is too complex costs
// seconds.
func (r *Repo) Trees(ctx context.Context, want func(*File, []byte) bool, langs ...string) iter.Seq[*Tree] {
	return func(yield func(*Tree) bool) {
		for f, data := range r.All(ctx, langs...) {
			if !want(f, data) || Dense(data) || r.unparsed(f.Path) {
				continue
			}
			if t := r.parse(ctx, f, data); t != nil && !yield(t) {
				return
			}
		}
	}
}

// unparsed reports whether an earlier check could not parse a file whose text it has read.
func (r *Repo) unparsed(p string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, is := r.gone[p]
	return is
}

func (r *Repo) parse(ctx context.Context, f *File, data []byte) *Tree {
	lang, ok := syntax.LanguageOf(f.Lang)
	if !ok {
		return nil
	}
	tree, err := syntax.Parse(ctx, lang, data)
	if err != nil {
		if ctx.Err() == nil {
			r.mu.Lock()
			r.gone[f.Path] = err.Error()
			r.mu.Unlock()
		}
		return nil
	}
	t := &Tree{Tree: tree, File: f, index: sync.OnceValue(func() *Index { return NewIndex(data) })}
	t.remarks = sync.OnceValue(func() (lines [][2]int) {
		for n := range tree.Root().All() {
			if n.Kind() == "comment" {
				lines = append(lines, [2]int{n.Line(), n.LastLine()})
			}
		}
		return lines
	})
	return t
}

// Quote returns line n as findings quote it.
func (t *Tree) Quote(n int) string { return t.index().Quote(n) }

// Accepted reports whether a comment at the line or the line before says that the code is intended.
func (t *Tree) Accepted(line int) bool { return accepted(t.index(), line) }

// Commented reports whether a comment is on one of the lines from the first to the last one.
func (t *Tree) Commented(first, last int) bool {
	all := t.remarks()
	i := sort.Search(len(all), func(i int) bool { return all[i][1] >= first })
	return i < len(all) && all[i][0] <= last
}
