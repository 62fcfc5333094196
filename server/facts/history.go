package facts

import (
	"context"
	"errors"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/shared/wire"
)

// maxBlamed is the maximum number of lines for which one call looks up the authors.
const maxBlamed = 2_000

// historyIn is the input of the tool history.
type historyIn struct {
	Asked
	Limited
	Path string `json:"path,omitempty" jsonschema:"a file or folder, relative to the repository; without it all"`
	From int    `json:"from,omitempty" jsonschema:"the first line of the file that is asked for; without it 1"`
	To   int    `json:"to,omitempty" jsonschema:"the last line; without it as many as 2,000"`
}

// Written has consecutive lines that one person wrote on one day.
type Written struct {
	From int    `json:"from"`
	To   int    `json:"to"`
	By   string `json:"by"`
	At   string `json:"at"`
}

// Changed is a file with the number of its commits and the day of its last change.
type Changed struct {
	File    string `json:"file"`
	Commits int    `json:"commits"`
	Last    string `json:"last"`
}

// historyOut is the answer of the tool history.
type historyOut struct {
	Of
	File     string    `json:"file,omitempty"`
	History  *History  `json:"history,omitempty"`
	Lines    []Written `json:"lines,omitempty" jsonschema:"who wrote the lines that stand in the file, in order"`
	NoAuthor int       `json:"linesWithoutAuthor,omitempty" jsonschema:"mostly because they are not committed"`
	Files    []Changed `json:"files,omitempty" jsonschema:"of a folder: its files, the last changed one first"`
	LeftOut  int       `json:"leftOut,omitempty" jsonschema:"how many more there are: narrow it or raise limit"`
	Unknown  []string  `json:"unknown,omitempty" jsonschema:"what could not be measured, and why"`
}

// history returns the git history of a file or a folder.
func (q *question) history(in historyIn) (out historyOut, err error) {
	if in.From < 0 || in.To < 0 || in.To > 0 && in.To < in.From {
		return out, wire.Errorf(wire.BadField, "from and to are lines of the file, from 1")
	}
	err = q.view(func(r *inspect.Repo, _ []inspect.Check) error {
		out.Of = q.of
		f, dir, err := q.target(r, in.Path)
		switch {
		case err != nil:
			return err
		case r.History == nil:
			out.Unknown = []string{"There is no git history here."}
		case f != nil:
			return out.file(q, &in, r, f)
		default:
			out.folder(q, &in, r, dir)
		}
		return nil
	})
	return out, err
}

// file adds the history of a file, and who wrote the lines that the input asks for.
func (out *historyOut) file(q *question, in *historyIn, r *inspect.Repo, f *inspect.File) error {
	out.File = f.Path
	commits, whole := r.History.Commits()
	if past, ok := r.History.Past(f.Path); ok {
		out.History = &History{Commits: past.Commits, Authors: past.Authors, First: past.First.Format(day),
			Last: past.Last.Format(day)}
		if !whole {
			out.History.Read = commits
		}
	}
	text, ok := r.Text(f.Path)
	if !ok {
		out.Unknown = []string{"The file is binary or too large, so its lines have no authors."}
		return nil
	}
	from, last := max(in.From, 1), 0
	for n := range inspect.Lines(text) {
		last = n
	}
	to := last
	if in.To > 0 {
		to = min(in.To, last)
	}
	if beyond := to - from + 1 - maxBlamed; beyond > 0 {
		to, out.LeftOut = from+maxBlamed-1, beyond
	}
	var all []Written
	for n := from; n <= to; n++ {
		a, err := r.History.Blame(q.ctx, f.Path, n)
		switch {
		case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
			return err
		case err != nil:
			out.NoAuthor++
			continue
		}
		w := Written{n, n, short(a.Name), a.At.Format(day)}
		if i := len(all) - 1; i >= 0 && all[i].To == n-1 && all[i].By == w.By && all[i].At == w.At {
			all[i].To = n
			continue
		}
		all = append(all, w)
	}
	n := min(len(all), max(in.Limit, maxItems))
	kept, more := fit(&q.room, all[:n])
	out.Lines, out.LeftOut = kept, out.LeftOut+more+len(all)-n
	return nil
}

// folder adds the files of a folder with their commits, those that changed last first.
func (out *historyOut) folder(q *question, in *historyIn, r *inspect.Repo, dir string) {
	type dated struct {
		path string
		past inspect.Past
	}
	var all []dated
	for i := range r.Files {
		p := r.Files[i].Path
		if dir != "" && !strings.HasPrefix(p, dir+"/") {
			continue
		}
		if past, ok := r.History.Past(p); ok {
			all = append(all, dated{p, past})
		}
	}
	slices.SortStableFunc(all, func(a, b dated) int { return b.past.Last.Compare(a.past.Last) })
	n := in.first(len(all))
	var list []Changed
	for _, d := range all[:n] {
		list = append(list, Changed{d.path, d.past.Commits, d.past.Last.Format(day)})
	}
	out.Files, out.LeftOut = fit(&q.room, list)
	out.LeftOut += len(all) - n
}
