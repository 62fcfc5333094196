package review

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/driver"
	"agentdungeon/server/inspect"
	"agentdungeon/server/report"
	"agentdungeon/shared/world"
)

// findingsPerTurn is how many findings a hero says in one turn of a council.
const findingsPerTurn = 2

// member plays a hero's turn of a council on a subject.
type member struct {
	*speaker
	on   subject
	skip string // id of the finding that the answer to the task explains, so that no turn says that finding again
}

// contribute plays the turn. A hero that has nothing more to say about the task passes: the transcript gets no message,
// and the turn does not count. The last turn of the council ends the council with a ranked answer.
func (t *speaker) contribute() error {
	m := member{speaker: t, on: t.subject(t.turn.Words)}
	round := t.turn.Own
	facts, err := m.facts()
	if err != nil {
		return err
	}
	mine, err := m.findingsOf(t.turn.Role.ID)
	if err != nil {
		return err
	}
	if err := m.takeUp(); err != nil {
		return err
	}
	if round == 0 && t.turn.Role.ID != oracle {
		if err := m.begin(mine); err != nil {
			return err
		}
	}
	if round < len(facts) {
		m.sayParagraphs(facts[round])
	}
	m.shareFindings(mine, round)
	if t.turn.N < t.turn.Turns {
		return nil
	}
	return m.rankAll()
}

// takeUp answers a question that a person has asked the hero by its name since its last turn.
func (m *member) takeUp() error {
	asked := m.turn.Asked
	if !strings.Contains(asked, "?") && !isQuestion.MatchString(asked) {
		return nil
	}
	text, _, err := m.reply(asked)
	if err == nil {
		m.sayParagraphs(text)
	}
	return err
}

// begin says what the hero has to say first: if the task has words of its subject, its facts about the place that the
// task names, or else what it notices in the repository. mine are its findings, which it says itself. It says nothing
// if the task is about the subject of others.
func (m *member) begin(mine []inspect.Finding) error {
	if m.turn.Asked != "" || m.on.name != "" {
		return nil
	}
	o := own{m.speaker}
	if o.mine(m.turn.Words, m.on) {
		facts := func() (string, error) { text, _, err := o.facts(m.on); return text, err }
		switch {
		case m.on.placed() && slices.Contains(dealt, m.turn.Role.ID):
			return nil // the facts of the place are dealt to it
		case m.turn.Role.ID == "sage" && len(mine) > 0:
			facts = func() (string, error) { return o.untested(m.on) }
		case len(mine) > 0 && !slices.Contains(measuring, m.turn.Role.ID):
			return nil // its findings are its answer
		}
		text, err := facts()
		if err == nil {
			m.sayParagraphs(text)
		}
		return err
	}
	if m.on.place() == "" && len(m.meant()) == 0 {
		m.notice()
	}
	return nil
}

// meant returns the heroes of the council whose subject the task is about.
func (m *member) meant() []string {
	return slices.DeleteFunc(agentsOf(m.turn), func(hero string) bool { return !isField(hero, m.turn.Words, m.on) })
}

// notice says what the hero notices first in the repository.
func (m *member) notice() {
	words, paths := look(m.turn.Role.ID, m.review.repo, m.scouts.of(m.turn.Role.ID))
	for _, p := range first(paths, 1) {
		m.walk(p)
	}
	m.say(words)
}

// findingsOf returns the findings of a hero about the subject.
func (m *member) findingsOf(hero string) ([]inspect.Finding, error) {
	v := m.view
	v.turn.Role.ID = hero
	out, err := v.ownFindings(m.on)
	return slices.DeleteFunc(out, func(f inspect.Finding) bool { return f.ID() == m.skip }), err
}

// owners names the heroes whose subject a fact is, the nearest first.
var owners = map[string][]string{
	"changed": {"archaeologist"},
	"churn":   {"archaeologist", "alchemist"},
	"imports": {"architect", "scout", "warden"},
	"tests":   {"sage"},
}

