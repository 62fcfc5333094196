package review

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/xref"
)

// own answers with facts of the hero's own subject, so that heroes who are asked the same do not say the same.
type own struct{ *speaker }

// field is the subject of a hero: the words for what it examines. A question with one of these words is for that hero.
type field struct {
	hero  string
	words *inspect.Regexp
}

var fields = []field{
	{"sentinel", inspect.Pattern(`(?i)\b(secur\w*|secrets?|passwords?|keys?|tokens?|attack\w*|injection|vulnerab\w*)\b`)},
	{"sage", inspect.Pattern(`(?i)\b(tests?|testing|tested|untested|coverage)\b`)},
	{"scout", inspect.Pattern(`(?i)\b(dependenc\w*|versions?|upgrade\w*|librar\w*|packages?)\b`)},
	{"bard", inspect.Pattern(`(?i)\b(docs?|documentation|documented|readme|manual|links?)\b`)},
	{"healer", inspect.Pattern(`(?i)\b(errors?|crash\w*|exceptions?|fail\w*|panics?|locks?|timeouts?)\b`)},
	{"alchemist", inspect.Pattern(`(?i)\b(slow|fast|performance|speed|memory|leaks?)\b`)},
	{"architect", inspect.Pattern(`(?i)\b(architecture|structure|cycles?|design|layers?)\b`)},
	{"archaeologist", inspect.Pattern(`(?i)\b(history|commits?|legacy)\b`)},
	{"cartographer", inspect.Pattern(`(?i)\b(imports?|map|layout)\b`)},
	{"warden", inspect.Pattern(`(?i)\b(apis?|interfaces?|exported|compatib\w*|break\w*)\b`)},
}

// measuring lists the heroes that have something to say without checks.
var measuring = []string{"architect", "archaeologist", "cartographer"}

// near returns the names of the other heroes, at most two, whose subject a question is about.
func (t own) near(question string) (names []string) {
	for _, f := range fields {
		known := len(t.scouts.of(f.hero)) > 0 || slices.Contains(measuring, f.hero)
		if f.hero != t.turn.Role.ID && known && len(names) < 2 && f.words.MatchString(question) {
			names = append(names, name(f.hero))
		}
	}
	return names
}

// mine reports whether a question is about the hero's own subject.
func (t own) mine(question string, s subject) bool { return isField(t.turn.Role.ID, question, s) }

// apart returns a question without the words of the subject's path, which are not words of the question.
func (s subject) apart(question string) string {
	for _, w := range strings.Fields(question) {
		if s.placed() && strings.Contains(w, path.Base(s.place())) {
			question = strings.ReplaceAll(question, w, "")
		}
	}
	return question
}

// isField reports whether a question is about the subject of a hero.
func isField(hero, question string, s subject) bool {
	question = s.apart(question)
	return slices.ContainsFunc(fields, func(f field) bool { return f.hero == hero && f.words.MatchString(question) })
}

// facts says what the hero knows of a file, a folder or the whole repository by its own subject.
func (t own) facts(s subject) (text string, ok bool, err error) {
	if !s.placed() && s.name != "" { // a name stands for the file that defines it
		if _, at := definedAt(t.ctx, t.review.repo, s.name); len(at) == 1 {
			s.file = t.review.repo.File(at[0].path)
		}
	}
	if s.file != nil {
		t.walk(s.file.Path)
		if _, ok := t.review.repo.Text(s.file.Path); !ok {
			return t.about(s), true, t.ctx.Err()
		}
	}
	switch t.turn.Role.ID {
	case "architect":
		text, err = t.structure(s)
	case "cartographer":
		text, err = t.ways(s)
	case "archaeologist":
		text, err = t.past(s)
	case "alchemist":
		text, err = t.weight(s)
	case "sage":
		text, err = t.tested(s)
	default:
		text, err = t.checked(s)
	}
	return text, true, err
}

// structure says how large a place is and what it offers to others.
func (t own) structure(s subject) (string, error) {
	switch {
	case s.file != nil:
		return sizeOf(t.review.repo, s.file) + ".", t.ctx.Err()
	case s.dir != "":
		return t.about(s), t.ctx.Err()
	}
	text, ok, err := figure(t.speaker)
	if !ok {
		text = "No file here imports another one that I can read."
	}
	return t.size("") + " " + text, err
}

