package erasure_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"agentdungeon/server/store/storetest"
	"agentdungeon/shared/world"
)

// looked is a context that calls a function each time it is asked. The database driver asks it from its own goroutines.
type looked struct {
	context.Context
	mu sync.Mutex
	do func()
}

func (l *looked) Done() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.do()
	return l.Context.Done()
}

// Words that are erased are removed from the open rows of running tools. The output of a tool that ends after
// history:erased stays, wherever in the erasure that is (S1-19).
func TestErasingWhileToolsWork(t *testing.T) {
	const quote, output, tools = "qzplanted in the council number 0", "jykept is what the tool gave", 100
	r := storetest.NewRig(t)
	planted(r, 2)
	for n := range tools {
		id := fmt.Sprint("tool", n)
		r.Commit(&world.ToolStart{
			ConversationID: "council", RequestID: "t1", MessageID: id, MemberID: "sage", MemberName: "Sage", Name: "look", Input: "for " + quote, CallID: id,
		}, &world.ToolOutput{ConversationID: "council", RequestID: "t1", MessageID: id, Text: "seen " + quote})
	}
	e := r.BeginErasure("e1", "p1")
	ended := 0
	ctx := &looked{Context: context.Background(), do: func() {
		if ended < tools-1 { // one is left open
			r.Commit(&world.ToolEnd{ConversationID: "council", RequestID: "t1", MessageID: fmt.Sprint("tool", ended), OK: true, Output: output})
			ended++
		}
	}}
	_, err := r.O.Eraser.Redact(ctx, e.ErasureID)
	storetest.Must(t, err)
	ctx.mu.Lock() // from here on no call returns
	defer ctx.mu.Unlock()
	if ended < 20 {
		t.Errorf("only %d end meanwhile", ended)
	}
	rows, _, err := r.O.Journal.Rows(context.Background(), "council", "", 0, tools)
	storetest.Must(t, err)
	for n, m := range rows {
		content, status := "seen "+world.ErasedName, world.MessageOpen
		if n < ended {
			content, status = output, world.MessageDone
		}
		if m.MessageID != fmt.Sprint("tool", n) || m.Content != content || m.Status != status || strings.Contains(m.Tool.Input, quote) {
			t.Errorf("after %d ends the row is %+v, %+v", ended, m, m.Tool)
		}
	}
	_, err = r.O.Eraser.EndErasure(context.Background(), e, world.NewReceipt(e, nil, &world.World{}, nil, nil, nil), time.Now)
	storetest.Must(t, err)
	r.Close()
	o := storetest.MustOpen(t, r.Dir)
	if found := storetest.UnpackedOf(t, o.Journal, "qzplanted"); found > 0 {
		t.Errorf("words are still there, %d times", found)
	}
	storetest.SameJSON(t, "world", o.Saved.World, r.W)
	storetest.ReadAll(t, o.Journal, 0) // fails if a frame lacks the text of its row
	storetest.Must(t, o.Journal.Close())
}
