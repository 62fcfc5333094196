package realm

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/driver"
	"agentdungeon/server/quests"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// The findings, withdrawals, quests and insights of a driver are in the world, also after a kill. People take a quest
// and complete it, and only its owner can move it (B11). P7.2a.
func TestBoard(t *testing.T) {
	var begin chan struct{}
	scout := func(ctx context.Context, _ TurnRequest, emit func(Chunk) error) error {
		select {
		case <-begin:
		case <-ctx.Done():
			return ctx.Err()
		}
		for _, c := range []Chunk{
			{Finding: &world.Finding{ID: "f1", Severity: "high", Confidence: "medium", Title: "one", Check: "x/y", Evidence: "e", Why: "w", Advice: "a",
				Reach: "test", ChangedAt: 5, CWE: []int{1, 2, 3, 4, 5}, Patch: "p", Accept: "x/y * -- REASON",
				Steps: slices.Repeat([]world.Step{{Path: "a.go", Line: 1, Quote: strings.Repeat("q", 900)}}, 40)}},
			{Finding: &world.Finding{ID: "f2", Severity: "low", Confidence: "certainly", Title: "two", Reach: "nowhere", Patch: strings.Repeat("p", world.MaxPatch+1)}},
			{Withdraw: &Withdraw{FindingID: "f2", Reason: "the same as one", Into: "f1"}},
			{Withdraw: &Withdraw{FindingID: "f2", Reason: "the same as one", Into: "f1"}}, // nothing twice
			{Withdraw: &Withdraw{FindingID: "nobody", Reason: "x"}},
			{Prove: &driver.Prove{FindingID: "f2", Proof: "so"}}, // it is withdrawn
			{Prove: &driver.Prove{FindingID: "f1", Proof: "so"}}, // nobody doubts it
			{Finding: &world.Finding{ID: "f3", Severity: "high", Confidence: "low", Title: "three", Path: "src", Proof: "by itself"}},
			{Finding: &world.Finding{ID: "f4", Severity: "high", Confidence: "low", Title: "four", Path: "src"}},
			{Prove: &driver.Prove{FindingID: "f4", Proof: "It is so."}},
			{Prove: &driver.Prove{FindingID: "f4", Proof: "Again."}},
			{Quest: &world.Quest{ID: "q1", Title: "mend one", Priority: "high", FindingID: "f1"}},
			{Quest: &world.Quest{ID: "q1", Title: "mend one", Priority: "high", FindingID: "f1"}},
			{Insight: &world.Insight{Area: "review", Text: "two found"}},
		} {
			if err := emit(c); err != nil {
				return err
			}
		}
		return emit(Chunk{Text: "found"})
	}
	onLand(t, func() cast { begin = make(chan struct{}, 9); return scout }, heroesOf(1, world.MoveOutward, world.MoveOutward), func(b *bench) {
		c := b.tab()
		c.send(ada, "s", start("party"))
		begin <- struct{}{}
		synctest.Wait()
		c.pull()
		if n := count(c.frames, "findings:withdrawn"); n != 1 {
			t.Errorf("%d withdrawals", n)
		}
		if n := count(c.frames, "quest:update"); n != 1 {
			t.Errorf("%d quests told", n)
		}
		if n := count(c.frames, "knowledge:updated"); n != 1 {
			t.Errorf("%d insights told", n)
		}
		refused := func(who Person, id, text string, code wire.Code) {
			t.Helper()
			if e := find(c.send(who, id, &wire.PlayerCommand{Text: text}), "error"); e == nil || e["code"] != string(code) {
				t.Errorf("%s by %s: %v", text, who.Name, e)
			}
		}
		taken := func(who Person, id, text, status string) {
			t.Helper()
			frames := c.send(who, id, &wire.PlayerCommand{Text: text})
			if q := find(frames, "quest:update"); q == nil || q["quest"].(map[string]any)["status"] != status || q["requestId"] != id {
				t.Errorf("%s: %v", text, frames)
			}
		}
		refused(ada, "k1", "/quest start q1", wire.Conflict)
		refused(ada, "k2", "/quest take q9", wire.NotFound)
		refused(ada, "k3", "/quest", wire.BadField)
		taken(ada, "k4", "/quest take q1", world.QuestAssigned)
		refused(ben, "k5", "/quest start q1", wire.NotAllowed)
		taken(ada, "k6", "/quest start q1", world.QuestProgress)
		b.kill()
		b.start(true)
		c.again()
		w := b.tab().world
		if q := w.Quests[0]; q.Owner != "Ada" || q.Status != world.QuestProgress {
			t.Errorf("after the kill %+v", q)
		}
		if w.Findings[1].Withdrawn != "the same as one" || w.Findings[1].Into != "f1" || w.Standing() != 2 {
			t.Errorf("after the kill %+v", w.Findings)
		}
		// A finding of low confidence is only suspected, and is not counted at its place on the map before it is
		// proved. P7.2, P7.3a.
		three, four := w.Findings[2], w.Findings[3]
		if three.State() != world.StateSuspected || four.State() != world.StateProved || four.Proof != "It is so." || w.Findings[0].State() != "" {
			t.Errorf("after the kill %+v", w.Findings)
		}
		if at := slices.IndexFunc(w.Objects, func(o world.Object) bool { return o.Path == "src" }); at < 0 || w.Objects[at].Findings != 1 {
			t.Errorf("objects %+v", w.Objects)
		}
		if w.Findings[0].Confidence != "medium" || w.Findings[1].Confidence != "" { // the other is no confidence
			t.Errorf("confidences %q and %q", w.Findings[0].Confidence, w.Findings[1].Confidence)
		}
		one, two := w.Findings[0], w.Findings[1]
		if len(one.Steps) != world.MaxSteps || len(one.Steps[11].Quote) > world.MaxStepText || len(one.CWE) != world.MaxCWE ||
			one.Reach != "test" || one.ChangedAt != 5 || one.Patch != "p" || one.Accept == "" {
			t.Errorf("%+v", one)
		}
		if two.Reach != "" || two.Patch != "" { // no reach, and a part of a patch mends nothing
			t.Errorf("%+v", two)
		}
		taken(ada, "k7", "/quest done q1", world.QuestDone)
		for text, want := range map[string]string{"/export": "format=markdown", "/export sarif": "format=sarif", "/export svg": "format=svg"} {
			if r := find(c.send(ada, "x-"+want[7:], &wire.PlayerCommand{Text: text}), "command:reply"); r == nil || !strings.HasSuffix(r["text"].(string), want) {
				t.Errorf("%s: %v", text, r)
			}
		}
		refused(ada, "k10", "/export pdf", wire.BadField)
		d := find(c.send(ben, "k8", &wire.GetAgentDetails{AgentID: "hero00"}), "agent:details")
		if d == nil || len(d["findings"].([]any)) != 2 || len(d["quests"].([]any)) != 1 || d["requestId"] != "k8" {
			t.Errorf("details %v", d)
		}
		if e := find(c.send(ben, "k9", &wire.GetAgentDetails{AgentID: "nobody"}), "error"); e == nil || e["code"] != string(wire.NotFound) {
			t.Errorf("details of nobody: %v", e)
		}
		// A host's quest of a suspected finding proves the finding, also for the next stage, which posts it again. P7.2a.
		c.send(ada, "k11", &wire.PlayerCommand{Text: "/quest make f3"})
		begin <- struct{}{}
		synctest.Wait()
		judged := b.tab().world
		if f := judged.Findings[2]; f.Proof != quests.Judged || judged.Standing() != 3 || len(judged.Quests) != 2 {
			t.Errorf("a judged finding that is posted again: %+v, quests %+v", f, judged.Quests)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if w, err := b.r.World(ctx); err != nil || len(w.Findings) != 4 {
			t.Errorf("the world for an export: %v", err)
		}
	})
}

// withdrawing returns a scout that finds two things in its first turn and withdraws both in each later turn. A turn
// begins when the test sends to begin.
func withdrawing() (begin chan struct{}, scout cast) {
	begin = make(chan struct{}, 9)
	turns := 0
	return begin, func(ctx context.Context, _ TurnRequest, emit func(Chunk) error) error {
		select {
		case <-begin:
		case <-ctx.Done():
			return ctx.Err()
		}
		chunks := []Chunk{
			{Finding: &world.Finding{ID: "f1", Severity: "high", Title: "one"}}, {Quest: &world.Quest{ID: "q1", Title: "mend one", FindingID: "f1"}},
			{Finding: &world.Finding{ID: "f2", Severity: "high", Title: "two"}}, {Quest: &world.Quest{ID: "q2", Title: "mend two", FindingID: "f2"}},
		}
		if turns++; turns > 1 {
			chunks = []Chunk{
				{Withdraw: &Withdraw{FindingID: "f1", Reason: "one is gone"}}, {Withdraw: &Withdraw{FindingID: "f2", Reason: "two is gone"}},
				{Withdraw: &Withdraw{FindingID: "f2", Reason: "two is gone"}}, // sent again after the turn was cut off
			}
		}
		for _, c := range append(chunks, Chunk{Text: "said"}) {
			if err := emit(c); err != nil {
				return err
			}
		}
		return nil
	}
}

// A finding that the repository accepts leaves no open quest, at once and after a kill.
func TestAcceptedFindingsLeaveNoQuest(t *testing.T) {
	var begin chan struct{}
	var scout cast
	onLand(t, func() cast { begin, scout = withdrawing(); return scout }, heroesOf(1, world.MoveOutward, world.MoveOutward), func(b *bench) {
		c := b.tab()
		c.send(ada, "s", start("party"))
		begin <- struct{}{}
		synctest.Wait()
		for range 2 { // the second time changes nothing
			if err := b.r.Settle(context.Background(), []string{"f1", "of no quest"}, "accepted"); err != nil {
				t.Fatal(err)
			}
		}
		b.kill()
		b.start(true)
		c.again()
		if q := b.tab().world.Quests; len(q) != 2 || q[0].Status != world.QuestDone || q[0].Note != "accepted" || q[1].Status != world.QuestOpen {
			t.Errorf("%+v", q)
		}
	})
}

// The withdrawal of a finding settles its quests: the owner of a taken quest is told and keeps the quest, and an open
// quest is done. A kill loses neither.
func TestWithdrawalSettlesQuests(t *testing.T) {
	var begin chan struct{}
	var scout cast
	onLand(t, func() cast { begin, scout = withdrawing(); return scout }, heroesOf(1, world.MoveOutward, world.MoveOutward), func(b *bench) {
		c := b.tab()
		c.send(ada, "s", start("party"))
		begin <- struct{}{}
		synctest.Wait()
		c.send(ada, "k", &wire.PlayerCommand{Text: "/quest take q1"})
		begin <- struct{}{}
		synctest.Wait()
		c.pull()
		if n := count(c.frames, "quest:update"); n != 5 {
			t.Errorf("quests are told %d times: offered twice, taken once, settled twice", n)
		}
		b.kill()
		b.start(true)
		c.again()
		q := b.tab().world.Quests
		if len(q) != 2 || q[0].Status != world.QuestAssigned || q[0].Owner != "Ada" || q[0].Note != "one is gone" {
			t.Errorf("the one that Ada has: %+v", q)
		} else if q[1].Status != world.QuestDone || q[1].Owner != "" || q[1].Note != "two is gone" {
			t.Errorf("the open one: %+v", q[1])
		}
	})
}

// B21: a member answers a question outside of the process's plan. The answer does not count as the member's turn, also
// comes while the process is paused, and is ended by a kill. After /focus a person need not name the member again.
func TestQuestions(t *testing.T) {
	onLand(t, func() cast { return waiting(make(chan struct{})) }, heroesOf(2, world.MoveOutward, world.MoveOutward), func(b *bench) {
		c := b.tab()
		c.send(ada, "s", start("party"))
		answered := func(id, text, want string) {
			t.Helper()
			frames := c.send(ada, id, &wire.PlayerCommand{Text: text})
			row := find(frames, "assistant.segment.closed")
			if row == nil || row["requestId"] != id || row["message"].(map[string]any)["content"] != want {
				t.Errorf("%s: %v", text, frames)
			}
			if done := find(frames, "chat.done"); done == nil || done["turn"] != nil {
				t.Errorf("%s ends with %v", text, done)
			}
		}
		answered("q1", "/ask hero00 who are you?", "hero00 heard: who are you?")
		if n := c.world.ProcessState.AgentTurnCounts; len(n) != 0 {
			t.Errorf("an answer fills a slot: %v", n)
		}
		c.send(ada, "q2", &wire.PlayerCommand{Text: "/pause"})
		answered("q3", "/ask @HERO01 and you?", "hero01 heard: and you?")
		for id, text := range map[string]string{"e1": "/ask nobody hello", "e2": "/ask hero00", "e3": "/focus nobody"} {
			if find(c.send(ada, id, &wire.PlayerCommand{Text: text}), "error") == nil {
				t.Errorf("%s is taken", text)
			}
		}
		if r := find(c.send(ada, "f1", &wire.PlayerCommand{Text: "/focus hero01"}), "command:reply"); r == nil {
			t.Error("no answer to /focus")
		}
		answered("q4", "plain words", "hero01 heard: plain words")
		c.send(ada, "f2", &wire.PlayerCommand{Text: "/focus"})
		if find(c.send(ada, "q5", &wire.PlayerCommand{Text: "to all"}), "assistant.segment.closed") != nil {
			t.Error("words to everybody are answered")
		}
		c.send(ada, "q6", &wire.PlayerCommand{Text: "/ask hero00 wait"})
		b.kill()
		b.start(true)
		c.again()
		synctest.Wait()
		c.pull()
		ended := 0
		for _, f := range c.frames {
			if f["type"] == "chat.cancelled" && f["requestId"] == "q6" && f["reason"] == world.CancelInterrupted {
				ended++
			}
		}
		if ended != 1 {
			t.Errorf("a question that a kill cut off ends %d times", ended)
		}
	})
}

// The focus of a person is the member to whom the person speaks. It outlives a kill and a stop, belongs to that person
// only, and is sent only if it changes. After it was ended, no member answers the person's words.
func TestFocusOutlivesRestarts(t *testing.T) {
	onLand(t, func() cast { return waiting(make(chan struct{})) }, heroesOf(2, world.MoveOutward, world.MoveOutward), func(b *bench) {
		c := b.tab()
		c.send(ada, "s", start("party"))
		answered := func(who Person, id, want string) {
			t.Helper()
			row := find(c.send(who, id, &wire.PlayerCommand{Text: "plain words"}), "assistant.segment.closed")
			switch {
			case want == "" && row != nil:
				t.Errorf("words to everybody are answered: %v", row)
			case want != "" && (row == nil || row["message"].(map[string]any)["content"] != want+" heard: plain words"):
				t.Errorf("%s does not answer: %v", want, row)
			}
		}
		f := find(c.send(ada, "f1", &wire.PlayerCommand{Text: "/focus HERO01"}), "focus:changed")
		if f == nil || f["spectatorId"] != ada.SpectatorID || f["agentId"] != "hero01" || f["requestId"] != "f1" {
			t.Errorf("told as %v", f)
		}
		if f := find(c.send(ada, "f2", &wire.PlayerCommand{Text: "/focus @hero01"}), "focus:changed"); f != nil {
			t.Errorf("the same again is told: %v", f)
		}
		for id, end := range map[string]func(){"kill": b.kill, "stop": b.stop} {
			end()
			b.start(true)
			c.again()
			answered(ada, id+"1", "hero01")
			answered(ben, id+"2", "")
			if w := b.tab().world; w.FocusOf(ada.SpectatorID) != "hero01" || len(w.Focus) != 1 {
				t.Errorf("after the %s %+v", id, w.Focus)
			}
		}
		c.send(ada, "f3", &wire.PlayerCommand{Text: "/focus"})
		b.kill()
		b.start(true)
		c.again()
		answered(ada, "all", "")
		if w := b.tab().world; len(w.Focus) != 0 {
			t.Errorf("ended, it is %+v", w.Focus)
		}
	})
}

// The world keeps the focus of at most a thousand people. If there are more, it forgets the focus that was set longest
// ago; setting the same focus again counts as setting it now.
func TestFocusIsBounded(t *testing.T) {
	onLand(t, func() cast { return waiting(make(chan struct{})) }, heroesOf(2, world.MoveOutward, world.MoveOutward), func(b *bench) {
		c := b.tab()
		c.send(ada, "s", start("party"))
		for n := range world.MaxFocus + 1 {
			who := Person{SpectatorID: fmt.Sprint("p", n), Name: "P"}
			c.send(who, "f", &wire.PlayerCommand{Text: "/focus hero00"})
			if n == world.MaxFocus-1 {
				c.send(Person{SpectatorID: "p0", Name: "P"}, "g", &wire.PlayerCommand{Text: "/focus hero01"})
			}
		}
		w := b.tab().world
		if len(w.Focus) != world.MaxFocus || w.FocusOf("p1") != "" || w.FocusOf("p0") != "hero01" || w.FocusOf(fmt.Sprint("p", world.MaxFocus)) != "hero00" {
			t.Errorf("%d kept; p0 %q, p1 %q", len(w.Focus), w.FocusOf("p0"), w.FocusOf("p1"))
		}
	})
}

// TestRecordJournalOfBoard writes a recorded journal, as TestRecordJournals does, with findings, quests and questions.
func TestRecordJournalOfBoard(t *testing.T) {
	dir := os.Getenv("AGENTDUNGEON_RECORD")
	if dir == "" {
		t.Skip("AGENTDUNGEON_RECORD is not set: the recorded journals stay as they are")
	}
	var begin chan struct{}
	var scout cast
	onLand(t, func() cast { begin, scout = withdrawing(); return scout }, heroesOf(1, world.MoveOutward, world.MoveOutward), func(b *bench) {
		c := b.tab()
		c.send(ada, "s", start("party"))
		begin <- struct{}{}
		synctest.Wait()
		for i, text := range []string{"/quest take q1", "/focus hero00", "/ask hero00 why?"} {
			c.send(ada, fmt.Sprint("a", i), &wire.PlayerCommand{Text: text})
		}
		c.send(ben, "b", &wire.PlayerCommand{Text: "/focus hero00"})
		begin <- struct{}{}
		synctest.Wait()
		b.kill()
		b.start(true)
		c.again()
		for i, text := range []string{"plain words", "/focus", "/quest drop q1"} {
			c.send(ada, fmt.Sprint("c", i), &wire.PlayerCommand{Text: text})
		}
		b.stop()
		b.record(dir, "board.jsonl")
	})
}
