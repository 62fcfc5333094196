package skill_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"agentdungeon/server/skill"
)

// nasty has texts that break a file that is put together carelessly.
var nasty = []string{
	"", "plain words", "---", "--- \n---\n", "a: b", "- x", "# y", "*alias", "&anchor", "!!binary x", "{a: b}", "[x", "\"", "'", "\\", "yes", "null", "~", "1e5", "0x1F",
	"2020-01-01", "%YAML 1.1", "a\nb", "a\r\nb", "tab\tin", " leading", "trailing ", "\u2028", "\u0085x", "\uFEFFbom", "日本語のスキル", "é", "👩‍🚀", "`", "``` x", "[l](references/none.md)",
	"<script>alert(1)</script>", "../../etc/passwd", "name: other\ndescription: other", "allowed-tools: Bash", "=== SKILL.md ===", "$(rm -rf .)", "|", ">", "? k", ": v", "\n---\nname: evil\n---\n",
}

func text(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(3) {
		b.WriteString(nasty[r.IntN(len(nasty))])
	}
	return b.String()
}

// A YAML parser returns any text that a person typed unchanged. No text becomes a key, an alias or the end of the
// frontmatter.
func TestFrontmatterRoundTrips(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 7))
		s := skill.Skill{Name: text(r), Description: text(r), License: text(r), Compatibility: text(r), Body: "# A body\n\n---\n\nname: other", AllowedTools: []string{text(r), text(r)},
			Metadata: map[string]string{text(r): text(r)}}
		whole, err := skill.Write(s)
		if err != nil {
			t.Fatal(err)
		}
		back, err := skill.Parse(whole)
		if err != nil || !reflect.DeepEqual(back, s) {
			t.Fatalf("seed %d: %v\n%+v\n%+v\n%s", seed, err, s, back, whole)
		}
		_, front, _ := strings.Cut(whole, "---\n")
		front, _, _ = strings.Cut(front, "\n---\n")
		var plain map[string]any // as another program reads it
		if err := yaml.Unmarshal([]byte(front), &plain); err != nil || plain["name"] != s.Name || plain["description"] != s.Description {
			t.Fatalf("seed %d: %v: %v", seed, err, plain)
		}
	}
	whole, err := skill.Write(skill.Skill{Name: "release-notes", Description: "Writes notes.", AllowedTools: []string{"Read", "Bash(git:*)"}, Body: "# Release notes"})
	if want := "---\nname: release-notes\ndescription: \"Writes notes.\"\nallowed-tools: \"Read Bash(git:*)\"\n---\n\n# Release notes\n"; err != nil || whole != want {
		t.Errorf("%v\n%s", err, whole)
	}
}

