package review

import (
	"fmt"
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
	if m := nearRoot(c.manifests); len(m) > 0 {
		out = append(out, "Its dependencies are named in "+list(first(m, 2))+".")
	}
	return strings.Join(out, " ")
}

var described = inspect.Pattern(`(?m)(?:^|[,{(])\s*"?description"?\s*[:=]\s*["']([^"'\n]{8,})["']`)

// ownWords returns a place with a description of the repository, and the description: the README, the description
// in a manifest, or the comment of the package at the root.
func (t guide) ownWords(c *census) (at, says string) {
	repo := t.review.repo
	if c.readme != "" {
		data, _ := repo.Text(c.readme)
		if line, text := opening(data, repo.Name); text != "" {
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
