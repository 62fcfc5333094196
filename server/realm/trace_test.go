package realm

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

var update = flag.Bool("update", false, "write the golden trace")

// S4-10: the frames of a chat in the order in which everybody gets them, byte for byte apart from times, numbers and
// ids that the server chooses: an answer with a tool call in the middle, one that fails, one that a person stops, one
// that a kill cuts off, and the events of the next opening. The page and other clients rely on these frames, so a
// change here is a change of the contract. P4.3, P4.4, P9.8.
func TestGoldenTrace_S4_10(t *testing.T) {
	play := cast(func(ctx context.Context, turn TurnRequest, emit func(Chunk) error) error {
		steps := []Chunk{{Text: "It is "}}
		switch turn.Words {
		case "look":
			steps = []Chunk{
				{Text: "I look. "}, {Text: "Wait."}, {Tool: &ToolStart{CallID: "k1", Name: "look", Input: `{"at":"a"}`, Reads: true}},
				{ToolOutput: &ToolOutput{CallID: "k1", Text: "so "}}, {ToolOutput: &ToolOutput{CallID: "k1", Text: "far"}},
				{ToolEnd: &ToolEnd{CallID: "k1", OK: true, Output: "a is there"}}, {Text: "It is there."},
			}
		}
		for _, s := range steps {
			if err := emit(s); err != nil {
				return err
			}
			select { // a pause, so that no deltas are joined
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
		}
		switch turn.Words {
		case "fail":
			return &TurnError{Code: world.ChatModel, Message: "The model is away."}
		case "stop", "kill":
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	})
	onStage(t, play, func(b *bench) {
		c := b.tab()
		id := begun(b.t, c.send(ada, "n", chatWith("sage")))
		from := len(c.raw)
		for _, words := range []string{"look", "fail", "stop", "kill"} {
			c.send(ada, "q-"+words, &wire.ChatSend{ConversationID: id, Content: words})
			later(10 * time.Second)
			c.pull()
			if words == "stop" {
				c.send(ada, "x", &wire.ChatCancel{ConversationID: id, RequestID: c.running()})
			}
		}
		late := b.tab() // during the last answer
		b.kill()
		later(time.Hour)
		b.start(true)
		c.again()
		c.send(ada, "o", &wire.ConversationOpen{ConversationID: id})
		overlays := func(f []byte) bool { return strings.Contains(string(f), `"type":"overlays"`) }
		lines := slices.DeleteFunc(slices.Clone(c.raw[from:]), overlays) // overlays have no fixed place
		for _, f := range late.raw {
			if overlays(f) {
				lines = append(lines, f)
			}
		}
		traced(b.t, "chat", lines)
	})
}

// traced compares frames of conversations with the file testdata/name.jsonl.
func traced(t *testing.T, name string, frames [][]byte) {
	t.Helper()
	kinds := []string{"snapshot", "overlays", "chat.started", "assistant.segment.started", "assistant.segment.closed", "message.added", "chat.delta",
		"tool.start", "tool.output", "tool.end", "chat.done", "chat.error", "chat.cancelled"}
	called := map[string]string{}
	ids := regexp.MustCompile(`"([a-z])[0-9]+-[0-9a-z]+"`)
	var out strings.Builder
	met := map[string]bool{}
	for _, f := range frames {
		var m map[string]any
		if err := json.Unmarshal(f, &m); err != nil {
			t.Fatal(err)
		}
		kind := m["type"].(string)
		if !slices.Contains(kinds, kind) {
			continue
		}
		met[kind] = true
		line, err := json.Marshal(smooth(m))
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString(ids.ReplaceAllStringFunc(string(line), func(id string) string {
			if called[id] == "" {
				called[id] = fmt.Sprintf(`"%c%d"`, id[1], len(called)+1)
			}
			return called[id]
		}))
		out.WriteByte('\n')
	}
	for _, kind := range kinds {
		if !met[kind] {
			t.Errorf("S4-10: the trace has no %s", kind)
		}
	}
	path := filepath.Join("testdata", name+".jsonl")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.SplitAfter(out.String(), "\n")
	for i, line := range strings.SplitAfter(string(want), "\n") {
		if i >= len(got) || got[i] != line {
			at := append(got, "nothing\n")[min(i, len(got))]
			t.Fatalf("S4-10: frame %d of the trace is\n%swant\n%s(go test -update writes it)", i+1, at, line)
		}
	}
	if len(got) > strings.Count(string(want), "\n")+1 {
		t.Errorf("S4-10: the trace has %d frames more than %s", len(got)-1-strings.Count(string(want), "\n"), path)
	}
}

// smooth removes values that differ from run to run: times and the numbers of events.
func smooth(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			switch text, isText := x.(string); {
			case isText && len(text) == len("2026-01-31T10:11:12.000Z") && strings.HasSuffix(text, "Z"):
				v[k] = "TIME"
			case k == "seq" || k == "lastSeq" || k == "startSeq":
				v[k] = "SEQ"
			default:
				v[k] = smooth(x)
			}
		}
	case []any:
		for i := range v {
			v[i] = smooth(v[i])
		}
	}
	return v
}
