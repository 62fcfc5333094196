package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentdungeon/shared/world"
)

// A mistyped command fails with its exit code and an error that names the mistake. It creates no worlds
// folder.
func TestMistypedCommands(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "wrolds")
	empty := t.TempDir()
	for _, tc := range []struct {
		args string
		code int
		says string
	}{
		{"conversations -worlds " + nowhere, 1, "there is no worlds folder " + nowhere},
		{"audit -worlds " + nowhere, 1, "there is no worlds folder"},
		{"export -worlds " + nowhere, 1, "there is no worlds folder"},
		{"retention -worlds " + nowhere, 1, "there is no worlds folder"},
		{"retention -dry-run -worlds " + nowhere, 1, "there is no worlds folder"},
		{"erase -worlds " + nowhere + " -realm r -conversation c", 1, "there is no worlds folder"},
		{"conversations -status dnoe -worlds " + empty, 2, `-status "dnoe": the status must be one of active, `},
		{"retention -tenant nobody -worlds " + empty, 0, "this tenant has no realms: nothing to do"},
		{"conversations -tenant nobody -worlds " + empty, 1, "tenant nobody has no realms in " + empty},
	} {
		var out, errs bytes.Buffer
		if code := run(strings.Fields(tc.args), &out, &errs); code != tc.code || !strings.Contains(out.String()+errs.String(), tc.says) {
			t.Errorf("%s: exit code %d, %q %q", tc.args, code, out.String(), errs.String())
		}
	}
	if _, err := os.Stat(nowhere); err == nil {
		t.Error("a worlds folder was made of a mistake")
	}
}

// The receipt of a person of whom nothing was found says so, because the id may be mistyped.
func TestReceiptOfNobody(t *testing.T) {
	const nothing = "Nothing of theirs was found"
	for _, tc := range []struct {
		r    world.Receipt
		want bool
	}{
		{world.Receipt{SpectatorID: "p", Changed: map[string]int{"bases": 1, "files": 1}}, true},
		{world.Receipt{SpectatorID: "p", Changed: map[string]int{"bases": 1, "events": 1}}, false},
		{world.Receipt{ConversationID: "c", Changed: map[string]int{"bases": 1}}, false},
	} {
		var out bytes.Buffer
		if err := printReceipt(&out, &tc.r, false); err != nil || strings.Contains(out.String(), nothing) != tc.want {
			t.Errorf("%+v: %v\n%s", tc.r, err, out.String())
		}
	}
}
