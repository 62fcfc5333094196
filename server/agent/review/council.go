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

// member plays a hero's turn of a council on a subject.
type member struct {
	*speaker
	on    subject
	taken []string // what the turn has answered to a person
	skip  string   // id of the finding that the answer to the task explains, so that no turn says that finding again
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
	if round < len(facts) && !slices.Contains(m.taken, facts[round]) {
		m.sayParagraphs(facts[round])
	}
	m.shareFindings(mine, round)
	if t.turn.N < t.turn.Turns {
		return nil
	}
	return m.rankAll()
}

// takeUp answers what a person has asked since the hero's last turn: the sentences that name the hero, and those that
// name nobody.
func (m *member) takeUp() error {
	if asked := m.turn.Asked; !strings.Contains(asked, "?") && !isQuestion.MatchString(asked) {
		return nil
	}
	var said []string
	var to []string // the heroes whom the sentence names, else those of the sentence before it
	failed := ""
	for _, p := range divided(m.subject, m.turn.Asked) {
		if in := m.namedIn(p.of); len(in) > 0 {
			to = in
		}
		a := own{m.speaker}.to(p)
		if !m.takes(p, a, to) {
			continue
		}
		text, ok, err := (guide{m.speaker}).beyond(p.text), false, error(nil)
		if a != nil {
			text, ok, err = a.measure()
		}
		switch {
		case err != nil:
			return err
		case ok:
			said = append(said, text)
		case slices.Contains(to, m.turn.Role.ID):
			failed = text
		}
	}
	if len(said) == 0 && failed != "" {
		said = []string{failed}
	}
	m.taken = unsaid(m.turn.Window, said)
	for _, text := range m.taken {
		m.sayParagraphs(text)
	}
	return nil
}

// takes reports whether the hero answers a part of a person's question that has the answer a, nil for none. If the
// subject of some of the named heroes, or else of all, is asked, these answer it, and otherwise the first one. In the
// last turn the hero answers it if nobody has.
func (m *member) takes(p part, a *answer, named []string) bool {
	among := named
	if len(named) == 0 {
		among = agentsOf(m.turn)
	}
	meant := slices.DeleteFunc(slices.Clone(among), func(hero string) bool {
		return !isField(hero, p.text, p.s) && (a == nil || !slices.Contains(owners[a.key], hero))
	})
	switch {
	case len(meant) > 0 && (m.turn.N < m.turn.Turns || len(m.turn.Window) > 0):
		return slices.Contains(meant, m.turn.Role.ID)
	case len(named) > 0:
		return slices.Contains(named, m.turn.Role.ID)
	}
	return len(m.turn.Window) == 0
}

// namedIn returns the heroes of the council that a text names.
func (m *member) namedIn(text string) []string {
	words := wordLike.FindAllString(strings.ToLower(text), maxNamed)
	return slices.DeleteFunc(agentsOf(m.turn), func(hero string) bool { return !slices.Contains(words, hero) })
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
		case len(o.kinds(m.turn.Role.ID, m.on)) == 0 && m.turn.Role.ID != "sage" &&
			!slices.Contains(measuring, m.turn.Role.ID):
			return nil // it can read nothing there
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
		if ok || slices.Contains(asked, all[i].key) && m.on.place() != "" {
			texts = append(texts, text)
		}
	}
	return texts, nil
}

// allFacts returns the facts about the task: first the answers to its questions, whose keys are asked, then
// measurements of the subject.
func (m *member) allFacts() (facts []answer, asked []string) {
	task := m.turn.Words
	for _, p := range divided(m.subject, task) {
		a := m.route(p.text, p.s)
		size := a != nil && a.key == "about" && p.s.file != nil && !asksAbout.MatchString(p.text)
		if a == nil || size || !isQuestion.MatchString(p.text) || slices.Contains(asked, a.key) {
			continue
		}
		asked = append(asked, a.key)
		switch a.key {
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
			facts = append(facts, answer{a.key, func() (string, bool, error) { return m.explain(f) }})
		default:
			facts = append(facts, *a)
		}
	}
	for _, a := range m.measurable(m.on) {
		// The size of a file answers no question, and the description of a folder includes its size.
		size := a.key == "about" &&
			(m.on.file != nil && isQuestion.MatchString(task) || slices.Contains(asked, "size"))
		if !slices.Contains(asked, a.key) && !size {
			facts = append(facts, a)
		}
	}
	return facts, asked
}

// deal returns the agent that says each of the facts, "" for none. A fact of a hero's subject is for that hero alone,
// the answers to questions (asked) are otherwise for the first agent, and the other facts for all in turn.
func deal(facts []answer, asked []string, agents []string) []string {
	out := make([]string, len(facts))
	for i, f := range facts {
		heroes, special := owners[f.key]
		own := slices.IndexFunc(heroes, func(id string) bool { return slices.Contains(agents, id) })
		switch {
		case own >= 0:
			out[i] = heroes[own]
		case slices.Contains(asked, f.key):
			out[i] = agents[0]
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

// rankNone ends a council without findings. It says what the heroes that the task concerns have looked for, unless the
// task asks something else. If nobody has said anything, it says that the task is beyond the scouts.
func (m *member) rankNone() error {
	if _, asked := m.allFacts(); len(asked) > 0 && !slices.Contains(asked, "found") && !slices.Contains(asked, "risk") {
		return nil
	}
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
	case len(looked) == 0 && m.turn.N == 1 && !m.spoken:
		m.say(guide{m.speaker}.beyond(m.turn.Words))
	case len(looked) > 0:
		m.sayf("None of us has a finding%s. These have looked%s: %s.", m.on.in(), m.on.in(), strings.Join(looked, "; "))
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
