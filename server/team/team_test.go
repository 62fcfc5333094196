package team_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"agentdungeon/server/jsonfile"
	"agentdungeon/server/team"
	"agentdungeon/server/template"
	"agentdungeon/shared/world"
)

const night = `{
  "id": "night", "name": "Night shift",
  "members": [
    {"id": "ada", "name": "Ada", "displayName": "Ada L.", "type": "human", "role": "lead", "color": "#112233", "order": 3},
    {"id": "rev-1", "name": "Reviewer", "displayName": "The Reviewer", "type": "agent", "role": "sentinel", "color": "#445566", "order": 1},
    {"id": "ben", "name": "Ben", "displayName": "Ben", "type": "human", "role": "guest", "color": "#778899", "order": 2}
  ]
}`

// P14.2.
func TestTeamFile(t *testing.T) {
	read, err := team.Parse("night.json", []byte(night))
	if err != nil || read.ID != "night" || read.Name != "Night shift" || len(read.Members) != 3 {
		t.Fatalf("%+v, %v", read, err)
	}
	want := world.Member{ID: "rev-1", Name: "Reviewer", DisplayName: "The Reviewer", Type: "agent", Role: "sentinel", Color: "#445566", Order: 1}
	if read.Members[1] != want {
		t.Fatalf("%+v", read.Members[1])
	}
}

// The error of a bad file names the file and the field (S2-B16).
func TestTeamFileErrorsNameTheField(t *testing.T) {
	for _, tc := range []struct{ from, to, want string }{
		{`"night", `, `"ni ght", `, "night.json: id: must be 1 to 64 characters of A-Z a-z 0-9 _ -"},
		{`"name": "Night shift"`, `"name": ""`, "night.json: name: must be 1 to 40 characters"},
		{`"name": "Night shift"`, `"title": "x"`, "night.json: title: is not a field here; there are id, name, members"},
		{`"type": "agent"`, `"type": "ai"`, "night.json: members[1].type: must be human or agent"},
		{`"color": "#445566"`, `"colour": "#445566"`, "night.json: members[1].colour: is not a field here"},
		{`"color": "#445566"`, `"color": "blue"`, "night.json: members[1].color: must be #rrggbb"},
		{`"order": 1`, `"order": 3`, "night.json: members[1].order: 3 is also the order of members[0]"},
		{`"order": 1`, `"order": 1.5`, "night.json: members[1].order: must be an integer"},
		{`"order": 1`, `"order": -1`, "night.json: members[1].order: is -1; it must be 0 to 999"},
		{`"role": "sentinel", `, ``, "night.json: members[1].role: is missing"},
		{`"displayName": "The Reviewer"`, `"displayName": 5`, "night.json: members[1].displayName: must be a string"},
		{`"id": "rev-1"`, `"id": "A_da"`, `night.json: members[1].id: "A_da" is also the id of members[0]`},
		{`"id": "rev-1"`, `"id": "system"`, `night.json: members[1].id: "system" is reserved`},
		{`"id": "rev-1"`, `"id": "--"`, "night.json: members[1]: id, name and displayName need a letter"},
		{`"name": "Reviewer"`, `"name": "ADA"`, `night.json: members[1].name: "ADA" is the id of another member`},
		{`"type": "human", "role": "lead"`, `"type": "agent", "role": "lead"`, ""}, // Ben is still a person of the team
		{`"human"`, `"agent"`, "night.json: members: none is of type human: a party has at least one person"},
		{`"members": [`, `"members": [], "x": [`, "night.json: x: is not a field here"},
		{`"id": "night",`, `"id": "night", "id": "day",`, "night.json: id: stands twice"},
		{`]`, ``, "night.json: line 8: "},
		{"\n}", "\n} {}", "night.json: line 8: something follows"},
		{"Ada L.", "Ada \xff", "night.json: is not UTF-8"},
	} {
		n := 1
		if tc.from == `"human"` {
			n = -1
		}
		_, err := team.Parse("night.json", []byte(strings.Replace(night, tc.from, tc.to, n)))
		if got := fmt.Sprint(err); tc.want == "" && err != nil || !strings.HasPrefix(got, tc.want) && tc.want != "" {
			t.Errorf("%s -> %s:\n got %v\nwant %s", tc.from, tc.to, err, tc.want)
		}
	}
	alone := `{"id": "a", "name": "A", "members": [{"id": "ada", "name": "Ada", "displayName": "Ada", "type": "human", "role": "x", "color": "#112233", "order": 0}]}`
	if _, err := team.Parse("a.json", []byte(alone)); err == nil || err.Error() != "a.json: members: has 1 entries; it must have 2 to 16 (line 1, column 37)" {
		t.Errorf("a team of one: %v", err)
	}
	for _, junk := range []string{"", "null", "[]", `"x"`, "{}", strings.Repeat("[", 1<<17), strings.Repeat(" ", team.MaxFile+1)} {
		if _, err := team.Parse("x.json", []byte(junk)); err == nil || !strings.HasPrefix(err.Error(), "x.json: ") {
			t.Errorf("%.20q: %v", junk, err)
		}
	}
}

