package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"agentdungeon/server/forge"
	"agentdungeon/server/realm"
	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

const (
	longTalkID = "long"
	texts      = "reading all its rows' texts from a file, "
)

// longRealm makes a realm with one conversation of n rows. The file home+".texts" has their texts. The events of
// step are added after begun and after each answer.
func (b *bench) longRealm(n int, begun *world.ConversationStarted, step ...world.Body) (home string) {
	home = filepath.Join(b.folder(), "talk")
	b.scope(func() {
		t := b.newTalk(home)
		t.commit(append([]world.Body{begun}, step...)...)
		words := newLanguage()
		var all strings.Builder
		for range n / 2 {
			said, answered := words.said(), words.answered()
			ask, answer := t.turns(longTalkID, said, answered)
			if begun.Conversation.Kind == world.KindParty { // in a party people speak as members
				ask[0].(*world.ChatStarted).Message.MemberID = "person"
			}
			t.commit(ask...)
			t.commit(append(answer, step...)...)
			all.WriteString(said + "\n" + answered + "\n")
		}
		write(home+".texts", all.String())
	})
	return home
}

// restored is a realm that was opened in this process. It was closed cleanly before, so its files are in the page
// cache.
type restored struct {
	b     *bench
	begin time.Time
	realm *realm.Realm
	to    *watch.Viewer
	state []byte // world:state

	whole, part time.Duration // how long the restore took, and a part of it
}

// restores opens a realm, in each repetition as often as times says, and reads its world:state. Then rest completes
// the restore and sets r.whole, the time of all this, and perhaps r.part, the time of a part of it. The figure part,
// which may be nil, gets the p99 of r.part.
func (b *bench) restores(home string, times int, add func(took, read []time.Duration), part *figure, rest func(r *restored)) {
	once := func() (r *restored) {
		b.scope(func() {
			r = &restored{b: b, begin: time.Now()}
			r.realm = b.run(b.handed(home, talkRealm), func(c *realm.Config) { c.Teams = oneTeam{} })
			r.to = get(r.realm.Attach(b.ctx, watch.Position{}))
			b.after(r.to.Close)
			r.state = r.until(`{"type":"world:state",`)
			rest(r)
		})
		return r
	}
	once() // writes the first checkpoint
	b.times(b.runs, func() {
		var took, parts, read []time.Duration
		for range times {
			r := once()
			took, parts = append(took, r.whole), append(parts, r.part)
			read = append(read, timed(func() { get(os.ReadFile(home + ".texts")) }))
		}
		add(took, read)
		if part != nil {
			part.addPercentile(99, parts, took)
		}
	})
}

// until takes the viewer's frames up to one that begins with head, and returns that one.
func (r *restored) until(head string) (frame []byte) {
	r.b.view(r.to, func(f []byte) bool {
		frame = f
		return bytes.HasPrefix(f, []byte(head))
	})
	return frame
}

// ask sends a command, and returns the first frame that begins with head and the time until it came.
func (r *restored) ask(c wire.Command, head string) (frame []byte, took time.Duration) {
	took = timed(func() {
		submit(r.realm, r.to, fmt.Sprintf("ask-%d", time.Now().UnixNano()), c)
		frame = r.until(head)
	})
	return frame, took
}

// talkRestore measures the time from a closed realm's folder to the newest rows of a chat.
func (b *bench) talkRestore(times int, sizes ...int) {
	aims := map[int]aim{1_000: {below, 100e-3}, 10_000: {below, 500e-3}}
	for _, n := range sizes {
		add := b.percentiles(aims[n], texts,
			"restore of a chat of %d messages: folder to world:state and the newest %d rows, ", n, wire.ViewMessages)
		home := b.longRealm(n, chat(longTalkID, now()))
		var rows struct{ Messages []world.Message }
		b.restores(home, times, add, nil, func(r *restored) {
			snapshot, _ := r.ask(&wire.ConversationOpen{ConversationID: longTalkID}, `{"type":"snapshot",`)
			r.whole = time.Since(r.begin)
			must(json.Unmarshal(snapshot, &rows))
			if len(rows.Messages) != wire.ViewMessages {
				failf("the snapshot has %d rows, not %d", len(rows.Messages), wire.ViewMessages)
			}
		})
	}
}

// partyTeam is the team of the party that is restored.
var partyTeam = world.Team{ID: "cast", Name: "Cast", Members: members}

type oneTeam struct{}

func (oneTeam) Teams() []*world.Team             { return []*world.Team{&partyTeam} }
func (oneTeam) Team(string) (*world.Team, error) { return &partyTeam, nil }

// partyRestore measures the time from a closed realm's folder to a restored party.
func (b *bench) partyRestore(times, n int) {
	add := b.percentiles(aim{below, 100e-3}, texts, "restore of a party of %d messages: folder to team:ready, ", n)
	alone := b.row(seconds, noAim, "the whole restore, p99",
		"of it team:set in the open realm (%d rows read, its events durable), p99", n)
	begun := chat(longTalkID, now())
	begun.Conversation.Kind, begun.Conversation.Status = world.KindParty, world.ConversationPaused
	begun.Conversation.Title, begun.Conversation.Team = "Cast", partyTeam
	b.restores(b.longRealm(n, begun), times, add, alone, func(r *restored) {
		var frame []byte
		frame, r.part = r.ask(&wire.TeamSet{TeamID: partyTeam.ID, ResumeSessionID: longTalkID}, `{"type":"session:restored",`)
		r.whole = time.Since(r.begin)
		var got world.SessionRestored
		must(json.Unmarshal(frame, &got))
		if got.MessageCount != n {
			failf("the restored session has %d messages, not %d", got.MessageCount, n)
		}
	})
}

// forgeRestore measures the time from a closed realm's folder to the world:state with a forge of n messages and a
// SKILL.md of 500 lines, and then one durable exchange in it (S1-04).
func (b *bench) forgeRestore(times, n int) {
	add := b.percentiles(aim{below, 500e-3}, texts,
		"restore of a forge of %d messages with 500 lines written: folder to world:state, ", n)
	step := b.row(seconds, aim{below, 100e-3}, "the whole restore, p99",
		"one exchange in it: words to the smith's answer, durable, p99")
	c := forge.NewContext(longTalkID)
	c.State, c.SkillPurpose, c.WorkflowSteps = forge.GatheringDetails, "Count the sheep in the meadow.", []string{"Count them"}
	c.GeneratedContent = "---\nname: count-sheep\ndescription: \"Counts sheep.\"\n---\n" +
		strings.Repeat("Count the next of them, and write its number down.\n", 500)
	c.Plan.Asking = &forge.Question{Topic: "triggers", Text: "When?", Words: true}
	stepped := &world.ForgeStepped{ConversationID: longTalkID, Forge: forge.Shown(c, ""), Moves: []world.ForgeMove{}, Context: get(c.Save())}
	begun := chat(longTalkID, now())
	begun.Conversation.Kind = world.KindForge
	b.restores(b.longRealm(n, begun, stepped), times, add, step, func(r *restored) {
		r.whole = time.Since(r.begin)
		if !bytes.Contains(r.state, []byte(`"forge":{"state":"`)) {
			failf("the forge is not in world:state")
		}
		name := fmt.Sprintf("name: count-sheep-%d", n)
		_, r.part = r.ask(&wire.ChatSend{ConversationID: longTalkID, Content: name}, `{"type":"chat.done",`)
	})
}
