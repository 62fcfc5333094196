package review

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/driver"
	"agentdungeon/server/dungeon"
	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/imports"
	"agentdungeon/server/report"
	"agentdungeon/shared/world"
)

// read says which files to read first, in order.
func (t guide) read() (string, bool, error) {
	order, err := t.readingOrder()
	if err != nil {
		return "", false, err
	}
	if len(order) == 0 {
		return "I find no document and no source here that I could send you to.", false, nil
	}
	var steps []string
	for i, s := range order {
		steps = append(steps, fmt.Sprintf("%d. %s, %s", i+1, s.at, s.why))
	}
	t.walk(order[0].path())
	return "Read in this order: " + strings.Join(steps, "; ") + ".", true, nil
}

// step is one entry of a reading list: a path or path:line, and the reason to read it.
type step struct{ at, why string }

func (s step) path() string {
	p, _, _ := strings.Cut(s.at, ":")
	return p
}

// readingOrder returns at most four places to read, the first that exist of: the README, a document that says how the
// program is built, the start of a program, what most files import, what changes most, and the largest source file.
func (t guide) readingOrder() (steps []step, err error) {
	repo := t.review.repo
	c := count(repo)
	add := func(at, why string) {
		next := step{at, why}
		known := slices.ContainsFunc(steps, func(s step) bool { return s.path() == next.path() })
		if !known && len(steps) < 4 {
			steps = append(steps, next)
		}
	}
	if c.readme != "" {
		add(c.readme, "what it is for")
	}
	if p := guideOf(repo); p != "" {
		add(p, "how it is built")
	}
	if e := entries(repo, c); len(e) > 0 {
		add(e[0], "where it starts")
	}
	hub, n, err := t.hub()
	if err != nil {
		return nil, err
	}
	if n > 1 {
		add(hub, fmt.Sprintf("which %d files import", n))
	}
	if repo.History != nil {
		if p, past, ok := c.mostChanged(repo); ok && past.Commits > 1 {
			add(p, "which changes most: "+countOf(past.Commits, "commit"))
		}
	}
	if len(c.byLines) > 0 {
		add(c.byLines[0].path, "the largest source file")
	}
	return steps, nil
}

// guides are the names, without extension, of documents that say how a program is built.
var guides = []string{"architecture", "design", "overview", "hacking", "contributing"}

// guideOf returns the document that says how the program is built, "" for none. If there are several, a name earlier in
// guides counts first, and then a place nearer to the root.
func guideOf(repo *inspect.Repo) string {
	best, rank := "", 0
	for i := range repo.Files {
		f := &repo.Files[i]
		at := slices.Index(guides, strings.ToLower(f.Stem()))
		if at < 0 || f.Lang != "Markdown" || f.Vendored || f.Test {
			continue
		}
		if r := at*10 + strings.Count(f.Path, "/"); best == "" || r < rank {
			best, rank = f.Path, r
		}
	}
	return best
}

var (
	scriptImport = inspect.Pattern(`(?m)\b(?:from|import|require\()\s*\(?['"](\.{1,2}/[^'"\n]+)['"]`)
	pythonImport = inspect.Pattern(`(?m)^\s*(?:from\s+(\.*)([\w.]*)\s+import\b|import\s+([\w.]+))`)
	goImport     = inspect.Pattern(`(?m)^\s*(?:import\s+)?(?:[\w.]+\s+)?"([^"\s]+)"\s*$`)
)

// hub returns the file (in Go, the folder) that the most source files import, and the number of these files.
func (t guide) hub() (string, int, error) {
	repo := t.review.repo
	modules := map[string]string{} // the folder of each Go module
	for i := range repo.Files {
		if f := &repo.Files[i]; f.Base() == "go.mod" && !f.Vendored {
			if m := moduleOf(repo, f); m != "" {
				modules[m] = f.Dir()
			}
		}
	}
	by := map[string]int{}
	for f, data := range repo.All(t.ctx) {
		if f.Test || f.Vendored {
			continue
		}
		for _, to := range t.targets(f, data, modules) {
			if to != f.Path && to != f.Dir() {
				by[to]++
			}
		}
	}
	if err := t.ctx.Err(); err != nil || len(by) == 0 {
		return "", 0, err
	}
	top := heaviestOf(by, 1)[0]
	return top.name, top.n, nil
}

// mostImported says what the most source files import.
func (t guide) mostImported() (string, bool, error) {
	hub, n, err := t.hub()
	if hub == "" || err != nil {
		return "No file here imports another one that I can read.", false, err
	}
	if hub == "." {
		hub = "the package of the root folder"
	}
	return fmt.Sprintf("Nothing is imported by more files than %s: %s.", hub, countOf(n, "file")), true, nil
}

