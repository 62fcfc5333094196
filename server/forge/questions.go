package forge

import (
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/hints"
	"agentdungeon/server/skill"
	"agentdungeon/shared/pattern"
)

// question returns the question of a topic, nil if this skill does not need it.
func question(topic string, c *Context, h hints.Hints) *Question {
	q := &Question{Topic: topic, Words: true}
	none := func(label string) { q.Options = append(q.Options, Option{ID: "none", Label: label}) }
	switch topic {
	case topicSteps:
		q.Text = fmt.Sprintf("How is %s done? Write one step a line, as you would tell a new colleague.",
			quote(c.SkillPurpose))
		if cmds := commands(c, h); len(cmds) > 0 {
			q.Text += " The repository has " + strings.Join(mapped(cmds[:min(len(cmds), 4)], from), "; ") + "."
		}
		none("No fixed steps")
	case topicTriggers:
		q.Text = fmt.Sprintf("When should an agent use this? Name what a person would say or what the agent "+
			"would see, for instance %s.", quote(trigger(c)))
		q.Options = []Option{{ID: "trigger1", Label: "As in the example", Value: trigger(c)}}
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
		q.Options = toolOptions(c, h)
		q.Text = "What may an agent do for it without asking? Choose, or name tools such as Read or Bash(git:*)."
		if named := commandsNamed(c, h); len(named) > 0 {
			q.Text = fmt.Sprintf("The steps run %s. What may an agent do without asking? Choose, or name "+
				"tools such as Read or Bash(git:*).", strings.Join(mapped(named, code), ", "))
		}
	case topicReferences:
		q.Many = true
		q.Options = options("doc", near(c, h.Docs))
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
		q.Options = options("script", append(slices.Clone(commandsNamed(c, h)), near(c, h.Scripts)...))
		if len(q.Options) == 0 {
			return nil
		}
		q.Text = "Should the skill bring a script? These could be one: " +
			strings.Join(mapped(q.Options, func(o Option) string { return o.Label }), ", ") + "."
		none("No script")
	case topicName:
		q.Text = "What should the skill be called? Its name needs Latin letters or digits, like release-notes."
	default:
		if about, ok := strings.CutPrefix(topic, topicReference); ok {
			q.Text = fmt.Sprintf("What does an agent have to know about %s? Your words become a file that "+
				"it reads when it needs them.", quote(about))
			none("Leave it out")
		}
	}
	return q
}

// options returns at most maxOptions-1 values as options; their ids are the prefix and a number.
func options(prefix string, values []string) []Option {
	var out []Option
	for i, v := range values {
		if l := code(v); l != "" && len(out) < maxOptions-1 {
			out = append(out, Option{ID: fmt.Sprintf("%s%d", prefix, i+1), Label: l, Value: v})
		}
	}
	return out
}

// speaksOf reports whether the text of the purpose or the steps contains one of the stems.
func speaksOf(c *Context, stems ...string) bool {
	text := strings.ToLower(c.task())
	return slices.ContainsFunc(stems, func(w string) bool { return strings.Contains(text, w) })
}

// trigger returns the simplest trigger, which fits every skill: somebody asks for what the skill does.
func trigger(c *Context) string {
	what := task(c.SkillPurpose)
	if foreign(what) { // the purpose is in another language, so it does not fit into an English sentence
		return "somebody asks for this: " + what
	}
	return "somebody asks to " + lowerFirst(what)
}

// task returns the purpose and the steps.
func (c *Context) task() string { return c.SkillPurpose + "\n" + strings.Join(c.WorkflowSteps, "\n") }

// everywhere lists words that are so common in commands and paths that they do not show the purpose of a command or
// file.
var everywhere = keywords("run npm npx pnpm yarn bun make just composer script scripts sh py js md docs doc")

// near sorts a list so that the texts that share the most words with the skill's purpose and steps come first.
func near(c *Context, list []string) []string {
	about := keywords(c.task())
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

// offered returns the repository's commands that a question may offer.
func offered(h hints.Hints) []hints.Command {
	var out []hints.Command
	for _, c := range h.Commands {
		if c.Run = line(c.Run, 120); c.Run != "" {
			out = append(out, c)
		}
	}
	return out
}

// commands returns the repository's commands, each once, those closest to the purpose first.
func commands(c *Context, h hints.Hints) []hints.Command {
	byRun := map[string]hints.Command{} // by the command line; has at most as many entries as the list
	var runs []string
	for _, cmd := range offered(h) {
		if _, ok := byRun[cmd.Run]; !ok {
			byRun[cmd.Run] = cmd
			runs = append(runs, cmd.Run)
		}
	}
	return mapped(near(c, runs), func(run string) hints.Command { return byRun[run] })
}

// from returns Markdown that contains the text of a command and the file that defines the command.
func from(c hints.Command) string {
	if f := code(c.From); f != "" {
		return fmt.Sprintf("%s, from %s", code(c.Run), f)
	}
	return code(c.Run)
}

// commandsNamed returns the commands in backticks in the purpose and the steps, and the commands of the repository that
// occur in them, at most 6.
func commandsNamed(c *Context, h hints.Hints) []string {
	text := c.task()
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
	for _, cmd := range commands(c, h) {
		if strings.Contains(text, cmd.Run) {
			add(cmd.Run)
		}
	}
	return out
}

// toolOptions returns the tools that a skill may need. The tools for the skill's own commands come first.
func toolOptions(c *Context, h hints.Hints) []Option {
	out := []Option{
		{ID: "look", Label: "Look at files", Value: "Read Grep Glob"},
		{ID: "change", Label: "Change files", Value: "Edit Write"},
		{ID: "web", Label: "Read web pages", Value: "WebFetch"},
	}
	cmds := commandsNamed(c, h)
	for _, cmd := range commands(c, h) {
		if !slices.Contains(cmds, cmd.Run) {
			cmds = append(cmds, cmd.Run)
		}
	}
	for i, run := range cmds {
		if tool := toolOf(run); tool != "" && len(out) < maxOptions-1 {
			out = append(out, Option{ID: fmt.Sprintf("run%d", i+1), Label: "Run " + code(run), Value: tool})
		}
	}
	return append(out, Option{ID: "none", Label: "Leave that to the agent"})
}

var program = pattern.New(`^[A-Za-z0-9._/-]*[A-Za-z0-9]$`)

var (
	word    = pattern.New(`^[A-Za-z0-9][A-Za-z0-9:_-]*$`)
	runners = []string{"run", "exec", "-m"}
)

// toolOf returns the tool that allows an agent to run the command in run with any arguments, such as "Bash(git
// commit:*)", or "" if there is none. The tool names the program and the first word of the command; after a runner
// such as "npm run", it also names the script.
func toolOf(run string) string {
	f := strings.Fields(strings.Map(func(r rune) rune {
		if strings.ContainsRune("()`'\"$;&|<>\\", r) {
			return ' '
		}
		return r
	}, run))
	if len(f) == 0 || !program.MatchString(f[0]) {
		return ""
	}
	tool := f[0]
	for _, w := range f[1:] {
		if sub := w == "-m"; !sub && (strings.HasPrefix(w, "-") || !word.MatchString(w)) {
			break
		}
		tool += " " + w
		if !slices.Contains(runners, w) { // "npm run" and "python -m" would allow everything
			break
		}
	}
	tool = "Bash(" + tool + ":*)"
	if !skill.ValidTool(tool) {
		return ""
	}
	return tool
}
