package prose

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"path"
	"strings"

	"agentdungeon/server/inspect"
)

var (
	linkDest = inspect.Pattern(`\]\(\s*(<[^>\n]*>|[^\s()]*(?:\([^\s()]*\)[^\s()]*)*)(?:\s+["'(][^\n]*?)?\s*\)`)
	linkDef  = inspect.Pattern(`^ {0,3}\[[^\]^][^\]]*\]:\s*(<[^>]*>|\S+)`)
	htmlDest = inspect.Pattern(`(?i)<(?:img|a)\b[^>]*?\s(?:src|href)\s*=\s*["']([^"']*)["']`)
	scheme   = inspect.Pattern(`^[A-Za-z][A-Za-z0-9+.-]*:`)
	pathLike = inspect.Pattern(`[/.]|^[A-Z][A-Z_-]{2,}$`)
	pastName = inspect.Pattern(`(?i)^(changelog|changes|history|news|release|whatsnew|upgrade|migrat|licen[sc]e|(third|` +
		`3rd).?part|notice)`)
	fragment = inspect.Pattern(`^(L\d+|top|readme|license|user-content-.*|:~:.*)`)
)

// broken is a link whose target does not exist.
type broken struct {
	n    int
	dest string
}

func links(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	index, whole := indexPaths(r), !packed(r)
	docs, embeds := map[string]*document{}, map[string]string{}
	for f, data := range r.All(ctx, "Markdown") {
		if f.Test || aside(f.Path) || pastName.MatchString(f.Base()) ||
			strings.Contains(strings.ToUpper(f.Path), "_TEMPLATE") || published(r, f) || embedded(r, embeds, f) {
			continue
		}
		if !bytes.Contains(data, []byte("](")) && !bytes.Contains(data, []byte("]:")) && !bytes.Contains(data, []byte("=")) {
			continue
		}
		d := documentOf(r, docs, f.Path)
		if d == nil || d.front {
			continue
		}
		var bad []broken
		for _, l := range d.prose {
			if unused(d, l.text) {
				continue
			}
			for _, dest := range destinations(l.text) {
				if (whole || strings.HasPrefix(dest, "#")) && !leads(r, index, docs, f, d, dest) {
					bad = append(bad, broken{l.n, dest})
				}
			}
		}
		if len(bad) == 0 {
			continue
		}
		report(brokenLinks(r, f, bad))
	}
	return ctx.Err()
}

// unused reports whether a line defines a link that no text of the document uses, so that nobody can follow it.
func unused(d *document, text string) bool {
	if !linkDef.MatchString(text) {
		return false
	}
	text = strings.ToLower(strings.TrimSpace(text))
	label := text[:strings.IndexByte(text, ']')+1]
	uses := 0
	for _, l := range d.prose {
		uses += strings.Count(strings.ToLower(l.text), label)
	}
	return uses < 2
}

// packed reports whether the folder may be an unpacked published package: it has no history, and it has a
// package.json or PKG-INFO, or folders of installed packages. A link of its README may lead to a file that only the
// repository has.
func packed(r *inspect.Repo) bool {
	if r.History != nil {
		return false
	}
	for i := range r.Files {
		switch f := &r.Files[i]; {
		case f.Path == "package.json", f.Base() == "PKG-INFO", strings.Contains("/"+f.Path, "/usr/share/"),
			strings.Contains("/"+f.Path, "/dist-packages/"), strings.Contains("/"+f.Path, "/site-packages/"):
			return true
		}
	}
	return false
}

func brokenLinks(r *inspect.Repo, f *inspect.File, bad []broken) inspect.Finding {
	var quoted []string
	for i, b := range bad {
		if i == 5 {
			quoted = append(quoted, fmt.Sprintf("and %d more", len(bad)-i))
			break
		}
		quoted = append(quoted, fmt.Sprintf("line %d: %s", b.n, inspect.Clip(b.dest, 90)))
	}
	out := inspect.Finding{
		Severity: inspect.Low, Path: f.Path, Line: bad[0].n, Same: "links",
		Title:    inspect.Clip("The link to "+bad[0].dest+" leads nowhere", 100),
		Evidence: strings.Join(quoted, "\n"),
		Why:      "A reader who follows the link gets an error page, or stays on the same page.",
		Advice:   "Point it to the present place of its target, or remove it.",
	}
	if dest := bad[0].dest; len(bad) > 1 {
		out.Title = fmt.Sprintf("%d links lead nowhere", len(bad))
	} else if !strings.HasPrefix(dest, "#") { // a missing section is missing in this text only
		to := path.Join(f.Dir(), dest)
		if strings.HasPrefix(dest, "/") {
			to = strings.TrimPrefix(path.Clean(dest), "/")
		}
		out.Cause = inspect.Cause{Key: "link " + to, Text: to + ", which is not there"}
		if present := moved(r, f, dest); present != "" {
			out.Mend = inspect.Mend{Old: "(" + dest + ")", New: "(" + present + ")"}
		}
	}
	return out
}