// targets returns the files and folders of the repository that a file imports, without repetitions.
func (t guide) targets(f *inspect.File, data []byte, modules map[string]string) []string {
	var out []string
	repo := t.review.repo
	switch {
	case f.Lang == "Go":
		for _, m := range goImport.FindAllSubmatch(data, -1) {
			for module, dir := range modules {
				if rest, ok := strings.CutPrefix(string(m[1]), module+"/"); ok && repo.HasDir(path.Join(dir, rest)) {
					out = append(out, path.Join(dir, rest))
				}
			}
		}
	case f.Lang == "Python":
		for _, m := range pythonImport.FindAllSubmatch(data, -1) {
			out = append(out, imports.Python(repo, f.Path, len(m[1]), string(m[2])+string(m[3])))
		}
	case slices.Contains(inspect.Scripts, f.Lang):
		for _, m := range scriptImport.FindAllSubmatch(data, -1) {
			out = append(out, imports.Script(repo, f.Dir(), string(m[1])))
		}
	}
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(p string) bool { return p == "" })
}

// risk says which known findings are the weightiest, and which file is both large and changed often.
func (t guide) risk(s subject) (string, bool, error) {
	known, err := t.weightiest(s)
	if err != nil {
		return "", false, err
	}
	suspicion, at := t.suspicion(s)
	text := ""
	switch {
	case len(known.top) > 0:
		text = known.from + countOf(known.n, "finding") + s.in() + " (" + severities(known.counts) + "), first " +
			list(known.top) + "." + suspicion
		at = known.path
	case t.reviewed():
		text = "Nothing is proved" + s.in() + "." + suspicion
	default:
		text = known.from + "nothing" + s.in() + "."
	}
	t.walkPlace(at)
	if p, past, ok := t.hotspot(s); ok {
		text += fmt.Sprintf(" By size and number of changes %s stands out: %s, %d KB.", p, countOf(past.Commits, "commit"),
			(t.review.repo.File(p).Size+1023)/1024)
	}
	return text, true, nil
}

// suspicion returns a sentence about the findings that are only suspected, and the path of the weightiest one; both are
// "" if there are none.
func (t guide) suspicion(s subject) (text, at string) {
	accepted := acceptedIn(t.review.repo, t.turn.Findings)
	suspected := slices.DeleteFunc(t.ranked(), func(f world.Finding) bool {
		posted := report.Posted(&f)
		return f.State() != world.StateSuspected || accepted[f.ID] || s.placed() && !s.meets(&posted)
	})
	if len(suspected) == 0 {
		return "", ""
	}
	f := &suspected[0]
	p, err := dungeon.DecodePath(f.Path)
	if err != nil {
		return "", ""
	}
	title := fmt.Sprintf("%s (%s, %s)", clipWords(f.Title, 14), where(p, f.Line), f.Severity)
	if len(suspected) == 1 {
		return " 1 finding is only suspected; read its line and judge it: " + title + ".", p
	}
	return fmt.Sprintf(" %s only suspected; read their lines and judge them, first %s.", are(len(suspected), "finding"),
		title), p
}

// weighty has the weightiest known findings: the posted ones or, before the first review, those that the hero's own
// checks find now.
type weighty struct {
	from   string // the beginning of a sentence: "The review reports "
	n      int
	counts map[string]int
	top    []string // at most two findings, as text
	path   string   // the file of the first finding
}

func (t guide) weightiest(s subject) (weighty, error) {
	w := weighty{from: "The review reports ", counts: map[string]int{}}
	add := func(title, p string, line int, severity string) {
		w.n++
		w.counts[severity]++
		if len(w.top) < 2 {
			w.top = append(w.top, fmt.Sprintf("%s (%s, %s)", clipWords(title, 14), where(p, line), severity))
		}
		if w.n == 1 {
			w.path = p
		}
	}
	if t.reviewed() {
		for _, f := range t.standing(s) {
			p, err := dungeon.DecodePath(f.Path)
			if err == nil {
				add(f.Title, p, f.Line, f.Severity)
			}
		}
		return w, nil
	}
	w.from = "No review has run, and my own checks find "
	mine, err := t.ownFindings(subject{file: s.file, dir: s.dir})
	for _, f := range mine {
		add(f.Title, f.Path, f.Line, f.Severity)
	}
	return w, err
}

