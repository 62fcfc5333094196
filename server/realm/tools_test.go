package realm

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// S4-06 to S4-08: rows are in order, words after a tool call have a row of their own, and the tool acts when its start
// is durable. P9.2, P9.16.
func TestToolsAreRows_S4_06(t *testing.T) {
	var b *bench
	var atStart []string
	play := cast(func(ctx context.Context, t TurnRequest, emit func(Chunk) error) error {
		steps := []Chunk{
			{Text: "I look. "}, {Tool: &ToolStart{CallID: "c1", Name: "look", Input: `{"at":"a"}`}},
			{ToolOutput: &ToolOutput{CallID: "c1", Text: "so "}}, {ToolOutput: &ToolOutput{CallID: "c1", Text: "far"}},
			{ToolEnd: &ToolEnd{CallID: "c1", OK: true, Output: "a is there"}},
			{Tool: &ToolStart{CallID: "c2", Name: "look", Input: `{"at":"b"}`}},
			{ToolEnd: &ToolEnd{CallID: "c2", Output: strings.Repeat("no ", 10_000)}}, {Text: "That is it."},
		}
		for _, s := range steps {
			if err := emit(s); err != nil {
				return err
			}
			if s.Tool != nil && s.Tool.CallID == "c1" {
				for _, ev := range b.journal.events {
					atStart = append(atStart, ev.Body.EventType())
				}
			}
		}
		return nil
	})
	onStage(t, play, func(bb *bench) {
		b = bb
		c := b.tab()
		id := begun(t, c.send(ada, "n", chatWith("sage")))
		frames := c.send(ada, "q", &wire.ChatSend{ConversationID: id, Content: "look"})
		if !slices.Contains(atStart, "tool.start") {
			t.Error("S4-08: the tool acts before its intent is durable")
		}
		var got []string
		for _, f := range frames {
			if s := f["type"].(string); strings.HasPrefix(s, "tool.") || strings.HasPrefix(s, "assistant.") {
				got = append(got, s)
			}
		}
		want := []string{"assistant.segment.started", "assistant.segment.closed", "tool.start", "tool.end", "tool.start", "tool.end", "assistant.segment.started", "assistant.segment.closed"}
		if !slices.Equal(got, want) {
			t.Errorf("%v", got)
		}
		rows := map[any]bool{}
		for _, f := range frames {
			if f["type"] == "assistant.segment.started" {
				rows[f["messageId"]] = true
			}
		}
		if len(rows) != 2 {
			t.Errorf("S4-07: %d rows of words", len(rows))
		}
		if f := find(frames, "assistant.segment.closed"); f["reason"] != world.ClosedByTool {
			t.Errorf("closed by %v", f["reason"])
		}
		script := b.script(id)
		if len(script) != 5 || script[1] != "assistant:sage:I look. " || script[2] != "tool:sage:a is there" || script[4] != "assistant:sage:That is it." {
			t.Errorf("S4-06: %q", script)
		}
		if len(script) == 5 && (len(script[3]) > world.MaxToolShown+40 || !strings.HasSuffix(script[3], "[error]")) {
			t.Errorf("S4-B4: %d bytes are shown", len(script[3]))
		}
	})
}

// The server crashes between a tool's start and its end, so nobody knows what the tool did. A tool that only reads is
// used again; before a tool that can change something is used again, a person is asked, in every kind. P9.17.
func TestToolCutOffIsAskedAbout(t *testing.T) {
	for _, reads := range []bool{false, true} {
		for _, how := range []string{"kill", "stop", "timeout"} {
			t.Run(fmt.Sprintf("reads=%v %s", reads, how), func(t *testing.T) {
				calls := 0
				play := cast(func(ctx context.Context, t TurnRequest, emit func(Chunk) error) error {
					calls++
					if calls > 1 {
						return emit(Chunk{Text: "again"})
					}
					if err := emit(Chunk{Tool: &ToolStart{CallID: "c1", Name: "deploy", Input: "now", Reads: reads}}); err != nil {
						return err
					}
					<-ctx.Done()
					return ctx.Err()
				})
				onStage(t, play, func(b *bench) {
					c := b.tab()
					c.send(ada, "s", &wire.StartProcess{Problem: "ship it", TemplateID: "actors"})
					again := func() {
						switch how {
						case "kill":
							b.kill()
							b.start(true)
							c.again()
						case "stop":
							b.stop()
							b.start(true)
							c.again()
						case "timeout":
							time.Sleep(3 * time.Minute)
							c.pull()
						}
						synctest.Wait()
						c.pull()
					}
					again()
					row := b.script(c.world.ProcessState.ConversationID)
					if !slices.Contains(row, "tool:sage: [interrupted]") {
						t.Errorf("the tool's row: %q", row)
					}
					asked := c.world.ProcessState.Status == world.StatusPaused && calls == 1
					if asked == reads {
						t.Errorf("process %s after %d calls: %+v", c.world.ProcessState.Status, calls, c.world.ProcessState.Reason)
					}
					if !reads {
						c.send(ada, "r", &wire.PlayerCommand{Text: "/resume"})
						synctest.Wait()
						c.pull()
					}
					if calls != 2 || c.world.ProcessState.Status != world.StatusCompleted {
						t.Errorf("in the end %d calls, %s", calls, c.world.ProcessState.Status)
					}
					calls = 0
					id := begun(t, c.send(ada, "n", councilOf("ship it", 2, "sage")))
					again()
					if asked := b.head(id).Status == world.ConversationPaused && calls == 1; asked == reads {
						t.Errorf("council %s after %d calls", b.head(id).Status, calls)
					}
					if !reads {
						c.send(ada, "r2", &wire.ConversationResume{ConversationID: id})
					}
					if h := b.head(id); h.Status != world.ConversationCompleted {
						t.Errorf("in the end the council is %s", h.Status)
					}
				})
			})
		}
	}
}

// Each row has at most 30 delta frames a second, however many chunks come. Their order and their text are exact
// (S4-05). P9.3.
func TestDeltasAreJoined(t *testing.T) {
	const chunks = 100_000
	play := cast(func(ctx context.Context, t TurnRequest, emit func(Chunk) error) error {
		for i := range chunks {
			if i%1000 == 999 {
				time.Sleep(10 * time.Millisecond)
			}
			if err := emit(Chunk{Text: fmt.Sprintf("%d ", i)}); err != nil {
				return err
			}
		}
		return nil
	})
	onStage(t, play, func(b *bench) {
		c := b.tab()
		id := begun(t, c.send(ada, "n", chatWith("sage")))
		if e := b.r.Submit(Input{From: ada, RequestID: "q", Command: &wire.ChatSend{ConversationID: id, Content: "count"}, To: c.v}); e != nil {
			t.Fatal(e)
		}
		time.Sleep(2 * time.Second)
		frames := c.pull()
		var text strings.Builder
		n := 0
		for _, f := range frames {
			if f["type"] == "chat.delta" {
				if int(f["n"].(float64)) != n {
					t.Fatalf("delta %v after %d", f["n"], n)
				}
				n++
				text.WriteString(f["text"].(string))
			}
		}
		var want strings.Builder
		for i := range chunks {
			fmt.Fprintf(&want, "%d ", i)
		}
		closed := find(frames, "assistant.segment.closed")["message"].(map[string]any)["content"].(string)
		if closed != want.String() || !strings.HasPrefix(closed, text.String()) {
			t.Error("the text is not what was said")
		}
		if n == 0 || n > 32 { // a second of it
			t.Errorf("%d deltas", n)
		}
	})
}
