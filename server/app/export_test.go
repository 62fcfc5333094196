package app

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/spf13/afero"

	"agentdungeon/server/realm"
	"agentdungeon/server/report"
	"agentdungeon/server/shadow"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// The report of a process has what a person said in it, although no artifact has it, whichever way the report is asked
// for (P1.1).
func TestTheExportHasWhatPeopleSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := start(t, filepath.Join(t.TempDir(), "worlds"), castFile(t, stalled))
		defer stop(t, a)
		r := link(t, a, repo(t))
		submit(t, r, &wire.StartProcess{Problem: "p", TemplateID: "standard_brainstorm"})
		id := state(t, r).ProcessState.ConversationID
		submit(t, r, &wire.ChatSend{ConversationID: id, Content: "Think of the river."})
		for _, want := range []report.Want{{Format: report.FormatMarkdown}, {Format: report.FormatMarkdown, Conversation: id},
			{Format: report.FormatJSON, Conversation: id}} {
			f, err := a.export(t.Context(), world.DefaultTenant, r.ID(), want)
			if err != nil || !strings.Contains(string(f.Data), "Think of the river.") || !strings.Contains(string(f.Data), "Ada") {
				t.Errorf("%+v, %v: the report has not what Ada said:\n%s", want, err, f.Data)
			}
			if strings.Contains(string(f.Data), "one moment") {
				t.Errorf("%+v: the report has what an agent says at this moment:\n%s", want, f.Data)
			}
		}
		// Ended early, the process has no artifact of this stage, so the report has what the agent said.
		submit(t, r, &wire.ConversationAbort{ConversationID: id})
		synctest.Wait()
		for _, want := range []report.Want{{Format: report.FormatMarkdown}, {Format: report.FormatJSON, Conversation: id}} {
			if f, err := a.export(t.Context(), world.DefaultTenant, r.ID(), want); err != nil || !strings.Contains(string(f.Data), "one moment") {
				t.Errorf("%+v, %v: the report has not what the agent said:\n%s", want, err, f.Data)
			}
		}
	})
}

// A host gets the summary of a session of a coding agent, also after it has ended; a spectator does only while a host
// shares sessions, and nothing of the ledger (P17.5, P17.16).
func TestTheExportOfASession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := start(t, filepath.Join(t.TempDir(), "worlds"), castFile(t, stalled))
		defer stop(t, a)
		r := link(t, a, repo(t))
		_, err := r.Observe(t.Context(), shadow.Seen{
			Session: shadow.Session{Program: "claude", ID: "a"}, Next: "1",
			Entries: []shadow.Entry{
				{Kind: shadow.Prompt, Text: "Mend the parser"},
				{Kind: shadow.Call, CallID: "c", Tool: &shadow.Tool{Name: "Bash", Input: `{"command":"go test ./..."}`}},
				{Kind: shadow.Result, CallID: "c", Ended: true, Text: "FAIL"},
				{Kind: shadow.Words, Text: "It does not build.",
					Usage: &shadow.Usage{Key: "k", Model: "opus", Input: 10, Micros: 2_000_000, Priced: true}},
			},
			State: shadow.State{Name: shadow.Ended, Source: shadow.FromStatus},
		})
		if err != nil {
			t.Fatal(err)
		}
		id := state(t, r).Sessions[0].ConversationID
		export := func(want report.Want) string {
			want.Conversation = id
			f, err := a.export(t.Context(), world.DefaultTenant, r.ID(), want)
			if err != nil {
				return err.Error()
			}
			return string(f.Data)
		}
		for _, part := range []string{"# Mend the parser\n", "- cost: $2.00 ", "failed: `go test ./...`", "It does not build."} {
			if text := export(report.Want{Format: report.FormatMarkdown}); !strings.Contains(text, part) {
				t.Errorf("the summary has no %q:\n%s", part, text)
			}
		}
		if text := export(report.Want{Format: report.FormatSARIF}); !strings.Contains(text, "markdown and json") {
			t.Errorf("as SARIF: %s", text)
		}
		if text := export(report.Want{Format: report.FormatMarkdown, Public: true}); !strings.Contains(text, "there is no conversation") {
			t.Errorf("a spectator gets:\n%s", text)
		}
		submit(t, r, &wire.UpdateSettings{Settings: map[string]json.RawMessage{"shadowsFor": json.RawMessage(`"everybody"`)}})
		text := export(report.Want{Format: report.FormatMarkdown, Public: true})
		if !strings.Contains(text, "Mend the parser") || strings.Contains(text, "$") || strings.Contains(text, "opus") {
			t.Errorf("a spectator of shared sessions gets:\n%s", text)
		}
	})
}

// The export of a realm has what people said to everybody, with their names, also when the realm is stopped. A report
// about one process has nothing of what they said before it, and the words of a person who was erased are gone (P1.1, S1-19).
func TestTheExportHasWhatWasSaidToEverybody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		worlds := filepath.Join(t.TempDir(), "worlds")
		a := start(t, worlds, castFile(t, stalled))
		r := link(t, a, repo(t))
		submit(t, r, &wire.SpectatorSay{Text: "The bridge is out."})
		sam := realm.Person{SpectatorID: "p7", Name: "Sam", Color: "#aabbcc", Role: wire.RoleSpectator}
		if e := r.Submit(realm.Input{From: sam, Command: &wire.SpectatorSay{Text: "Mending it."}}); e != nil {
			t.Fatal(e)
		}
		submit(t, r, &wire.StartProcess{Problem: "p", TemplateID: "standard_brainstorm"})
		id := state(t, r).ProcessState.ConversationID
		submit(t, r, &wire.ConversationAbort{ConversationID: id})
		has := func(what string, f *report.File, err error, ada, samToo bool) {
			t.Helper()
			if err != nil {
				t.Fatal(what, err)
			}
			text := string(f.Data)
			if strings.Contains(text, "The bridge is out.") != ada || strings.Contains(text, "Mending it.") != samToo ||
				strings.Contains(text, "Sam") != samToo {
				t.Errorf("%s: Ada's words %t, Sam's %t are wanted:\n%s", what, ada, samToo, text)
			}
		}
		realmWide := []report.Want{{Format: report.FormatMarkdown}, {Format: report.FormatJSON}}
		for _, want := range realmWide {
			f, err := a.export(t.Context(), world.DefaultTenant, r.ID(), want)
			has("realm "+want.Format, f, err, true, true)
			want.Conversation = id
			f, err = a.export(t.Context(), world.DefaultTenant, r.ID(), want)
			has("process "+want.Format, f, err, false, false)
		}
		if _, err := a.erase(t.Context(), world.DefaultTenant, r.ID(),
			world.Erasure{SpectatorID: "p7", Reason: world.ErasedOnRequest, Who: "test"}); err != nil {
			t.Fatal(err)
		}
		stop(t, a)
		for _, want := range realmWide {
			f, err := stopped(afero.NewOsFs(), worlds, r.ID()).Export(t.Context(), want, "test")
			has("erased "+want.Format, f, err, true, false)
		}
	})
}
