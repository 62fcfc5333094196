package review

import (
	"cmp"
	"fmt"
	"slices"

	"agentdungeon/server/driver"
	"agentdungeon/server/dungeon"
	"agentdungeon/server/inspect"
	"agentdungeon/shared/world"
)

// findingsPerTurn is the number of findings that a turn of a council says.
const findingsPerTurn = 2

// voices has, for each hero, the sentence in which the hero says what it examines.
var voices = map[string]string{
	"architect":     "I look at how the parts hang together.",
	"sentinel":      "I look for doors that stand open.",
	"archaeologist": "I dig for what was left behind.",
	"cartographer":  "I look at what lies where.",
	"alchemist":     "I weigh what is slow and what is held too long.",
	"healer":        "I look for what fails in silence.",
	"sage":          "I look at what the tests are worth.",
	"warden":        "I look at what others build upon.",
	"scout":         "I look at what this depends on.",
	"bard":          "I look at what a newcomer is told.",
	oracle:          "I weigh what the others have found.",
}

func (t *speaker) contribute() error {
	task, s, at := t.turn.Words, t.subject(t.turn.Words), seatOf(t.turn)
	if at.round == 0 {
		t.introduce(s)
	}
	spoken, skip, err := t.fact(task, s, at.agent)
	if err != nil {
		return err
	}
	mine, err := t.ownFindings(s)
	if err != nil {
		return err
	}
	mine = slices.DeleteFunc(mine, func(f inspect.Finding) bool { return f.ID() == skip })
	t.shareFindings(s, mine, at.round, spoken)
	if t.turn.N < t.turn.Turns {
		return nil
	}
	t.sumUp(s, mine)
	return nil
}

// introduce begins a member's first turn. It says what the member looks at and, if the task names no place, what
// the member sees first.
func (t *speaker) introduce(s subject) {
	text := voices[t.turn.Role.ID]
	if s.place() == "" && t.turn.Role.ID != oracle {
		words, paths := look(t.turn.Role.ID, t.review.repo, t.scouts.of(t.turn.Role.ID))
		for _, p := range first(paths, 1) {
			t.walk(p)
		}
		text += " " + words
	}
	t.say(text)
}

// fact says one fact about the task. The facts do not depend on the hero: the first fact is the answer to the task's
// question, the others are measurements of the subject. agent is the index of the fact to say. skip is the id of the
// finding that the answer explains, so that no turn says that finding again.
func (t *speaker) fact(task string, s subject, agent int) (spoken bool, skip string, err error) {
	var facts []answer
	key := ""
	if a := t.route(task, s); a != nil && isQuestion.MatchString(task) {
		switch key = a.key; key {
		case "found": // each hero tells its own findings
		case "why":
			// Every hero must choose the same finding, so findingMeant is called on a speaker without a role.
			asked := *t
			asked.turn.Role.ID = ""
			f := asked.findingMeant(task, s)
			if f == nil {
				break
			}
			skip = f.ID
			facts = append(facts, answer{key, func() (string, bool, error) { return t.explain(f) }})
		default:
			facts = append(facts, *a)
		}
	}
	for _, a := range t.measurable(s) {
		if a.key != key && !(a.key == "about" && key == "size") { // the description of a folder includes its size
			facts = append(facts, a)
		}
	}
	if agent >= len(facts) {
		return false, skip, nil
	}
	text, ok, err := facts[agent].measure()
	if err != nil || text == "" || !ok && (facts[agent].key != key || s.place() == "") {
		return false, skip, err
	}
	t.sayParagraphs(text)
	return true, skip, nil
}

// measurable returns the facts about a subject that do not depend on the task.
func (t *speaker) measurable(s subject) []answer {
	changed := answer{"changed", func() (string, bool, error) { return t.changed(s) }}
	imported := answer{"imports", func() (string, bool, error) { return t.importers(s, s.place()) }}
	about := answer{"about", func() (string, bool, error) { return t.about(s), true, t.ctx.Err() }}
	switch {
	case s.file != nil:
		return []answer{changed, imported, about}
	case s.dir != "":
		return []answer{
			about, imported, changed,
			{"churn", func() (string, bool, error) { return t.churn(s.dir) }},
			{"tests", func() (string, bool, error) { return t.tests(s.dir) }},
		}
	case s.name != "":
		return []answer{
			{"where", func() (string, bool, error) { return t.definitions(s.name) }},
			{"uses", func() (string, bool, error) { return t.uses(s.name) }},
		}
	}
	return nil
}

