package prose

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"agentdungeon/server/inspect"
)

func overdue() inspect.Check {
	return inspect.Check{
		ID: "archaeologist/overdue-removal", Hero: "archaeologist", Confidence: inspect.Likely,
		Looks: "comments that promise a removal in a version or at a date that has come",
		Rule:  "Low; one finding for each version, a candidate where the text does not say that it is this project's.",
		Run:   findOverdue,
	}
}

var (
	promise = inspect.Pattern(`(?i)(?:(?:will|to|shall|should|going to|can) be (?:removed|dropped|deleted)|` +
		`scheduled for removal)(?:\s+(?:entirely|completely))?\s+(?:in|with|from|by|after|on)\s+(?:the\s+)?(?:version\s+|` +
		`release\s+|([A-Za-z][\w-]{1,30})\s+(?:version\s+)?)?v?\.?(20\d\d-\d\d(?:-\d\d)?|\d{1,4}\.\d{1,3}(?:\.\d{1,3})?|` +
		`[vV]\d{1,3})\b`)
	// others matches the names of programs that have versions of their own.
	others = inspect.Pattern(`(?i)\b(python|node|numpy|django|react|go ?1|java|php|ruby|chrome|firefox|webkit|openssl|` +
		`kubernetes|k8s|typescript|ecma|es20|rfc|pep|asyncio|distutils|upstream|spec)\b`)
	pyVers = inspect.Pattern(`(?m)^\s*(?:__version__|version)\s*(?::\s*\w+\s*)?=\s*["'](\d[\w.+-]*)["']`)
)

// maxPromises is the maximum number of promises that are examined in one file.
const maxPromises = 500

func findOverdue(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
	v := versions{r: r, known: map[string]string{}}
	if r.History != nil {
		// If the repository has no tag, v.tag stays empty and the check uses only the versions in files.
		v.tag, _, _, _ = r.History.Tag(ctx)
	}
	for f, data := range r.All(ctx) {
		// In a file of code only a comment or a text says such a sentence.
		if f.Test || !inspect.IsCode(f.Lang) || strings.Contains(strings.ToLower(f.Base()), "change") ||
			!inspect.HasAny(data, "be removed", "be dropped", "be deleted", "for removal") {
			continue
		}
		var first *inspect.Finding
		count := 0
		lines := inspect.NewIndex(data)
		for _, m := range promise.FindAllSubmatchIndex(data, maxPromises) {
			line := lines.Line(m[0])
			from, _ := lines.Bounds(max(1, line-2))
			if others.Match(data[from:m[1]]) {
				continue
			}
			when := string(data[m[4]:m[5]])
			if m[2] >= 0 && !own(r, f, string(data[m[2]:m[3]])) {
				continue
			}
			now, past := v.past(f, when, r.Now)
			if !past {
				continue
			}
			if count++; first == nil {
				first = &inspect.Finding{
					Severity: inspect.Low, Path: f.Path, Line: line, Evidence: lines.Quote(line),
					Title:  fmt.Sprintf("Removal promised for %s; this is %s", when, now),
					Why:    "Users were told to stop using it, and it still has to be maintained.",
					Advice: "Remove it now, or name a new version.",
					Cause:  inspect.Cause{Key: "removal in " + when, Text: "what was to be removed in " + when},
				}
				// A version without the project's name may be that of a product to which the package belongs.
				if m[2] < 0 && !strings.Contains(when, "-") {
					first.Suspect("the version may be that of another product")
				}
			}
		}
		if first != nil {
			if count > 1 {
				first.Title = fmt.Sprintf("%s (%d places)", first.Title, count)
			}
			tell(*first)
		}
	}
	return ctx.Err()
}

// own reports whether the name before a version means this project. It does if it is the name of the repository or of a
// folder above the file.
func own(r *inspect.Repo, f *inspect.File, name string) bool {
	if strings.EqualFold(name, r.Name) {
		return true
	}
	for part := range strings.SplitSeq(f.Dir(), "/") {
		if strings.EqualFold(part, name) {
			return true
		}
	}
	return false
}

// versions finds the current version of the package that contains a file. tag is the version tag of the repository,
// which is used for packages without a version.
type versions struct {
	r     *inspect.Repo
	tag   string
	known map[string]string // by folder
}

// past reports whether a version or a date has come. when is that version or date; have is the current version or the
// current date.
func (v *versions) past(f *inspect.File, when string, now time.Time) (have string, ok bool) {
	for _, layout := range []string{time.DateOnly, "2006-01"} {
		if at, err := time.Parse(layout, when); err == nil {
			return now.UTC().Format(time.DateOnly), now.After(at.AddDate(0, 1, 0))
		}
	}
	have = v.of(f.Dir())
	if have == "" {
		have = v.tag
	}
	mine, want := numbers(have), numbers(when)
	if len(mine) < 2 || len(want) == 0 || mine[0] == 0 && mine[1] == 0 || strings.Contains(have, "dev") {
		return "", false
	}
	for i, n := range want {
		if i == len(mine) || mine[i] < n {
			return "", false
		}
		if mine[i] > n {
			return have, true
		}
	}
	return have, true
}

// of returns the version in the nearest package.json or pyproject.toml, or in the __init__.py or
// version.py of a Python package.
func (v *versions) of(dir string) string {
	if known, ok := v.known[dir]; ok {
		return known
	}
	got := ""
	if data, ok := v.r.Text(path.Join(dir, "package.json")); ok {
		var p struct{ Version string }
		if json.Unmarshal(data, &p) == nil {
			got = p.Version
		}
	}
	for _, name := range []string{"pyproject.toml", "setup.cfg", "setup.py", "__init__.py", "version.py",
		"_version.py", "__version__.py"} {
		if data, ok := v.r.Text(path.Join(dir, name)); ok && got == "" {
			if m := pyVers.FindSubmatch(data); m != nil {
				got = string(m[1])
			}
		}
	}
	if got == "" && dir != "" {
		got = v.of(inspect.Upward(dir)[1])
	}
	v.known[dir] = got
	return got
}

var number = inspect.Pattern(`\d+`)

func numbers(version string) []int {
	version, _, _ = strings.Cut(version, "+")
	var out []int
	for _, n := range number.FindAllString(version, 3) {
		i, err := strconv.Atoi(n)
		if err != nil {
			return nil
		}
		out = append(out, i)
	}
	return out
}
