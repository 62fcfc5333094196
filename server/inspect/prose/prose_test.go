package prose

import (
	"context"
	"strings"
	"testing"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/inspecttest"
)

func repo(pairs ...string) map[string]string {
	out := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i]] = pairs[i+1]
	}
	return out
}

// code returns a fenced block of code in Markdown.
func code(info string, lines ...string) string {
	return "```" + info + "\n" + strings.Join(lines, "\n") + "\n```\n"
}

func TestCorpus(t *testing.T) {
	inspecttest.Corpus(t, Checks(), map[string]inspecttest.Facts{
		"bard/link": linkFacts,
	})
}

var linkFacts = inspecttest.Facts{
	Planted: []inspecttest.Case{
		{Name: "a file, an image, a page", Files: repo("README.md", "# X\n\n[a](docs/gone.md), ![b](img/b.png \"title\")\n<img src='c.png'>\n\n[d]: ./d.md\n", "docs/a.md", ""), Want: []string{"README.md:3 low candidate"}},
		{Name: "an anchor here", Files: repo("docs/a.md", "# Getting started\n\n[x](#getting-startd)\n"), Want: []string{"docs/a.md:3 low candidate"}},
		{Name: "an anchor there", Files: repo("README.md", "[x](b.md#gone)\n", "b.md", "Title\n=====\n"), Want: []string{"README.md:1 low candidate"}},
		{Name: "hidden, where hidden files are shown", Files: repo("README.md", "[a](.github/x.md)\n", ".gitignore", ""), Want: []string{"README.md:1 low candidate"}},
		{Name: "another case", Files: repo("README.md", "[x](Docs/A.md) and [licence](LICENSE)\n", "docs/a.md", ""), Want: []string{"README.md:1 low candidate"}},
		{Name: "from the root", Files: repo("README.md", "text [x](/gone/x.go) text\n"), Want: []string{"README.md:1 low candidate"}},
	},
	Silent: []inspecttest.Case{
		{Name: "thanks by a bot", Files: repo("README.md", "<a href=\"#code-somebody\" title=\"Code\">x</a>\n")},
		{Name: "a definition that nothing uses", Files: repo("README.md", "# A\n\nSee [this][1].\n\n[1]: #a\n[2]: #gone\n")},
		{Name: "an installed package", Files: repo("usr/share/gocode/src/a/README.md", "[docs](docs/a.md)\n")},
		{Name: "a published package", Files: repo("package.json", `{"files": ["lib"]}`, "lib/a.js", "a()\n",
			"README.md", "[how](scripts/make.js) ![](contrib/logo.png)\n")},
		{Name: "all kinds that are there", Files: repo("README.md", "[a](docs/a.md#sub-title) [b](docs) [c](docs/) [d](./docs/with%20space.md) [e](<docs/with space.md>) [f](https://x.y/z.md) [g](mailto:a@b.c) [h](../../issues) [i](/docs/a.md?raw=true) [j](#l) [k](docs/a.md#L10)\n<a name=\"l\"></a>\n", "docs/a.md", "# Sub *title*!\n", "docs/with space.md", "")},
		{Name: "code, comments, templates", Files: repo("README.md", "`[a](gone.md)`\n\n    [b](gone.md)\n\n"+code("md", "[c](gone.md)")+"<!-- [d](gone.md)\n[e](gone.md) -->\n[f]({{ site.url }}/x.md) [g](${x}/y.md)\n<pre>\n[h](gone.md)\n</pre>\n``[i](gone.md) ` ``\n")},
		{Name: "headings of all kinds", Files: repo("README.md", "# The `code` & [link](https://a.b) :tada:\n\nSet *ext*\n---\n\n## Ünïcode 1.2\n## Same\n## Same\n### Own {#mine}\n<h2 id=\"raw\">Raw</h2>\n\n[a](#the-code--link-tada) [b](#set-ext) [c](#%C3%BCn%C3%AFcode-12) [d](#same-1) [e](#mine) [f](#raw) [g](#top)\n")},
		{Name: "pages of a site", Files: repo("mkdocs.yml", "", "docs/a.md", "[x](/guide/) [y](gone.md) [z](#gone)\n", "site/_config.yml", "", "site/b.md", "[x](gone.html)\n", "c/d.md", "---\ntitle: D\n---\n[x](gone.md)\n")},
		{Name: "hidden, linked, of a submodule", Files: repo("README.md", "[a](.github/x.md) [b](dist/x.js) [c](docs/latest/a.md)\n", "docs/latest", "")},
		{Name: "of a submodule", Files: repo(".gitmodules", "[submodule \"lib\"]\n\tpath = third/lib\n", "README.md", "[a](third/lib/x.md) [b](third/lib)\n", "third/x.md", "")},
		{Name: "known to the authors", Files: repo("README.md", "1. [Sponsors](#sponsors) <!-- markdownlint-disable-line MD051 -->\n")},
		{Name: "what is no link", Files: repo("README.md", "array[i](x) and f[0](y) and [ ](z) and [a](b c) and [1]: see\n- [ ] to do\n", "notes/a.md", "[x](/absolute/path.md)\n")},
		{Name: "the past, templates, tests", Files: repo("CHANGELOG.md", "[x](gone.md)\n", ".github/PULL_REQUEST_TEMPLATE.md", "[x](gone.md)\n", "testdata/a.md", "[x](gone.md)\n", "templates/a.md", "[x](gone.md)\n", "vendor/x/README.md", "[x](gone.md)\n")},
		{Name: "lists with blocks", Files: repo("README.md", "- a\n\n    [b](a.md)\n\n1. c\n\n   ```\n   [d](gone.md)\n   ```\n", "a.md", "")},
	},
}

