package forge

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"agentdungeon/server/hints"
	"agentdungeon/server/skill"
	"agentdungeon/shared/pattern"
)

// maxInline is the limit of all examples in SKILL.md together, in bytes. Longer examples go to a file of their own,
// because an agent reads all of SKILL.md whenever it uses the skill.
const maxInline = 8 << 10

// plain writes the skill of a context without a model. It puts the person's answers into the sections of the skill and
// adds nothing of its own. The skill is valid for every context (see Check), because plain cuts texts over a limit.
// docs are the documents of the repository to which the skill can refer.
func plain(c Context, docs []string) skill.Skill {
	if skill.NameProblem(c.SkillName) != nil {
		c.SkillName = cmp.Or(kebab(c.SkillName, skill.MaxName), madeName(c.SkillPurpose), "skill")
	}
	c.SkillDescription = cutRunes(line(c.SkillDescription, 4*skill.MaxDescription), skill.MaxDescription)
	if skill.DescriptionProblem(c.SkillDescription) != nil {
		c.SkillDescription = describe(&c)
	}
	s := page{skill.Skill{
		Name: c.SkillName, Description: c.SkillDescription, Resources: map[string]string{},
		Metadata: map[string]string{"made-with": "agent-dungeon"},
	}}
	for _, t := range c.AllowedTools {
		if skill.ValidTool(t) && !slices.Contains(s.AllowedTools, t) && len(s.AllowedTools) < skill.MaxTools {
			s.AllowedTools = append(s.AllowedTools, t)
		}
	}
	s.Body = s.body(&c, docs)
	return s.Skill
}

// page is the skill while plain writes it.
type page struct{ skill.Skill }

func (s *page) body(c *Context, docs []string) string {
	var b strings.Builder
	section := func(title, text string) {
		if text != "" {
			b.WriteString("\n## " + title + "\n\n" + text + "\n")
		}
	}
	title := strings.ReplaceAll(s.Name, "-", " ")
	if !c.Plan.Named && foreign(c.SkillPurpose) { // a name has only Latin letters
		title = inline(task(c.SkillPurpose))
	}
	b.WriteString("# " + upperFirst(title) + "\n")
	if purpose := mild(upperFirst(tidy(c.SkillPurpose, maxPurpose))); purpose != "" {
		b.WriteString("\n" + purpose)
		if last, _ := utf8.DecodeLastRuneInString(purpose); unicode.IsLetter(last) || unicode.IsDigit(last) || last == '`' {
			b.WriteString(".")
		}
		b.WriteString("\n")
	}
	section("When to use", bulletList(mapped(distinct(c.Triggers, maxTriggers, maxTrigger), asSituation)))
	var not, rules []string
	for _, l := range distinct(c.Plan.Limits, maxLimits, maxLimit) {
		if ruleForm.MatchString(l) {
			rules = append(rules, l)
		} else {
			not = append(not, l)
		}
	}
	section("When not to use", bulletList(not))
	section("Steps", numberedList(distinct(c.WorkflowSteps, maxSteps, maxStep)))
	section("Rules", bulletList(rules))
	section("Examples", s.examples(c.Examples))
	section("References", s.references(c, docs))
	section("Scripts", s.scripts(c.ScriptsNeeded))
	return b.String()
}

// ruleForm matches the beginning of a limit that forbids or demands something for every task.
var ruleForm = pattern.New(`(?i)^(?:never|always|only|do not|don't|must|avoid|no|` +
	`nie|niemals|immer|nur|kein|keine|keinen)\s`)

// asSituation phrases a trigger for an agent: as a situation, or as a sentence that somebody says.
func asSituation(t string) string {
	if situation(t) || timed(lowerFirst(t)) > 0 || whenForm.MatchString(t) || foreign(t) {
		return upperFirst(t)
	}
	return "Somebody says \"" + strings.Trim(t, "\"“”„«».! ") + "\""
}

var whenForm = pattern.New(`(?i)^(?:use (?:it )?)?(?:when|if|where)\s`)

func (s *page) examples(list []string) string {
	var parts []string
	size := 0
	for _, e := range list {
		if e = tidy(e, maxExample); e != "" && len(parts) < maxExamples {
			parts = append(parts, skill.Fenced(e))
			size += len(e)
		}
	}
	for i := range parts {
		if len(parts) > 1 {
			parts[i] = fmt.Sprintf("### Example %d\n\n%s", i+1, parts[i])
		}
	}
	text := strings.Join(parts, "\n\n")
	if size <= maxInline {
		return text
	}
	s.Resources["references/examples.md"] = "# Examples\n\n" + text + "\n"
	return fmt.Sprintf("[references/examples.md](references/examples.md) shows %d examples: read it "+
		"before the first use.", len(parts))
}

func (s *page) references(c *Context, docs []string) string {
	var out []string
	for _, topic := range distinct(c.ReferencesTopics, maxReferences, maxTopic) {
		note := tidy(c.Plan.Notes[topic], maxNote)
		switch {
		case note != "":
			p := s.place("references/", kebab(topic, 48), ".md")
			s.Resources[p] = "# " + upperFirst(topic) + "\n\n" + note + "\n"
			out = append(out, fmt.Sprintf("[%s](%s): %s", p, p, inline(topic)))
		case slices.Contains(docs, topic):
			out = append(out, code(topic)+" in the repository")
		default:
			out = append(out, inline(topic))
		}
	}
	return bullets(out)
}

// scripts adds a script for each text that is a command. It returns a list with a sentence for each text; for a text
// that is neither a command nor the path of a script, the sentence tells the agent to write the script when the steps
// need it.
func (s *page) scripts(needed []string) string {
	var out []string
	for _, item := range distinct(needed, maxScripts, maxTopic) {
		run := strings.Trim(item, "`")
		switch {
		case isScript(run):
			out = append(out, code(run)+" in the repository")
		case isCommand(run):
			p := s.place("scripts/", kebab(run, 48), ".sh")
			s.Resources[p] = "#!/bin/sh\nset -eu\n" + run + "\n"
			out = append(out, fmt.Sprintf("[%s](%s) runs %s", p, p, code(run)))
		default:
			out = append(out, "There is none yet for this; write it when the steps need it: "+inline(item))
		}
	}
	return bullets(out)
}

// place returns a path for a new file of the skill that no other file of it has.
func (s *page) place(dir, stem, ext string) string {
	if skill.PathProblem(dir+stem+ext) != nil {
		stem = "notes"
	}
	for n := 1; ; n++ {
		p := dir + stem + ext
		if n > 1 {
			p = fmt.Sprintf("%s%s-%d%s", dir, stem, n, ext)
		}
		if _, ok := s.Resources[p]; !ok {
			return p
		}
	}
}

var programs = strings.Fields(`bash bundle cargo cmake curl docker dotnet gh git go gradle jq just kubectl make maven
	mvn node npm npx php pip pnpm poetry
	pre-commit pytest python python3 rake ruby ruff sh terraform tox tsc uv yarn`)

// isCommand reports whether the first word of a text is a known program.
func isCommand(s string) bool {
	f := strings.Fields(s)
	return len(f) > 1 && slices.Contains(programs, f[0]) && !strings.ContainsAny(s, "\n")
}

// isScript reports whether a text is the path of a script.
func isScript(s string) bool {
	return !strings.ContainsAny(s, " \n") && strings.Contains(s, "/") &&
		slices.Contains(hints.ScriptEnds, path.Ext(strings.ToLower(s)))
}