// ways says what leads to a place and from it: who imports it, and what it imports.
func (t own) ways(s subject) (string, error) {
	if !s.placed() {
		c := count(t.review.repo)
		return fmt.Sprintf("%s in %s, most below %s.", countOf(len(t.review.repo.Files), "file"), countOf(c.dirs, "folder"),
			list(amounts(heaviestOf(c.tops, 3), ""))), t.ctx.Err()
	}
	if s.file != nil && !inspect.Parses(s.file.Lang) {
		return fmt.Sprintf("I follow imports in Go, TypeScript, JavaScript and Python alone, so I know no way to %s; "+
			"%s can say who changed it.", s.file.Path, name("archaeologist")), t.ctx.Err()
	}
	if s.file == nil {
		text, _, err := t.importers(s, s.dir)
		return text, err
	}
	var names []string
	for _, im := range xref.Imports(t.ctx, t.review.repo, s.file) {
		if !slices.Contains(names, im.Name) {
			names = append(names, im.Name)
		}
	}
	text := s.file.Path + " imports nothing."
	if len(names) > 0 {
		text = fmt.Sprintf("%s imports %s.", s.file.Path, some(names, most))
	}
	used, ok, err := t.dependents(s.file)
	if !ok {
		used = "I find no file that imports " + importedAs(s.file) + "."
	}
	return text + " " + used, err
}

// past says what the history has of a place.
func (t own) past(s subject) (string, error) {
	if t.review.repo.History == nil {
		return fmt.Sprintf("There is no git history here, so I know nothing of the past%s; %s can say what stands there now.",
			s.of(), name("architect")), t.ctx.Err()
	}
	if !s.placed() {
		text, _, err := t.churn("")
		return text, err
	}
	text, _, err := t.changed(s)
	return text, err
}

// weight says how large a file is beside the others, and how often it changes.
func (t own) weight(s subject) (string, error) {
	repo := t.review.repo
	if s.file == nil {
		text := count(repo).largestText()
		if s.dir != "" {
			text = t.size(s.dir)
		}
		return text, t.ctx.Err()
	}
	all := count(repo).byLines
	at := slices.IndexFunc(all, func(f sized) bool { return f.path == s.file.Path })
	text := fmt.Sprintf("%s has %d KB", s.file.Path, (s.file.Size+1023)/1024)
	if at >= 0 {
		text += fmt.Sprintf(" and is number %d of %s by size", at+1, countOf(len(all), "source file"))
	}
	if repo.History != nil {
		if past, ok := repo.History.Past(s.file.Path); ok {
			text += fmt.Sprintf("; %s changed it", countOf(past.Commits, "commit"))
		}
	}
	return text + ".", t.ctx.Err()
}

// tested says which tests a place has, and what the hero's checks find in them.
func (t own) tested(s subject) (string, error) {
	switch {
	case s.file != nil && s.file.Test:
		data, _ := t.review.repo.Text(s.file.Path)
		text, err := t.checked(s)
		return fmt.Sprintf("%s has %s. %s", s.file.Path, countOf(xref.CountTests(s.file.Lang, data), "test"), text), err
	case s.file != nil:
		text, ok, err := t.testsOf(s.file)
		if !ok {
			text = fmt.Sprintf("I find tests of Go, TypeScript, JavaScript and Python alone, so I know none of %s; "+
				"%s can say who changed it.", s.file.Path, name("archaeologist"))
		}
		return text, err
	}
	text, err := t.untested(s)
	if err != nil || len(t.kinds("sage", s)) == 0 {
		return text, err
	}
	found, err := t.checked(s)
	return text + " " + found, err
}

// untested says how many test files a folder or the whole repository has, and which source files no test names.
func (t own) untested(s subject) (string, error) {
	files, of, err := xref.Untested(t.ctx, t.review.repo)
	if err != nil {
		return "", err
	}
	var names []string
	n := 0
	for _, f := range files {
		if s.dir == "" || s.holds(f.Path) {
			names = append(names, f.Path)
		}
	}
	for i := range t.review.repo.Files { // the same files as in a census
		if f := &t.review.repo.Files[i]; f.Test && !f.Vendored && inspect.IsCode(f.Lang) && (s.dir == "" || s.holds(f.Path)) {
			n++
		}
	}
	text := fmt.Sprintf("%s%s.", strings.Replace(countOf(n, "test file"), "0 test files", "No test file", 1), s.in())
	switch {
	case of == 0:
		text += " No source here is in a language whose tests I can find."
	case len(names) == 0:
		text += " Each source file that I can read is named or imported by a test."
	default:
		order := ""
		if len(names) > 1 {
			order = ", the largest first"
		}
		text += fmt.Sprintf(" No test names or imports %s%s: %s.", countOf(len(names), "source file"), order,
			some(names, shownFiles))
	}
	return text, nil
}