// dealt lists the heroes that own a fact about each file and folder.
var dealt = []string{"archaeologist", "architect", "sage"}

// facts returns the facts about the task that the hero says, in the order of its turns.
func (m *member) facts() (texts []string, err error) {
	all, asked := m.allFacts()
	for i, agent := range deal(all, asked, agentsOf(m.turn)) {
		if agent != m.turn.Role.ID {
			continue
		}
		text, ok, err := all[i].measure()
		if err != nil {
			return nil, err
		}
		if ok || all[i].key == asked && m.on.place() != "" {
			texts = append(texts, text)
		}
	}
	return texts, nil
}

// allFacts returns the facts about the task: first the answer to its question, whose key is asked, then measurements of
// the subject.
func (m *member) allFacts() (facts []answer, asked string) {
	task := m.turn.Words
	if a := m.route(task, m.on); a != nil && isQuestion.MatchString(task) {
		switch asked = a.key; asked {
		case "found": // no fact: each hero says its own findings
		case "why":
			// Every hero must choose the same finding, so call findingMeant on a view without a role.
			v := m.view
			v.turn.Role.ID = ""
			f := v.findingMeant(task, m.on)
			if f == nil {
				break
			}
			m.skip = f.ID
			facts = append(facts, answer{asked, func() (string, bool, error) { return m.explain(f) }})
		default:
			facts = append(facts, *a)
		}
	}
	for _, a := range m.measurable(m.on) {
		if a.key != asked && !(a.key == "about" && asked == "size") { // the description of a folder includes its size
			facts = append(facts, a)
		}
	}
	return facts, asked
}

// deal returns the agent that says each of the facts, "" for none. The first agent answers the question, whose fact has
// the key asked. A fact of a hero's subject is for that hero alone, and the other facts are for all in turn.
func deal(facts []answer, asked string, agents []string) []string {
	out := make([]string, len(facts))
	for i, f := range facts {
		heroes, special := owners[f.key]
		own := slices.IndexFunc(heroes, func(id string) bool { return slices.Contains(agents, id) })
		switch {
		case f.key == asked:
			out[i] = agents[0]
		case own >= 0:
			out[i] = heroes[own]
		case !special:
			out[i] = agents[i%len(agents)]
		}
	}
	return out
}

// agentsOf returns the heroes of a council in the order in which they speak, without a team the turn's hero alone.
func agentsOf(turn driver.Turn) []string {
	var out []string
	for _, m := range turn.Team {
		if m.Type == world.KindAgent {
			out = append(out, m.ID)
		}
	}
	if !slices.Contains(out, turn.Role.ID) {
		return []string{turn.Role.ID}
	}
	return out
}

// measurable returns the facts about a subject that do not depend on the task.
func (m *member) measurable(s subject) []answer {
	changed := answer{"changed", func() (string, bool, error) { return m.changed(s) }}
	imported := answer{"imports", func() (string, bool, error) { return m.importers(s, s.place()) }}
	about := answer{"about", func() (string, bool, error) { return m.about(s), true, m.ctx.Err() }}
	switch {
	case s.file != nil:
		tests := answer{"tests", func() (string, bool, error) { return m.testsOf(s.file) }}
		return []answer{about, changed, imported, tests}
	case s.dir != "":
		return []answer{
			about, imported, changed,
			{"churn", func() (string, bool, error) { return m.churn(s.dir) }},
			{"tests", func() (string, bool, error) { return m.tests(s.dir) }},
		}
	case s.name != "":
		return []answer{
			{"where", func() (string, bool, error) { return m.definitions(s.name) }},
			{"uses", func() (string, bool, error) { return m.uses(s.name) }},
		}
	}
	return nil
}

