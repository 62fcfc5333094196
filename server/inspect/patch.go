package inspect

import (
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"agentdungeon/server/syntax"
)

// Mend is a change of one line that mends a finding and needs no decision by a person: Old, which occurs once in
// the line, is replaced by New. The zero Mend means no change.
type Mend struct{ Old, New string }

const (
	maxPatch = 2_000 // bytes
	around   = 3     // lines before and after a change, as diff and git have them
)

// Patch returns a finding's Mend as a unified diff. It returns "" if there is no Mend, if the finding has several
// places, if a diff would have to quote the path, if the diff is larger than maxPatch, or if the changed file would
// have syntax errors.
func (r *Repo) Patch(ctx context.Context, f *Finding) string {
	file := r.File(f.Path)
	data, ok := r.Text(f.Path)
	if f.Mend.Old == f.Mend.New || file == nil || !ok || merged(*f) || strings.ContainsAny(f.Path, "\"\\\n\r\t") {
		return ""
	}
	lines := strings.SplitAfter(string(data), "\n") // the last one is what follows the last newline
	at := f.Line - 1
	if at < 0 || at >= len(lines)-1 || strings.Count(lines[at], f.Mend.Old) != 1 {
		return ""
	}
	mended := strings.Replace(lines[at], f.Mend.Old, f.Mend.New, 1)
	from, to := max(0, at-around), min(len(lines)-1, at+1+around)
	text := strings.Join(slices.Concat(lines[:at], []string{mended}, lines[at+1:]), "")
	if !sound(ctx, file.Lang, []byte(text)) {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "--- a/%s\n+++ b/%[1]s\n@@ -%d,%d +%[2]d,%[3]d @@\n", f.Path, from+1, to-from)
	for i := from; i < to; i++ {
		if i == at {
			b.WriteString("-" + lines[at] + "+" + mended)
		} else {
			b.WriteString(" " + lines[i])
		}
	}
	if b.Len() > maxPatch {
		return ""
	}
	return b.String()
}

// sound reports whether a text has no syntax errors. It returns true for a language without a parser.
func sound(ctx context.Context, lang string, text []byte) bool {
	if lang == "Go" {
		_, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
		return err == nil
	}
	l, known := syntax.LanguageOf(lang)
	if !known {
		return true
	}
	tree, err := syntax.Parse(ctx, l, text)
	if err != nil {
		return false
	}
	for range tree.Broken() {
		return false
	}
	return true
}

// Mended returns the line that a patch of a finding changes, and the line's new text. ok is false if the text is
// not such a patch.
func Mended(patch string) (line int, text string, ok bool) {
	_, hunk, _ := strings.Cut(patch, "\n@@ -")
	head, body, _ := strings.Cut(hunk, "\n")
	first, _, _ := strings.Cut(head, ",")
	line, err := strconv.Atoi(first)
	if err != nil {
		return 0, "", false
	}
	for l := range strings.Lines(body) {
		switch l[0] {
		case ' ':
			line++
		case '+':
			return line, strings.TrimRight(l[1:], "\r\n"), true
		}
	}
	return 0, "", false
}
