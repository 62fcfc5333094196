package review

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/xref"
)

// day is the layout in which dates are formatted.
const day = "2 January 2006"

// changed says who last changed a file, a line of a file or a folder. ok is false if the history does not
// show it.
func (t *speaker) changed(s subject) (text string, ok bool, err error) {
	h := t.review.repo.History
	switch {
	case h == nil:
		return "There is no git history here, so I cannot say who changed what.", false, nil
	case !s.placed() && s.name == "":
		return guide{t}.recent()
	case !s.placed():
		return "Name the file or the folder by its path, and I look it up.", false, nil
	case s.file == nil:
		return t.changedIn(s.dir)
	}
	f := s.file
	t.walk(f.Path)
	if s.line > 0 {
		a, err := h.Blame(t.ctx, f.Path, s.line)
		if err != nil {
			return fmt.Sprintf("%s: %v.", where(f.Path, s.line), err), false, nil
		}
		return fmt.Sprintf("%s was last changed by %s on %s.", where(f.Path, s.line), a.Name, a.At.Format(day)), true, nil
	}
	if _, ok := t.review.repo.Text(f.Path); !ok {
		return fmt.Sprintf("I cannot read %s as text.", f.Path), false, nil
	}
	newest, at, open, err := t.newestLine(f)
	if err != nil {
		return "", false, err
	}
	if at == 0 {
		return fmt.Sprintf("No line of %s is in a commit that I can read.", f.Path), false, nil
	}
	text = fmt.Sprintf("The newest line of %s is line %d, by %s on %s.", f.Path, at, newest.Name,
		newest.At.Format(day))
	if past, ok := h.Past(f.Path); ok {
		text += fmt.Sprintf(" Its history under this name: %s by %s, the oldest of %s%s.",
			countOf(past.Commits, "commit"), plural(past.Authors, "one person", "%d people"),
			past.First.Format("January 2006"), ofRead(h))
	}
	if open > 0 {
		text += fmt.Sprintf(" %s in no commit.", are(open, "line"))
	}
	return text, true, nil
}

// newestLine finds the line of a file that was changed last. It returns the author of that change as newest and the
// number of the line as at; at is 0 if no line is in a commit. The result open is the number of uncommitted lines.
func (v *view) newestLine(f *inspect.File) (newest inspect.Author, at, open int, err error) {
	data, _ := v.review.repo.Text(f.Path)
	for n := range inspect.Lines(data) {
		a, err := v.review.repo.History.Blame(v.ctx, f.Path, n)
		switch {
		case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
			return newest, 0, 0, err
		case err != nil:
			open++
		case at == 0 || a.At.After(newest.At):
			newest, at = a, n
		}
	}
	return newest, at, open, nil
}

func (t *speaker) changedIn(dir string) (string, bool, error) {
	h := t.review.repo.History
	var last []*inspect.File // those of the newest commit
	var past inspect.Past
	files := 0
	for i := range t.review.repo.Files {
		f := &t.review.repo.Files[i]
		if !strings.HasPrefix(f.Path, dir+"/") {
			continue
		}
		files++
		switch p, ok := h.Past(f.Path); {
		case !ok:
		case len(last) == 0 || p.Last.After(past.Last):
			last, past = []*inspect.File{f}, p
		case p.Last.Equal(past.Last):
			last = append(last, f)
		}
	}
	if len(last) == 0 {
		return fmt.Sprintf("No file under %s is in a commit that I can read.", dir), false, nil
	}
	t.walk(last[0].Path)
	newest, at, _, err := t.newestLine(last[0])
	if err != nil {
		return "", false, err
	}
	if len(last) > 1 {
		by := ""
		if at > 0 {
			by = " by " + newest.Name
		}
		return fmt.Sprintf("The last change under %s, on %s%s, changed %d of its %s at once.", dir,
			past.Last.Format(day), by, len(last), countOf(files, "file")), true, nil
	}
	text := fmt.Sprintf("Of the %s under %s the last that a commit changed is %s, on %s", countOf(files, "file"), dir,
		last[0].Path, past.Last.Format(day))
	if at > 0 {
		text += fmt.Sprintf("; its newest line is line %d, by %s", at, newest.Name)
	}
	return text + ".", true, nil
}

