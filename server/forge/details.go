package forge

import (
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/skill"
)

// purpose handles the purpose. It asks again if the purpose is too short, and looks for existing skills.
func (s gathering) purpose(text string) {
	whole := text
	text = tidy(text, maxPurpose)
	s.shortened(whole, text)
	if s.c.State != GatheringPurpose {
		s.to(GatheringPurpose, "the purpose is wanted")
	}
	if text == "" || nudges(text) || says(text, noWords) {
		if s.c.SkillPurpose == "" {
			s.askPurpose()
			return
		}
		text = s.c.SkillPurpose
	} else if old := s.c.SkillPurpose; old != "" && old != text && brief(old) {
		text = tidy(old+": "+text, maxPurpose)
	}
	s.c.SkillPurpose = text
	if brief(text) {
		if s.ask(Question{Topic: topicPurpose, Words: true,
			Text: quote(text) + " is not yet a task. What should an agent do with it, and what should come out?"}) {
			return
		}
	}
	s.to(CheckingExisting, "the purpose is known")
	s.check()
}

// wanted handles the answer that says what the skill is to do, in words or as a proposal that was chosen.
func (s gathering) wanted(in said) {
	switch {
	case len(in.picks) > 0:
		in.text = in.picks[0].value()
	case makeSkill.MatchString(in.text), makeSkillGerman.MatchString(in.text):
		in.text = intent(in.text)
	}
	s.purpose(in.text)
}

// brief reports whether a purpose is too short for a task.
func brief(purpose string) bool { return len(strings.Fields(purpose)) < 3 }

// check offers existing skills before a new one is made (S1-B5).
func (s gathering) check() {
	var found []Match
	if !s.c.Plan.Anew {
		found = Matches(s.c.SkillPurpose, s.env.Skills)
	}
	if len(found) == 0 {
		s.c.Plan.Anew = true
		s.to(GatheringDetails, "no skill comes close")
		s.next()
		return
	}
	q := Question{Topic: topicExisting, Words: true}
	var lines []string
	for i, m := range found {
		lines = append(lines, fmt.Sprintf("- %s: %s (shared: %s)", code(m.Name), line(m.Description, 300),
			strings.Join(m.Shared[:min(len(m.Shared), 5)], ", ")))
		q.Options = append(q.Options, Option{ID: fmt.Sprintf("use%d", i+1), Label: "Use " + code(m.Name),
			Value: m.Name})
	}
	q.Options = append(q.Options, Option{ID: "new", Label: "Create new"})
	what := "A skill comes close"
	if len(found) > 1 {
		what = "These skills come close"
	}
	q.Text = what + ":\n\n" + strings.Join(lines, "\n") + "\n\nUse it, or create a new one?"
	s.menu(q)
}

func (s gathering) existing(q *Question, picks []Option, text string) {
	if q == nil || q.Topic != topicExisting { // the conversation was interrupted before the question
		if !nudges(text) {
			s.c.Plan.Held = text
		}
		s.check()
		return
	}
	use := ""
	switch {
	case len(picks) > 0 && picks[0].ID != "new":
		use = picks[0].value()
	case len(picks) == 0 && slices.ContainsFunc(q.Options,
		func(o Option) bool { return o.Value != "" && exact(text) == o.Value }):
		use = exact(text)
	case len(picks) == 0 && (says(text, yesWords) || says(text, []string{"use it", "use"})):
		use = q.Options[0].value()
	}
	if use != "" {
		s.c.SkillName, s.out.Use = use, use
		s.to(Completed, "an existing skill is used")
		s.tell("Then %s it is; nothing new was made. %s", code(use), giveIt)
		return
	}
	s.c.Plan.Anew = true
	if len(picks) == 0 && !says(text, append([]string{"new", "a new one", "create", "make a new one"}, noWords...)) {
		s.c.SkillPurpose = tidy(s.c.SkillPurpose+"\n"+text, maxPurpose) // the difference from the existing skills
	}
	s.to(GatheringDetails, "a new skill is wanted")
	s.next()
}

// giveIt ends every forge.
const giveIt = "Give it to an agent, and that agent is told it from its next turn on."

// details handles the answer to a question of gathering.
func (s gathering) details(q *Question, picks []Option, text string) {
	topic := topicOpen
	if q != nil {
		topic = q.Topic
	}
	edit, editing := strings.CutPrefix(topic, topicEdit)
	if editing {
		topic = edit
	}
	pass := len(picks) > 0 && picks[0].ID == "none" && len(picks) == 1 || len(picks) == 0 && says(text, noWords)
	switch {
	case topic == topicPurpose && !editing:
		s.purpose(text)
		return
	case topic == topicTaken:
		confirming(s).nameTaken(picks, text)
		return
	case topic == topicChange:
		s.change(picks, text)
		return
	case topic == topicWhere:
		s.place(q, picks, text)
		return
	case topic == topicAgain:
		making(s).again(picks, text)
		return
	case topic == topicGoOn, topic == topicOpen:
		if reads := s.env.Model && s.c.InferenceAttempts < MaxInferences &&
			questions(s).missing(); !nudges(text) && !pass && !reads {
			s.c.Plan.Held = text // no model reads it from the transcript
		}
		s.next()
		return
	case pass:
		s.answered(topic)
		s.pass(topic)
		if editing {
			s.set(topic, nil, "")
		}
		s.next()
		return
	case editing && len(picks) == 0 && nudges(text): // the old answer stays
		s.answered(topic)
		s.next()
		return
	case len(picks) == 0 && nudges(text) && topic != topicName:
		s.vague(q, text)
		return
	}
	if bad := s.set(topic, picks, text); bad != "" {
		again := Question{Topic: q.Topic, Text: bad, Words: true, Options: q.Options, Many: q.Many}
		switch {
		case editing:
			s.menu(again)
			return
		case s.ask(again):
			return
		}
		s.pass(topic)
	}
	s.answered(topic)
	s.next()
}