// moved returns the link from a file to the only file of the repository that has the name of a missing one, or "".
func moved(r *inspect.Repo, f *inspect.File, dest string) string {
	if path.Ext(dest) == "" || strings.ContainsAny(dest, "#?%") {
		return ""
	}
	to := ""
	for i := range r.Files {
		if g := &r.Files[i]; g.Base() == path.Base(dest) {
			if to != "" {
				return ""
			}
			to = g.Path
		}
	}
	switch below, ok := strings.CutPrefix(to, f.Dir()+"/"); {
	case to == "" || strings.ContainsAny(to, " ()<>"):
		return ""
	case f.Dir() == "":
		return to
	case ok:
		return below
	}
	return strings.Repeat("../", strings.Count(f.Dir(), "/")+1) + to
}

func documentOf(r *inspect.Repo, docs map[string]*document, p string) *document {
	if d, ok := docs[p]; ok {
		return d
	}
	var d *document
	if data, ok := r.Text(p); ok {
		d = parse(data)
	}
	docs[p] = d
	return d
}

// generators lists the configuration files of programs that build web sites from Markdown. Only these programs know the
// addresses of their pages and what a link between two pages means.
var generators = []string{
	"mkdocs.yml", "mkdocs.yaml", "docusaurus.config.js", "docusaurus.config.ts", "_config.yml", "hugo.toml",
	"hugo.yaml", "config.toml",
	"book.toml", "SUMMARY.md", "conf.py", "antora.yml", "_sidebar.md", ".nojekyll", "astro.config.mjs",
	"astro.config.ts", "mint.json",
	"docs.json", "next.config.js", "next.config.mjs", "gatsby-config.js", "eleventy.config.js", ".eleventy.js",
	"zensical.toml",
	"rspress.config.ts", "_index.md", "meta.json", "_meta.json", "_meta.js", "sidebars.js", "sidebars.ts",
	"sidebar.json", "toc.yml", "docfx.json", ".pages",
}

// published reports whether a site generator builds a page from the file.
func published(r *inspect.Repo, f *inspect.File) bool {
	for _, dir := range inspect.Upward(f.Dir()) {
		if dir == "" && f.Dir() == "" {
			break // people read files at the root as they are
		}
		for _, name := range generators {
			if r.File(path.Join(dir, name)) != nil {
				return true
			}
		}
		for _, sub := range []string{".vitepress", ".vuepress", "_includes", "_layouts", "docs/.vitepress", "website"} {
			if (sub != "docs/.vitepress" && sub != "website" || strings.HasPrefix(f.Path, "docs/")) &&
				r.HasDir(path.Join(dir, sub)) {
				return true
			}
		}
	}
	return false
}

// embedded reports whether a Go file in the same folder may embed the file, so that a program shows it as part of
// something else. embeds caches the go:embed lines of each folder.
func embedded(r *inspect.Repo, embeds map[string]string, f *inspect.File) bool {
	dir := f.Dir()
	taken, ok := embeds[dir]
	if !ok {
		var b strings.Builder
		for _, g := range r.In(dir) {
			if data, ok := goText(r, g); ok && bytes.Contains(data, []byte("//go:embed")) {
				for _, line := range inspect.Lines(data) {
					if strings.HasPrefix(line, "//go:embed") {
						b.WriteString(line + " ")
					}
				}
			}
		}
		taken = b.String()
		embeds[dir] = taken
	}
	return strings.Contains(taken, f.Base()) || strings.Contains(taken, "*")
}

func goText(r *inspect.Repo, f *inspect.File) ([]byte, bool) {
	if f.Lang != "Go" {
		return nil, false
	}
	return r.Text(f.Path)
}

