package store

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"agentdungeon/shared/world"
)

// A value of a row that changed on the disk is shown as damage, in every column and for
// rows that were inserted, closed, appended to, packed or rewritten; the other rows are not.
func TestChangedRowIsShownAsDamaged(t *testing.T) { // S3-17
	r := newRig(t)
	r.tell()
	long := strings.Repeat("the old tower stands ", 200)
	say := func(id, text string) {
		r.commit(&world.MessageAdded{ConversationID: "c1", Message: world.Message{MessageID: id, ConversationID: "c1", Role: world.RoleSystem, Content: text, Status: world.MessageDone, At: r.at}})
	}
	say("short", "a short word")
	say("long", long)
	r.commit(&world.ToolStart{ConversationID: "c1", RequestID: "t3", MessageID: "tool", MemberID: "bard", Name: "dig", Input: "{}"})
	r.commit(&world.ToolOutput{ConversationID: "c1", RequestID: "t3", MessageID: "tool", Text: "a moat"})
	r.commit(&world.ToolOutput{ConversationID: "c1", RequestID: "t3", MessageID: "tool", Text: " and a wall"})
	r.commit(&world.ToolStart{ConversationID: "c1", RequestID: "t3", MessageID: "ended", MemberID: "bard", Name: "dig", Input: "{}"})
	r.commit(&world.ToolEnd{ConversationID: "c1", RequestID: "t3", MessageID: "ended", OK: true, Output: "earth"})
	r.checkpoint()
	r.close()
	whole := &killedRig{dir: r.dir, r: r}
	damagedIn := func(t *testing.T, k *killedRig) (ids []string, texts map[string]string) {
		o := mustOpen(t, k.dir)
		if len(asideNames(t, k.dir)) > 0 {
			t.Fatalf("set aside %v: %v", asideNames(t, k.dir), o.Saved.Restored)
		}
		rows, _, err := o.Journal.Rows(t.Context(), "c1", "", 0, 100)
		must(t, err)
		texts = map[string]string{}
		for _, m := range rows {
			texts[m.MessageID] = m.Content
			if m.Damaged {
				ids = append(ids, m.MessageID)
			}
		}
		if len(ids) > 0 && !errors.Is(errors.Join(o.Warnings...), ErrCorrupt) {
			t.Errorf("damage and no warning: %v", o.Warnings)
		}
		return ids, texts
	}
	if ids, _ := damagedIn(t, whole.copy(t)); len(ids) > 0 {
		t.Fatalf("whole rows are shown as damaged: %v", ids)
	}
	for _, id := range []string{"m1", "m2", "m4", "short", "long", "tool", "ended"} {
		for _, column := range []string{"content", "name", "role", "member_id", "stage_id", "request_id", "spectator_id"} {
			t.Run(id+" "+column, func(t *testing.T) {
				k := whole.copy(t)
				if id == "long" && column == "content" {
					k.sql(t, "UPDATE messages SET packed = CAST(substr(packed, 1, length(packed) - 1) || x'00' AS BLOB) WHERE message_id = 'long'")
				} else {
					k.sql(t, fmt.Sprintf("UPDATE messages SET %s = %s || 'x' WHERE message_id = '%s'", column, column, id))
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
		k := whole.copy(t)
		k.sql(t, "UPDATE messages SET content = 'a shart word' WHERE message_id = 'short'")
		o := mustOpen(t, k.dir)
		must(t, o.Journal.dropIndex())
		must(t, o.Journal.erase("test", func() error {
			o.Journal.w.noIndex = true
			return o.Journal.w.rewriteRow("short", "a word", func() error { return nil })
		}))
		rows, _, err := o.Journal.Rows(t.Context(), "c1", "", 0, 100)
		must(t, err)
		for _, m := range rows {
			if m.Damaged != (m.MessageID == "short") {
				t.Errorf("row %s: damaged %t", m.MessageID, m.Damaged)
			}
		}
	})
}

// Rows of an earlier schema get their sums beside the realm's life; from then on damage in
// them is seen.
func TestOlderRowsGetSums(t *testing.T) { // S1-20
	for from := 1; from < journalSchema; from++ {
		dir, _ := realmOf(t, from)
		o := mustOpen(t, dir)
		without := func() (n int) {
			must(t, one(t.Context(), o.Journal.w.conn, []any{&n}, "SELECT count(*) FROM messages WHERE sum IS NULL"))
			return n
		}
		if without() == 0 {
			t.Fatalf("schema %d: rows have sums before they were read", from)
		}
		must(t, o.Journal.Tidy(t.Context()))
		if n := without(); n > 0 {
			t.Errorf("schema %d: %d rows have no sum", from, n)
		}
		must(t, o.Journal.Close())
		k := &killedRig{dir: dir}
		k.sql(t, "UPDATE messages SET content = 'lies', packed = NULL WHERE seq = (SELECT min(seq) FROM messages WHERE status = 'done')")
		o = mustOpen(t, dir)
		heads, _, err := o.Journal.Conversations(t.Context(), world.ConversationQuery{})
		must(t, err)
		damaged := 0
		for _, c := range heads {
			rows, _, err := o.Journal.Rows(t.Context(), c.ConversationID, "", 0, 1000)
			must(t, err)
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