// shareFindings says the hero's own findings of this round, at most findingsPerTurn. If the hero has no findings, or no
// further ones, shareFindings says that.
func (t *speaker) shareFindings(s subject, mine []inspect.Finding, round int, spoken bool) {
	from := min(round*findingsPerTurn, len(mine))
	part := mine[from:min(from+findingsPerTurn, len(mine))]
	for i := range part {
		f := &part[i]
		if f.Path != "" {
			t.walk(f.Path)
		}
		t.sayf("%s, %s: %s. %s", where(f.Path, f.Line), f.Severity, f.Title, cmp.Or(f.Advice, f.Why))
	}
	at := ""
	if p := s.place(); p != "" {
		at = " on " + p
	}
	switch {
	case len(part) > 0:
		if left := len(mine) - from - len(part); left > 0 && round == 0 {
			t.sayf("%s%s I keep for my next turns.", countOf(left, "more finding"), at)
		}
	case len(mine) > 0:
		t.sayf("I have nothing more to add%s: %s told.", at,
			plural(len(mine), "1 finding of mine is", "%d findings of mine are"))
	case round > 0 && spoken: // it has said everything
	case round > 0:
		t.sayf("I have nothing to add%s.", at)
	case t.turn.Role.ID == oracle:
		t.sayf("No finding stands%s, and I weigh only what others found.", at)
	default:
		var names []string
		for _, c := range t.scouts.of(t.turn.Role.ID) {
			names = append(names, short(c))
		}
		t.sayf("I have nothing to report%s: I looked for %s.", at, list(names))
	}
}

// sumUp ends a council with one line of counts.
func (t *speaker) sumUp(s subject, mine []inspect.Finding) {
	all := mine
	whose := "I find"
	if t.reviewed() {
		all, whose = nil, "On the board I count"
		for _, f := range t.standing(s) {
			if p, err := dungeon.DecodePath(f.Path); err == nil {
				all = append(all, inspect.Finding{Severity: f.Severity, Path: p})
			}
		}
	}
	counts, dirs := map[string]int{}, map[string]int{}
	for _, f := range all {
		counts[f.Severity]++
		if f.Path != "" {
			dirs[dirOf(f.Path)]++
		}
	}
	if len(all) == 0 {
		t.sayf("To sum up: %s nothing%s.", whose, s.in())
		return
	}
	text := fmt.Sprintf("To sum up: %s %s%s, %s", whose, countOf(len(all), "finding"), s.in(), severities(counts))
	if top := heaviestOf(dirs, 1); len(top) > 0 && s.file == nil {
		text += fmt.Sprintf("; most in %s (%d)", top[0].label(), top[0].n)
	}
	t.say(text + ".")
}

// seat is the position of a turn in a council.
type seat struct {
	round int // number of this member's turns before
	agent int // number of turns of all agents before
}

// seatOf returns the position of a turn. Members speak in the order of the team and only completed turns count, so the
// position follows from turn.N. seatOf does not count the turns of people. If the request does not have the team,
// seatOf counts every turn as a turn of this member: then some findings may not be said, but none is said twice.
func seatOf(turn driver.Turn) seat {
	before, n := max(turn.N, 1)-1, len(turn.Team)
	me := slices.IndexFunc(turn.Team, func(m world.Member) bool { return m.ID == turn.MemberID })
	if me < 0 || before%n != me {
		return seat{before, before}
	}
	agents, rank := 0, 0
	for i, m := range turn.Team {
		if m.Type != world.KindAgent {
			continue
		}
		if agents++; i < me {
			rank++
		}
	}
	round := before / n
	return seat{round, round*agents + rank}
}