// recentChanges is the number of changes that an answer names, and recentFiles the number of files of each.
const (
	recentChanges = 3
	recentFiles   = 3
)

// edit is a change of files at one time by one person: mostly a commit.
type edit struct {
	at    time.Time
	by    string // "" if the history does not know it
	files []string
}

// recent says which files changed last in the whole repository, when, and by whom.
func (t guide) recent() (string, bool, error) {
	h := t.review.repo.History
	if h == nil {
		return "There is no git history here, so I cannot say who changed what.", false, nil
	}
	edits := edits(t.review.repo)
	if err := t.ctx.Err(); err != nil || len(edits) == 0 {
		return "No file here is in a commit that I can read.", false, err
	}
	var parts []string
	for _, e := range edits[:min(recentChanges, len(edits))] {
		text := e.at.Format(day)
		if e.by != "" {
			text += " by " + e.by
		}
		parts = append(parts, text+": "+some(e.files, recentFiles))
	}
	return "The last changes of files that are here, the newest first: " + strings.Join(parts, "; ") + ".", true, nil
}

// edits returns the last changes of the files of a repository, the newest first. A file is only in its last change.
func edits(repo *inspect.Repo) (out []edit) {
	byTime := map[int64][]string{}
	for i := range repo.Files {
		if past, ok := repo.History.Past(repo.Files[i].Path); ok {
			at := past.Last.Unix()
			byTime[at] = append(byTime[at], repo.Files[i].Path)
		}
	}
	for at, files := range byTime {
		slices.Sort(files)
		out = append(out, edit{at: time.Unix(at, 0).UTC(), files: files})
	}
	slices.SortFunc(out, func(a, b edit) int { return b.at.Compare(a.at) })
	who, ok := repo.History.(inspect.Authorship)
	for i := range out[:min(recentChanges, len(out))] {
		if !ok {
			break
		}
		for _, a := range who.Authors(out[i].files[0]) {
			if a.Last.Unix() == out[i].at.Unix() {
				out[i].by = a.Name
			}
		}
	}
	return out
}

// ofRead returns the part of a sentence that says how many commits of the history were read, "" if all were read.
func ofRead(h inspect.History) string {
	if n, whole := h.Commits(); !whole {
		return fmt.Sprintf(", of the newest %s, which I read", countOf(n, "commit"))
	}
	return ""
}

func (v *view) whatImports(question string, s subject) (string, bool, error) {
	target := ""
	if s.placed() {
		target = s.place()
	} else if words := wordLike.FindAllString(question, -1); len(words) > 0 {
		target = strings.TrimRight(words[len(words)-1], ".")
		// In a question about imports, a plain word that is the name of a folder means the folder.
		if s.dir = folderOf(v.review.repo, target, true); s.dir != "" {
			target = s.dir
		}
	}
	if target == "" {
		return "Name the file or the package, and I look who imports it.", false, nil
	}
	text, ok, err := v.importers(s, target)
	if !ok && err == nil && s.name != "" && !s.placed() { // "what uses realm.Clip": a name, not a package
		return v.uses(s.name)
	}
	return text, ok, err
}

// importers says which files import a file, a folder or a named package.
func (v *view) importers(s subject, target string) (text string, ok bool, err error) {
	places, tests, err := v.importing(s, target)
	if err != nil {
		return "", false, err
	}
	used := ""
	if s.file != nil {
		target = importedAs(s.file)
		if used, err = namesUsed(v.ctx, v.review.repo, s.file, slices.Concat(places, tests)); err != nil {
			return "", false, err
		}
	}
	n := len(places) + len(tests)
	switch {
	case n == 0 && used != "":
		return "No file here imports " + target + "." + used, true, nil
	case n == 0:
		return fmt.Sprintf("I find no import of %s in Go, TypeScript, JavaScript or Python files here.", target), false, nil
	}
	var all []string
	for _, p := range slices.Concat(places, tests) {
		all = append(all, where(p.Path, p.Line))
	}
	text = fmt.Sprintf("%s of %s: %s", countOf(n, "import"), target, some(all, most))
	if len(tests) > 0 && len(places) > 0 {
		text += fmt.Sprintf("; %d of all in tests", len(tests))
	}
	return text + "." + used, true, nil
}