// hotspot returns the source file with the largest product of size and number of commits.
func (t guide) hotspot(s subject) (best string, past inspect.Past, ok bool) {
	h := t.review.repo.History
	if h == nil {
		return "", past, false
	}
	score := int64(0)
	for _, f := range count(t.review.repo).byLines {
		p, known := h.Past(f.path)
		if s.placed() && !s.holds(f.path) || !known || p.Commits < 2 || int64(p.Commits)*f.size <= score ||
			t.review.repo.Generated(t.review.repo.File(f.path)) { // nobody edits what is generated
			continue
		}
		best, past, score = f.path, p, int64(p.Commits)*f.size
	}
	return best, past, best != ""
}

// first says what to do first: the weightiest open quest or, if there is none, the weightiest finding. Without
// findings it names the suspected ones or, if there was no review, proposes a review; then it says what to read first.
func (t guide) first() (string, bool, error) {
	var open []world.Quest
	for _, q := range t.questLog() {
		if q.Status == world.QuestOpen {
			open = append(open, q)
		}
	}
	if len(open) > 0 {
		q := slices.MinFunc(open, func(a, b world.Quest) int {
			return slices.Index(world.Severities, b.Priority) - slices.Index(world.Severities, a.Priority)
		})
		if p, err := dungeon.DecodePath(q.Path); err == nil {
			t.walkPlace(p)
		}
		text := fmt.Sprintf("Take the first quest: %s (%s, %s).", clipWords(q.Title, 18), where(q.Path, q.Line), q.Priority)
		if more := len(open) - 1; more > 0 {
			text += fmt.Sprintf(" %s after it.", are(more, "quest"))
		}
		return text, true, nil
	}
	known, err := t.weightiest(subject{})
	if err != nil {
		return "", false, err
	}
	switch {
	case len(known.top) > 0 && t.reviewed():
		t.walkPlace(known.path)
		return "Look at the weightiest finding: " + known.top[0] + ".", true, nil
	case len(known.top) > 0:
		t.walkPlace(known.path)
		return "Start a code review: its scouts look at more than I do. Of what I see myself the weightiest is " +
			known.top[0] + ".", true, nil
	}
	text := "Start a code review: its scouts look at more than I do, and my own checks find nothing."
	if t.reviewed() {
		suspicion, at := t.suspicion(subject{})
		t.walkPlace(at)
		text = "Nothing is proved and no quest is open." + suspicion
	}
	return t.meanwhile(text)
}

// meanwhile adds to a text which file is the riskiest to change, and what to read first.
func (t guide) meanwhile(text string) (string, bool, error) {
	if p, past, ok := t.hotspot(subject{}); ok {
		text += fmt.Sprintf(" The riskiest file to change is %s: %s, %d KB.", p, countOf(past.Commits, "commit"),
			(t.review.repo.File(p).Size+1023)/1024)
	}
	order, err := t.readingOrder()
	if err != nil {
		return "", false, err
	}
	if len(order) > 0 {
		text += fmt.Sprintf(" Read first: %s, %s.", order[0].at, order[0].why)
	}
	return text, true, nil
}

// knows says who made the most changes to a file, to a folder, or to the whole repository.
func (t guide) knows(s subject) (string, bool, error) {
	h := t.review.repo.History
	if h == nil {
		return "There is no git history here, so I cannot say who knows this code.", false, nil
	}
	a, ok := h.(inspect.Authorship)
	at := ""
	if s.placed() {
		at = s.place()
	}
	var who []inspect.Authored
	if ok {
		who = a.Authors(at)
	}
	if len(who) == 0 {
		return fmt.Sprintf("No commit that I can read changed a file%s, so I cannot say who knows it.", s.in()), false, nil
	}
	sum := 0
	for _, w := range who {
		sum += w.Changes
	}
	var parts []string
	for _, w := range who[:min(3, len(who))] {
		parts = append(parts, fmt.Sprintf("%s (%d, the last on %s)", w.Name, w.Changes, w.Last.Format(day)))
	}
	n, _ := h.Commits()
	text := fmt.Sprintf("By changes of files%s: %s, of %d by %s in %s.", s.in(), list(parts), sum,
		plural(len(who), "one person", "%d people"), countOf(n, "commit"))
	if len(who) == 1 {
		text = fmt.Sprintf("Only %s: all %d changes of files%s, the last on %s.", who[0].Name, sum, s.in(),
			who[0].Last.Format(day))
	}
	return text, true, nil
}

// walkPlace makes the hero walk to a place that a finding names; "" is the whole repository.
func (t guide) walkPlace(p string) {
	if t.review.repo.File(p) != nil {
		t.walk(p)
	}
}

