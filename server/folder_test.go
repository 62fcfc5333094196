package main

import (
	"bytes"
	"errors"
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
	empty, scripts := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(scripts, "deploy.sh"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
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
		{"realms -worlds " + nowhere, 1, "there is no worlds folder " + nowhere},
		{"realms -tenant nobody -worlds " + empty, 1, "tenant nobody has no realms in " + empty},
		{"realms -worlds " + empty, 0, "LAST SAVED"},
		{"realms -worlds " + scripts, 1, scripts + " is no worlds folder"},
		{"check -worlds " + scripts, 1, scripts + " is no worlds folder"},
		{"-repo a -repo b", 2, "-repo is given twice"},
		{"-host https://dungeon.example/base", 2, "without https:// and a path"},
		{"-log-level trace", 2, "the level must be debug, info, warn or error"},
		{"--version", 0, version},
		{"-v", 0, version},
		{"review -fail-on never", 2, "it must be one of info, low, medium, high, critical or none"},
		{"review " + filepath.Join(scripts, "deploy.sh"), 2, "review takes a folder"},
		{"export -worlds " + empty + " -o " + nowhere + "/report.md", 1,
			"-o " + nowhere + "/report.md: there is no folder " + nowhere + "; make it first"},
		{"retention -tenant nobody -worlds " + empty, 0, "this tenant has no realms: nothing to do"},
		{"conversations -tenant nobody -worlds " + empty, 1, "tenant nobody has no realms in " + empty},
	} {
		var out, errs bytes.Buffer
		if code := run(strings.Fields(tc.args), &out, &errs); code != tc.code || !strings.Contains(out.String()+errs.String(), tc.says) {
			t.Errorf("%s: exit code %d, %q %q", tc.args, code, out.String(), errs.String())
		}
	}
	if _, err := os.Stat(filepath.Join(scripts, "secret.key")); err == nil {
		t.Error("a folder of something else became a worlds folder")
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
		if strings.Contains(out.String(), "Erased") == tc.want || nothingOf(&tc.r) != tc.want {
			t.Errorf("%+v: what is said contradicts itself:\n%s", tc.r, out.String())
		}
	}
}

// What a server refuses is said as its sentence, and how to find the id of a realm.
func TestRefusalsAreSentences(t *testing.T) {
	f := &folder{realmFlags: &realmFlags{realm: "repo"}, addr: "127.0.0.1:1"}
	for _, tc := range []struct {
		status       int
		answer, want string
	}{
		{404, `{"code":"not_found","message":"there is no realm repo"}`,
			"there is no realm repo: -realm takes an id, and agentdungeon realms lists the ids"},
		{404, `{"code":"not_found","message":"there is no session here"}`, "there is no session here"},
		{502, "<html>", "the server at 127.0.0.1:1 answered 502 Bad Gateway"},
	} {
		err := f.refused(tc.status, []byte(tc.answer))
		if err.Error() != tc.want || errors.Is(err, errAbsent) != (tc.status == 404) {
			t.Errorf("%d %s: %v", tc.status, tc.answer, err)
		}
	}
}

// relink names what is missing, and changes nothing then.
func TestRelinkNamesWhatIsMissing(t *testing.T) {
	worlds, dir := t.TempDir(), t.TempDir()
	for _, tc := range []struct {
		args string
		code int
		says string
	}{
		{"relink -worlds " + worlds + " " + dir, 2, "relink needs -realm ID"},
		{"relink -worlds " + worlds + " -realm r", 2, "relink needs one folder"},
		{"relink -worlds " + worlds + " -realm r " + filepath.Join(dir, "nowhere"), 1, "nowhere is no folder"},
		{"relink -worlds " + worlds + " -realm r " + dir, 1, "there is no realm r; agentdungeon realms lists the ids"},
	} {
		var out, errs bytes.Buffer
		if code := run(strings.Fields(tc.args), &out, &errs); code != tc.code || !strings.Contains(errs.String(), tc.says) {
			t.Errorf("%s: exit code %d, %q", tc.args, code, errs.String())
		}
	}
}
