package inspect

import (
	"path"
	"strings"
)

// ExcusesFile is where a repository explains findings that shall stay: a line each,
//
//	<check> <path or pattern>[:<words of the finding>] -- <reason>
//
// The pattern is path.Match's, and "*" also stands for every path. The words must
// stand in the finding's title or evidence. A line without a reason excuses nothing.
// Lines that begin with # say nothing to the scouts.
const ExcusesFile = ".agentdungeon-review"

// maxExcuses bounds how many lines count.
const maxExcuses = 1000

// Excuses are the lines of ExcusesFile.
type Excuses []excuse

type excuse struct{ check, path, words, reason string }

// Excuses reads the repository's list; without one it is empty.
func (r *Repo) Excuses() Excuses {
	if r.File(ExcusesFile) == nil {
		return nil
	}
	data, _ := r.Text(ExcusesFile)
	var out Excuses
	for _, line := range Lines(data) {
		line = strings.TrimSpace(line)
		what, reason, found := strings.Cut(line, " -- ")
		if line == "" || line[0] == '#' || !found || strings.TrimSpace(reason) == "" || len(out) == maxExcuses {
			continue
		}
		check, where, _ := strings.Cut(strings.TrimSpace(what), " ")
		p, words, _ := strings.Cut(strings.TrimSpace(where), ":")
		out = append(out, excuse{check, strings.TrimSpace(p), strings.TrimSpace(words), strings.TrimSpace(reason)})
	}
	return out
}

// For gives the reason why a finding shall stay, if somebody has written one.
func (e Excuses) For(f *Finding) (reason string, ok bool) {
	for _, x := range e {
		match := x.path == "*" || x.path == f.Path
		if !match {
			match, _ = path.Match(x.path, f.Path) // a pattern that cannot be read matches nothing
		}
		if match && x.check == f.Check && (x.words == "" || strings.Contains(f.Title, x.words) || strings.Contains(f.Evidence, x.words)) {
			return x.reason, true
		}
	}
	return "", false
}