// asksDecided matches questions about what processes of the realm have come to.
var asksDecided = inspect.Pattern(`(?i)\bwhat\b.*\b(we|they|team|group|everybody|everyone|people|brainstorm\w*|` +
	`process|session|discussion|workshop|meeting)\b.*` +
	`\b(decid\w+|agree\w*|conclu\w+|choo?se\w*|settled?|c[ao]me (up|to|out)|brought|produced?|made)\b|` +
	`\b(was|were|is|been|anything|something) (already )?(decided|agreed)\b|` +
	`^\W*((what|which)('s| is| was| are| were)|show me|tell me|give me)? ?(the |our |your )?` +
	`(last |latest |final )?(decisions?|conclusions?|outcomes?|results?)` +
	`( (of|from) (the|our|that|this|last|a) ([\w-]+ )*` +
	`(brainstorm\w*|process\w*|session|discussion|workshop|meeting|review|retrospective))?\W*$|` +
	`\bhow did (the|our|that|this) ([\w-]+ )*(brainstorm\w*|process|session|discussion|workshop|meeting) (go|end)\b`)

// shownResult is the maximum size of the result that an answer quotes, in bytes. The link leads to the whole.
const shownResult = 4 << 10

// results answers what processes of the realm that have ended have come to. It needs no repository, except to sum up a
// review.
type results struct{ *view }

// text says what a process has come to: the one that the question names or, if it names none, the last one that is no
// review or, if all are reviews, the last one. It names the others, and then quotes the result.
func (t results) text(question string) (string, error) {
	all := t.turn.Ended
	if len(all) == 0 {
		return "No process of this realm has ended yet, so I know of no decision.", nil
	}
	at := t.meant(question)
	text, result, err := t.of(&all[at])
	var others []string
	for i, e := range slices.Backward(all) {
		if i != at {
			others = append(others, fmt.Sprintf("[%s](%s)", cmp.Or(e.Name, "an earlier process"), e.Address))
		}
	}
	if len(others) > 0 {
		text += " Other results: " + list(others) + "."
	}
	return text + result, err
}

func (t results) meant(question string) int {
	all := t.turn.Ended
	question = strings.ToLower(question)
	last := len(all) - 1
	for i, e := range slices.Backward(all) {
		for w := range strings.FieldsSeq(strings.ToLower(e.Name)) {
			if len(w) > 4 && strings.Contains(question, w) {
				return i
			}
		}
		if isReview(&all[last]) && !isReview(&e) {
			last = i
		}
	}
	return last
}

func isReview(e *driver.Ended) bool {
	return slices.ContainsFunc(e.Artifacts, func(a world.Artifact) bool { return a.Coverage != nil })
}

// of says what one process is, with a link, and returns its result. The result is quoted word for word, so that an
// erasure of a person finds their words (world.Redactor).
func (t results) of(e *driver.Ended) (text, result string, err error) {
	text = "The process \"" + e.Name + "\""
	if e.Name == "" {
		text = "An earlier process"
		if n := len(e.Artifacts); n > 0 {
			text += ", of " + e.Artifacts[n-1].At.Go().UTC().Format(day) + ","
		}
	}
	text += " has ended"
	if e.Early {
		text += " before its last stage"
	}
	if e.Problem != "" && !isReview(e) {
		text += ". Its question was: " + ended(clipWords(e.Problem, 40))
	} else {
		text += "."
	}
	link := fmt.Sprintf(" [The whole result](%s) has more.", e.Address)
	switch {
	case len(e.Artifacts) == 0:
		return text + " It left no result.", "", nil
	case isReview(e) && t.review != nil:
		known, err := guide{&speaker{view: *t.view}}.weightiest(subject{})
		found := "nothing"
		if known.n > 0 {
			found = fmt.Sprintf("%s (%s), first %s", countOf(known.n, "finding"), severities(known.counts), list(known.top))
		}
		return fmt.Sprintf("%s %s%s.%s", text, known.from, found, link), "", err
	}
	for _, a := range e.Artifacts {
		short, cut := world.Cut(strings.TrimSpace(a.Text), shownResult/len(e.Artifacts))
		if cut {
			short = strings.TrimSpace(short[:cmp.Or(strings.LastIndexAny(short, " \n")+1, len(short))]) + "…"
		}
		result += "\n\n**" + upper(strings.NewReplacer("_", " ", "-", " ").Replace(a.Name)) + "**\n\n" + short
	}
	return text + link, result, nil
}
