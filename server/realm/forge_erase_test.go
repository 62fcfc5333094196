package realm

import (
	"context"
	"database/sql"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentdungeon/server/store/sqlite"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// spoilOnDisk damages the context of a forge in the journal of a stopped realm.
func (d *disk) spoilOnDisk(id, context string) {
	d.t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(d.dir, sqlite.JournalFile))
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

// The erasure of a forge removes everything that it had gathered, also a damaged context that was set aside (S1-19,
// S1-B10), whether its conversation or its person is erased.
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

// heldSaves writes a skill when the test allows it.
type heldSaves struct {
	Files
	written chan struct{}
	answer  chan struct{}
}

func (h *heldSaves) WriteSkill(s world.SkillFiles) error {
	<-h.written
	err := h.Files.WriteSkill(s)
	<-h.answer
	return err
}

// If a forge is erased while its skill is being written, the skill is in the folder afterwards and the receipt names
// it, also if the server is stopped before the writing has returned (S1-19).
func TestErasingAForgeThatSaves(t *testing.T) {
	for _, over := range []string{"at once", "over a start"} {
		t.Run(over, func(t *testing.T) {
			onDisk(t, nil, func(d *disk) {
				d.stop()
				d.held = &heldSaves{written: make(chan struct{}), answer: make(chan struct{})}
				d.open(false)
				c := d.tab()
				id := c.forge("f")
				c.wholeTalkTo(id, len(plainTalk))
				later(time.Minute)
				if state := c.stands(id).State; state != "saving" {
					t.Fatalf("the forge stands in %s", state)
				}
				var receipt world.Receipt
				done := make(chan error, 1)
				e := world.Erasure{Conversations: []string{id}, Reason: world.ErasedOnRequest, Who: "test"}
				go func() {
					var err error
					receipt, err = d.r.Erase(context.Background(), e)
					done <- err
				}()
				later(time.Second)
				close(d.held.written)
				later(time.Second)
				if over == "at once" {
					close(d.held.answer)
				} else {
					time.AfterFunc(time.Second, func() { close(d.held.answer) }) // while it stops
					d.stop()
					<-done
					d.held = nil
					d.open(false)
					go func() {
						var err error
						receipt, err = d.r.Erase(context.Background(), e)
						done <- err
					}()
				}
				if err := <-done; err != nil {
					t.Fatal(err)
				}
				if _, err := d.o.Files.ReadSkill("translate-invoices-latin"); err != nil {
					t.Fatal(err)
				}
				if !slices.ContainsFunc(receipt.Unreached, func(s string) bool { return strings.Contains(s, "skills/translate-invoices-latin") }) {
					t.Errorf("the receipt does not name it: %q", receipt.Unreached)
				}
				d.stop()
			})
		})
	}
}
