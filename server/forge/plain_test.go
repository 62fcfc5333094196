package forge

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"agentdungeon/server/skill"
)

// For every context, plain writes a valid skill within the limits, with the context's name, description and
// tools if those are valid.
func TestPlainIsAlwaysValid(t *testing.T) {
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 8))
		c := randomContext(r)
		if r.IntN(2) == 0 {
			c.SkillName = "a-name"
			c.AllowedTools = []string{"Read", "Bash(go test:*)"}
		}
		if r.IntN(10) == 0 { // over every bound
			for _, l := range []*[]string{&c.Examples, &c.WorkflowSteps, &c.Triggers, &c.ReferencesTopics, &c.ScriptsNeeded} {
				for i := range 60 {
					*l = append(*l, fmt.Sprint(i, strings.Repeat(text(r)+"](<", 800)))
				}
			}
			c.Plan.Notes = map[string]string{}
			for _, topic := range distinct(c.ReferencesTopics, maxReferences, maxTopic) {
				c.Plan.Notes[topic] = strings.Repeat("note\n", 20_000)
			}
			c.SkillPurpose = strings.Repeat(text(r)+"\n", 5000)
			c.SkillDescription = strings.Repeat("long ", 1000)
		}
		s := plain(c, []string{"docs/a.md"})
		out, err := skill.Write(s)
		if err != nil {
			t.Fatal(err)
		}
		if bad := skill.Check(out, s.Resources); bad != nil {
			t.Fatalf("seed %d: %v\n%s", seed, bad, out)
		}
		back, err := skill.Parse(out)
		if err != nil || back.Name != s.Name || back.Description != s.Description || !slices.Equal(back.AllowedTools, s.AllowedTools) {
			t.Fatalf("seed %d: %v\n%+v", seed, err, back)
		}
		if c.SkillName == "a-name" && (back.Name != "a-name" || len(back.AllowedTools) != 2) {
			t.Fatalf("seed %d: %+v", seed, back)
		}
		if d := line(c.SkillDescription, 4*skill.MaxDescription); skill.DescriptionProblem(d) == nil && back.Description != d {
			t.Fatalf("seed %d: %q became %q", seed, d, back.Description)
		}
	}
}

func TestPlainWritesEverySection(t *testing.T) {
	c := NewContext("s")
	c.SkillName, c.SkillDescription, c.SkillPurpose = "release-notes", "Writes notes.", "Writes notes."
	c.WorkflowSteps, c.Triggers, c.Examples = []string{"Run `make test`", "Write"}, []string{"a tag is set", "cut a release", "before a merge"}, []string{"in: ```x```\nout: y"}
	c.ReferencesTopics, c.ScriptsNeeded = []string{"style", "docs/a.md"}, []string{"make test", "tools/n.sh", "count the words"}
	c.Plan.Notes = map[string]string{"style": "Short."}
	c.Plan.Limits = []string{"drafts", "Never invent a change"}
	s := plain(c, []string{"docs/a.md"})
	for _, want := range []string{"# Release notes\n", "\n\nWrites notes.\n\n## When to use\n\n- A tag is set\n- Somebody says \"cut a release\"\n- Before a merge\n\n## When not to use\n\n- drafts\n\n## Steps\n\n1. Run `make test`\n2. Write\n\n## Rules\n\n- Never invent a change\n\n## Examples\n\n````\nin: ```x```", "[references/style.md](references/style.md): style",
		"`docs/a.md` in the repository", "[scripts/make-test.sh](scripts/make-test.sh) runs `make test`", "`tools/n.sh` in the repository", "write it when the steps need it: count the words"} {
		if !strings.Contains(s.Body, want) {
			t.Errorf("lacks %q:\n%s", want, s.Body)
		}
	}
	if want := map[string]string{"references/style.md": "# Style\n\nShort.\n", "scripts/make-test.sh": "#!/bin/sh\nset -eu\nmake test\n"}; !maps.Equal(s.Resources, want) {
		t.Errorf("%v", s.Resources)
	}
}

func TestPlainInGerman(t *testing.T) {
	c := NewContext("s")
	c.SkillPurpose, c.Triggers = "Rechnungen prüfen und die Fehler melden", []string{"eine Rechnung kommt an"}
	if s := plain(c, nil); s.Name != "rechnungen-prufen-fehler-melden" || !strings.HasPrefix(s.Body, "# Rechnungen prüfen und die Fehler melden\n\nRechnungen prüfen und die Fehler melden.\n") || !strings.Contains(s.Body, "- Eine Rechnung kommt an\n") {
		t.Errorf("%s\n%s", s.Name, s.Body)
	}
}

func FuzzPlain(f *testing.F) {
	for i, s := range nasty {
		f.Add(s, nasty[(i+7)%len(nasty)], s, nasty[(i+13)%len(nasty)], s)
	}
	f.Fuzz(func(t *testing.T, name, description, purpose, item, tool string) {
		c := NewContext("s")
		c.SkillName, c.SkillDescription, c.SkillPurpose = name, description, purpose
		for _, l := range []*[]string{&c.Examples, &c.WorkflowSteps, &c.Triggers, &c.ReferencesTopics, &c.ScriptsNeeded} {
			*l = []string{item, purpose}
		}
		c.AllowedTools, c.Plan.Notes = []string{tool, "Read"}, map[string]string{line(item, maxTopic): description}
		s := plain(c, nil)
		out, err := skill.Write(s)
		if err != nil {
			t.Fatal(err)
		}
		if bad := skill.Check(out, s.Resources); bad != nil {
			t.Fatalf("%v\n%s", bad, out)
		}
		back, err := skill.Parse(out)
		if err != nil || back.Name != s.Name || back.Description != s.Description || !slices.Equal(back.AllowedTools, s.AllowedTools) || back.Body != strings.Trim(s.Body, "\n") {
			t.Fatalf("%v\n%+v\n%+v", err, s, back)
		}
		if skill.NameProblem(name) == nil && back.Name != name || skill.ValidTool(tool) && !slices.Contains(back.AllowedTools, tool) {
			t.Fatalf("%+v", back)
		}
	})
}

func TestNamesLeaveCommandsOut(t *testing.T) {
	for purpose, want := range map[string]string{
		"Run the tests with `make test` and explain each failure": "run-tests", "Use `git bisect`": "git-bisect", "`make release`": "release", "Publish releases": "publish-releases",
	} {
		if got := madeName(purpose); got != want {
			t.Errorf("%q is called %s, not %s", purpose, got, want)
		}
	}
}
