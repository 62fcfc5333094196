package forge

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// Any text that a person typed comes back from a YAML parser as it was, and is never a
// key, an alias or the end of the frontmatter.
func TestFrontmatterRoundTrips(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 7))
		s := Skill{Name: text(r), Description: text(r), License: text(r), Compatibility: text(r), Body: "# A body\n\n---\n\nname: other", AllowedTools: []string{text(r), text(r)},
			Metadata: map[string]string{text(r): text(r)}}
		whole, err := Write(s)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Parse(whole)
		if err != nil || !reflect.DeepEqual(back, s) {
			t.Fatalf("seed %d: %v\n%+v\n%+v\n%s", seed, err, s, back, whole)
		}
		_, front, _ := strings.Cut(whole, fence+"\n")
		front, _, _ = strings.Cut(front, "\n"+fence+"\n")
		var plain map[string]any // as any other reader sees it
		if err := yaml.Unmarshal([]byte(front), &plain); err != nil || plain["name"] != s.Name || plain["description"] != s.Description {
			t.Fatalf("seed %d: %v: %v", seed, err, plain)
		}
	}
	whole, err := Write(Skill{Name: "release-notes", Description: "Writes notes.", AllowedTools: []string{"Read", "Bash(git:*)"}, Body: "# Release notes"})
	if want := "---\nname: release-notes\ndescription: \"Writes notes.\"\nallowed-tools: \"Read Bash(git:*)\"\n---\n\n# Release notes\n"; err != nil || whole != want {
		t.Errorf("%v\n%s", err, whole)
	}
}

