package review

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

// place describes the repository: what it says of itself, its size, and where its programs begin.
func (t guide) place() string {
	repo := t.review.repo
	c := count(repo)
	var out []string
	if at, says := t.ownWords(c); says != "" {
		p, _, _ := strings.Cut(at, ":")
		from := repo.Name
		if p == c.readme {
			from = "The README"
		}
		out = append(out, fmt.Sprintf("%s (%s) says: %s", from, at, ended(clipWords(says, 32))))
		t.walk(p)
	} else {
		out = append(out, repo.Name+" has no README that says what it is.")
	}
	size := fmt.Sprintf("%s in %s, %s", countOf(len(repo.Files), "file"), countOf(c.dirs, "folder"), c.languages())
	if len(c.tops) > 0 {
		size += ", most below " + list(amounts(heaviestOf(c.tops, 2), ""))
	}
	out = append(out, size+".")
	if e := entries(repo, c); len(e) > 0 {
		out = append(out, "Programs begin at "+list(first(e, 2))+".")
	}
	if len(c.manifests) > 0 {
		out = append(out, "What it is built of stands in "+list(first(c.manifests, 2))+".")
	}
	return strings.Join(out, " ")
}

var (
	described  = inspect.Pattern(`(?m)(?:^|[,{])\s*"?description"?\s*[:=]\s*["']([^"'\n]{8,})["']`)
	pythonMain = inspect.Pattern(`(?m)^if __name__ == ['"]__main__['"]`)
	nodeEntry  = inspect.Pattern(`"(?:main|module|bin)"\s*:\s*(?:\{\s*"[^"]*"\s*:\s*)?"([^"\n]+)"`)
)

// ownWords returns a place with a description of the repository, and the description: the README, the description
// in a manifest, or the comment of the package at the root.
func (t guide) ownWords(c *census) (at, says string) {
	repo := t.review.repo
	if c.readme != "" {
		data, _ := repo.Text(c.readme)
		if line, text := opening(data); text != "" {
			return where(c.readme, line), text
		}
	}
	for _, p := range c.manifests {
		data, ok := repo.Text(p)
		if m := described.FindSubmatchIndex(data); ok && m != nil && !strings.Contains(p, "/") {
			return where(p, lineOf(data, m[2])), string(data[m[2]:m[3]])
		}
	}
	for _, f := range repo.In("") {
		if data, ok := repo.Text(f.Path); ok && !f.Test {
			if line, text := goDoc(f, data); line > 0 {
				return where(f.Path, line), text
			}
		}
	}
	return "", ""
}

// usualEntries are the usual paths of files in which programs begin.
var usualEntries = strings.Fields(`src/main.ts src/main.tsx src/index.ts src/index.tsx src/main.js src/index.js main.ts
	index.ts index.js server.js app.js main.js src/main.rs manage.py __main__.py`)

// entries returns the places at which programs begin, those near the root first.
func entries(repo *inspect.Repo, c *census) []string {
	var out []string
	add := func(at string) {
		if !slices.Contains(out, at) {
			out = append(out, at)
		}
	}
	for _, p := range c.sourcePaths {
		f := repo.File(p)
		data, ok := repo.Text(p)
		switch {
		case !ok:
		case f.Lang == "Go" && mainPackage.Match(data) && mainFunc.Match(data):
			add(where(p, lineOf(data, mainFunc.FindIndex(data)[0])))
		case f.Lang == "Python" && pythonMain.Match(data):
			add(where(p, lineOf(data, pythonMain.FindIndex(data)[0])))
		case slices.Contains(usualEntries, p):
			add(p)
		}
	}
	for _, p := range c.manifests {
		if path.Base(p) != "package.json" {
			continue
		}
		data, _ := repo.Text(p)
		for _, m := range nodeEntry.FindAllSubmatch(data, 4) {
			if to := path.Join(path.Dir(p), string(m[1])); repo.File(to) != nil {
				add(to)
			}
		}
	}
	// Put programs near the root first, because those in deeper folders are mostly helpers.
	slices.SortStableFunc(out, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
	return out
}