func FuzzWriteParse(f *testing.F) {
	for _, s := range nasty {
		f.Add(s, s, s)
	}
	f.Fuzz(func(t *testing.T, name, description, tool string) {
		s := skill.Skill{Name: name, Description: description, AllowedTools: []string{tool, "Read"}, Body: "x"}
		whole, err := skill.Write(s)
		if !utf8.ValidString(name) || !utf8.ValidString(description) || !utf8.ValidString(tool) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(whole) > 32<<10 {
			return
		}
		if back, err := skill.Parse(whole); err != nil || !reflect.DeepEqual(back, s) {
			t.Fatalf("%v\n%+v\n%+v\n%s", err, s, back, whole)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add("---\nname: a\ndescription: b\n---\nx")
	f.Add("---\na: &x [*x]\n---\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := skill.Parse(text)
		if err != nil || !utf8.ValidString(text) {
			return
		}
		skill.Check(text, nil)
		whole, err := skill.Write(s)
		if err != nil {
			return // bytes that only an escape can hold
		}
		if back, err := skill.Parse(whole); err != nil || back.Name != s.Name || back.Description != s.Description {
			t.Fatalf("%v\n%+v\n%+v", err, s, back)
		}
	})
}

// Parse also reads a SKILL.md in the forms that other programs write.
func TestParseReadsWhatOthersWrite(t *testing.T) {
	s, err := skill.Parse("\uFEFF---\r\nname: pdf-processing\r\ndescription: >-\r\n  Extract text.\r\n  Use for PDFs.\r\nlicense: Apache-2.0\r\nmetadata:\r\n  version: 1.0\r\nallowed-tools: Bash(git log:*), Read  Grep\r\nmodel: any\r\n---\r\n# Body\r\n")
	if err != nil || s.Name != "pdf-processing" || s.Description != "Extract text. Use for PDFs." || s.License != "Apache-2.0" || s.Metadata["version"] != "1.0" ||
		!slices.Equal(s.AllowedTools, []string{"Bash(git log:*)", "Read", "Grep"}) || s.Body != "# Body" {
		t.Fatalf("%v: %+v", err, s)
	}
	if s, err = skill.Parse("---\nname: a\nallowed-tools:\n  - Bash(git log:*)\n  - Read\n---"); err != nil || len(s.AllowedTools) != 2 {
		t.Fatalf("%v: %+v", err, s)
	}
	for text, want := range map[string]string{
		"# no frontmatter": "first line", "---\nname: a": "has no end", "---\n- a\n---\n": "no fields", "---\n---\n": "no fields", "---\na: [\n---\n": "no YAML",
		"---\nname: [a]\n---\n": "name has to be plain text", "---\nname: a\nname: b\n---\n": "twice", "---\nx: &x y\nname: *x\n---\n": "name has to be plain text",
		"---\nmetadata: x\n---\n": "map", "---\nname: " + strings.Repeat("x", 32<<10) + "\n---\n": "over",
	} {
		if _, err := skill.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
}

func whole(t *testing.T, s skill.Skill) string {
	t.Helper()
	out, err := skill.Write(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Every problem has a name and says what to do; a valid skill has none (S1-B6).
func TestCheck_S1_B6(t *testing.T) {
	good := func() skill.Skill {
		return skill.Skill{Name: "a", Description: "b", Body: "Do it. See [x](references/x.md).", Resources: map[string]string{"references/x.md": "x"}}
	}
	for code, change := range map[string]func(*skill.Skill){
		"":                    func(*skill.Skill) {},
		"name_missing":        func(s *skill.Skill) { s.Name = "" },
		"name_long":           func(s *skill.Skill) { s.Name = strings.Repeat("a", 65) },
		"name_form":           func(s *skill.Skill) { s.Name = "Release Notes" },
		"description_missing": func(s *skill.Skill) { s.Description = " " },
		"description_long":    func(s *skill.Skill) { s.Description = strings.Repeat("é", 1025) },
		"description_form":    func(s *skill.Skill) { s.Description = "a\x1b[2J" },
		"compatibility_long":  func(s *skill.Skill) { s.Compatibility = strings.Repeat("a", 501) },
		"license_long":        func(s *skill.Skill) { s.License = strings.Repeat("a", 201) },
		"metadata_many": func(s *skill.Skill) {
			s.Metadata = map[string]string{}
			for i := range 33 {
				s.Metadata[fmt.Sprint(i)] = ""
			}
		},
		"tools_many":       func(s *skill.Skill) { s.AllowedTools = slices.Repeat([]string{"Read"}, 33) },
		"tool_form":        func(s *skill.Skill) { s.AllowedTools = []string{"rm -rf"} },
		"body_missing":     func(s *skill.Skill) { s.Body, s.Resources = "", nil },
		"file_large":       func(s *skill.Skill) { s.Body += strings.Repeat("a", 64<<10) },
		"file_form":        func(s *skill.Skill) { s.Body += "\x00" },
		"resource_missing": func(s *skill.Skill) { s.Body += " [y](references/y.md)" },
		"resource_unused":  func(s *skill.Skill) { s.Resources["scripts/y.sh"] = "y" },
		"resource_path":    func(s *skill.Skill) { s.Resources["../x"] = "x"; s.Body += "../x" },
		"resource_twice":   func(s *skill.Skill) { s.Resources["references/X.md"] = "x"; s.Body += "references/X.md" },
		"resource_empty":   func(s *skill.Skill) { s.Resources["references/x.md"] = "\n" },
		"resource_form":    func(s *skill.Skill) { s.Resources["references/x.md"] = "\xff" },
		"skill_large":      func(s *skill.Skill) { s.Resources["references/x.md"] = strings.Repeat("x", 1<<20) },
		"resource_many": func(s *skill.Skill) {
			for i := range 32 {
				p := fmt.Sprintf("references/%d.md", i)
				s.Resources[p], s.Body = "x", s.Body+p
			}
		},
	} {
		s := good()
		change(&s)
		found := skill.Check(whole(t, s), s.Resources)
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
	if found := skill.Check("no skill", nil); len(found) != 1 || found[0].Code != "frontmatter" {
		t.Errorf("%v", found)
	}
	if skill.ValidTool("A(0\x80)") || !skill.ValidTool("Bash(git log --format='%h %s':*)") || skill.ValidTool("Bash(a\nb)") || skill.ValidTool("Bash( a)") {
		t.Error("tools")
	}
	edges := skill.Skill{Name: strings.Repeat("a", 64), Description: strings.Repeat("é", 1024), Body: "x\n\n```\n[y](references/y.md)\n```"}
	if found := skill.Check(whole(t, edges), nil); found != nil {
		t.Errorf("at the bounds: %v", found)
	}
}

func TestNames_S1_B6(t *testing.T) {
	for _, n := range []string{"a", "1", "release-notes", "a-1-b", strings.Repeat("a", 64)} {
		if p := skill.NameProblem(n); p != nil {
			t.Errorf("%q: %v", n, p)
		}
	}
	for _, n := range []string{"", "-", "-a", "a-", "a--b", "A", "a b", "a_b", "ä", "a/b", "..", "a\n", strings.Repeat("a", 65)} {
		if skill.NameProblem(n) == nil {
			t.Errorf("%q is taken", n)
		}
	}
}

// A resource never leaves the skill's folder, on any system.
func TestPaths(t *testing.T) {
	for _, p := range []string{"references/a.md", "scripts/run_all-2.sh", "references/A"} {
		if bad := skill.PathProblem(p); bad != nil {
			t.Errorf("%q: %v", p, bad)
		}
	}
	for _, p := range []string{"", "a.md", "/references/a", "references/../a", "references/..", "references/.hidden", "references/a/b.md", "references\\a", "references//a", "./references/a",
		"references/a b", "scripts/-rf", "scripts/con", "scripts/NUL.txt", "scripts/com1.sh", "references/a.", "references/", "C:/references/a", "references/a\x00", "references/ä", skill.File,
		"references/" + strings.Repeat("a", 200)} {
		if skill.PathProblem(p) == nil {
			t.Errorf("%q is taken", p)
		}
	}
}

// A prompt with a skill has the files that the skill names, as far as there is room.
func TestTold(t *testing.T) {
	body := "Do it by [references/style.md](references/style.md), then run [scripts/x.sh](scripts/x.sh). See references/none.md.\n\n```\nsh scripts/y.sh ../references/x/../../etc scripts/.z\n```"
	files := map[string]string{skill.File: "---", "references/style.md": "# Style\n\nShort words.\n", "scripts/x.sh": "#!/bin/sh\nmake\n", "scripts/y.sh": "echo y", "references/other.md": "other"}
	got := skill.ForPrompt(body, files, 1000)
	if want := body + "\n\n## references/style.md\n\n# Style\n\nShort words.\n\n## scripts/x.sh\n\n```\n#!/bin/sh\nmake\n```\n\n## scripts/y.sh\n\n```\necho y\n```"; got != want {
		t.Errorf("%s", got)
	}
	files["references/style.md"] = strings.Repeat("long ", 300)
	if got := skill.ForPrompt(body, files, 1000); !strings.Contains(got, "## references/style.md\n\n(There is no room for it here.)\n\n## scripts/x.sh\n\n```\n#!/bin/sh") || len(got) > 1000 {
		t.Errorf("%s", got)
	}
	for limit := range 400 {
		if got := skill.ForPrompt(body, files, limit); len(got) > limit {
			t.Fatalf("%d bytes of %d", len(got), limit)
		}
	}
}