// checked says what the hero's checks find at a place, and for what they looked there.
func (t own) checked(s subject) (string, error) {
	kinds := t.kinds(t.turn.Role.ID, s)
	if len(kinds) == 0 {
		return t.blind(s), t.ctx.Err()
	}
	if t.reviewed() {
		return t.posted(s, kinds), t.ctx.Err()
	}
	return t.found(s, kinds)
}

// kinds returns what the checks of a hero look for, of those that can read a place.
func (t own) kinds(hero string, s subject) (kinds []string) {
	repo := t.review.repo
	for _, c := range t.scouts.of(hero) {
		for i := range repo.Files {
			if f := &repo.Files[i]; (!s.placed() || s.holds(f.Path)) && c.Reads(repo, f) {
				kinds = append(kinds, short(c))
				break
			}
		}
	}
	return kinds
}

// blind says that none of the hero's checks reads a place, and who can say something of it.
func (t own) blind(s subject) string {
	what := "nothing here"
	switch {
	case s.file != nil:
		what = "nothing in " + s.file.Path
	case s.dir != "":
		what = "nothing in " + s.dir
	}
	other := "architect"
	if s.file != nil && inspect.Parses(s.file.Lang) {
		other = "cartographer"
	}
	return fmt.Sprintf("My checks can read %s; %s can say more of it.", what, name(other))
}

// posted says what the last review has of the hero at a place.
func (t own) posted(s subject, kinds []string) string {
	var found []string
	mine, _ := t.foundBy(t.turn.Role.ID, s) // no error, because there was a review
	for i := range mine {
		found = append(found, s.told(&mine[i]))
	}
	if len(found) == 0 {
		return fmt.Sprintf("The review, in which I look for %s, reports nothing of mine%s.", some(kinds, shownKinds), s.in())
	}
	return fmt.Sprintf("The review reports %s of mine%s: %s.", countOf(len(found), "finding"), s.in(), listed(found))
}

// shownKinds is the number of kinds of problems that one sentence names.
const shownKinds = 5

// found runs the hero's checks and says what they find at a place.
func (t own) found(s subject, kinds []string) (text string, err error) {
	var found []string
	suspected, unsure := 0, 0
	for _, c := range t.scouts.of(t.turn.Role.ID) {
		res, err := t.run(c, nil)
		if err != nil {
			return "", err
		}
		if res.Err != nil || res.Left > 0 {
			unsure++
		}
		stand, candidates := res.Told()
		for _, f := range stand {
			if !s.placed() || s.meets(&f) {
				found = append(found, s.told(&f))
			}
		}
		for _, f := range candidates {
			if !s.placed() || s.meets(&f) {
				suspected++
			}
		}
	}
	text = fmt.Sprintf("I looked%s for %s, and found none.", t.among(s), some(kinds, shownKinds))
	if len(found) > 0 {
		text = fmt.Sprintf("I looked%s and found %s: %s.", t.among(s), countOf(len(found), "problem"), listed(found))
	}
	if suspected > 0 {
		text += fmt.Sprintf(" %s only suspected.", are(suspected, "more place"))
	}
	if unsure > 0 {
		text += fmt.Sprintf(" %s not finished, so there may be more.", are(unsure, "check"))
	}
	return text, nil
}

// among says where the checks looked: " in x.go", or " in 37 Go files" for the whole repository.
func (t own) among(s subject) string {
	if s.placed() {
		return s.in()
	}
	langs := map[string]int{}
	for i := range t.review.repo.Files {
		f := &t.review.repo.Files[i]
		reads := func(c *inspect.Check) bool { return c.Reads(t.review.repo, f) }
		if inspect.IsCode(f.Lang) && slices.ContainsFunc(t.scouts.of(t.turn.Role.ID), reads) {
			langs[f.Lang]++
		}
	}
	var parts []string
	for _, l := range heaviestOf(langs, shownFiles) {
		parts = append(parts, countOf(l.n, l.name+" file"))
	}
	if len(parts) == 0 {
		return ""
	}
	return " in " + list(parts)
}

// of returns " of" with the file or folder of the subject, "" if it has none.
func (s subject) of() string {
	if !s.placed() {
		return ""
	}
	return " of " + s.place()
}

// sizeOf says how many lines a file has and which names it gives to others, without a full stop.
func sizeOf(repo *inspect.Repo, f *inspect.File) string {
	data, _ := repo.Text(f.Path)
	text := fmt.Sprintf("%s has %s", f.Path, countOf(strings.Count(string(data), "\n"), "line"))
	if f.Lang != "" {
		text += " of " + f.Lang
	}
	names, exported := declaredIn(f, data)
	switch {
	case len(names) == 0 || f.Test:
		return text
	case exported:
		return fmt.Sprintf("%s and exports %s", text, some(names, most))
	}
	return fmt.Sprintf("%s and defines %s", text, some(names, most))
}

