package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

func TestEveryRuleIsCitedByATest(t *testing.T) {
	rules, err := load(root)
	if err != nil {
		t.Fatal(err)
	}
	found, err := search(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range check(rules, found) {
		t.Error(p)
	}
}

func TestSpecIsWhole(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "shared/SPEC.md"))
	if err != nil {
		t.Fatal(err)
	}
	for name, broken := range map[string]string{
		"a rule is missing":     strings.Replace(string(text), "- **S3-07** ", "- S3-07 ", 1),
		"an unused one, too":    strings.Replace(string(text), "- S0-B7: ", "- ", 1),
		"a rule stands twice":   string(text) + "- **B4** Again.\n",
		"a number is reused":    string(text) + "- **S0-B7** New.\n",
		"a rule of the wire":    string(text) + "- **P1.1** One port.\n",
		"a rule without a text": strings.Replace(string(text), "- **B4** ", "- **B4**\n", 1),
	} {
		seen := map[string]bool{}
		_, err := parse("shared/SPEC.md", broken, seen)
		if err == nil {
			err = whole(seen)
		}
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestNumbersStandAlone(t *testing.T) {
	for text, want := range map[string][]string{
		"// S3-06, B10":             {"B10", "S3-06"},
		"func TestB4Sequential(":    {"B4"},
		"func TestS3_06(":           {"S3-06"},
		"// S0-B1 and S3-061":       {"S0-B1"},
		"func TestOver_S0_18(":      {"S0-18"},
		"func TestNew_S4_B1(":       {"S4-B1"},
		"func TestOld_S0_09_S0_10(": {"S0-09", "S0-10"},
		"func TestAfter_P4_1(":      {"P4.1"},
		"// S5-B1":                  nil,
		"t.Run(\"B12: mid-advance":  {"B12"},
		"(B7)":                      {"B7"},
		"P9.10a and P9.1, P1":       {"P9.1", "P9.10a"},
	} {
		if got := ids(text); !slices.Equal(got, want) {
			t.Errorf("%q cites %v, want %v", text, got, want)
		}
	}
}

func TestProblemsAreReported(t *testing.T) {
	rules := []rule{{id: "S3-01"}, {id: "B12"}, {id: "S1-24", unused: true}}
	found := map[string]*cited{
		"S3-01": {tests: []string{"a TestA"}}, "B12": {code: []string{"a.go"}},
		"S1-24": {docs: []string{"b.md"}}, "S3-99": {code: []string{"c.go"}},
	}
	want := []string{
		"the rule S1-24 does not exist any more, and is cited in b.md",
		"S3-99 is the id of no rule, and is cited in c.go",
		"no test cites the rule B12 of ",
	}
	if got := check(rules, found); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A citation in the comment, the name or the body of a test belongs to this test.
func TestCitationsOfATest(t *testing.T) {
	got := map[string][]string{}
	err := tests("a/b_test.go", "package a\n\n// S0-01: the file.\n\n// S0-02.\nfunc TestX_S0_03(t *testing.T) { // S0-04\n"+
		"\t// S0-05\n}\n\nfunc helper() {} // S0-06\n", func(where string, numbers []string) { got[where] = append(got[where], numbers...) })
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{"a/b_test.go": {"S0-01", "S0-06"}, "a TestX_S0_03": {"S0-02", "S0-03", "S0-04", "S0-05"}}
	if !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// The number S1-24 is listed as unused: it was about several servers on one worlds folder, and a second server is
// refused.
func TestSeveralServersAreNoRule(t *testing.T) {
	rules, err := load(root)
	if err != nil {
		t.Fatal(err)
	}
	if i := slices.IndexFunc(rules, func(r rule) bool { return r.id == "S1-24" }); i < 0 || !rules[i].unused {
		t.Error("S1-24 counts as held; it must be unused, with the reason")
	}
}
