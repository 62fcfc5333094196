package storetest

import (
	"testing"

	"agentdungeon/server/store/recovery"
	"agentdungeon/shared/world"
)

// ShownRows returns all rows of all conversations as an opened realm shows them.
func ShownRows(t testing.TB, o *recovery.Opened) (shown map[string]string, damaged int) {
	t.Helper()
	shown = map[string]string{}
	heads, more, err := o.Journal.Conversations(t.Context(), world.ConversationQuery{Limit: 200})
	if err != nil || more {
		t.Fatal(more, err)
	}
	for _, c := range heads {
		for before := int64(0); ; {
			rows, more, err := o.Journal.Rows(t.Context(), c.ConversationID, "", before, 1000)
			Must(t, err)
			for _, m := range rows {
				shown[c.ConversationID+"/"+m.MessageID] = m.Content
				if m.Damaged {
					damaged++
				}
			}
			if !more {
				break
			}
			before = rows[0].Seq
		}
	}
	return shown, damaged
}