// shareFindings says those of the hero's findings that belong to this round; rounds count from 0. In the first round it
// also says how many findings remain for later rounds.
func (m *member) shareFindings(mine []inspect.Finding, round int) {
	from := min(round*findingsPerTurn, len(mine))
	part := mine[from:min(from+findingsPerTurn, len(mine))]
	for _, f := range part {
		if f.Path != "" {
			m.walk(f.Path)
		}
		m.sayf("%s, %s: %s. %s", where(f.Path, f.Line), f.Severity, f.Title, cmp.Or(f.Advice, f.Why))
	}
	if left := len(mine) - len(part); left > 0 && round == 0 {
		m.sayf("I keep %s%s for my next turns.", countOf(left, "more finding"), m.on.in())
	}
}

// rankedAtEnd is the number of findings that the last turn of a council lists.
const rankedAtEnd = 5

// rankAll ends a council. It lists the findings of all its heroes, the weightiest first, and says where most of them
// are and which heroes have none.
func (m *member) rankAll() error {
	all, without, err := m.findingsOfAll()
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return m.rankNone()
	}
	counts, dirs := map[string]int{}, map[string]int{}
	var lines []string
	for i, f := range all {
		counts[f.Severity]++
		if f.Path != "" {
			dirs[dirOf(f.Path)]++
		}
		if i < rankedAtEnd {
			lines = append(lines, fmt.Sprintf("%d. %s, %s: %s.", i+1, where(f.Path, f.Line), f.Severity, f.Title))
		}
	}
	text := fmt.Sprintf("In sum: %s%s, %s", countOf(len(all), "finding"), m.on.in(), severities(counts))
	if top := heaviestOf(dirs, 1); len(top) > 0 && m.on.file == nil {
		text += fmt.Sprintf(", most in %s (%d)", top[0].label(), top[0].n)
	}
	m.say(text + ". In the order in which I would mend them:")
	m.say(strings.Join(lines, "\n"))
	if len(without) > 0 {
		m.sayf("Without a finding%s: %s.", m.on.in(), list(without))
	}
	return nil
}

// rankNone ends a council without findings. It says what the heroes have looked for at the place that the task names.
// If the task names none but has words of the subject of some, it says for what these have looked; else it says what
// the checks can read here.
func (m *member) rankNone() error {
	text := "None of us has a finding" + m.on.in() + "."
	heroes := agentsOf(m.turn)
	if !m.on.placed() {
		heroes = m.meant()
	}
	var looked []string
	for _, hero := range heroes {
		if kinds := (own{m.speaker}).kinds(hero, m.on); len(kinds) > 0 {
			looked = append(looked, fmt.Sprintf("%s for %s", name(hero), some(kinds, shownKinds)))
		}
	}
	switch {
	case len(looked) > 0:
		m.say(text + " These have looked" + m.on.in() + ": " + strings.Join(looked, "; ") + ".")
	case m.on.placed():
		m.say(text + " No check of ours can read it.")
	default:
		seen, err := m.scouts.coverage(m.ctx, m.turn, m.review)
		if err != nil {
			return err
		}
		m.say(text + " What we can read here. " + strings.Join(report.CoverageRead(&seen.Coverage), " "))
	}
	return m.ctx.Err()
}

// findingsOfAll returns the findings of the council's heroes, the weightiest first, and the names of the heroes that
// have none.
func (m *member) findingsOfAll() (all []inspect.Finding, without []string, err error) {
	seen := map[string]bool{}
	for _, id := range agentsOf(m.turn) {
		mine, err := m.findingsOf(id)
		if err != nil {
			return nil, nil, err
		}
		if len(mine) == 0 && id != oracle {
			without = append(without, name(id))
		}
		for _, f := range mine {
			if !seen[f.ID()] {
				seen[f.ID()] = true
				all = append(all, f)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b inspect.Finding) int {
		return cmp.Or(inspect.Worse(a, b), strings.Compare(a.ID(), b.ID()))
	})
	return all, without, nil
}
