package realm

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/kinds"
	"agentdungeon/server/realm/commit"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// This file has attacks by hostile clients on the actor. After each of them the realm must work and keep its rules.

func hostileBroken(frames []map[string]any) bool {
	for _, f := range frames {
		if f["type"] == "save:status" && f["state"] == wire.SaveBroken {
			return true
		}
	}
	return false
}

// hostileStage is like onStage, but does not stop the realm at the end.
func hostileStage(t *testing.T, play cast, f func(b *bench)) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, drivers: play, extra: []*world.Template{actors()}}
		b.start(false)
		f(b)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		b.r.Stop(ctx)
		<-b.r.Done()
	})
}

func hostileWaits(ctx context.Context, t TurnRequest, emit func(Chunk) error) error {
	<-ctx.Done()
	return ctx.Err()
}

// A person sends player:command with a requestId that another person has used in the process. The realm does not break.
func TestAttackPlayerCommandTakesAUsedRequestID(t *testing.T) {
	hostileStage(t, hostileWaits, func(b *bench) {
		c := b.tab()
		c.send(ada, "s", &wire.StartProcess{Problem: "ship it", TemplateID: "actors"})
		pid := c.world.ProcessState.ConversationID
		c.send(ada, "x", &wire.ChatSend{ConversationID: pid, Content: "one"})
		frames := c.send(ben, "x", &wire.PlayerCommand{Text: "two"})
		if hostileBroken(append(frames, c.pull()...)) {
			t.Error("the realm is broken")
		}
	})
}

// A person sends player:command with the requestId of the turn under way, which everybody can see. The realm does not
// break.
func TestAttackPlayerCommandTakesATurnsID(t *testing.T) {
	hostileStage(t, hostileWaits, func(b *bench) {
		c := b.tab()
		frames := c.send(ada, "s", &wire.StartProcess{Problem: "ship it", TemplateID: "actors"})
		turn := find(append(frames, c.pull()...), "chat.started")["requestId"].(string)
		frames = c.send(ben, turn, &wire.PlayerCommand{Text: "two"})
		if hostileBroken(append(frames, c.pull()...)) {
			t.Error("the realm is broken by requestId", turn)
		}
	})
}

// A chat.cancel in the form of document 004 has two requestIds, one outside of payload and one inside. The realm does
// not break.
func TestAttackCancelWithTwoRequestIDs(t *testing.T) {
	play := cast(func(ctx context.Context, t TurnRequest, emit func(Chunk) error) error {
		<-ctx.Done()
		return ctx.Err()
	})
	hostileStage(t, play, func(b *bench) {
		c := b.tab()
		id := begun(t, c.send(ada, "n", chatWith("sage")))
		c.send(ada, "q", &wire.ChatSend{ConversationID: id, Content: "hi"})
		cmd, request, e := wire.Decode([]byte(`{"type":"chat.cancel","requestId":"other","payload":{"conversationId":"` + id + `","requestId":"q"}}`))
		if e != nil {
			t.Skip("refused: ", e)
		}
		if hostileBroken(c.send(ada, request, cmd)) {
			t.Error("the realm is broken by one frame")
		}
	})
}

// A client guesses the requestId of the next turn and uses it for its own words. The realm does not break.
func TestAttackForeseenTurnID(t *testing.T) {
	hostileStage(t, says, func(b *bench) {
		c := b.tab()
		id := begun(t, c.send(ada, "n", councilOf("we", 5, ada.SpectatorID, "bard")))
		c.pull()
		// The frames show ids of earlier rows and turns. They have the form tNN-k, in which k counts the ids.
		asked := find(c.frames, "process:turn")["requestId"].(string)
		var k int64
		fmt.Sscanf(asked[strings.Index(asked, "-")+1:], "%d", &k)
		// The client's message gets k+1. The turn, which begins three events later, gets k+2.
		guess := fmt.Sprintf("t%d-%d", c.seq+4, k+2)
		frames := c.send(ada, guess, &wire.ChatSend{ConversationID: id, Content: "mine"})
		if hostileBroken(append(frames, c.pull()...)) {
			t.Error("the realm is broken by", guess)
		}
	})
}

func hostileTool(ctx context.Context, t TurnRequest, emit func(Chunk) error) error {
	if err := emit(Chunk{Tool: &ToolStart{CallID: "c", Name: "deploy", Input: "x"}}); err != nil {
		return err
	}
	<-ctx.Done()
	return ctx.Err()
}

