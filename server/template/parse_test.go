package template_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"agentdungeon/server/jsonfile"
	"agentdungeon/server/template"
	"agentdungeon/shared/world"
)

// The embedded templates have these stages, each with its roles, structure, completion and artifacts.
func TestBuiltinsAreTheStartingFigures(t *testing.T) {
	heroes := "architect sentinel archaeologist cartographer alchemist healer sage warden scout bard"
	want := map[string][]string{
		"standard_brainstorm": {
			"ideation|ideator facilitator|sequential|turn_count 2|idea_list/ideator",
			"critique|devils_advocate facilitator|sequential|turn_count 1|critique_notes/devils_advocate",
			"synthesis|synthesizer facilitator|single|explicit_signal 0|synthesis_output/synthesizer",
		},
		"deep_brainstorm": {
			"problem_framing|cartographer questioner|sequential|turn_count 1|framing_doc/",
			"divergent_thinking|wild_ideator cross_pollinator|parallel|turn_count 2|idea_list/",
			"convergent_thinking|synthesizer connector|sequential|turn_count 1|candidate_list/",
			"critique|skeptic devils_advocate|parallel|turn_count 1|critique_notes/",
			"prioritization|strategist|single|turn_count 1|ranked_list/strategist",
			"synthesis|architect|single|explicit_signal 0|proposal/architect",
			"presentation|narrator|single|explicit_signal 0|final_output/narrator",
		},
		"code_review": {
			"reconnaissance|" + heroes + "|parallel|turn_count 2|recon_notes/",
			"deep_analysis|" + heroes + "|parallel|turn_count 3|analysis_findings/",
			"cross_reference|" + heroes + "|sequential|turn_count 1|cross_ref_notes/",
			"oracle_review|oracle|single|explicit_signal 0|oracle_review_notes/oracle",
			"synthesis|oracle|single|explicit_signal 0|synthesis_report/oracle",
			"presentation|oracle|single|explicit_signal 0|final_report/oracle",
		},
	}
	list := template.Builtin()
	if list[0].ID != "deep_brainstorm" {
		t.Fatalf("the default is %s", list[0].ID)
	}
	if n := len(list[0].Roles); n != 11 {
		t.Fatalf("deep_brainstorm has %d roles", n)
	}
	for _, tpl := range list {
		used := map[string]bool{}
		var got []string
		for _, st := range tpl.Stages {
			specs := []string{}
			for _, a := range st.Artifacts {
				specs = append(specs, a.Name+"/"+a.Producer)
			}
			got = append(got, fmt.Sprintf("%s|%s|%s|%s %d|%s", st.ID, strings.Join(st.Roles, " "), st.Structure, st.Completion, st.Turns, strings.Join(specs, " ")))
			for _, r := range st.Roles {
				used[r] = true
			}
			if len(st.Goal) < 80 {
				t.Errorf("%s: the goal of %s says too little", tpl.ID, st.ID)
			}
		}
		for _, r := range tpl.Roles {
			if !used[r.ID] {
				t.Errorf("%s: role %s has no stage", tpl.ID, r.ID)
			}
			if len(r.Persona) < 80 {
				t.Errorf("%s: the persona of %s says too little", tpl.ID, r.ID)
			}
		}
		if rows := want[tpl.ID]; rows != nil && !slices.Equal(got, rows) {
			t.Errorf("%s:\n%s\nwant\n%s", tpl.ID, strings.Join(got, "\n"), strings.Join(rows, "\n"))
		}
		delete(want, tpl.ID)
	}
	if len(want) > 0 {
		t.Fatalf("missing: %v", want)
	}
}

const good = `{
  "id": "panel", "name": "Panel", "description": "A panel.",
  "roles": [
    {"id": "a", "name": "A", "color": "#112233", "persona": "P."},
    {"id": "b", "name": "B", "color": "#445566"}
  ],
  "stages": [
    {"id": "one", "name": "One", "goal": "G.", "roles": ["a", "b"], "structure": "sequential", "completion": "turn_count", "turns": 2, "artifacts": [{"name": "list", "producer": "b"}]},
    {"id": "two", "name": "Two", "goal": "G.", "roles": ["a", "b"], "structure": "single", "completion": "explicit_signal"}
  ]
}`

