package review

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/driver"
	"agentdungeon/server/inspect"
	"agentdungeon/shared/world"
)

// findingsPerTurn is how many findings a hero says in one turn of a council.
const findingsPerTurn = 2

// voices has, for each hero, the sentence in which the hero says what it examines.
var voices = map[string]string{
	"architect":     "I look at how the parts hang together.",
	"sentinel":      "I look for doors left open.",
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

// contribute plays a turn. A hero that has nothing to say about the task says nothing: it passes, and the transcript
// gets no message for its turn. The last turn of the council ends the council with a ranked answer.
func (t *speaker) contribute() error {
	task, s, at := t.turn.Words, t.subject(t.turn.Words), seatOf(t.turn)
	fact, skip, err := t.fact(task, s, at.agent)
	if err != nil {
		return err
	}
	mine, err := t.tellable(s, skip)
	if err != nil {
		return err
	}
	part := roundOf(mine, at.round)
	if at.round == 0 && (fact != "" || len(part) > 0) {
		t.introduce(s)
	}
	if fact != "" {
		t.sayParagraphs(fact)
	}
	t.shareFindings(s, mine, part, at.round)
	if t.turn.N < t.turn.Turns {
		return nil
	}
	return t.rankTold(s, skip)
}

// tellable returns the hero's findings about the subject. It leaves out the finding with the id skip, because
// another turn explains that one.
func (t *speaker) tellable(s subject, skip string) ([]inspect.Finding, error) {
	mine, err := t.ownFindings(s)
	return slices.DeleteFunc(mine, func(f inspect.Finding) bool { return f.ID() == skip }), err
}

// roundOf returns the part of a hero's findings that the hero says in a round. Rounds count from 0.
func roundOf(mine []inspect.Finding, round int) []inspect.Finding {
	from := min(round*findingsPerTurn, len(mine))
	return mine[from:min(from+findingsPerTurn, len(mine))]
}

// introduce begins a member's first turn. It says what the member examines and, if the task names no file or
// folder, what the member notices first.
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

// fact returns one fact about the task, "" for none. All heroes have the same list of facts: the first is the answer
// to the task's question, the others are measurements of the subject. agent, the number of earlier turns of all
// agents, is the index of the fact in this list. skip is the id of the finding that the answer explains, so that no
// turn says that finding again.
func (t *speaker) fact(task string, s subject, agent int) (text, skip string, err error) {
	var facts []answer
	key := ""
	if a := t.route(task, s); a != nil && isQuestion.MatchString(task) {
		switch key = a.key; key {
		case "found": // no fact: each hero says its own findings
		case "why":
			// Every hero must choose the same finding, so call findingMeant on a speaker without a role.
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
		return "", skip, nil
	}
	text, ok, err := facts[agent].measure()
	if err != nil || !ok && (facts[agent].key != key || s.place() == "") {
		return "", skip, err
	}
	return text, skip, nil
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

// shareFindings says the part of the hero's findings that belongs to this round. In the first round it also says how
// many findings remain for later rounds.
func (t *speaker) shareFindings(s subject, mine, part []inspect.Finding, round int) {
	for i := range part {
		f := &part[i]
		if f.Path != "" {
			t.walk(f.Path)
		}
		t.sayf("%s, %s: %s. %s", where(f.Path, f.Line), f.Severity, f.Title, cmp.Or(f.Advice, f.Why))
	}
	if left := len(mine) - len(part); left > 0 && round == 0 {
		at := ""
		if p := s.place(); p != "" {
			at = " on " + p
		}
		t.sayf("I keep %s%s for my next turns.", countOf(left, "more finding"), at)
	}
}

// rankedAtEnd is the number of findings that the last turn of a council lists.
const rankedAtEnd = 5

// rankTold ends a council. It lists the findings that the turns have said, the weightiest first, and says where
// most of them are.
func (t *speaker) rankTold(s subject, skip string) error {
	told, err := t.told(s, skip)
	if err != nil {
		return err
	}
	if len(told) == 0 {
		t.sayf("None of us has a finding%s.", s.in())
		return nil
	}
	counts, dirs := map[string]int{}, map[string]int{}
	var lines []string
	for i, f := range told {
		counts[f.Severity]++
		if f.Path != "" {
			dirs[dirOf(f.Path)]++
		}
		if i < rankedAtEnd {
			lines = append(lines, fmt.Sprintf("%d. %s, %s: %s.", i+1, where(f.Path, f.Line), f.Severity, f.Title))
		}
	}
	text := fmt.Sprintf("In sum: %s%s, %s", countOf(len(told), "finding"), s.in(), severities(counts))
	if top := heaviestOf(dirs, 1); len(top) > 0 && s.file == nil {
		text += fmt.Sprintf(", most in %s (%d)", top[0].label(), top[0].n)
	}
	t.say(text + ". In the order in which I would mend them:")
	t.say(strings.Join(lines, "\n"))
	return nil
}

// told returns the findings that the turns of a council have said, the weightiest first.
func (t *speaker) told(s subject, skip string) ([]inspect.Finding, error) {
	var out []inspect.Finding
	seen := map[string]bool{}
	members := t.turn.Team
	if len(members) == 0 {
		members = []world.Member{{ID: t.turn.Role.ID, Type: world.KindAgent}}
	}
	for i, m := range members {
		if m.Type != world.KindAgent || t.turn.N <= i {
			continue
		}
		other := *t
		if m.ID != t.turn.MemberID {
			other.turn.Role.ID = m.ID
		}
		mine, err := other.tellable(s, skip)
		if err != nil {
			return nil, err
		}
		turns := (t.turn.N-1-i)/len(members) + 1
		for _, f := range mine[:min(turns*findingsPerTurn, len(mine))] {
			if !seen[f.ID()] {
				seen[f.ID()] = true
				out = append(out, f)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b inspect.Finding) int {
		return cmp.Or(inspect.Worse(a, b), strings.Compare(a.ID(), b.ID()))
	})
	return out, nil
}

// seat is the position of a turn in a council.
type seat struct {
	round int // number of earlier turns of this member
	agent int // number of earlier turns of all agents
}

// seatOf returns the position of a turn. Members speak in the order of the team and only completed turns count, so
// the position follows from turn.N. seatOf does not count the turns of people. If the request does not have the
// team, seatOf counts every turn as one of this member: then the council may leave out findings, but says none
// twice.
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
