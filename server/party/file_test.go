package party

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"agentdungeon/shared/world"
)

// The file of a session has each message as its row has it, in a form that parseImport reads. That includes
// messages of people and agents who left the team, interrupted words, and system messages from an imported
// file. It excludes the server's notes and rows of tools.
func TestForFile_S2_B3(t *testing.T) {
	head := world.Conversation{ConversationID: "c7", Kind: world.KindParty, Team: crew("P", "a"), CreatedAt: 1_000, UpdatedAt: 9_000, TaskPrompt: "hold it"}
	rows := []world.Message{
		{MessageID: rowID("c7", 0), Role: world.RoleSystem, Name: "system", Content: "It begins.", Status: world.MessageDone, At: 1_500},
		{MessageID: "m2", Role: world.RoleUser, MemberID: "left", Name: "Leftie", Content: "Hello", Status: world.MessageDone, At: 2_000},
		{MessageID: "m3", Role: world.RoleSystem, Name: "system", Content: "The server was started again.", Status: world.MessageDone, At: 3_000},
		{MessageID: "m4", Role: world.RoleAssistant, MemberID: "a", Name: "D a", Content: "I was", Status: world.MessageCancelled, At: 4_000},
		{MessageID: "m5", Role: world.RoleTool, MemberID: "a", Name: "D a", Content: "a file", Status: world.MessageDone, At: 5_000},
	}
	data, err := forFile(head, rows).File()
	if err != nil {
		t.Fatal(err)
	}
	got, err := parseImport(data)
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	want := []Message{
		{ID: rowID("c7", 0), Speaker: Speaker{ID: "system", Name: "system", DisplayName: "system"}, Content: "It begins.", Timestamp: 1_500},
		{ID: rowID("c7", 1), Speaker: Speaker{ID: "left", Name: "Leftie", DisplayName: "Leftie", Type: world.KindHuman}, Content: "Hello", Timestamp: 2_000},
		{ID: rowID("c7", 2), Speaker: Speaker{ID: "a", Name: "N-a", DisplayName: "D a", Type: world.KindAgent}, Content: "I was", Timestamp: 4_000, Status: world.MessageCancelled},
	}
	if !reflect.DeepEqual(got.Context.Messages, want) || got.Context.TeamTask != "hold it" || got.Context.Timestamp != 9_000 || got.TeamID != "crew" {
		t.Errorf("%+v", got)
	}
	spoke := speakers(got)
	if len(spoke) != 2 || spoke[0].ID != "left" || spoke[0].Type != world.KindHuman || spoke[1].DisplayName != "D a" || spoke[1].Order != 1 {
		t.Errorf("%+v", spoke)
	}
}

func TestRowIDs(t *testing.T) {
	for _, n := range []int{0, 35, 36, maxSnapshotMessages - 1} {
		if got, ok := rowOf("s-1", rowID("s-1", n)); !ok || got != n {
			t.Errorf("%d: %d, %v", n, got, ok)
		}
	}
	for _, id := range []string{"", "m12-3", rowID("s-2", 1), rowID("s-1", 1) + "!"} {
		if n, ok := rowOf("s-1", id); ok {
			t.Errorf("%q is row %d", id, n)
		}
	}
}

// S2-17: the error of a file that cannot be read names the session if the file does, also for a truncated
// file, and never takes the id from the words of a message.
func TestBrokenSnapshotNamesItsSession_S2_17(t *testing.T) {
	for _, tc := range []struct{ from, to, session, text string }{
		{`"content": "Me too."`, `"content": 5`, "s-1", "Invalid session snapshot: context.messages[2].content: must be a string"},
		{`"wrong"}`, `"wrong"`, "s-1", "Invalid session snapshot: line 18: the file ends too early"},
		{`"schemaVersion": "1.0"`, `"schemaVersion": "2.0"`, "s-1", "Schema version 2.0 is not supported"},
		{`"sessionId": "s-1"`, `"sessionId": "a b"`, "", "Invalid session snapshot: sessionId: "},
		{`"sessionId": "s-1"`, `"x": "\"sessionId\": \"s-2\""`, "", "Invalid session snapshot: sessionId: is missing"},
	} {
		_, err := parseImport([]byte(strings.Replace(legacy, tc.from, tc.to, 1)))
		var b *fileError
		if !errors.As(err, &b) || b.sessionID != tc.session || !strings.HasPrefix(err.Error(), tc.text) {
			t.Errorf("%s: %+v", tc.to, err)
		}
	}
}