func FuzzParseTeam(f *testing.F) {
	f.Add([]byte(night))
	f.Fuzz(func(t *testing.T, data []byte) {
		read, err := team.Parse("f.json", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f.json: ") || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%q", err)
			}
			return
		}
		for _, m := range read.Members {
			if found := team.Find(*read, m.ID); len(found) != 1 || found[0].ID != m.ID {
				t.Fatalf("the id %s means %v", m.ID, found)
			}
		}
	})
}

// The agents of the embedded team are heroes of a code review.
func TestBuiltinTeam(t *testing.T) {
	teams := team.Builtin()
	if len(teams) == 0 || teams[0].ID != "guild" {
		t.Fatalf("%+v", teams)
	}
	var roles []string
	for _, tpl := range template.Builtin() {
		if tpl.ID == "code_review" {
			for _, r := range tpl.Roles {
				roles = append(roles, r.ID)
			}
		}
	}
	for _, one := range teams {
		for _, m := range one.Members {
			if m.Type == world.KindAgent && !slices.Contains(roles, m.Role) {
				t.Errorf("%s: nobody plays %s", one.ID, m.Role)
			}
		}
	}
}

func TestMergeTeams(t *testing.T) {
	rename := func(id, name string) []byte {
		return []byte(strings.NewReplacer(`"night"`, `"`+id+`"`, "Night shift", name).Replace(night))
	}
	files := []jsonfile.Named{
		{Name: "z.json", Data: rename("night", "Late")}, {Name: "b.json", Data: rename("night", "Night")}, {Name: "c.json", Data: []byte("{")}, {Name: "d.json", Data: rename("guild", "Own guild")},
	}
	list, problems := team.Files.Merge(team.Builtin(), files)
	var got []string
	for _, one := range list {
		got = append(got, one.ID+" "+one.Name)
	}
	if !slices.Equal(got, []string{"guild Own guild", "night Night"}) {
		t.Errorf("%q", got)
	}
	if len(problems) != 2 || problems[1].Error() != `z.json: id: "night" is already the id of b.json` || !strings.HasPrefix(problems[0].Error(), "c.json: line 1: ") {
		t.Errorf("%v", problems)
	}
	if team.Builtin()[0].Name != "The Guild" {
		t.Error("the embedded teams were changed")
	}
	var many []jsonfile.Named
	for i := range team.Max + 3 {
		many = append(many, jsonfile.Named{Name: fmt.Sprintf("%03d.json", i), Data: rename(fmt.Sprint("t", i), "T")})
	}
	list, problems = team.Files.Merge(team.Builtin(), many)
	if len(list) != team.Max || len(problems) != 4 || !strings.Contains(problems[0].Error(), "already 128 teams") {
		t.Errorf("%d teams, %v", len(list), problems)
	}
}

// Find finds a member by id, name or displayName, and ignores case, spaces, - and _ (S2-B9).
func TestFind(t *testing.T) {
	guests := world.Team{Members: []world.Member{
		{ID: "code-reviewer", Name: "Max", DisplayName: "Max the Reviewer"},
		{ID: "max2", Name: "Max", DisplayName: "Other Max"},
		{ID: "zoe", Name: "Zoë", DisplayName: "ZOE-2"},
		{ID: "x", Name: "zo_e", DisplayName: "Straße"},
	}}
	for name, want := range map[string]string{
		"code\u2011reviewer": "code-reviewer", "Code–Reviewer": "code-reviewer", "code\u00ad-\u200breviewer": "code-reviewer", // hyphens of models and word processors
		"zoe\u0308": "zoe", "ＭＡＸ２": "max2", // composed otherwise, and wide
		"code-reviewer": "code-reviewer", "Code_Reviewer": "code-reviewer", "code reviewer": "code-reviewer", "CODEREVIEWER": "code-reviewer",
		" max the  reviewer ": "code-reviewer", "othermax": "max2", "MAX-2": "max2",
		"Max": "code-reviewer max2", "max": "code-reviewer max2", // two have the name
		"zoe": "zoe", "ZOË": "zoe", "zo_e": "x", "Zo-E": "zoe", "zoe 2": "zoe", "STRASSE": "", "straße": "x",
		"": "", " - ": "", "reviewer": "", "maxx": "", "max2!": "",
	} {
		var got []string
		for _, m := range team.Find(guests, name) {
			got = append(got, m.ID)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %v, want %q", name, got, want)
		}
	}
}
