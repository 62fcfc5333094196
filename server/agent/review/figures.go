package review

import (
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/xref"
)

var benchmark = inspect.Pattern(`(?m)^func Benchmark[^a-z(]\w*\(`)

// tests counts the tests below a folder by language. If dir is "", it counts those of the whole repository.
func (v *view) tests(dir string) (string, bool, error) {
	byLang, files, in := map[string]int{}, map[string]int{}, map[string]int{}
	n, benchmarks := 0, 0
	for f, data := range v.review.repo.All(v.ctx) {
		if !f.Test || dir != "" && !strings.HasPrefix(f.Path, dir+"/") {
			continue
		}
		measures := 0
		if f.Lang == "Go" {
			measures = len(benchmark.FindAllIndex(data, -1))
			benchmarks += measures
		}
		if k := xref.CountTests(f.Lang, data) - measures; k > 0 {
			n += k
			byLang[f.Lang] += k
			files[f.Lang]++
			in[f.Path] += k
		}
	}
	if err := v.ctx.Err(); err != nil {
		return "", false, err
	}
	if n == 0 {
		return fmt.Sprintf("I find no test%s that I recognise in Go, TypeScript, JavaScript or Python.", under(dir)),
			false, nil
	}
	var parts []string
	for _, l := range heaviestOf(byLang, len(byLang)) {
		parts = append(parts, fmt.Sprintf("%d in %s of %s", l.n, countOf(files[l.name], "file"), l.name))
	}
	text := fmt.Sprintf("%s%s: %s.", countOf(n, "test"), under(dir), list(parts))
	if len(in) > 1 {
		text += fmt.Sprintf(" Most are in %s.", list(amounts(heaviestOf(in, 3), "")))
	} else {
		text = fmt.Sprintf("%s%s, in %s.", countOf(n, "test"), under(dir), slices.Collect(maps.Keys(in))[0])
	}
	if benchmarks > 0 {
		text += fmt.Sprintf(" Besides, %s.", countOf(benchmarks, "benchmark"))
	}
	return text + " I count functions and calls that begin a test, not the cases of their tables.", true, nil
}

// size returns a text about the amount of code below a folder. If dir is "", the text is about the whole
// repository.
func (v *view) size(dir string) string {
	repo := v.review.repo
	c := count(repo)
	if dir == "" {
		text := fmt.Sprintf("%s in %s: %s of source (%s), and %s.", countOf(len(repo.Files), "file"),
			countOf(c.dirs, "folder"), countOf(c.sources, "file"), strings.TrimPrefix(c.languages(), "source in "),
			countOf(c.tests, "test file"))
		if repo.History != nil {
			n, whole := repo.History.Commits()
			text += fmt.Sprintf(" %s", countOf(n, "commit"))
			if !whole {
				text += " that I read, and older ones"
			}
			text += "."
		}
		return text
	}
	files, lines, tests := 0, 0, 0
	for f, data := range repo.All(v.ctx) {
		if strings.HasPrefix(f.Path, dir+"/") && inspect.IsCode(f.Lang) {
			if files++; f.Test {
				tests++
			}
			lines += strings.Count(string(data), "\n")
		}
	}
	return fmt.Sprintf("%s holds %s of code, %d of them tests, with %s together.", dir, countOf(files, "file"), tests,
		countOf(lines, "line"))
}

// churn lists the files below a folder with the most commits.
func (v *view) churn(dir string) (string, bool, error) {
	h := v.review.repo.History
	if h == nil {
		return "There is no git history here, so I cannot say what changes most.", false, nil
	}
	byFile := map[string]int{}
	for i := range v.review.repo.Files {
		f := &v.review.repo.Files[i]
		if f.Vendored || dir != "" && !strings.HasPrefix(f.Path, dir+"/") || !inspect.IsCode(f.Lang) && f.Lang != "Markdown" {
			continue
		}
		if past, ok := h.Past(f.Path); ok {
			byFile[f.Path] = past.Commits
		}
	}
	if len(byFile) == 0 {
		return "No commit that I can read changed a file that is here today.", false, nil
	}
	top := heaviestOf(byFile, 5)
	if top[0].n < 2 {
		return fmt.Sprintf("No file%s was changed after the commit that brought it.", under(dir)), false, nil
	}
	n, whole := h.Commits()
	text := fmt.Sprintf("The files of code and text%s that changed most often, in %s: %s.", under(dir),
		countOf(n, "commit"), list(amounts(top, "commit")))
	if !whole {
		text += " Older commits I did not read."
	}
	return text, true, nil
}

// about describes a folder or a file: it quotes the documentation there, and gives the size.
func (v *view) about(s subject) string {
	repo := v.review.repo
	if s.file != nil {
		data, ok := repo.Text(s.file.Path)
		if !ok {
			return fmt.Sprintf("%s has %d bytes; I cannot read it as text.", s.file.Path, s.file.Size)
		}
		text := fmt.Sprintf("%s has %s", s.file.Path, countOf(strings.Count(string(data), "\n"), "line"))
		if s.file.Lang != "" {
			text += " of " + s.file.Lang
		}
		if at, says := goDoc(s.file, data); at > 0 {
			return fmt.Sprintf("%s describes its package: %s\n\n%s.", where(s.file.Path, at), says, text)
		}
		return text + "."
	}
	text := v.size(s.dir)
	for _, f := range repo.In(s.dir) {
		data, ok := repo.Text(f.Path)
		if !ok || f.Test {
			continue
		}
		at, says := 0, ""
		if f.Lang == "Markdown" && strings.HasPrefix(strings.ToLower(f.Base()), "readme") {
			at, says = opening(data, path.Base(f.Dir()))
		} else if f.Lang == "Go" {
			at, says = goDoc(f, data)
		}
		if at > 0 {
			return fmt.Sprintf("This folder describes itself in %s: %s\n\n%s", where(f.Path, at),
				inspect.Clip(says, 400), text)
		}
	}
	return text
}

// goDoc returns the first paragraph of a Go file's package comment and the line at which the comment begins. at is 0 if
// the file has no package comment.
func goDoc(f *inspect.File, data []byte) (at int, text string) {
	if f.Lang != "Go" {
		return 0, ""
	}
	fset := token.NewFileSet()
	parsed, _ := parser.ParseFile(fset, f.Path, data,
		parser.PackageClauseOnly|parser.ParseComments) // ignore syntax errors: a broken file may still have a package comment
	if parsed == nil || parsed.Doc == nil {
		return 0, ""
	}
	text, _, _ = strings.Cut(parsed.Doc.Text(), "\n\n")
	return fset.Position(parsed.Doc.Pos()).Line, strings.Join(strings.Fields(text), " ")
}