func TestFold(t *testing.T) {
	for in, want := range map[string]string{"Getting *Started*!": "gettingstarted",
		"`run <file> [options]` <a id=x></a>": "runfileoptions", "getting-started": "gettingstarted", "Ä & ö_1": "äö1", "🚀": ""} {
		if got := fold(heading(in)); got != want {
			t.Errorf("fold(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestHostile asserts that the checks end soon on input made to be slow.
func TestHostile(t *testing.T) {
	long := func(s string) string { return strings.Repeat(s, 900_000/len(s)) }
	c := inspecttest.Case{Files: repo(
		"README.md", long("[a](b"), "a/README.md", long("```\n"), "b/README.md", long("<!-- "), "c/README.md", long("[x]( "), "d/README.md", long("<img src=\"a.png\" "),
		"e/README.md", "- `--a`\n"+long("`"), "f/README.md", long("# \n"), "g/README.md", "```\n"+long("make x && ")+"\n```", "h/README.md", long("[a](b.md)\n"),
		"i/README.md", "```sh\n"+long("cd x; \\\n"), "j/README.md", long("[](((((())"), "Makefile", long("a b: c\\\n"), "m/Makefile", long(":"), "package.json", long("["), "go.mod", "module m\n", "x.go", "package m\n\n// "+long("x"),
	)}
	r := c.Repo()
	inspecttest.Endure(t, r, Checks())
}

func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{"# a\n", "```sh\nmake x\n```", "<!-- a -->b", "---\na\n---\n", "<pre>", "[a](b#c)", "> ```\n> x\n> ```"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		lines := strings.Count(s, "\n") + 1
		d := parse([]byte(s))
		for _, l := range d.prose {
			if l.n < 1 || l.n > lines {
				t.Errorf("line %d of %d", l.n, lines)
			}
			destinations(l.text)
		}
		r := inspecttest.Case{Files: map[string]string{"README.md": s, "Makefile": s, "go.mod": "module m\n"}}.Repo()
		for _, check := range Checks() {
			if res := inspect.Run(context.Background(), r, &check); res.Err != nil {
				t.Errorf("%s: %v", check.ID, res.Err)
			}
		}
	})
}

// The patch of a broken link leads to the only file that has the link's name.
func TestDeadLinksArePatched(t *testing.T) {
	for _, c := range []struct{ path, link, want string }{
		{"README.md", "guide.md", "[the guide](docs/guide.md)"}, {"docs/a/b.md", "guide.md", "[the guide](../../docs/guide.md)"},
		{"docs/b.md", "old/guide.md", "[the guide](guide.md)"},
		{"README.md", "twice.md", ""}, {"README.md", "nowhere.md", ""}, {"README.md", "guide.md#a", ""},
	} {
		files := map[string]string{
			"docs/guide.md": "# Guide\n", "a/twice.md": "# A\n", "b/twice.md": "# B\n",
			c.path: "# x\n\n[the guide](" + c.link + ")\n",
		}
		if got := inspecttest.Patches(t, Checks(), "bard/link", files); got != c.want {
			t.Errorf("%s in %s: the patch says %q, want %q", c.link, c.path, got, c.want)
		}
	}
}