func TestAttackAbortWithAToolOpen(t *testing.T) {
	hostileStage(t, hostileTool, func(b *bench) {
		c := b.tab()
		id := begun(t, c.send(ada, "n", councilOf("we", 5, "sage", "bard")))
		c.pull()
		c.send(ada, "a", &wire.ConversationAbort{ConversationID: id})
		if h := b.head(id); h.Status != world.ConversationAbandoned {
			t.Errorf("aborted, it is %s: %s", h.Status, h.Reason)
		}
	})
}

func TestAttackDismissWithAToolOpen(t *testing.T) {
	for _, who := range []string{"sage", "bard"} {
		hostileStage(t, hostileTool, func(b *bench) {
			c := b.tab()
			id := begun(t, c.send(ada, "n", councilOf("we", 5, "sage", "bard")))
			c.pull()
			c.send(ada, "a", &wire.DismissAgent{AgentID: who})
			if h := b.head(id); h.Status != world.ConversationCompleted {
				t.Errorf("%s dismissed, it is %s: %s", who, h.Status, h.Reason)
			}
		})
	}
}

func TestAttackCancelSaysWhatTheToolDid(t *testing.T) {
	hostileStage(t, hostileTool, func(b *bench) {
		c := b.tab()
		id := begun(t, c.send(ada, "n", councilOf("we", 5, "sage", "bard")))
		c.pull()
		run := find(c.frames, "chat.started")["requestId"].(string)
		c.send(ada, run, &wire.ChatCancel{ConversationID: id, RequestID: run})
		if h := b.head(id); !strings.Contains(h.Reason, "it is unknown") {
			t.Errorf("%s: %q", h.Status, h.Reason)
		}
	})
}

// While the disk is away, the replies that wait in the outbox have a bounded number of bytes.
func TestAttackReadsFillTheOutbox(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, drivers: says, extra: []*world.Template{actors()}, limits: commit.Limits{Events: 10, Bytes: 64 << 10}}
		b.start(false)
		c := b.tab()
		id := begun(t, c.send(ada, "n", chatWith("bard")))
		c.send(ada, "q", &wire.ChatSend{ConversationID: id, Content: strings.Repeat("x", 30_000)})
		gate := make(chan struct{})
		b.journal.set(nil, gate)
		c.send(ada, "r", &wire.ConversationRename{ConversationID: id, Title: "other"})
		for i := range 500 {
			c.send(ada, fmt.Sprint("o", i), &wire.ConversationOpen{ConversationID: id})
		}
		b.journal.set(nil, nil)
		close(gate)
		synctest.Wait()
		total := c.v.Kept().ReplyBytes
		if total > 4*(64<<10) {
			t.Errorf("%d bytes of replies waited in an outbox of 64 KB", total)
		}
		b.stop()
	})
}

// hostileSlowRows delays reads of rows until gate is closed. The newest page must have the rows that are added
// meanwhile too, because the page's lastSeq includes them.
type hostileSlowRows struct {
	*memJournal
	gate chan struct{}
}

func (j *hostileSlowRows) Rows(ctx context.Context, id, stage string, before int64, limit int) ([]world.Message, bool, error) {
	rows, more, err := j.memJournal.Rows(ctx, id, stage, before, limit)
	<-j.gate
	return rows, more, err
}

func TestAttackNewestPageLacksRows(t *testing.T) {
	hostileStage(t, says, func(b *bench) {
		c := b.tab()
		id := begun(t, c.send(ada, "n", chatWith("bard")))
		for i := range 40 {
			c.send(ada, fmt.Sprint("q", i), &wire.ChatSend{ConversationID: id, Content: fmt.Sprint("word ", i)})
		}
		limit := 60
		b.stop()
		slow := &hostileSlowRows{b.journal, make(chan struct{})}
		hostileStart(b, slow)
		c.again()
		c.send(ada, "o", &wire.ConversationOpen{ConversationID: id, Limit: &limit})
		c.send(ada, "late", &wire.ChatSend{ConversationID: id, Content: "between"})
		close(slow.gate)
		synctest.Wait()
		snap := find(c.pull(), "snapshot")
		if snap == nil {
			for _, f := range c.frames {
				if f["requestId"] == "o" {
					snap = f
				}
			}
		}
		raw, _ := json.Marshal(snap["messages"])
		if !strings.Contains(string(raw), "between") {
			t.Errorf("lastSeq %v, but the newest row is not in the %d rows of the snapshot", snap["lastSeq"], len(snap["messages"].([]any)))
		}
	})
}

