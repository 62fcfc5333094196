package world

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// P11.1: a value that is out of range or of the wrong type changes nothing, under either name.
func TestUpdateSettingsEdges(t *testing.T) {
	for _, r := range SettingRules {
		for _, name := range []string{r.Name, r.Old} {
			for _, tc := range settingCases(r) {
				before := DefaultSettings()
				got, err := UpdateSettings(before, map[string]json.RawMessage{name: json.RawMessage(tc.raw)})
				if (err == nil) != tc.ok {
					t.Errorf("%s = %s: error %v, want ok %v", name, tc.raw, err, tc.ok)
					continue
				}
				if err != nil {
					if !strings.HasPrefix(err.Error(), name+" must be ") {
						t.Errorf("%s = %s: error %q does not name the field", name, tc.raw, err)
					}
					if got != before {
						t.Errorf("%s = %s: an error changed the settings to %+v", name, tc.raw, got)
					}
					continue
				}
				if out := settingJSON(t, got)[r.Name]; string(out) != tc.raw {
					t.Errorf("%s = %s: is %s", name, tc.raw, out)
				}
			}
		}
	}
}

type settingCase struct {
	raw string
	ok  bool
}

func settingCases(r SettingRule) []settingCase {
	cases := []settingCase{{"null", false}, {"true", false}, {"[]", false}, {"{}", false}, {`""`, false}, {"", false}, {"1e999", false}}
	if r.number != nil {
		at := func(n int) string { b, _ := json.Marshal(n); return string(b) }
		return append(cases, settingCase{at(r.Min), true}, settingCase{at(r.Max), true},
			settingCase{at(r.Min - 1), false}, settingCase{at(r.Max + 1), false}, settingCase{`"6"`, false},
			settingCase{"6.0", false}, settingCase{"6.5", false}, settingCase{"-6", false}, settingCase{"99999999999999999999", false})
	}
	for _, v := range r.Values {
		cases = append(cases, settingCase{`"` + v + `"`, true}, settingCase{`"` + strings.ToUpper(v) + `"`, false})
	}
	return append(cases, settingCase{"1", false}, settingCase{`"nonsense"`, false})
}

func settingJSON(t *testing.T, s Settings) map[string]json.RawMessage {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]json.RawMessage{}
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// Each field of Settings has a rule in SettingRules, and the rules allow the default settings.
func TestSettingRulesCoverSettings(t *testing.T) {
	if n := reflect.TypeFor[Settings]().NumField(); n != len(SettingRules) {
		t.Errorf("Settings has %d fields, the table %d rules", n, len(SettingRules))
	}
	all := settingJSON(t, DefaultSettings())
	got, err := UpdateSettings(Settings{}, all)
	if err != nil || got != DefaultSettings() {
		t.Errorf("the defaults are not within the table: %+v, %v", got, err)
	}
}

// P11.1: an unknown setting is an error that names it.
func TestUpdateSettingsNames(t *testing.T) {
	for _, tc := range []struct{ name, raw, want string }{
		{"unknown", `{"maxagents": 3}`, `there is no setting "maxagents"`},
		{"of a later version", `{"tokenBudgetUsd": 2}`, `there is no setting "tokenBudgetUsd"`},
		{"retention is the server's, later", `{"retentionCompletedDays": 90}`, `there is no setting "retentionCompletedDays"`},
		{"both names", `{"maxAgents": 3, "max_agents": 4}`, "max_agents is set twice, also as maxAgents"},
		{"long name", `{"` + strings.Repeat("x", 10_000) + `": 1}`, `there is no setting "` + strings.Repeat("x", 64) + `..."`},
		{"the first by name", `{"pace": 1, "maxAgents": 0}`, "maxAgents must be a whole number from 1 to 64"},
		{"all or nothing", `{"maxAgents": 3, "pace": "slow"}`, "pace must be one of watchable, instant"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			raw := map[string]json.RawMessage{}
			if err := json.Unmarshal([]byte(tc.raw), &raw); err != nil {
				t.Fatal(err)
			}
			got, err := UpdateSettings(DefaultSettings(), raw)
			if err == nil || err.Error() != tc.want {
				t.Errorf("error %v, want %q", err, tc.want)
			}
			if got != DefaultSettings() {
				t.Errorf("an error changed the settings to %+v", got)
			}
		})
	}
	s, err := UpdateSettings(DefaultSettings(), nil)
	if err != nil || s != DefaultSettings() {
		t.Errorf("nothing given: %+v, %v", s, err)
	}
}
