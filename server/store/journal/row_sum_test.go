package journal_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/storetest"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// A value of a row that changed on the disk is shown as damage, in every column and for rows that were inserted,
// closed, appended to, packed or rewritten. Other rows are not shown as damaged.
func TestChangedRowIsShownAsDamaged(t *testing.T) { // S3-17
	r := storetest.NewRig(t)
	r.Tell()
	long := strings.Repeat("the old tower stands ", 200)
	say := func(id, text string) {
		r.Commit(&world.MessageAdded{ConversationID: "c1", Message: world.Message{MessageID: id, ConversationID: "c1", Role: world.RoleSystem, Content: text, Status: world.MessageDone, At: r.At}})
	}
	say("short", "a short word")
	say("long", long)
	r.Commit(&world.ToolStart{ConversationID: "c1", RequestID: "t3", MessageID: "tool", MemberID: "bard", Name: "dig", Input: "{}"})
	r.Commit(&world.ToolOutput{ConversationID: "c1", RequestID: "t3", MessageID: "tool", Text: "a moat"})
	r.Commit(&world.ToolOutput{ConversationID: "c1", RequestID: "t3", MessageID: "tool", Text: " and a wall"})
	r.Commit(&world.ToolStart{ConversationID: "c1", RequestID: "t3", MessageID: "ended", MemberID: "bard", Name: "dig", Input: "{}"})
	r.Commit(&world.ToolEnd{ConversationID: "c1", RequestID: "t3", MessageID: "ended", OK: true, Output: "earth"})
	r.Checkpoint()
	r.Close()
	whole := &storetest.KilledRig{Dir: r.Dir, R: r}
	damagedIn := func(t *testing.T, k *storetest.KilledRig) (ids []string, texts map[string]string) {
		o := storetest.MustOpen(t, k.Dir)
		if len(storetest.AsideNames(t, k.Dir)) > 0 {
			t.Fatalf("set aside %v: %v", storetest.AsideNames(t, k.Dir), o.Saved.Restored)
		}
		rows, _, err := o.Journal.Rows(t.Context(), "c1", "", 0, 100)
		storetest.Must(t, err)
		texts = map[string]string{}
		for _, m := range rows {
			texts[m.MessageID] = m.Content
			if m.Damaged {
				ids = append(ids, m.MessageID)
			}
		}
		if len(ids) > 0 && !errors.Is(errors.Join(o.Warnings...), disk.ErrCorrupt) {
			t.Errorf("damage and no warning: %v", o.Warnings)
		}
		return ids, texts
	}
	if ids, _ := damagedIn(t, whole.Copy(t)); len(ids) > 0 {
		t.Fatalf("whole rows are shown as damaged: %v", ids)
	}
	for _, id := range []string{"m1", "m2", "m4", "short", "long", "tool", "ended"} {
		for _, column := range []string{"content", "name", "role", "member_id", "stage_id", "request_id", "spectator_id"} {
			t.Run(id+" "+column, func(t *testing.T) {
				k := whole.Copy(t)
				if id == "long" && column == "content" {
					k.SQL(t, "UPDATE messages SET packed = CAST(substr(packed, 1, length(packed) - 1) || x'00' AS BLOB) WHERE message_id = 'long'")
				} else {
					k.SQL(t, fmt.Sprintf("UPDATE messages SET %s = %s || 'x' WHERE message_id = '%s'", column, column, id))
				}
				ids, texts := damagedIn(t, k)
				if len(ids) != 1 || ids[0] != id {
					t.Fatalf("damaged are %v", ids)
				}
				if column == "content" && id != "long" && !strings.HasSuffix(texts[id], "x") {
					t.Errorf("what can be read of it is not shown: %q", texts[id])
				}
			})
		}
	}
	if t.Failed() {
		return
	}
	t.Run("erasing around it leaves the mark", func(t *testing.T) {
		k := whole.Copy(t)
		k.SQL(t, "UPDATE messages SET content = 'a shart word' WHERE message_id = 'short'")
		o := storetest.MustOpen(t, k.Dir)
		storetest.Must(t, o.Journal.DropIndex())
		storetest.Must(t, o.Journal.Amend("test", func(*tables.Writer) error {
			o.Journal.Writer().NoIndex = true
			return o.Journal.Writer().RewriteRow("short", "a word", func() error { return nil })
		}))
		rows, _, err := o.Journal.Rows(t.Context(), "c1", "", 0, 100)
		storetest.Must(t, err)
		for _, m := range rows {
			if m.Damaged != (m.MessageID == "short") {
				t.Errorf("row %s: damaged %t", m.MessageID, m.Damaged)
			}
		}
	})
}

// Tidying adds checksums to rows of an earlier schema; from then on damage in them is detected.
func TestOlderRowsGetSums(t *testing.T) { // S1-20
	for from := 1; from < tables.Version; from++ {
		dir, _ := storetest.RealmOf(t, from)
		o := storetest.MustOpen(t, dir)
		without := func() (n int) {
			storetest.Must(t, sqlite.One(t.Context(), o.Journal.Writer(), []any{&n}, "SELECT count(*) FROM messages WHERE sum IS NULL"))
			return n
		}
		if without() == 0 {
			t.Fatalf("schema %d: rows have sums before they were read", from)
		}
		storetest.Must(t, o.Journal.Tidy(t.Context()))
		if n := without(); n > 0 {
			t.Errorf("schema %d: %d rows have no sum", from, n)
		}
		storetest.Must(t, o.Journal.Close())
		k := &storetest.KilledRig{Dir: dir}
		k.SQL(t, "UPDATE messages SET content = 'lies', packed = NULL WHERE seq = (SELECT min(seq) FROM messages WHERE status = 'done')")
		o = storetest.MustOpen(t, dir)
		heads, _, err := o.Journal.Conversations(t.Context(), world.ConversationQuery{})
		storetest.Must(t, err)
		damaged := 0
		for _, c := range heads {
			rows, _, err := o.Journal.Rows(t.Context(), c.ConversationID, "", 0, 1000)
			storetest.Must(t, err)
			for _, m := range rows {
				if m.Damaged {
					damaged++
				}
			}
		}
		if damaged != 1 {
			t.Errorf("schema %d: %d rows are shown as damaged, want 1", from, damaged)
		}
	}
}
