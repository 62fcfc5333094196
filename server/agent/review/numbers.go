package review

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"agentdungeon/server/inspect"
	"agentdungeon/server/report"
	"agentdungeon/shared/world"
)

// Thresholds of the figures that the method numbers returns.
const (
	longFile  = 1500                     // a source file with more lines than this is counted as long
	stillTime = 2 * 365 * 24 * time.Hour // a source file whose last change is older than this is counted as still
)

// note matches a line with a comment that notes open work, such as one that begins with a tag in capital letters.
var note = inspect.Pattern(`(?m)(?:^|\s)(?://|#|/?\*|--|;)[ \t]*@?(?:TO` + `DO|FIX` + `ME|X` + `XX|HA` + `CK)\b`)

// numbers returns sentences with figures about the repository: notes of open work, long files, files that have not
// changed for two years, the file that changes most often, and missing package comments. These are not findings,
// because a number alone does not tell anybody what to change.
func (v *view) numbers() []string {
	repo, h := v.review.repo, v.review.repo.History
	notes, noted, sources, long, longest, still := 0, 0, 0, 0, 0, 0
	most, mostPast := "", inspect.Past{}
	longestPath := ""
	packages := map[string]bool{} // by folder: whether a file has the package comment
	for f, data := range repo.All(v.ctx) {
		if !inspect.IsCode(f.Lang) || f.Test {
			continue
		}
		sources++
		if n := len(note.FindAllIndex(data, -1)); n > 0 {
			notes, noted = notes+n, noted+1
		}
		lines := bytes.Count(data, []byte("\n"))
		if lines > longFile {
			long++
		}
		if lines > longest {
			longest, longestPath = lines, f.Path
		}
		if f.Lang == "Go" {
			at, _ := goDoc(f, data)
			packages[f.Dir()] = packages[f.Dir()] || at > 0
		}
		if h == nil {
			continue
		}
		if past, ok := h.Past(f.Path); ok {
			if past.Last.Before(repo.Now.Add(-stillTime)) {
				still++
			}
			if past.Commits > mostPast.Commits {
				most, mostPast = f.Path, past
			}
		}
	}
	var out []string
	if notes > 0 {
		out = append(out, fmt.Sprintf("TO"+"DO comments: %s in %s.", inspect.Count(notes), countOf(noted, "file")))
	}
	if long > 0 {
		out = append(out, fmt.Sprintf("Source files over %s lines: %s of %s; the longest is %s with %s.",
			inspect.Count(longFile), inspect.Count(long), inspect.Count(sources), report.Code(longestPath),
			inspect.Count(longest)))
	}
	if still > 0 {
		out = append(out, fmt.Sprintf("Source files untouched for two years: %s of %s.", inspect.Count(still),
			inspect.Count(sources)))
	}
	if mostPast.Commits > 1 {
		commits, whole := h.Commits()
		read := ""
		if !whole {
			read = " that were read"
		}
		out = append(out, fmt.Sprintf("Source file that changes most: %s, in %s of %s%s.", report.Code(most),
			inspect.Count(mostPast.Commits), countOf(commits, "commit"), read))
	}
	bare := 0
	for _, has := range packages {
		if !has {
			bare++
		}
	}
	if bare > 0 {
		out = append(out, fmt.Sprintf("Go packages without a package comment: %d of %d.", bare, len(packages)))
	}
	return out
}

// notes says how many comments note open work in the code of a place, or in all code, and in which files most are.
func notes(ctx context.Context, repo *inspect.Repo, s subject) string {
	n, in := 0, map[string]int{}
	for f, data := range repo.All(ctx) {
		if k := len(note.FindAllIndex(data, -1)); k > 0 && inspect.IsCode(f.Lang) && (!s.placed() || s.holds(f.Path)) {
			n, in[f.Path] = n+k, k
		}
	}
	if n == 0 {
		return "I find no TO" + "DO comment" + s.in() + "."
	}
	return fmt.Sprintf("%s%s in %s, most in %s.", countOf(n, "TO"+"DO comment"), s.in(), countOf(len(in), "file"),
		list(amounts(heaviestOf(in, shownFiles), "")))
}

// late returns a sentence which says that the review is incomplete because some checks took too long and were
// stopped. It returns "" if none was stopped.
func (v *view) late() (string, error) {
	var names []string
	for i := range v.scouts.checks {
		c := &v.scouts.checks[i]
		res := v.scouts.resultOf(v.turn, c.ID)
		if res == nil {
			var err error
			if res, err = v.scouts.run(v.ctx, v.review, c, nil); err != nil {
				return "", err
			}
		}
		if res.Late {
			names = append(names, short(c))
		}
	}
	if len(names) == 0 {
		return "", nil
	}
	return fmt.Sprintf("This review is incomplete: it was too slow for %s, and another one may find more. ",
		list(names)), nil
}

// minor returns one sentence for each check that has findings of low severity. The report gives only their number, so
// that they do not hide worse findings. all is in the order of ranked.
func minor(all []world.Finding) []string {
	var checks []string
	byCheck := map[string][]world.Finding{}
	for _, f := range all {
		if f.Check == "" || f.Severity != inspect.Low && f.Severity != inspect.Info {
			continue
		}
		if byCheck[f.Check] == nil {
			checks = append(checks, f.Check)
		}
		byCheck[f.Check] = append(byCheck[f.Check], f)
	}
	var out []string
	for _, check := range checks {
		f := &byCheck[check][0]
		out = append(out, fmt.Sprintf("%s of low severity: %s, the first %s.", upper(inspect.KindOf(check)),
			countOf(len(byCheck[check]), "finding"), report.Code(where(f.Path, f.Line))))
	}
	return out
}
