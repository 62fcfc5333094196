package forge

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"agentdungeon/server/hints"
	"agentdungeon/shared/world"
)

// askPurpose asks what the skill is for and proposes purposes from the repository.
func (s gathering) askPurpose() {
	q := Question{Topic: topicPurpose,
		Text: "What should the skill do? Name the task and what should come out of it.", Words: true}
	h := s.env.Hints
	if repo := code(h.Repo); repo != "" {
		q.Text = fmt.Sprintf("What should the skill do in %s? Name the task and what should come out of it.", repo)
	}
	offer := func(label, format string, args ...any) {
		if len(q.Options) < maxOffers {
			q.Options = append(q.Options, Option{ID: fmt.Sprintf("purpose%d", len(q.Options)+1), Label: label,
				Value: fmt.Sprintf(format, args...)})
		}
	}
	for _, c := range offered(h) {
		run := code(c.Run)
		switch c.Does {
		case "test":
			offer("Run the tests and explain failures",
				"Run the tests with %s and explain each failure with its cause and a fix", run)
		case "lint":
			offer("Clean up what the linter reports", "Run the linter with %s and repair what it reports", run)
		case "types":
			offer("Repair what the type checker reports", "Check the types with %s and repair what it reports", run)
		case "release":
			offer("Prepare a release", "Prepare a release and publish it with %s", run)
		}
	}
	if l := line(strings.Join(h.Languages[:min(len(h.Languages), 1)], ""), 40); l != "" {
		offer("Review a change in "+l,
			"Review a change of %s code against the rules of this repository and name each defect with its place", l)
	}
	if i := slices.IndexFunc(h.CI, func(p string) bool { return code(p) != "" }); i >= 0 {
		offer("Find out why the pipeline fails",
			"Read the log of a failed run of %s, name the cause and propose a fix", code(h.CI[i]))
	}
	if d := code(mainDoc(h.Docs)); d != "" {
		offer("Keep the documentation true",
			"Compare documentation such as %s with the code and correct what is out of date", d)
	}
	if s.ask(q) {
		return
	}
	q.Text = "I still need one sentence on what the skill should do."
	if h := s.c.MessageHistory; len(h) > 0 && h[len(h)-1].Role == world.RoleUser {
		q.Text = fmt.Sprintf("%s does not say yet what the skill should do. One sentence is enough.",
			quote(h[len(h)-1].Content))
	}
	s.menu(q)
}

// maxOffers is how many purposes are proposed.
const maxOffers = 6

// mainDoc returns the document that describes the repository best, "" for none.
func mainDoc(docs []string) string {
	for _, like := range []string{"readme", "docs/", "doc/"} {
		for _, d := range docs {
			if strings.HasPrefix(strings.ToLower(d), like) {
				return d
			}
		}
	}
	return ""
}

// everywhere are words of commands and paths that do not tell their purpose.
var everywhere = keywords("run npm npx pnpm yarn bun make just composer script scripts sh py js md docs doc")

// near sorts first those that share most words with the skill's purpose.
func (s questions) near(list []string) []string {
	about := keywords(s.c.SkillPurpose + "\n" + strings.Join(s.c.WorkflowSteps, "\n"))
	shared := make(map[string]int, len(list))
	for _, text := range list {
		for _, k := range keywords(text) {
			if slices.Contains(about, k) && !slices.Contains(everywhere, k) {
				shared[text]++
			}
		}
	}
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b string) int { return shared[b] - shared[a] })
	return out
}

// commands returns the repository's commands, those closest to the purpose first.
func (s questions) commands() []hints.Command {
	byRun := map[string]hints.Command{} // as long as the list
	var runs []string
	for _, c := range offered(s.env.Hints) {
		if _, ok := byRun[c.Run]; !ok {
			byRun[c.Run] = c
			runs = append(runs, c.Run)
		}
	}
	var out []hints.Command
	for _, run := range s.near(runs) {
		out = append(out, byRun[run])
	}
	return out
}

// next asks the first open question, or asks the person to confirm.
func (s gathering) next() {
	if s.c.Plan.Held != "" {
		held := s.c.Plan.Held
		s.c.Plan.Held = ""
		s.where(held)
		return
	}
	if s.env.Model && !s.mute && s.c.InferenceAttempts < MaxInferences && questions(s).missing() {
		requests(s).infer()
		return
	}
	for _, topic := range order {
		if questions(s).filled(topic) || slices.Contains(s.c.Plan.Passed, topic) {
			continue
		}
		if q := questions(s).question(topic); q != nil && s.ask(*q) {
			return
		}
		s.pass(topic)
	}
	if !s.env.Model { // a model writes references from what was said
		for _, topic := range s.c.ReferencesTopics {
			if questions(s).isDoc(topic) || s.c.Plan.Notes[topic] != "" ||
				slices.Contains(s.c.Plan.Passed, topicReference+topic) {
				continue
			}
			if s.ask(Question{
				Topic: topicReference + topic, Words: true, Options: choices("none", "Leave it out"),
				Text: fmt.Sprintf("What does an agent have to know about %s? Your words become a file that "+
					"it reads when it needs them.", quote(topic)),
			}) {
				return
			}
			s.pass(topicReference + topic)
		}
	}
	confirming(s).confirm()
}