// declaredIn returns the names that a file of code declares at its top: the exported ones, if it marks some as such,
// else all. A Go method is not counted, because its type stands for it.
func declaredIn(f *inspect.File, data []byte) (names []string, exported bool) {
	if !inspect.IsCode(f.Lang) {
		return nil, false
	}
	var all []string
	for d := range declarations(f, data) {
		called := d.name == "_" || d.name == "init" && f.Lang == "Go" // nothing else can name it
		if d.inside || d.receiver != "" || called || slices.Contains(all, d.name) {
			continue
		}
		all = append(all, d.name)
		upper := d.name[0] >= 'A' && d.name[0] <= 'Z'
		if f.Lang == "Go" && upper || strings.HasPrefix(inspect.Line(data, d.line), "export ") {
			names = append(names, d.name)
		}
	}
	if len(names) > 0 {
		return names, true
	}
	return all, false
}

// Patterns of questions that ask what the code of a file means, which no measurement answers (asksMeaning; a
// description of the file answers those of asksWhat), and of those that ask where something stands that a hero looks
// for (asksLost).
var (
	asksMeaning = inspect.Pattern(`(?i)\bhow\b|^\W*(please )?(explain|describe)\b|^\W*what (is|does|do)\b|` +
		`(^|[,:]\s*)(does|do|is|are|can|could|should|would|will|has|have)\b`)
	asksWhat = inspect.Pattern(`(?i)^\W*what (is|does|do)\b`)
	asksLost = inspect.Pattern(`(?i)\bwhere\b.*\b(lost|missing|ignored|swallowed|dropped|untested|not|no)\b`)
)

// instead returns the hero's own answer to a question that, for every hero, has the answer a, which is nil for none. It
// returns a if the hero has none of its own.
func (t own) instead(question string, s subject, a *answer) *answer {
	asks := isQuestion.MatchString(question)
	mine := asks && t.mine(question, s)
	facts := &answer{"own", func() (string, bool, error) { return t.facts(s) }}
	switch {
	case a == nil && mine, a != nil && a.key == "where" && mine && asksLost.MatchString(question):
		return facts
	case a == nil || a.key != "about" && a.key != "tests" || asksTests.MatchString(question) || !s.placed():
		return a
	case s.file != nil && a.key == "about":
		return &answer{a.key, func() (string, bool, error) { return t.ofFile(question, s) }}
	case mine:
		return facts
	case s.file != nil && inspect.Parses(s.file.Lang) && !s.file.Test:
		return &answer{a.key, func() (string, bool, error) { return t.testsOf(s.file) }}
	}
	return a
}

// ofFile answers a question about a file that has no answer for every hero: with the hero's own facts or, if the
// question asks what the code means, with what is known of the file, and who could say more.
func (t own) ofFile(question string, s subject) (string, bool, error) {
	if !asksMeaning.MatchString(question) {
		return t.facts(s)
	}
	lead := "What the code there means is beyond me: a person could say it, or a language model, for which the server " +
		"is started with `-model-url`"
	if t.mine(question, s) {
		text, ok, err := t.facts(s)
		return lead + ". " + text, ok, err
	}
	text, err := t.outside(s)
	if asksWhat.MatchString(question) {
		return text, true, err
	}
	if near := t.near(question); len(near) > 0 {
		lead += "; " + list(near) + " can say what the checks find there"
	}
	return lead + ". " + text, true, err
}

// outside says what is known of a file without its meaning: its size and names, who imports it, and its tests.
func (t own) outside(s subject) (string, error) {
	repo := t.review.repo
	data, ok := repo.Text(s.file.Path)
	if !ok {
		return t.about(s), t.ctx.Err()
	}
	text := sizeOf(repo, s.file) + "."
	if at, says := goDoc(s.file, data); at > 0 {
		text = fmt.Sprintf("%s describes its package: %s\n\n%s", where(s.file.Path, at), says, text)
	}
	for _, fact := range []func(*inspect.File) (string, bool, error){t.dependents, t.testsOf} {
		more, ok, err := fact(s.file)
		if err != nil {
			return "", err
		}
		if ok {
			text += " " + strings.Replace(more, ". Tests that import", "; tests that import", 1)
		}
	}
	return text, t.ctx.Err()
}