func FuzzWriteParse(f *testing.F) {
	for _, s := range nasty {
		f.Add(s, s, s)
	}
	f.Fuzz(func(t *testing.T, name, description, tool string) {
		s := Skill{Name: name, Description: description, AllowedTools: []string{tool, "Read"}, Body: "x"}
		whole, err := Write(s)
		if !utf8.ValidString(name) || !utf8.ValidString(description) || !utf8.ValidString(tool) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(whole) > maxFrontmatter {
			return
		}
		if back, err := Parse(whole); err != nil || !reflect.DeepEqual(back, s) {
			t.Fatalf("%v\n%+v\n%+v\n%s", err, s, back, whole)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add("---\nname: a\ndescription: b\n---\nx")
	f.Add("---\na: &x [*x]\n---\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil || !utf8.ValidString(text) {
			return
		}
		Check(text, nil)
		whole, err := Write(s)
		if err != nil {
			return // bytes that only an escape can hold
		}
		if back, err := Parse(whole); err != nil || back.Name != s.Name || back.Description != s.Description {
			t.Fatalf("%v\n%+v\n%+v", err, s, back)
		}
	})
}

// What other programs write is read too.
func TestParseReadsWhatOthersWrite(t *testing.T) {
	s, err := Parse("\uFEFF---\r\nname: pdf-processing\r\ndescription: >-\r\n  Extract text.\r\n  Use for PDFs.\r\nlicense: Apache-2.0\r\nmetadata:\r\n  version: 1.0\r\nallowed-tools: Bash(git log:*), Read  Grep\r\nmodel: any\r\n---\r\n# Body\r\n")
	if err != nil || s.Name != "pdf-processing" || s.Description != "Extract text. Use for PDFs." || s.License != "Apache-2.0" || s.Metadata["version"] != "1.0" ||
		!slices.Equal(s.AllowedTools, []string{"Bash(git log:*)", "Read", "Grep"}) || s.Body != "# Body" {
		t.Fatalf("%v: %+v", err, s)
	}
	if s, err = Parse("---\nname: a\nallowed-tools:\n  - Bash(git log:*)\n  - Read\n---"); err != nil || len(s.AllowedTools) != 2 {
		t.Fatalf("%v: %+v", err, s)
	}
	for text, want := range map[string]string{
		"# no frontmatter": "first line", "---\nname: a": "has no end", "---\n- a\n---\n": "no fields", "---\n---\n": "no fields", "---\na: [\n---\n": "no YAML",
		"---\nname: [a]\n---\n": "name has to be plain text", "---\nname: a\nname: b\n---\n": "twice", "---\nx: &x y\nname: *x\n---\n": "name has to be plain text",
		"---\nmetadata: x\n---\n": "map", "---\nname: " + strings.Repeat("x", maxFrontmatter) + "\n---\n": "over",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
}

func whole(t *testing.T, s Skill) string {
	t.Helper()
	out, err := Write(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Every problem has a name and says what to do; a valid skill has none (S1-B6).
func TestCheck_S1_B6(t *testing.T) {
	good := func() Skill {
		return Skill{Name: "a", Description: "b", Body: "Do it. See [x](references/x.md).", Resources: map[string]string{"references/x.md": "x"}}
	}
	for code, change := range map[string]func(*Skill){
		"":                    func(*Skill) {},
		"name_missing":        func(s *Skill) { s.Name = "" },
		"name_long":           func(s *Skill) { s.Name = strings.Repeat("a", 65) },
		"name_form":           func(s *Skill) { s.Name = "Release Notes" },
		"description_missing": func(s *Skill) { s.Description = " " },
		"description_long":    func(s *Skill) { s.Description = strings.Repeat("é", 1025) },
		"description_form":    func(s *Skill) { s.Description = "a\x1b[2J" },
		"compatibility_long":  func(s *Skill) { s.Compatibility = strings.Repeat("a", 501) },
		"license_long":        func(s *Skill) { s.License = strings.Repeat("a", 201) },
		"metadata_many": func(s *Skill) {
			s.Metadata = map[string]string{}
			for i := range 33 {
				s.Metadata[fmt.Sprint(i)] = ""
			}
		},
		"tools_many":       func(s *Skill) { s.AllowedTools = slices.Repeat([]string{"Read"}, 33) },
		"tool_form":        func(s *Skill) { s.AllowedTools = []string{"rm -rf"} },
		"body_missing":     func(s *Skill) { s.Body, s.Resources = "", nil },
		"file_large":       func(s *Skill) { s.Body += strings.Repeat("a", 64<<10) },
		"file_form":        func(s *Skill) { s.Body += "\x00" },
		"resource_missing": func(s *Skill) { s.Body += " [y](references/y.md)" },
		"resource_unused":  func(s *Skill) { s.Resources["scripts/y.sh"] = "y" },
		"resource_path":    func(s *Skill) { s.Resources["../x"] = "x"; s.Body += "../x" },
		"resource_twice":   func(s *Skill) { s.Resources["references/X.md"] = "x"; s.Body += "references/X.md" },
		"resource_empty":   func(s *Skill) { s.Resources["references/x.md"] = "\n" },
		"resource_form":    func(s *Skill) { s.Resources["references/x.md"] = "\xff" },
		"skill_large":      func(s *Skill) { s.Resources["references/x.md"] = strings.Repeat("x", 1<<20) },
		"resource_many": func(s *Skill) {
			for i := range 32 {
				p := fmt.Sprintf("references/%d.md", i)
				s.Resources[p], s.Body = "x", s.Body+p
			}
		},
	} {
		s := good()
		change(&s)
		found := Check(whole(t, s), s.Resources)
		var codes []string
		for _, p := range found {
			codes = append(codes, p.Code)
			if len(p.Message) < 20 {
				t.Errorf("%s says only %q", p.Code, p.Message)
			}
		}
		if code == "" && len(codes) > 0 || code != "" && !slices.Equal(slices.Compact(codes), []string{code}) {
			t.Errorf("%q: %v", code, found)
		}
	}
	if found := Check("no skill", nil); len(found) != 1 || found[0].Code != "frontmatter" {
		t.Errorf("%v", found)
	}
	if validTool("A(0\x80)") || !validTool("Bash(git log --format='%h %s':*)") || validTool("Bash(a\nb)") || validTool("Bash( a)") {
		t.Error("tools")
	}
	edges := Skill{Name: strings.Repeat("a", 64), Description: strings.Repeat("é", 1024), Body: "x\n\n```\n[y](references/y.md)\n```"}
	if found := Check(whole(t, edges), nil); found != nil {
		t.Errorf("at the bounds: %v", found)
	}
}

func TestNames_S1_B6(t *testing.T) {
	for _, n := range []string{"a", "1", "release-notes", "a-1-b", strings.Repeat("a", 64)} {
		if p := NameProblem(n); p != nil {
			t.Errorf("%q: %v", n, p)
		}
	}
	for _, n := range []string{"", "-", "-a", "a-", "a--b", "A", "a b", "a_b", "ä", "a/b", "..", "a\n", strings.Repeat("a", 65)} {
		if NameProblem(n) == nil {
			t.Errorf("%q is taken", n)
		}
	}
}

// A resource never leaves the skill's folder, on any system.
func TestPaths(t *testing.T) {
	for _, p := range []string{"references/a.md", "scripts/run_all-2.sh", "references/A"} {
		if bad := PathProblem(p); bad != nil {
			t.Errorf("%q: %v", p, bad)
		}
	}
	for _, p := range []string{"", "a.md", "/references/a", "references/../a", "references/..", "references/.hidden", "references/a/b.md", "references\\a", "references//a", "./references/a",
		"references/a b", "scripts/-rf", "scripts/con", "scripts/NUL.txt", "scripts/com1.sh", "references/a.", "references/", "C:/references/a", "references/a\x00", "references/ä", SkillFile,
		"references/" + strings.Repeat("a", 200)} {
		if PathProblem(p) == nil {
			t.Errorf("%q is taken", p)
		}
	}
}

// Whatever a context holds, what Plain writes is valid, stays within the bounds, and
// says the name, description and tools that it was given where those are as they
// should be.
func TestPlainIsAlwaysValid(t *testing.T) {
	for seed := range uint64(600) {
		if raceOn && seed%6 != 0 {
			continue
		}
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
		s := Plain(c, []string{"docs/a.md"})
		out := whole(t, s)
		if bad := Check(out, s.Resources); bad != nil {
			t.Fatalf("seed %d: %v\n%s", seed, bad, out)
		}
		back, err := Parse(out)
		if err != nil || back.Name != s.Name || back.Description != s.Description || !slices.Equal(back.AllowedTools, s.AllowedTools) {
			t.Fatalf("seed %d: %v\n%+v", seed, err, back)
		}
		if c.SkillName == "a-name" && (back.Name != "a-name" || len(back.AllowedTools) != 2) {
			t.Fatalf("seed %d: %+v", seed, back)
		}
		if d := line(c.SkillDescription, 4*MaxDescription); DescriptionProblem(d) == nil && back.Description != d {
			t.Fatalf("seed %d: %q became %q", seed, d, back.Description)
		}
	}
}

func TestPlainWritesEverySection(t *testing.T) {
	c := New("s")
	c.SkillName, c.SkillDescription, c.SkillPurpose = "release-notes", "Writes notes.", "Writes notes."
	c.WorkflowSteps, c.Triggers, c.Examples = []string{"Run `make test`", "Write"}, []string{"a tag is set", "cut a release", "before a merge"}, []string{"in: ```x```\nout: y"}
	c.ReferencesTopics, c.ScriptsNeeded = []string{"style", "docs/a.md"}, []string{"make test", "tools/n.sh", "count the words"}
	c.Plan.Notes = map[string]string{"style": "Short."}
	c.Plan.Limits = []string{"drafts", "Never invent a change"}
	s := Plain(c, []string{"docs/a.md"})
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
	c := New("s")
	c.SkillPurpose, c.Triggers = "Rechnungen prüfen und die Fehler melden", []string{"eine Rechnung kommt an"}
	if s := Plain(c, nil); s.Name != "rechnungen-prufen-fehler-melden" || !strings.HasPrefix(s.Body, "# Rechnungen prüfen und die Fehler melden\n\nRechnungen prüfen und die Fehler melden.\n") || !strings.Contains(s.Body, "- Eine Rechnung kommt an\n") {
		t.Errorf("%s\n%s", s.Name, s.Body)
	}
}

func FuzzPlain(f *testing.F) {
	for i, s := range nasty {
		f.Add(s, nasty[(i+7)%len(nasty)], s, nasty[(i+13)%len(nasty)], s)
	}
	f.Fuzz(func(t *testing.T, name, description, purpose, item, tool string) {
		c := New("s")
		c.SkillName, c.SkillDescription, c.SkillPurpose = name, description, purpose
		for _, l := range []*[]string{&c.Examples, &c.WorkflowSteps, &c.Triggers, &c.ReferencesTopics, &c.ScriptsNeeded} {
			*l = []string{item, purpose}
		}
		c.AllowedTools, c.Plan.Notes = []string{tool, "Read"}, map[string]string{line(item, maxTopic): description}
		s := Plain(c, nil)
		out, err := Write(s)
		if err != nil {
			t.Fatal(err)
		}
		if bad := Check(out, s.Resources); bad != nil {
			t.Fatalf("%v\n%s", bad, out)
		}
		back, err := Parse(out)
		if err != nil || back.Name != s.Name || back.Description != s.Description || !slices.Equal(back.AllowedTools, s.AllowedTools) || back.Body != strings.Trim(s.Body, "\n") {
			t.Fatalf("%v\n%+v\n%+v", err, s, back)
		}
		if NameProblem(name) == nil && back.Name != name || validTool(tool) && !slices.Contains(back.AllowedTools, tool) {
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

// Who is told a skill is told what it names as well, as far as there is room.
func TestTold(t *testing.T) {
	body := "Do it by [references/style.md](references/style.md), then run [scripts/x.sh](scripts/x.sh). See references/none.md.\n\n```\nsh scripts/y.sh ../references/x/../../etc scripts/.z\n```"
	files := map[string]string{SkillFile: "---", "references/style.md": "# Style\n\nShort words.\n", "scripts/x.sh": "#!/bin/sh\nmake\n", "scripts/y.sh": "echo y", "references/other.md": "other"}
	got := Told(body, files, 1000)
	if want := body + "\n\n## references/style.md\n\n# Style\n\nShort words.\n\n## scripts/x.sh\n\n```\n#!/bin/sh\nmake\n```\n\n## scripts/y.sh\n\n```\necho y\n```"; got != want {
		t.Errorf("%s", got)
	}
	files["references/style.md"] = strings.Repeat("long ", 300)
	if got := Told(body, files, 1000); !strings.Contains(got, "## references/style.md\n\n(There is no room for it here.)\n\n## scripts/x.sh\n\n```\n#!/bin/sh") || len(got) > 1000 {
		t.Errorf("%s", got)
	}
	for limit := range 400 {
		if got := Told(body, files, limit); len(got) > limit {
			t.Fatalf("%d bytes of %d", len(got), limit)
		}
	}
}