// pass records that the person has nothing to say on a topic.
func (s gathering) pass(topic string) {
	if !slices.Contains(s.c.Plan.Passed, topic) {
		s.c.Plan.Passed = append(s.c.Plan.Passed, topic)
	}
}

// missing reports whether a model could still infer something.
func (s questions) missing() bool {
	return slices.ContainsFunc([]string{topicSteps, topicTriggers, topicExamples}, func(t string) bool {
		return !s.filled(t) && !slices.Contains(s.c.Plan.Passed, t)
	})
}

// filled reports whether a topic needs no question.
func (s questions) filled(topic string) bool {
	if l, ok := lists[topic]; ok && len(*l.of(&s.c)) > 0 {
		return true
	}
	switch topic {
	case topicLimits:
		return s.modelWrites() // a model writes them from what was said
	case topicTools:
		return len(s.c.AllowedTools) > 0
	case topicName:
		return s.name() != ""
	}
	return false
}

// isDoc reports whether a reference is a file of the repository.
func (s questions) isDoc(topic string) bool { return slices.Contains(s.env.Hints.Docs, topic) }

func quote(s string) string { return "“" + short(s) + "”" }

func options(prefix string, values []string, label func(string) string) []Option {
	var out []Option
	for i, v := range values {
		if l := label(v); l != "" && len(out) < maxOptions-1 {
			out = append(out, Option{ID: fmt.Sprintf("%s%d", prefix, i+1), Label: l, Value: v})
		}
	}
	return out
}

// question returns the question of a topic, nil if this skill does not need it.
func (s questions) question(topic string) *Question {
	c, h := &s.c, s.env.Hints
	q := &Question{Topic: topic, Words: true}
	none := func(label string) { q.Options = append(q.Options, Option{ID: "none", Label: label}) }
	switch topic {
	case topicSteps:
		q.Text = fmt.Sprintf("How is %s done? Write one step a line, as you would tell a new colleague.",
			quote(c.SkillPurpose))
		if cmds := s.commands(); len(cmds) > 0 {
			var shown []string
			for _, cmd := range cmds {
				shown = append(shown, from(cmd))
			}
			q.Text += " The repository has " + strings.Join(shown[:min(len(shown), 4)], "; ") + "."
		}
		none("No fixed steps")
	case topicTriggers:
		q.Text = fmt.Sprintf("When should an agent use this? Name what a person would say or what the agent "+
			"would see, for instance %s.", quote(s.trigger()))
		q.Options = []Option{{ID: "trigger1", Label: "As in the example", Value: s.trigger()}}
	case topicExamples:
		about := c.SkillPurpose
		if len(c.WorkflowSteps) > 0 {
			about = c.WorkflowSteps[len(c.WorkflowSteps)-1]
		}
		q.Text = fmt.Sprintf("Show one example: what is given, and what does a good result look like after "+
			"%s? Leave an empty line between two examples.", quote(about))
		none("No example")
	case topicLimits:
		q.Text = fmt.Sprintf("When is this the wrong skill, or what must not happen in %s? One a line.",
			quote(c.SkillPurpose))
		none("Nothing comes to mind")
	case topicTools:
		q.Many = true
		q.Options = s.toolOptions()
		q.Text = "What may an agent do for it without asking? Choose, or name tools such as Read or Bash(git:*)."
		if n := len(s.commandsNamed()); n > 0 {
			q.Text = fmt.Sprintf("The steps run %s. What may an agent do without asking? Choose, or name "+
				"tools such as Read or Bash(git:*).", strings.Join(mapped(s.commandsNamed(), code), ", "))
		}
	case topicReferences:
		q.Many = true
		q.Options = options("doc", s.near(h.Docs), code)
		switch {
		case len(q.Options) > 0:
			q.Text = fmt.Sprintf("Which of these should an agent read for %s? You can also name a topic "+
				"that is written down nowhere yet.", quote(c.SkillPurpose))
		case speaksOf(c, "rule", "polic", "guideline", "convention", "checklist", "schema", "style", "format",
			"standard"):
			q.Text = fmt.Sprintf("What you said about %s speaks of rules. Which of them should be kept "+
				"beside the skill? Name each in a line.", quote(c.SkillPurpose))
		default:
			return nil
		}
		none("None")
	case topicScripts:
		q.Many = true
		q.Options = options("script", append(slices.Clone(s.commandsNamed()), s.near(h.Scripts)...), code)
		if len(q.Options) == 0 {
			return nil
		}
		q.Text = "Should the skill bring a script? These could be one: " +
			strings.Join(mapped(labels(q.Options), func(l string) string { return l }), ", ") + "."
		none("No script")
	case topicName:
		q.Text = "What should the skill be called? Its name needs Latin letters or digits, like release-notes."
	}
	return q
}

