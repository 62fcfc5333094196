package scout

import (
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"agentdungeon/server/dungeon"
	"agentdungeon/server/inspect"
	"agentdungeon/server/realm"
	"agentdungeon/shared/world"
)

// Ask answers a person's question from what can be measured, or says that it cannot.
func (d driver) Ask(ctx context.Context, turn realm.TurnRequest, question string, emit func(realm.Chunk) error) error {
	// A view of its own: the answer is about what lies there now.
	key := turn.RealmID + "/" + turn.RequestID + "/question"
	t, done, err := d.begin(ctx, key, turn, emit)
	if err != nil {
		return err
	}
	defer d.scouts.drop(key)
	defer done()
	if err := t.answer(question); err != nil {
		return err
	}
	return ctx.Err()
}

const beyond = "That is beyond me. I can say who changed a file or a line last, what imports a file or a package, where a name is defined, what was found in a file, and why a finding has its severity."

// Questions that a scout understands, by words in them.
var (
	asksWho     = regexp.MustCompile(`(?i)\bwho\b.*\b(changed?|touched|wrote|edited|last)\b`)
	asksImports = regexp.MustCompile(`(?i)\b(imports?|uses?|depends? on|requires?)\b`)
	asksWhy     = regexp.MustCompile(`(?i)\bwhy\b`)
	asksWhere   = regexp.MustCompile(`(?i)\bwhere\b.*\b(is|are)\b`)
	asksFound   = regexp.MustCompile(`(?i)\b(found|findings?|wrong|problems?|issues?)\b`)
	wordLike    = regexp.MustCompile(`[\p{L}\p{N}_@./\\-]+`)
)

// most is how many places an answer names.
const most = 8

func (t *teller) answer(question string) error {
	file, line := t.named(question)
	switch {
	case asksWho.MatchString(question):
		return t.whoChanged(file, line)
	case asksWhy.MatchString(question):
		return t.whySevere(question, file)
	case asksWhere.MatchString(question):
		return t.whereIs(question)
	case asksImports.MatchString(question):
		return t.whatImports(question, file)
	case asksFound.MatchString(question):
		return t.whatIsFound(file)
	}
	return t.say(beyond)
}

// named finds the file that a question names, by its path or the end of it, and the
// line behind a colon.
func (t *teller) named(question string) (file *inspect.File, line int) {
	for _, w := range strings.Fields(question) {
		w = strings.Trim(w, "\"'`?,;()")
		w = strings.TrimRight(w, ".!")
		if p, n, ok := strings.Cut(w, ":"); ok {
			if k, err := strconv.Atoi(n); err == nil {
				w, line = p, k
			}
		}
		if w == "" {
			continue
		}
		if f := t.review.repo.File(w); f != nil {
			return f, line
		}
		var hit *inspect.File
		hits := 0
		for i := range t.review.repo.Files {
			f := &t.review.repo.Files[i]
			if strings.HasSuffix(f.Path, "/"+w) && strings.Contains(path.Base(w), ".") {
				hit, hits = f, hits+1
			}
		}
		if hits == 1 {
			return hit, line
		}
	}
	return nil, line
}

func (t *teller) whoChanged(f *inspect.File, line int) error {
	h := t.review.repo.History
	switch {
	case h == nil:
		return t.say("There is no git history here, so I cannot say who changed what.")
	case f == nil:
		return t.say("Name the file by its path, and I look it up.")
	}
	if err := t.walk(f.Path); err != nil {
		return err
	}
	if line > 0 {
		a, err := h.Blame(t.ctx, f.Path, line)
		if err != nil {
			return t.sayf("%s: %v.", where(f.Path, line), err)
		}
		return t.sayf("%s was last changed by %s on %s.", where(f.Path, line), a.Name, a.At.Format("2 January 2006"))
	}
	data, ok := t.review.repo.Text(f.Path)
	if !ok {
		return t.sayf("I cannot read %s as text.", f.Path)
	}
	var newest inspect.Author
	at, open := 0, 0
	for n := range inspect.Lines(data) {
		a, err := h.Blame(t.ctx, f.Path, n)
		switch {
		case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
			return err
		case err != nil:
			open++
		case at == 0 || a.At.After(newest.At):
			newest, at = a, n
		}
	}
	if at == 0 {
		return t.sayf("No line of %s stands in a commit that I can read.", f.Path)
	}
	text := fmt.Sprintf("Of the lines that stand in %s today the newest is line %d, by %s on %s.", f.Path, at, newest.Name, newest.At.Format("2 January 2006"))
	if past, ok := h.Past(f.Path); ok {
		text += fmt.Sprintf(" %s by %s since %s.", countOf(past.Commits, "commit"), people(past.Authors), past.First.Format("January 2006"))
	}
	if open > 0 {
		text += fmt.Sprintf(" %s stand in no commit.", countOf(open, "line"))
	}
	return t.say(text)
}

func people(n int) string {
	if n == 1 {
		return "one person"
	}
	return fmt.Sprintf("%d people", n)
}

// imported are lines that name another file or package, by language.
var (
	scriptImport = regexp.MustCompile(`(?:from|import|require\()\s*['"]([^'"]+)['"]`)
	imported     = map[string]*regexp.Regexp{
		"Go":         regexp.MustCompile(`^\s*(?:import\s+)?(?:[\w.]+\s+)?"([^"]+)"`),
		"TypeScript": scriptImport, "TSX": scriptImport, "JavaScript": scriptImport,
		"Python": regexp.MustCompile(`^\s*(?:from|import)\s+([\w.]+)`),
	}
)

