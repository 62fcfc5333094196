package inspect

import (
	"cmp"
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ExcusesFile is the file in which a repository excuses findings. Each line has the form
//
//	<check> <path or pattern>[:<words of the finding>] -- <reason>
//
// The pattern has the syntax of path.Match; "*" matches every path. The words must be in the finding's title or
// evidence. A line without a reason excuses nothing. Lines that begin with # are comments.
const ExcusesFile = ".agentdungeon-review"

// maxExcuses is the maximum number of excuses that are read; further lines are ignored.
const maxExcuses = 1000

// Excuses holds the excuses in ExcusesFile.
type Excuses []excuse

type excuse struct{ check, path, words, reason string }

// Excuses returns the excuses of the repository, or nil if it has no ExcusesFile.
func (r *Repo) Excuses() Excuses {
	if r.File(ExcusesFile) == nil {
		return nil
	}
	data, _ := r.Text(ExcusesFile)
	return ParseExcuses(data)
}

// ParseExcuses returns the excuses in the text of an ExcusesFile.
func ParseExcuses(data []byte) Excuses {
	var out Excuses
	for _, line := range Lines(data) {
		line = strings.TrimSpace(line)
		what, reason, found := strings.Cut(line, " -- ")
		if line == "" || line[0] == '#' || !found || strings.TrimSpace(reason) == "" || len(out) == maxExcuses {
			continue
		}
		check, where, _ := strings.Cut(strings.TrimSpace(what), " ")
		p, words, _ := strings.Cut(strings.TrimSpace(where), ":")
		words = uncounted(strings.TrimSpace(words))
		out = append(out, excuse{check, strings.TrimSpace(p), words, strings.TrimSpace(reason)})
	}
	return out
}

// Excuse returns the line of ExcusesFile that excuses a finding, with the reason "REASON". It also excuses the findings
// of the check in the same file that have the same title. Characters of the path that the line cannot hold become "?".
func (f *Finding) Excuse() string {
	p := cmp.Or(f.Path, "*")
	unfit := func(r rune) bool { return r == ':' || r == utf8.RuneError || unicode.IsControl(r) }
	if strings.ContainsFunc(p, unfit) || strings.Contains(p, " -- ") {
		p = strings.Map(func(r rune) rune {
			if unfit(r) || strings.ContainsRune(`[*\- `, r) {
				return '?'
			}
			return r
		}, p)
	}
	words, _, _ := strings.Cut(f.Title, " -- ")
	words, _, _ = strings.Cut(words, "\n")
	return fmt.Sprintf("%s %s:%s -- REASON", f.Check, p, uncounted(strings.TrimSpace(words)))
}

// For returns the reason of the first excuse that matches a finding. ok is false if no excuse matches.
func (e Excuses) For(f *Finding) (reason string, ok bool) {
	for _, x := range e {
		match := x.path == "*" || x.path == f.Path
		if !match {
			match, _ = path.Match(x.path, f.Path) // an invalid pattern matches nothing
		}
		if match && x.check == f.Check && (x.words == "" || strings.Contains(f.Title, x.words) ||
			strings.Contains(f.Evidence, x.words)) {
			return x.reason, true
		}
	}
	return "", false
}