func hostileStart(b *bench, j Journal) {
	w := world.New(world.Realm{ID: "r1", Name: "realm", Tenant: "default"})
	saved := world.Saved{Realm: w.Realm, World: w, Epoch: "again"}
	for _, ev := range b.journal.events {
		world.Apply(w, ev)
		saved.LastAt = ev.At
	}
	saved.Conversations = append(saved.Conversations, fold(b.journal.events).saved(w)...)
	saved.Head = w.Tick
	saved.Lines = append(b.lines, world.Line{Epoch: "again", FromSeq: w.Tick + 1, OpenedAt: world.TimeOf(clock())})
	b.r = Start(Config{Saved: saved, Journal: j, Files: b.files, Kinds: kinds.All(), Templates: builtin{b.extra}, Drivers: b.drivers, Log: zerolog.Nop(), Pace: world.PaceInstant})
}

// world:state stays within 512 KiB, although the views of many councils are larger.
func TestAttackStateOfManyCouncils(t *testing.T) {
	hostileStage(t, hostileWaits, func(b *bench) {
		c := b.tab()
		for i := range 60 {
			begun(t, c.send(ada, fmt.Sprint("n", i), councilOf(strings.Repeat("x", 16<<10), 5, "sage", "bard")))
		}
		time.Sleep(10 * time.Second)
		c.pull()
		d := b.tab()
		n := 0
		for i, f := range d.frames {
			if f["type"] == "world:state" {
				n = len(d.raw[i])
			}
		}
		if n > 512<<10 {
			t.Errorf("world:state has %d bytes", n)
		}
	})
}

// An answer with 51 tool calls after its only words does not fail.
func TestAttackWordsBeforeManyTools(t *testing.T) {
	play := cast(func(ctx context.Context, t TurnRequest, emit func(Chunk) error) error {
		if err := emit(Chunk{Text: "This is what I found: nothing. Now I tidy up."}); err != nil {
			return err
		}
		for i := range 51 {
			id := fmt.Sprint("c", i)
			if err := emit(Chunk{Tool: &ToolStart{CallID: id, Name: "rm", Reads: true}}); err != nil {
				return err
			}
			if err := emit(Chunk{ToolEnd: &ToolEnd{CallID: id, OK: true, Output: "ok"}}); err != nil {
				return err
			}
		}
		return nil
	})
	hostileStage(t, play, func(b *bench) {
		c := b.tab()
		id := begun(t, c.send(ada, "n", chatWith("sage")))
		c.send(ada, "q", &wire.ChatSend{ConversationID: id, Content: "go"})
		if e := find(c.frames, "chat.error"); e != nil {
			t.Error(e["code"], e["message"])
		}
	})
}

// The prompt of a retried answer says that it is a retry.
func TestAttackRetryIsTold(t *testing.T) {
	n := 0
	var prompts []string
	play := cast(func(ctx context.Context, t TurnRequest, emit func(Chunk) error) error {
		prompts = append(prompts, t.Prompt)
		if n++; n == 1 {
			return &TurnError{Code: "model", Message: "no"}
		}
		return emit(Chunk{Text: "yes"})
	})
	hostileStage(t, play, func(b *bench) {
		c := b.tab()
		id := begun(t, c.send(ada, "n", chatWith("sage")))
		c.send(ada, "q", &wire.ChatSend{ConversationID: id, Content: "go"})
		c.send(ada, "r", &wire.ConversationResume{ConversationID: id})
		if len(prompts) != 2 || prompts[0] == prompts[1] {
			t.Errorf("%d prompts, the second says nothing of a first try", len(prompts))
		}
	})
}

func TestAttackOpenBeforeAnUnknownRow(t *testing.T) {
	hostileStage(t, says, func(b *bench) {
		c := b.tab()
		id := begun(t, c.send(ada, "n", chatWith("bard")))
		c.send(ada, "q", &wire.ChatSend{ConversationID: id, Content: "go"})
		frames := c.send(ada, "o", &wire.ConversationOpen{ConversationID: id, Before: wire.RowRef{MessageID: "nothere"}})
		for _, f := range frames {
			if f["requestId"] == "o" && f["type"] != "error" {
				t.Errorf("rows before one that is not there: %d", len(f["messages"].([]any)))
			}
		}
	})
}
