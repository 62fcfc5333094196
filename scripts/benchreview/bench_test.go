package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPlantedFlowsAreFound asserts that no rule is wrong in more than a tenth of its findings in the planted applications,
// and that at least nine tenths of the planted flows are found.
func TestPlantedFlowsAreFound(t *testing.T) {
	dir := t.TempDir()
	if err := plant(dir); err != nil {
		t.Fatal(err)
	}
	total := tally{}
	if err := total.measure(dir, false); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if !total.print(&out) {
		t.Error("a rule is under the bar")
	}
	flows, alike, missed := 0, 0, 0
	for _, c := range total {
		flows, alike, missed = flows+c.flows, alike+c.alike, missed+c.missed
	}
	if flows < 60 || alike < 60 || missed*10 > flows {
		t.Errorf("%d flows, %d of them missed, %d look-alikes", flows, missed, alike)
	}
	if t.Failed() {
		t.Log("\n" + out.String())
	}
}

// TestAWrongRuleIsSeen asserts that the program also measures folders with labels of their own, and refuses a rule
// that is wrong there.
func TestAWrongRuleIsSeen(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.py":     "from flask import request\nimport os\n\ndef f():\n    os.system('ls ' + request.args['x'])\n    os.system('ls')\n",
		labelsFile: "a.py,5,CWE-78,no\na.py,6,CWE-78,yes\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	total := tally{}
	if err := total.measure(dir, false); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if total.print(&out) {
		t.Error("a rule that is always wrong is over the bar")
	}
	if c := total.of("CWE-78", "a.py"); *c != (counts{wrong: 1, missed: 1, flows: 1, alike: 1}) {
		t.Errorf("the figures are %+v", *c)
	}
}