// namesUsed says which other files use names that a Go file declares, because in Go nobody imports a file. importers
// are the lines that import its package. It returns "" for other languages and for a file that declares no names.
func namesUsed(ctx context.Context, repo *inspect.Repo, f *inspect.File, importers []inspect.Place) (string, error) {
	data, ok := repo.Text(f.Path)
	if !ok || f.Lang != "Go" {
		return "", nil
	}
	var names []string
	for d := range declarations(f, data) {
		if !d.inside && d.receiver == "" && d.name != "_" && d.name != "init" && d.name != "main" {
			names = append(names, d.name)
		}
	}
	if len(names) == 0 {
		return "", nil
	}
	var files, tests []string
	for g, text := range repo.All(ctx) {
		imports := slices.ContainsFunc(importers, func(p inspect.Place) bool { return p.Path == g.Path })
		near := g.Dir() == f.Dir()
		uses := func(name string) bool {
			return (near || strings.Contains(string(text), "."+name)) && wholeWords(string(text), name) > 0
		}
		switch {
		case g == f || g.Lang != "Go" || !near && !imports || !slices.ContainsFunc(names, uses):
		case g.Test:
			tests = append(tests, g.Path)
		default:
			files = append(files, g.Path)
		}
	}
	text := ""
	switch {
	case len(files) > 0:
		text = plural(len(files), " 1 file uses", " %d files use") + " names that it declares: " + some(files, most)
		if len(tests) > 0 {
			text += "; so " + plural(len(tests), "does 1 test file", "do %d test files")
		}
	case len(tests) > 0:
		text = " Only tests use names that it declares: " + some(tests, most)
	default:
		text = " No other file here uses a name that it declares"
	}
	return text + ".", ctx.Err()
}

// importing returns the lines that import a file, a folder or a named package: places has those of the program, tests
// those of test files.
func (v *view) importing(s subject, target string) (places, tests []inspect.Place, err error) {
	t := xref.Target{File: s.file, Dir: s.dir}
	if !s.placed() {
		t.Name = target
	}
	found, err := xref.Importers(v.ctx, v.review.repo, t)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range found.Refs {
		if r.Test {
			tests = append(tests, r.Place)
		} else {
			places = append(places, r.Place)
		}
	}
	return places, tests, nil
}

// uses says which lines contain a name. It looks for the whole name as the question has it ("inspect.Clip"). If no
// line contains it, it looks for the part after the last dot.
func (v *view) uses(name string) (string, bool, error) {
	for {
		var places, tests []string
		for f, data := range v.review.repo.All(v.ctx) {
			if !inspect.IsCode(f.Lang) || wholeWords(string(data), name) == 0 {
				continue
			}
			for k, line := range inspect.Lines(data) {
				if wholeWords(line, name) == 0 {
					continue
				}
				if f.Test {
					tests = append(tests, where(f.Path, k))
				} else {
					places = append(places, where(f.Path, k))
				}
			}
		}
		if err := v.ctx.Err(); err != nil {
			return "", false, err
		}
		n := len(places) + len(tests)
		if n > 0 {
			return fmt.Sprintf("%s is in %s of code, %d of them in tests: %s.", name, countOf(n, "line"), len(tests),
				some(slices.Concat(places, tests), most)), true, nil
		}
		i := strings.LastIndexByte(name, '.')
		if i < 0 {
			return fmt.Sprintf("No line of code here has the word %s.", name), false, nil
		}
		name = name[i+1:]
	}
}

func wholeWords(text, w string) int {
	n := 0
	for at := 0; ; {
		i := strings.Index(text[at:], w)
		if i < 0 {
			return n
		}
		from, to := at+i, at+i+len(w)
		if (from == 0 || !wordByte(text[from-1])) && (to == len(text) || !wordByte(text[to])) {
			n++
		}
		at = to
	}
}

func wordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}