func TestParseTemplate(t *testing.T) {
	tpl, err := template.Parse("panel.json", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	if tpl.ID != "panel" || len(tpl.Roles) != 2 || tpl.Stages[0].Turns != 2 || tpl.Stages[0].Artifacts[0].Producer != "b" || tpl.Stages[1].Artifacts == nil {
		t.Fatalf("%+v", tpl)
	}
	again, err := template.Parse("again.json", []byte(encoded(t, tpl)))
	if err != nil || encoded(t, again) != encoded(t, tpl) {
		t.Fatalf("what is written is not read back: %v", err)
	}
}

// Each error names the file and the field.
func TestTemplateErrors(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{`"id": "panel"`, `"id": "pa nel"`, `id: must be 1 to 64`},
		{`"id": "panel", `, ``, `id: is missing`},
		{`"id": "panel"`, `"id": 7`, `id: must be a string`},
		{`"id": "panel"`, `"id": "panel", "id": "p2"`, `id: stands twice`},
		{`"id": "panel"`, `"id": "panel", "extra": 1`, `extra: is not a field here`},
		{`"id": "panel"`, `"ID": "panel"`, `ID: is not a field here`},
		{`"name": "Panel"`, `"name": " "`, `name: must be 1 to 40`},
		{`"A panel."`, `"A\u0007"`, `description: holds a control character`},
		{`"A panel."`, `"` + strings.Repeat("x", template.MaxDescription+1) + `"`, `description: is 501 bytes long`},
		{`"id": "b", "name": "B"`, `"id": "a", "name": "B"`, `roles[1].id: role "a" stands twice`},
		{`"id": "b", "name": "B"`, `"id": "b", "name": "a"`, `roles[1].name: "a" is also the name of role "a"`},
		{`"#445566"`, `"red"`, `roles[1].color: must be #rrggbb`},
		{`"persona": "P."`, `"person": "P."`, `roles[0].person: is not a field here`},
		{`"roles": ["a", "b"], "structure": "sequential"`, `"roles": ["x"], "structure": "sequential"`, `stages[0].roles[0]: role "x" is not one of roles`},
		{`"roles": ["a", "b"], "structure": "sequential"`, `"roles": ["a", "a"], "structure": "sequential"`, `stages[0].roles[1]: role "a" stands twice`},
		{`"roles": ["a", "b"], "structure": "sequential"`, `"roles": [], "structure": "sequential"`, `stages[0].roles: has 0 entries; it must have 1 to 32`},
		{`"roles": ["a", "b"], "structure": "sequential"`, `"roles": "a", "structure": "sequential"`, `stages[0].roles: must be a list`},
		{`"sequential"`, `"serial"`, `stages[0].structure: must be one of sequential, parallel, single`},
		{`"sequential"`, `"sequential", "movement": "up"`, `stages[0].movement: must be one of outward, inward`},
		{`"turn_count"`, `"turns"`, `stages[0].completion: must be one of`},
		{`"turns": 2`, `"turns": 0`, `stages[0].turns: is 0; it must be 1 to 20`},
		{`"turns": 2`, `"turns": 21`, `stages[0].turns: is 21; it must be 1 to 20`},
		{`"turns": 2`, `"turns": 1.5`, `stages[0].turns: must be an integer`},
		{`"turns": 2, `, ``, `stages[0].turns: is missing`},
		{`"completion": "explicit_signal"`, `"completion": "explicit_signal", "turns": 1`, `stages[1].turns: has no meaning`},
		{`"structure": "single"`, `"structure": "parallel"`, `stages[1].completion: a parallel stage must end by "turn_count"`},
		{`"producer": "b"`, `"producer": "c"`, `stages[0].artifacts[0].producer: role "c" does not act in this stage`},
		{`"completion": "explicit_signal"`, `"completion": "explicit_signal", "artifacts": [{"name": "x", "producer": "b"}]`, `stages[1].artifacts[0].producer: role "b" does not act`},
		{`{"name": "list", "producer": "b"}`, `{"name": "list"}, {"name": "list"}`, `stages[0].artifacts[1].name: artifact "list" stands twice`},
		{`"id": "two"`, `"id": "one"`, `stages[1].id: stage "one" stands twice`},
		{`"goal": "G.", "roles": ["a", "b"], "structure": "single"`, `"roles": ["a", "b"], "structure": "single"`, `stages[1].goal: is missing`},
		{`"two"`, `two`, `line 9: `},
		{"\n}", "\n}}", `line 11: `},
		{"\n}", "", `the file ends too early`},
	} {
		if strings.Count(good, c.old) < 1 {
			t.Fatalf("the sample lacks %q", c.old)
		}
		_, err := template.Parse("panel.json", []byte(strings.Replace(good, c.old, c.new, 1)))
		if err == nil || !strings.HasPrefix(err.Error(), "panel.json: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q -> %q: %v, want %q", c.old, c.new, err, c.want)
		}
	}
	for name, data := range map[string]string{
		"empty": "", "list": "[]", "null": "null", "text": `"x"`, "not UTF-8": "{\"id\": \"\xff\"}",
		"deep": strings.Repeat("[", 100_000), "large": strings.Repeat(" ", template.MaxFile+1),
	} {
		if _, err := template.Parse("f.json", []byte(data)); err == nil || !strings.HasPrefix(err.Error(), "f.json: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMerge(t *testing.T) {
	rename := func(id string) []byte { return []byte(strings.Replace(good, `"id": "panel"`, `"id": "`+id+`"`, 1)) }
	list, problems := template.Files.Merge(template.Builtin(), []jsonfile.Named{
		{Name: "z.json", Data: rename("zeta")},
		{Name: "own.json", Data: rename("deep_brainstorm")},
		{Name: "a.json", Data: rename("alpha")},
		{Name: "b.json", Data: rename("alpha")},
		{Name: "broken.json", Data: []byte("{")},
	})
	var ids []string
	for _, tpl := range list {
		ids = append(ids, tpl.ID)
	}
	want := []string{"deep_brainstorm", "standard_brainstorm", "code_review", "six_thinking_hats", "scamper", "rapid_fire", "alpha", "zeta"}
	if !slices.Equal(ids, want) {
		t.Fatalf("%v, want %v", ids, want)
	}
	if list[0].Name != "Panel" || template.Builtin()[0].Name == "Panel" {
		t.Fatal("a file with an embedded id stands in its place, and only in the list")
	}
	if len(problems) != 2 || !strings.Contains(problems[0].Error(), `b.json: id: "alpha" is already the id of a.json`) || !strings.Contains(problems[1].Error(), "broken.json: line 1") {
		t.Fatalf("problems %v", problems)
	}
	var many []jsonfile.Named
	for i := range template.MaxCount {
		many = append(many, jsonfile.Named{Name: fmt.Sprintf("f%03d.json", i), Data: rename(fmt.Sprintf("t%d", i))})
	}
	list, problems = template.Files.Merge(template.Builtin(), many)
	if len(list) != template.MaxCount || len(problems) != len(template.Builtin()) {
		t.Fatalf("%d templates, %d problems", len(list), len(problems))
	}
}

// A template file may come from anybody: the result is a template within the limits, or an error that names
// the file.
func FuzzParseTemplate(f *testing.F) {
	f.Add([]byte(good))
	for _, tpl := range template.Builtin() {
		f.Add([]byte(encoded(f, tpl)))
	}
	f.Add([]byte(`{"id":"x","stages":[{"roles":[{}],"turns":1e9}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		tpl, err := template.Parse("f.json", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f.json: ") {
				t.Fatalf("error %q does not name the file", err)
			}
			return
		}
		again, err := template.Parse("f.json", []byte(encoded(t, tpl)))
		if err != nil || encoded(t, again) != encoded(t, tpl) {
			t.Fatalf("what is written is not read back: %v", err)
		}
		for i := range tpl.Stages {
			st := &tpl.Stages[i]
			if len(st.Acting()) == 0 || st.Completion == world.CompleteTurns && (st.Turns < 1 || st.Turns > template.MaxTurns) {
				t.Fatalf("stage %+v", st)
			}
		}
	})
}

func encoded(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
