package archaeologist

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/lex"
)

func notes() inspect.Check {
	return inspect.Check{
		ID: hero + "/old-note", Hero: hero,
		Looks: "TODO, FIXME, XXX and HACK in comments that are older than a year",
		Rule:  "Low for a note that is older than a year; without a history one finding with severity info counts all notes.",
		Run:   findNotes,
	}
}

var (
	// note matches a note of work to do: at the beginning of a line of a comment, or before a colon. A name in brackets
	// may follow the word.
	note = inspect.Pattern(`^[\s/*#;!<>-]*(?:@?(?:TODO|FIXME|XXX|HACK)\b)|\b(?:TODO|FIXME|HACK)\s*(?:\([^)]{1,40}\))?:`)
)

type noted struct {
	f    *inspect.File
	line int
	text string
}

const (
	maxAsked  = 60 // lines whose author is looked up
	maxOldest = 8  // notes that are listed one by one
	askTime   = 12 * time.Second
)

func findNotes(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
	var all []noted
	files := 0
	for f, data := range r.All(ctx) {
		if !lex.Knows(f.Lang) || !lex.HasAny(data, "TODO", "FIXME", "XXX", "HACK") || lex.Dense(data) {
			continue
		}
		had := len(all)
		all = append(all, notesIn(f, data)...)
		if len(all) > had {
			files++
		}
	}
	if len(all) == 0 || ctx.Err() != nil {
		return ctx.Err()
	}
	if r.History == nil {
		countNotes(all, files, tell)
		return nil
	}
	return oldNotes(ctx, r, all, tell)
}

func notesIn(f *inspect.File, data []byte) []noted {
	var out []noted
	s := lex.Scan(f.Lang, data)
	for _, span := range s.Spans {
		if span.Kind != lex.Comment {
			continue
		}
		at := span.From
		for line := range bytes.Lines(data[span.From:span.To]) {
			if note.Match(line) {
				n := s.Line(at)
				out = append(out, noted{f, n, s.Quote(n)})
			}
			at += len(line)
		}
	}
	return out
}

func countNotes(all []noted, files int, tell func(inspect.Finding)) {
	if len(all) < 3 {
		return
	}
	var places []string
	for _, n := range all {
		places = append(places, fmt.Sprintf("%s:%d %s", n.f.Path, n.line, inspect.Clip(n.text, 80)))
	}
	tell(inspect.Finding{
		Severity: inspect.Info, Title: fmt.Sprintf("%d notes of work to do are in %s", len(all), plural(files, "file", "files")), Evidence: some(places, 5),
		Why: "Without a history it is not known which of them are old.", Advice: "Go through them once: do it, open an issue, or delete the note.", Same: "notes",
	})
}

func oldNotes(ctx context.Context, r *inspect.Repo, all []noted, tell func(inspect.Finding)) error {
	// Skip a file whose first commit is less than a year old: none of its lines can be older.
	var asked []noted
	firsts := map[string]time.Time{}
	for _, n := range all {
		past, ok := r.History.Past(n.f.Path)
		_, whole := r.History.Commits()
		if !ok || whole && r.Now.Sub(past.Born) < year {
			continue
		}
		firsts[n.f.Path] = past.Born
		asked = append(asked, n)
	}
	slices.SortStableFunc(asked, func(a, b noted) int { return firsts[a.f.Path].Compare(firsts[b.f.Path]) })
	total := len(asked)
	asked = asked[:min(total, maxAsked)]

	type aged struct {
		noted
		by inspect.Author
	}
	var old []aged
	blame, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	done := 0
	for _, n := range asked {
		if blame.Err() != nil {
			break
		}
		by, err := r.History.Blame(blame, n.f.Path, n.line)
		if err != nil || by.At.IsZero() {
			continue
		}
		done++
		if r.Now.Sub(by.At) > year {
			old = append(old, aged{n, by})
		}
	}
	slices.SortStableFunc(old, func(a, b aged) int {
		return cmp.Or(a.by.At.Compare(b.by.At), strings.Compare(a.f.Path, b.f.Path), a.line-b.line)
	})
	for _, n := range old[:min(len(old), maxOldest)] {
		tell(inspect.Finding{
			Severity: inspect.Low, Path: n.f.Path, Line: n.line,
			Title:    fmt.Sprintf("A note of work to do is %s old", since(r.Now, n.by.At)),
			Evidence: n.text,
			Why:      fmt.Sprintf("%s wrote it on %s; every reader has to find out whether it still applies.", n.by.Name, n.by.At.UTC().Format(time.DateOnly)),
			Advice:   "Do it, open an issue and name its number, or delete the note.",
		})
	}
	if rest := old[min(len(old), maxOldest):]; len(rest) > 0 {
		var places []string
		for _, n := range rest {
			places = append(places, fmt.Sprintf("%s:%d, %s", n.f.Path, n.line, since(r.Now, n.by.At)))
		}
		tell(inspect.Finding{
			Severity: inspect.Low, Title: fmt.Sprintf("%d more notes of work to do are older than a year", len(rest)), Evidence: some(places, 5),
			Why: "Every reader has to find out whether they still apply.", Advice: "Go through them once: do it, open an issue, or delete the note.", Same: "notes",
		})
	}
	if done < total {
		return fmt.Errorf("%d of %d notes in old files could not be dated", total-done, total)
	}
	return ctx.Err()
}