// answered records an answered topic.
func (s gathering) answered(topic string) {
	if !slices.Contains(s.c.Plan.Trail, topic) { // bounded by the number of topics and references
		s.c.Plan.Trail = append(s.c.Plan.Trail, topic)
	}
}

// vague handles a yes or "go on" where an answer is needed: it takes the only proposal, or asks
// once more.
func (s gathering) vague(q *Question, text string) {
	if own := slices.DeleteFunc(slices.Clone(q.Options),
		func(o Option) bool { return o.ID == "none" }); len(own) == 1 && says(text, yesWords) {
		s.details(q, own, "")
		return
	}
	const unclear = " tells me nothing for this yet; say `none` if there is nothing. "
	again := *q
	again.Text = quote(text) + unclear + q.Text
	if !strings.Contains(q.Text, unclear) && s.ask(again) {
		return
	}
	s.pass(q.Topic)
	s.next()
}

// set replaces a topic's answer. It returns what is wrong with it, "" for nothing.
func (s gathering) set(topic string, picks []Option, text string) string {
	c := &s.c
	if l, ok := lists[topic]; ok {
		if got := l.set(c, valuesOf(picks), text); l.told {
			s.shortened(text, got...)
		}
		return ""
	}
	switch topic {
	case topicPurpose:
		if text != "" {
			c.SkillPurpose = tidy(text, maxPurpose)
			if !c.Plan.Named && c.InferenceAttempts == 0 {
				c.SkillName = "" // it was derived from the old purpose
			}
		}
	case topicTools:
		return s.setTools(valuesOf(picks), text)
	case topicDescribe:
		text = line(text, 4*skill.MaxDescription)
		if p := skill.DescriptionProblem(text); p != nil && text != "" {
			return upperFirst(p.Message) + "."
		}
		c.SkillDescription, c.Plan.Described = text, text != ""
	case topicName:
		name := kebab(text, skill.MaxName)
		if text != "" && name == "" {
			return quote(text) + " has no Latin letters or digits in it. What should the skill be called? " +
				"Like release-notes."
		}
		c.SkillName, c.Plan.Named, c.Plan.Replace = name, name != "", false
	default:
		about, ok := strings.CutPrefix(topic, topicReference)
		if !ok {
			c.Plan.Held = text // an earlier version asked something that this one does not know
		}
		if ok && text != "" {
			if c.Plan.Notes == nil {
				c.Plan.Notes = map[string]string{} // at most maxReferences
			}
			c.Plan.Notes[about] = tidy(text, maxNote)
		}
	}
	return ""
}

// shortened tells the person if much of a long text does not fit into the skill. All of it stays
// in the transcript.
func (s gathering) shortened(text string, kept ...string) {
	size := func(text string) (n int) {
		for _, w := range strings.Fields(text) {
			n += len(w)
		}
		return n
	}
	if said, has := size(text), size(strings.Join(kept, " ")); said-has > 300 && has < said-said/8 {
		s.tell("Of that I keep about %d of %d KB: it is long, or says the same again. Long material belongs "+
			"in a reference.", max(1, has>>10), max(1, said>>10))
	}
}

func valuesOf(picks []Option) []string {
	var out []string
	for _, p := range picks {
		if p.ID != "none" {
			out = append(out, p.value())
		}
	}
	return out
}

// setTools sets the allowed tools by name; it names and drops what is not a tool.
func (s gathering) setTools(chosen []string, text string) string {
	var list, bad []string
	add := func(t string, ok bool) {
		switch {
		case !ok || !skill.ValidTool(t):
			bad = append(bad, code(t))
		case !slices.Contains(list, t) && len(list) < skill.MaxTools:
			list = append(list, t)
		}
	}
	for _, c := range chosen {
		for _, t := range skill.SplitTools(c) {
			add(t, true)
		}
	}
	typed := skill.SplitTools(strings.ReplaceAll(text, "\n", " "))
	names := !slices.ContainsFunc(typed, func(t string) bool { return !toolName(t) })
	for _, t := range typed {
		add(t, names || slices.Contains(knownTools, t) || toolName(t) && strings.ContainsAny(t, "(_"))
	}
	if len(list) == 0 && text != "" {
		return fmt.Sprintf("I found no name of a tool in %s. Names look like Read or Bash(git:*).", quote(text))
	}
	s.c.AllowedTools = append([]string{}, list...)
	s.c.SkillCapabilities = capabilities(list)
	if len(bad) > 0 {
		s.tell("Left out, because they are no names of tools: %s.", strings.Join(bad[:min(len(bad), 5)], ", "))
	}
	return ""
}