func labels(list []Option) []string {
	var out []string
	for _, o := range list {
		out = append(out, o.Label)
	}
	return out
}

func mapped(list []string, f func(string) string) []string {
	out := make([]string, 0, len(list))
	for _, v := range list {
		out = append(out, f(v))
	}
	return out
}

func speaksOf(c *Context, stems ...string) bool {
	text := strings.ToLower(c.SkillPurpose + "\n" + strings.Join(c.WorkflowSteps, "\n"))
	return slices.ContainsFunc(stems, func(w string) bool { return strings.Contains(text, w) })
}

// trigger returns the simplest one: somebody asks for what the skill does.
func (s questions) trigger() string {
	what := task(s.c.SkillPurpose)
	if foreign(what) { // its words do not fit into a sentence in English
		return "somebody asks for this: " + what
	}
	return "somebody asks to " + lowerFirst(what)
}

// task shortens a purpose to at most 80 characters: its first sentence or, if that is longer,
// its first clauses, never half a phrase.
func task(purpose string) string {
	full := strings.TrimRight(line(imperative(firstSentence(purpose)), 1000), ".!? ")
	if utf8.RuneCountInString(full) <= 80 {
		return full
	}
	head := cutRunes(full, 80)
	end := 0
	for _, joint := range []string{" and ", ", ", "; ", " from ", " with ", " for ", " since ", " so that "} {
		if at := strings.LastIndex(head, joint); at > end && len(words(head[:at])) > 1 {
			end = at
		}
	}
	if end == 0 {
		end = strings.LastIndex(head, " ")
	}
	if end <= 0 {
		return head
	}
	return strings.TrimRight(head[:end], ",; ")
}

// imperative turns "writes notes and publishes them" into "write notes and publish them".
func imperative(s string) string {
	list := strings.Fields(s)
	for i, w := range list {
		verb := i == 0 || strings.EqualFold(list[i-1], "and") && i+1 < len(list) &&
			slices.Contains(articles, strings.ToLower(list[i+1]))
		if !verb || len(w) < 4 || len(list) < 2 || strings.HasSuffix(w, "ss") {
			continue
		}
		switch stem, end := strings.TrimSuffix(w, "es"), w[max(0, len(w)-4):]; {
		case strings.HasSuffix(w, "ies"):
			list[i] = strings.TrimSuffix(w, "ies") + "y"
		case stem != w && (strings.HasPrefix(end, "sh") || strings.HasPrefix(end, "ch") ||
			strings.HasPrefix(end, "ss") || strings.HasPrefix(end[1:], "x")):
			list[i] = stem
		default:
			list[i] = strings.TrimSuffix(w, "s")
		}
	}
	return strings.Join(list, " ")
}

var articles = strings.Fields("a an the it them this these each every all")

// commandsNamed returns the commands that the purpose or the steps name in backticks, and those
// of the repository that they name.
func (s questions) commandsNamed() []string {
	text := s.c.SkillPurpose + "\n" + strings.Join(s.c.WorkflowSteps, "\n")
	var out []string
	add := func(run string) {
		if run = line(run, 120); run != "" && !slices.Contains(out, run) && len(out) < 6 {
			out = append(out, run)
		}
	}
	for i, part := range strings.Split(text, "`") {
		if i%2 == 1 && strings.Contains(part, " ") && toolOf(part) != "" && !strings.Contains(part, "\n") {
			add(part)
		}
	}
	for _, c := range s.commands() {
		if strings.Contains(text, c.Run) {
			add(c.Run)
		}
	}
	return out
}

func (s questions) toolOptions() []Option {
	out := []Option{
		{ID: "look", Label: "Look at files", Value: "Read Grep Glob"},
		{ID: "change", Label: "Change files", Value: "Edit Write"},
		{ID: "web", Label: "Read web pages", Value: "WebFetch"},
	}
	cmds := s.commandsNamed()
	for _, c := range s.commands() {
		if !slices.Contains(cmds, c.Run) {
			cmds = append(cmds, c.Run)
		}
	}
	for i, run := range cmds {
		if tool := toolOf(run); tool != "" && len(out) < maxOptions-1 {
			out = append(out, Option{ID: fmt.Sprintf("run%d", i+1), Label: "Run " + code(run), Value: tool})
		}
	}
	return append(out, Option{ID: "none", Label: "Leave that to the agent"})
}
