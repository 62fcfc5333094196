package app

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"agentdungeon/server/report"
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
		}
	})
}
