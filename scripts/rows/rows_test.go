package main

import (
	"slices"
	"strings"
	"testing"
)

func TestRowsFileIsWhole(t *testing.T) {
	if _, err := parse(list); err != nil {
		t.Error(err)
	}
	for name, text := range map[string]string{
		"row missing":    strings.Replace(list, "S3-07 due\n", "", 1),
		"row twice":      list + "B4 due\n",
		"no reason":      strings.Replace(list, "B4 due", "B4 later: ", 1),
		"unknown status": strings.Replace(list, "B4 due", "B4 done", 1),
		"no id":          list + "B444 due\n",
	} {
		if _, err := parse(text); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

func TestIdsStandAlone(t *testing.T) {
	for text, want := range map[string][]string{
		"// S3-06, B10":            {"B10", "S3-06"},
		"func TestB4Sequential(":   {"B4"},
		"func TestS3_06(":          {"S3-06"},
		"// S0-B1 and S3-061":      {"S0-B1"},
		"func TestOver_S0_18(":     {"S0-18"},
		"func TestNew_S4_B1(":      {"S4-B1"},
		"// S5-B1":                 nil,
		"t.Run(\"B12: mid-advance": {"B12"},
		"(B7)":                     {"B7"},
	} {
		if got := ids(text); !slices.Equal(got, want) {
			t.Errorf("%q names %v, want %v", text, got, want)
		}
	}
}

func TestMissingRowIsReported(t *testing.T) {
	rows := []row{{"S3-01", ""}, {"B11", "no quests"}, {"B12", ""}}
	err := report(rows, map[string][]string{"S3-01": {"a_test.go"}}, false)
	if err == nil || !strings.HasSuffix(err.Error(), ": B12") {
		t.Errorf("got %v", err)
	}
	if err := report(rows, map[string][]string{"S3-01": {"a"}, "B12": {"b"}}, false); err != nil {
		t.Error(err)
	}
}

// Document 001 asks that several servers share one store. A second server is refused, so
// S1-24 must not count as done.
func TestSeveralServersAreForLater(t *testing.T) {
	rows, err := parse(list)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(rows, func(r row) bool { return r.id == "S1-24" })
	if i < 0 || !strings.Contains(rows[i].later, "a second server on a folder is refused") {
		t.Errorf("S1-24 counts as due; it must be later, with the reason")
	}
}