func (t *teller) whatImports(question string, f *inspect.File) error {
	target := ""
	if f != nil {
		target = f.Path
	} else if words := wordLike.FindAllString(question, -1); len(words) > 0 {
		target = strings.TrimRight(words[len(words)-1], ".")
	}
	if target == "" {
		return t.say("Name the file or the package, and I look who imports it.")
	}
	stem := target
	switch {
	case f != nil && f.Lang == "Go":
		stem = f.Dir() // Go imports folders
	case f != nil:
		stem = strings.TrimSuffix(target, path.Ext(target))
	}
	var places []string
	n := 0
	for g, data := range t.review.repo.All(t.ctx) {
		re := imported[g.Lang]
		if re == nil || f != nil && g.Path == f.Path {
			continue
		}
		for k, line := range inspect.Lines(data) {
			m := re.FindStringSubmatch(line)
			if m == nil || !names(m[1], stem, g) {
				continue
			}
			if n++; len(places) < most {
				places = append(places, where(g.Path, k))
			}
		}
	}
	if err := t.ctx.Err(); err != nil {
		return err
	}
	if n == 0 {
		return t.sayf("I find no import of %s in Go, TypeScript, JavaScript or Python files here.", target)
	}
	text := fmt.Sprintf("%s of %s: %s", countOf(n, "import"), target, list(places))
	if n > len(places) {
		text += fmt.Sprintf(", and %d more", n-len(places))
	}
	return t.say(text + ".")
}

// names says whether what a file imports is the thing: a path that ends with it, a
// relative one that leads to it, a package of that name.
func names(spec, stem string, from *inspect.File) bool {
	if strings.HasPrefix(spec, ".") && strings.Contains(spec, "/") {
		to := path.Join(from.Dir(), spec)
		return to == stem || strings.TrimSuffix(to, path.Ext(to)) == stem || path.Join(to, "index") == stem
	}
	if from.Lang == "Python" {
		spec = strings.ReplaceAll(spec, ".", "/")
		stem = strings.TrimSuffix(strings.ReplaceAll(stem, ".", "/"), "/__init__")
	}
	return spec == stem || stem != "" && strings.HasSuffix(spec, "/"+stem)
}

var defined = regexp.MustCompile(`^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:func(?:\s*\([^)]*\))?|type|class|interface|def|function|const|var|let|struct|enum)\s+([A-Za-z_]\w*)`)

func (t *teller) whereIs(question string) error {
	for _, w := range slices.Backward(wordLike.FindAllString(question, -1)) {
		w = w[strings.LastIndexByte(w, '.')+1:]
		var places []string
		n := 0
		for f, data := range t.review.repo.All(t.ctx) {
			if !code[f.Lang] || !strings.Contains(string(data), w) {
				continue
			}
			for k, line := range inspect.Lines(data) {
				if m := defined.FindStringSubmatch(line); m != nil && m[1] == w {
					if n++; len(places) < most {
						places = append(places, where(f.Path, k))
					}
				}
			}
		}
		if err := t.ctx.Err(); err != nil {
			return err
		}
		if n > 0 {
			text := fmt.Sprintf("%s is defined at %s", w, list(places))
			if n > len(places) {
				text += fmt.Sprintf(", and at %d more places", n-len(places))
			}
			return t.say(text + ".")
		}
	}
	return t.say("I find no definition of that name here.")
}

// whySevere explains the finding that the question names by its file, its id or words of
// its title; without any, the hero's worst.
func (t *teller) whySevere(question string, file *inspect.File) error {
	f := t.meant(question, file)
	if f == nil {
		return t.say("I know no finding that this could be about.")
	}
	text := fmt.Sprintf("%s (%s) is %s. ", f.Title, where(f.Path, f.Line), f.Severity)
	if i := slices.IndexFunc(t.scouts.checks, func(c inspect.Check) bool { return c.ID == f.Check }); i >= 0 {
		text += "The rule: " + t.scouts.checks[i].Rule + " "
	}
	if f.Why != "" {
		text += f.Why + " "
	}
	if f.Withdrawn != "" {
		text += "It was withdrawn: " + f.Withdrawn + ". "
	}
	if err := t.visit(f); err != nil {
		return err
	}
	if err := t.say(strings.TrimSpace(text)); err != nil {
		return err
	}
	if f.Evidence != "" {
		return t.say("What stands there: " + f.Evidence)
	}
	return nil
}

func (t *teller) meant(question string, file *inspect.File) *world.Finding {
	var best *world.Finding
	score := 0
	for _, f := range t.ranked() {
		s := 0
		switch {
		case strings.Contains(question, f.ID):
			s = 100
		case file != nil && f.Path == dungeon.EncodePath(file.Path):
			s = 10
		case f.AgentID == t.turn.Role.ID:
			s = 1
		}
		for _, w := range wordLike.FindAllString(question, -1) {
			if len(w) > 4 && strings.Contains(strings.ToLower(f.Title), strings.ToLower(w)) {
				s += 3
			}
		}
		if s > score { // of equal ones the weightiest, which comes first
			best, score = &f, s
		}
	}
	return best
}

func (t *teller) whatIsFound(file *inspect.File) error {
	var told []string
	n := 0
	for _, f := range t.ranked() {
		if f.Withdrawn != "" || file != nil && f.Path != dungeon.EncodePath(file.Path) || file == nil && f.AgentID != t.turn.Role.ID {
			continue
		}
		if n++; len(told) < most {
			told = append(told, fmt.Sprintf("%s (%s, %s)", f.Title, where(f.Path, f.Line), f.Severity))
		}
	}
	switch {
	case n == 0 && file != nil:
		return t.sayf("Nothing was found in %s.", file.Path)
	case n == 0:
		return t.say("I have found nothing.")
	}
	text := countOf(n, "finding") + ": " + strings.Join(told, "; ")
	if n > len(told) {
		text += fmt.Sprintf("; and %d more", n-len(told))
	}
	return t.say(text + ".")
}