// destinations returns the targets of the links and images on a line.
func destinations(text string) []string {
	var out []string
	if len(text) > 20_000 {
		return nil
	}
	if strings.Contains(text, "](") {
		for _, m := range linkDest.FindAllStringSubmatch(text, -1) {
			out = append(out, m[1])
		}
	}
	if m := linkDef.FindStringSubmatch(text); m != nil {
		out = append(out, m[1])
	}
	if strings.Contains(text, "<") {
		for _, m := range htmlDest.FindAllStringSubmatch(text, -1) {
			// Skip links with a title and an anchor: bots write them, for example in lists of contributors, and
			// their anchors lead nowhere.
			if !strings.HasPrefix(m[1], "#") || !strings.Contains(text, "title=") {
				out = append(out, m[1])
			}
		}
	}
	return out
}

// leads reports whether dest, the target of a link in file f, exists or may exist.
func leads(r *inspect.Repo, paths *pathIndex, docs map[string]*document, f *inspect.File, d *document, dest string,
) bool {
	dest = strings.TrimSpace(strings.Trim(strings.TrimSpace(dest), "<>"))
	if dest == "" || strings.ContainsAny(dest, "{}$%\x00*<>|") && !escaped.MatchString(dest) ||
		strings.HasPrefix(dest, "//") || scheme.MatchString(dest) ||
		strings.ContainsAny(dest[:1], "@~\\:&,") || strings.Contains(dest, "...") || strings.ContainsAny(dest, " \"'`\\") {
		return true
	}
	whole, frag, _ := strings.Cut(dest, "#")
	whole, _, _ = strings.Cut(whole, "?")
	if p, err := url.PathUnescape(whole); err == nil {
		whole = p
	}
	if u, err := url.PathUnescape(frag); err == nil {
		frag = u
	}
	if whole == "" {
		return frag == "" || anchored(d, frag)
	}
	if !pathLike.MatchString(whole) || strings.ContainsAny(whole, "{}$<>*|") || domain.MatchString(whole) {
		return true
	}
	target := path.Join(f.Dir(), whole)
	if strings.HasPrefix(whole, "/") {
		if f.Dir() != "" {
			return true // may be relative to the root of a web site
		}
		target = strings.TrimPrefix(path.Clean(whole), "/")
	}
	if target == ".." || strings.HasPrefix(target, "../") || target == "." || target == "" {
		return true // a page of the hosting site, such as issues, wiki or badges
	}
	if other := r.File(target); other != nil {
		if frag == "" || other.Lang != "Markdown" || published(r, other) {
			return true
		}
		page := documentOf(r, docs, target)
		return page == nil || page.front || anchored(page, frag)
	}
	return !paths.missing(r, target) || page(r, target) || !plausible(r, target)
}

var (
	escaped = inspect.Pattern(`^[^{}$*<>|\x00]*%[0-9A-Fa-f]{2}[^{}$*<>|\x00]*$`)
	domain  = inspect.Pattern(`^(www\.|[a-z0-9-]+\.(com|org|net|io|dev|app|sh|ai|co|me|info)(/|$))`)
)

// page reports whether a web site made from the repository would have a page for a link target that names no file.
func page(r *inspect.Repo, target string) bool {
	stem := strings.TrimSuffix(target, ".html")
	for _, end := range []string{".md", ".mdx", ".markdown", ".rst", ".adoc", ".html"} {
		if r.File(stem+end) != nil || path.Ext(target) == "" && r.File(target+end) != nil {
			return true
		}
	}
	return false
}

// plausible reports whether a missing target names a file and not a page of a web site: it has an
// extension, is in upper case such as LICENSE, or is in an existing folder.
func plausible(r *inspect.Repo, target string) bool {
	base := path.Base(target)
	return path.Ext(base) != "" || strings.ToUpper(base) == base && len(base) > 3 ||
		r.HasDir(path.Dir(target)) && path.Dir(target) != "."
}

var numbered = inspect.Pattern(`-\d+$`)

// anchored reports whether a page has the anchor frag, or may get it from the site that shows the page. If several
// headings have the same text, sites append a number to their anchors.
func anchored(d *document, frag string) bool {
	if fragment.MatchString(frag) || strings.ContainsAny(frag, "/=!:") {
		return true
	}
	for _, name := range []string{frag, numbered.ReplaceAllString(frag, "")} {
		folded := fold(name)
		if _, ok := d.anchors[folded]; ok || folded == "" {
			return true
		}
	}
	return false
}