// knownTools are recognized among the words of a sentence.
var knownTools = strings.Fields("Bash Edit Glob Grep LS MultiEdit NotebookEdit Read Task WebFetch WebSearch Write")

// toolName reports whether a word looks like the name of a tool: it begins with a capital, has
// permissions in parentheses, or names a tool server with "__".
func toolName(t string) bool {
	return t[0] >= 'A' && t[0] <= 'Z' || strings.Contains(t, "(") || strings.Contains(t, "__")
}

// capabilities derives from the tools what a skill can do.
func capabilities(tools []string) *Capabilities {
	if len(tools) == 0 {
		return nil
	}
	c := &Capabilities{}
	for _, t := range tools {
		name, arg, _ := strings.Cut(t, "(")
		switch name {
		case "Read", "Grep", "Glob", "LS":
			c.ReadsFiles = true
		case "Edit", "Write", "MultiEdit", "NotebookEdit":
			c.WritesFiles = true
		case "WebFetch", "WebSearch":
			c.Network = true
		case "Bash":
			c.Commands = append(c.Commands, strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(arg, ")"),
				"*"), ":"))
		}
	}
	return c
}

// where asks to which topic words belong if the forge cannot tell.
func (s gathering) where(text string) {
	s.c.Plan.Held = tidy(text, maxWords)
	s.menu(Question{
		Topic: topicWhere, Text: fmt.Sprintf("Where does %s belong?", quote(text)), Options: choices(
			topicSteps, "Another step", topicTriggers, "When to use it", topicExamples, "An example",
			topicLimits, "What it is not for", topicPurpose, "The purpose", topicReferences, "A reference",
			"drop", "Leave it out",
		),
	})
}

// place adds held words to the topic that the person chose.
func (s gathering) place(q *Question, picks []Option, text string) {
	if len(picks) == 0 {
		if _, _, ok := field(text); !ok && !says(text, noWords) {
			s.where(tidy(s.c.Plan.Held+"\n"+text, maxWords))
			return
		}
		s.c.Plan.Held = ""
		s.edit(text)
		return
	}
	held, c := s.c.Plan.Held, &s.c
	s.c.Plan.Held = ""
	switch topic := picks[0].ID; topic {
	case topicSteps, topicTriggers, topicExamples, topicLimits:
		lists[topic].add(c, held)
	case topicPurpose:
		c.SkillPurpose = tidy(c.SkillPurpose+"\n"+held, maxPurpose)
	case topicReferences:
		about := line(firstSentence(held), 80)
		if !slices.Contains(c.ReferencesTopics, about) && len(c.ReferencesTopics) < maxReferences {
			c.ReferencesTopics = append(c.ReferencesTopics, about)
		}
		s.set(topicReference+about, nil, held)
	}
	s.next()
}

// edit handles "name: x" and the like at the confirmation; for other words it asks.
func (s gathering) edit(text string) {
	topic, value, ok := field(text)
	if !ok {
		if says(text, noWords) {
			s.next()
			return
		}
		s.where(text)
		return
	}
	if bad := s.set(topic, nil, value); bad != "" {
		s.tell("%s", bad)
	}
	s.next()
}

// fieldWords are what people call a topic.
var fieldWords = map[string]string{
	"name": topicName, "title": topicName, "description": topicDescribe,
	"purpose": topicPurpose, "task": topicPurpose, "goal": topicPurpose,
	"steps": topicSteps, "step": topicSteps, "workflow": topicSteps,
	"triggers": topicTriggers, "trigger": topicTriggers, "when": topicTriggers,
	"examples": topicExamples, "example": topicExamples,
	"limits": topicLimits, "limit": topicLimits, "not for": topicLimits,
	"tools": topicTools, "tool": topicTools, "allowed-tools": topicTools, "permissions": topicTools,
	"references": topicReferences, "reference": topicReferences, "scripts": topicScripts, "script": topicScripts,
}

// field parses "name: x".
func field(text string) (topic, value string, ok bool) {
	word, value, found := strings.Cut(text, ":")
	topic, ok = fieldWords[exact(word)]
	value = strings.TrimSpace(value)
	return topic, value, found && ok && value != ""
}

// change asks what to change, then for the new value.
func (s gathering) change(picks []Option, text string) {
	if len(picks) == 0 {
		s.edit(text)
		return
	}
	asides(s).editing(picks[0].ID, "")
}

// shown returns a topic's content for people.
func (s questions) shown(topic string) string {
	c := &s.c
	if l, ok := lists[topic]; ok {
		return l.show(*l.of(c))
	}
	switch topic {
	case topicName:
		return code(c.SkillName)
	case topicDescribe:
		return c.SkillDescription
	case topicPurpose:
		return c.SkillPurpose
	case topicTools:
		return strings.Join(mapped(c.AllowedTools, code), ", ")
	}
	return ""
}
