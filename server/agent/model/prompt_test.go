package model

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"agentdungeon/server/agent/modeltest"
	"agentdungeon/shared/world"
)

// told returns the messages of a request, one line each.
func told(r modeltest.Request) string {
	var out []string
	for _, m := range r.Messages[1:] {
		line := m.Role + " " + m.Content
		for _, c := range m.ToolCalls {
			line += fmt.Sprintf(" <%s %s %s>", c.ID, c.Function.Name, c.Function.Arguments)
		}
		if m.ToolCallID != "" {
			line += " (" + m.ToolCallID + ")"
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

func row(role, member, name, content, status string) world.Message {
	return world.Message{Role: role, MemberID: member, Name: name, Content: content, Status: status}
}

func toolRow(name, input, content, status string) world.Message {
	m := row(world.RoleTool, "r", "The Reader", content, status)
	m.Tool = &world.ToolUse{Name: name, Input: input, CallID: "x"}
	return m
}

// S4-B5: a request has the rows of the chat's window in a form that every server accepts. modeltest refuses
// tool calls without results.
func TestChatWindow(t *testing.T) {
	done := world.MessageDone
	for _, c := range []struct {
		name   string
		window []world.Message
		want   string
	}{
		{"nothing before", nil, "user What now?"},
		{"talk", []world.Message{row("user", "", "Ada", "Hello.", done), row("assistant", "r", "The Reader", "Hello, Ada.", done)},
			"user Ada: Hello.\nassistant Hello, Ada.\nuser What now?"},
		{"several people, and another member", []world.Message{row("user", "", "Ada", "Hello.", done), row("user", "", "Bo", "Hi.", done), row("assistant", "x", "The Critic", "No.", done), row("assistant", "r", "The Reader", "Yes.", "cancelled")},
			"user Ada: Hello.\n\nBo: Hi.\n\nThe Critic: No.\nassistant Yes.\nuser What now?"},
		{"the system's rows and empty ones are for people", []world.Message{row("user", "", "Ada", "Hello.", done), row("system", "", "", "Chat error: no", done), row("assistant", "r", "The Reader", "", "error"), row("assistant", "r", "The Reader", "Half", "open")},
			"user Ada: Hello.\n\nWhat now?"},
		{"tools", []world.Message{row("user", "", "Ada", "Look.", done), row("assistant", "r", "The Reader", "I look.", done), toolRow("read_file", `{"path":"a"}`, "1: x", done), toolRow("list_folder", "the root", "Error: no", "error"), row("assistant", "r", "The Reader", "There.", done)},
			"user Ada: Look.\nassistant I look. <call00001 read_file {\"path\":\"a\"}>\ntool 1: x (call00001)\n" +
				"assistant  <call00002 list_folder {\"input\":\"the root\"}>\ntool Error: no (call00002)\nassistant There.\nuser What now?"},
		{"tools without a result", []world.Message{row("user", "", "Ada", "Look.", done), toolRow("read_file", "{}", "", "open"), toolRow("read_file", "{}", "1: x", "interrupted"), toolRow("odd name!", "", "", done)},
			"user Ada: Look.\nassistant  <call00001 odd_name {}>\ntool (empty) (call00001)\nuser What now?"},
		{"a window that slid past the question", []world.Message{row("assistant", "r", "The Reader", "So.", done), row("user", "", "Ada", "Hm.", done)},
			"user " + middleNote + "\nassistant So.\nuser Ada: Hm.\n\nWhat now?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			turn := request()
			turn.Kind, turn.Words, turn.Window, turn.Completion = world.KindChat, "What now?", c.window, ""
			s := modeltest.New(modeltest.Says("a"))
			h, _ := bubble(t, s, turn)
			if h.err != nil {
				t.Fatal(h.err)
			}
			r := s.Requests()[0]
			if got := told(r); got != c.want {
				t.Errorf("sent\n%s\nnot\n%s", got, c.want)
			}
			if system := r.Messages[0]; system.Role != "system" || !strings.HasPrefix(system.Content, turn.Prompt) || !strings.Contains(system.Content, materialNote) {
				t.Errorf("system %q", system.Content)
			}
		})
	}
}

// A request without tools has no tool calls of earlier rows, because servers refuse them.
func TestChatWindowWithoutTools(t *testing.T) {
	turn := request()
	turn.Kind, turn.Words = world.KindChat, "What now?"
	turn.Window = []world.Message{row("user", "", "Ada", "Look.", "done"), toolRow("read_file", "{}", "1: x", "done")}
	s := modeltest.New(modeltest.Refuses(400, "m-1 does not support tools"), modeltest.Says("a"))
	h, _ := bubble(t, s, turn)
	if got := told(s.Requests()[1]); h.err != nil || got != "user Ada: Look.\n\nWhat now?" {
		t.Errorf("%q, %v", got, h.err)
	}
}

func TestProcessAndCouncil(t *testing.T) {
	for _, kind := range []string{world.KindProcess, world.KindCouncil, ""} {
		turn := request()
		turn.Kind, turn.Words = kind, "only councils have these, and Prompt tells them"
		s := modeltest.New(modeltest.Says("a"))
		bubble(t, s, turn)
		r := s.Requests()[0]
		if got := told(r); got != "user "+turn.Prompt || r.Model != "m-1" || !r.Stream {
			t.Errorf("%s: %q of %s", kind, got, r.Model)
		}
		var body map[string]any
		if err := json.Unmarshal([]byte(r.Body), &body); err != nil || len(body) != 4 {
			t.Errorf("sent more than model, messages, stream and tools: %v %v", body, err)
		}
	}
}

// A request of a forge has the question first and last, all rows in between, and no tools (S1-05).
func TestForgeRequest_S1_05(t *testing.T) {
	turn := request()
	turn.Unrecorded, turn.Kind, turn.Completion, turn.RepoPath, turn.Prompt = true, world.KindForge, "", "/somewhere", "Answer with one JSON object."
	turn.Window = []world.Message{
		row("assistant", "r", "Smith", "What should it do?", world.MessageDone), row("user", "", "", "Count sheep.", world.MessageDone), row("assistant", "r", "Smith", "How?", world.MessageDone), row("user", "", "", "One by one.", world.MessageDone),
	}
	s := modeltest.New(modeltest.Says("{}"))
	h, _ := bubble(t, s, turn)
	if h.err != nil || h.text != "{}" {
		t.Fatalf("%q, %v", h.text, h.err)
	}
	r := s.Requests()[0]
	want := "user " + middleNote + "\nassistant What should it do?\nuser Count sheep.\nassistant How?\nuser One by one.\n\n" + forgeNote
	if got := told(r); got != want {
		t.Errorf("sent\n%s\nnot\n%s", got, want)
	}
	if !strings.HasPrefix(r.Messages[0].Content, turn.Prompt) || strings.Contains(r.Body, `"tools"`) {
		t.Errorf("%.500s", r.Body)
	}
}
