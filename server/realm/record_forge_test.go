package realm

import (
	"context"
	"os"
	"testing"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// TestRecordJournalOfForges writes a recorded journal, as TestRecordJournals does, with forges and skills: with a model
// and without, requests that fail, are stopped or are cut off by a kill, a damaged context, a disk that refuses, and
// skills that are found, given, changed and removed.
func TestRecordJournalOfForges(t *testing.T) {
	dir := os.Getenv("AGENTDUNGEON_RECORD")
	if dir == "" {
		t.Skip("AGENTDUNGEON_RECORD is not set: the recorded journals stay as they are")
	}
	wait := func(ctx context.Context, _ func(Chunk) error) error { <-ctx.Done(); return ctx.Err() }
	fails := instead("", &TurnError{Code: world.ChatModel, Message: "The model is away."})
	l := &latinist{answer: map[string]func(context.Context, func(Chunk) error) error{"write": fails}}
	inForge(t, l.play, func(b *bench, c *tab) {
		b.files.drop("changelog-notes", "Collects releases from a changelog.")
		one := c.forge("f1")
		c.say(one, "q1", wish+" <b>not</b> 🐉")
		c.say(one, "q2", "#make") // it fails
		l.answer["write"] = wait
		c.say(one, "q3", "again")
		c.send(ben, "", &wire.ChatCancel{ConversationID: one, RequestID: "q3"})
		c.send(ada, "on", &wire.ConversationResume{ConversationID: one})
		b.kill()
		delete(l.answer, "write")
		b.start(true)
		c.again()
		b.files.set(errDisk)
		c.say(one, "q4", "#go_on") // the disk refuses
		b.files.set(nil)
		c.say(one, "q5", "1")
		c.send(ada, "g1", &wire.SkillGive{Name: "translate-invoices-latin", AgentID: "sage"})
		c.send(ada, "g2", &wire.SkillGive{Name: "changelog-notes", AgentID: "sage"})
		c.send(ada, "g3", &wire.SkillGive{Name: "changelog-notes", AgentID: "sage", Taken: true})
		two := c.forge("f2")
		c.say(two, "r1", "Make a skill that collects releases from a changelog")
		c.say(two, "r2", "#use1")
		b.smith = nil
		b.kill()
		b.start(true)
		c.again()
		three := c.forge("f3")
		c.wholeTalkTo(three, 2)
		b.kill()
		b.journal.spoil(three, func([]byte) []byte { return []byte("{") })
		b.files.drop("changelog-notes", "Collects releases, and says more.")
		b.files.take("translate-invoices-latin")
		b.start(true)
		c.again()
		c.wholeTalkFrom(three, 0)
		four := c.forge("f4")
		c.say(four, "s", "A skill that counts sheep and goats in the meadow every evening.")
		c.talk(four, plainTalk[1:3])
		c.send(ada, "a", &wire.ConversationAbort{ConversationID: four})
		c.wholeTalkFrom(four, 3)
		b.record(dir, "forge.jsonl")
		b.recordViews(dir, "forge.views.json")
	})
}
