package realm

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"agentdungeon/server/store"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// spoilOnDisk damages what the stopped realm's journal holds of a forge.
func (d *disk) spoilOnDisk(id, context string) {
	d.t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(d.dir, store.JournalFile))
	if err != nil {
		d.t.Fatal(err)
	}
	res, err := db.Exec("UPDATE forges SET context = CAST(? AS BLOB) WHERE conversation_id = ?", context, id)
	if err != nil {
		d.t.Fatal(err)
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		d.t.Fatalf("%d rows, %v", n, err)
	}
	if err := db.Close(); err != nil {
		d.t.Fatal(err)
	}
}

// A forge is erased with all that it had gathered, also what was damaged and set aside
// (S1-19, S1-B10), by its conversation and by its person.
func TestAForgeIsErased(t *testing.T) {
	for name, erase := range map[string]func(id string) world.Erasure{
		"the conversation": func(id string) world.Erasure { return world.Erasure{Conversations: []string{id}} },
		"the person":       func(string) world.Erasure { return world.Erasure{SpectatorID: planter.SpectatorID} },
	} {
		t.Run(name, func(t *testing.T) {
			onDisk(t, cast(quoting), func(d *disk) {
				c := d.tab()
				c.returns = true
				id := begun(t, c.send(planter, "f", &wire.ConversationStart{Kind: world.KindForge}))
				c.send(planter, "q1", &wire.ChatSend{ConversationID: id, Content: "A skill where " + adaSays})
				d.stop()
				d.spoilOnDisk(id, `{"damaged":"`+chatSays+`"`)
				d.open(false)
				c = d.tab()
				c.returns = true
				c.send(planter, "q2", &wire.ChatSend{ConversationID: id, Content: "A skill by which " + benSays})
				if found := grep(t, d.dir, adaSays, chatSays, benSays); found[adaSays] == 0 || found[chatSays] == 0 || found[benSays] == 0 {
					t.Errorf("not all is planted: %v", found)
				}
				e := erase(id)
				e.Reason, e.Who = world.ErasedOnRequest, "test"
				if _, err := d.r.Erase(context.Background(), e); err != nil {
					t.Fatal(err)
				}
				c.pull()
				d.stop()
				for words, n := range grep(t, d.dir, adaSays, chatSays, benSays) {
					if n > 0 {
						t.Errorf("%q is there %d times", strings.Fields(words)[0], n)
					}
				}
				d.open(false)
				d.equal(t)
				d.stop()
			})
		})
	}
}
