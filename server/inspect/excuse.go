package inspect

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ExcusesFile is the file in which a repository excuses findings. Each line has the form
//
//	<check> <path or pattern>[:<words of the finding>][ [<marks>]] -- <reason>
//
// The pattern has the syntax of path.Match; "*" matches every path. The words must be in the finding's title or
// evidence. With marks, the line excuses only the findings that have one of them (see Finding.Mark), else all that
// match (but see Among). A line without a reason excuses nothing. Lines that begin with # are comments.
const ExcusesFile = ".agentdungeon-review"

// maxExcuses is the maximum number of excuses that are read; further lines are ignored.
const maxExcuses = 1000

// Excuses holds the excuses in ExcusesFile.
type Excuses []excuse

type excuse struct {
	check, path, words, reason string
	marks                      []string
}

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
		x := excuse{check: check, path: strings.TrimSpace(p), reason: strings.TrimSpace(reason)}
		words = strings.TrimSpace(words)
		if m := marked.FindStringSubmatchIndex(words); m != nil {
			words, x.marks = words[:m[0]], strings.Fields(words[m[2]:m[3]])
		}
		x.words = uncounted(words)
		out = append(out, x)
	}
	return out
}

// marked matches the marks at the end of the words of an excuse.
var marked = Pattern(`\s*\[([0-9a-f]{8}(?: [0-9a-f]{8})*)\]$`)

// maxMarks is the maximum number of marks in a line that Excuse returns.
const maxMarks = 16

// Excuse returns the line of ExcusesFile that excuses a finding, with the reason "REASON". It names the finding by its
// mark, and by theirs the findings of the same file that are merged into it. Other findings with the same title, and
// this one after its code has changed, are not excused. Characters of the path that the line cannot hold become "?".
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
	marks := append([]string{f.Mark()}, f.Marks...)
	return fmt.Sprintf("%s %s:%s [%s] -- REASON", f.Check, p, uncounted(strings.TrimSpace(words)),
		strings.Join(marks[:min(len(marks), maxMarks)], " "))
}

// For returns the reason of the first excuse that matches a finding. ok is false if no excuse matches.
func (e Excuses) For(f *Finding) (reason string, ok bool) {
	for i := range e {
		if e[i].matches(f) {
			return e[i].reason, true
		}
	}
	return "", false
}

func (x *excuse) matches(f *Finding) bool {
	switch {
	case x.check != f.Check, !strings.Contains(f.Title, x.words) && !strings.Contains(f.Evidence, x.words):
		return false
	case len(x.marks) > 0:
		return x.at(f.Path) && slices.Contains(x.marks, f.Mark())
	}
	return x.at(f.Path) || x.at(f.end())
}

// end returns the path of the last step of a finding, "" without steps. Earlier versions reported a flow there, and
// their lines have that path.
func (f *Finding) end() string {
	if len(f.Steps) == 0 {
		return ""
	}
	return f.Steps[len(f.Steps)-1].Path
}

func (x *excuse) at(p string) bool {
	if x.path == "*" || x.path == p {
		return true
	}
	ok, _ := path.Match(x.path, p) // an invalid pattern matches nothing
	return ok
}

// Among returns the excuses that apply if all are the findings. It leaves out the lines that are vague: they have no
// marks but the path and the whole title of a finding of a weakness (CWE), as lines of earlier versions have, and they
// match several findings that no line names by a mark. Nobody can tell which of them was accepted. vague has these
// lines.
func (e Excuses) Among(all []Finding) (clear, vague Excuses) {
	for i := range e {
		x := &e[i]
		ids := map[string]bool{}
		for j := range all {
			if f := &all[j]; x.titles(f) && !slices.ContainsFunc(e, func(y excuse) bool {
				return len(y.marks) > 0 && y.matches(f)
			}) {
				ids[f.ID()] = true
			}
		}
		if len(ids) > 1 {
			vague = append(vague, *x)
		} else {
			clear = append(clear, *x)
		}
	}
	return clear, vague
}

// titles reports whether an excuse has no marks but the path and the title of a finding of a weakness. Candidates do
// not count, so it is false for them.
func (x *excuse) titles(f *Finding) bool {
	return len(x.marks) == 0 && len(f.CWE) > 0 && f.Confidence != Doubtful && x.words == uncounted(f.Title) &&
		(x.path == f.Path || x.path == f.end()) && x.matches(f)
}

// unclear follows the reason (Finding.Why) of a finding that a vague excuse matches.
const unclear = " A line of " + ExcusesFile + " accepts this title, but several findings have it: accept those that " +
	"you mean, each by its own line."
