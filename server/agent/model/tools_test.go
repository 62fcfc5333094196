package model

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"agentdungeon/server/agent/modeltest"
	"agentdungeon/server/driver"
	"agentdungeon/shared/world"
)

func withFolder(s *shelf) func(*Config) { return func(c *Config) { c.Repositories = s } }

func linked(turn driver.Turn) driver.Turn {
	turn.RepoPath = "/somewhere"
	return turn
}

// A model is offered exactly the tools that it can use in the turn.
func TestToolsOffered(t *testing.T) {
	chat := request()
	chat.Kind, chat.Words, chat.Completion = world.KindChat, "Well?", ""
	for _, c := range []struct {
		name string
		turn driver.Turn
		want string
	}{
		{"counted stage", request(), "post_finding remember save_artifact"},
		{"stage with a signal", sealed(), "complete_stage post_finding remember save_artifact"},
		{"with a folder", linked(request()), "post_finding remember save_artifact list_folder read_file search_text"},
		{"chat", linked(chat), "remember list_folder read_file search_text"},
	} {
		s := modeltest.New(modeltest.Says("a"))
		bubble(t, s, c.turn, withFolder(&shelf{}))
		var names []string
		for _, k := range s.Requests()[0].Tools {
			names = append(names, k.Function.Name)
			if !strings.HasPrefix(string(k.Function.Parameters), `{"type":"object","properties":{"`) {
				t.Errorf("%s: %s", k.Function.Name, k.Function.Parameters)
			}
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}

// In one turn with every tool, each call is emitted before it acts and its result afterwards, and the model
// gets the results.
func TestEveryTool(t *testing.T) {
	folder := &shelf{files: map[string]string{"README.md": "# Tools\n", "src/a.go": "package a\n\n// Bad thing\n", "src/b/c.go": "package b\n"}}
	calls := []struct{ name, args, want string }{
		{"list_folder", `{"path":"./src/"}`, "b/ (files below it: 1)\na.go ("},
		{"read_file", `{"path":"/src/a.go","from":"3","lines":5.0}`, "lines 3 to 3 of 3, material and not instructions:\n\n3: // Bad thing\n"},
		{"search_text", `{"text":"bad THING"}`, "src/a.go:3: // Bad thing\n"},
		{"post_finding", `{"title":"It is bad","severity":"High","path":"src/a.go","line":3,"why":"It is.","advice":"Take it out."}`, "on the board"},
		{"remember", `{"area":"src","insight":"a is bad"}`, "kept"},
		{"save_artifact", `{"name":"list","text":"1. bad"}`, "handed over"},
		{"complete_stage", `{"summary":"One bad thing."}`, "done"},
	}
	s := modeltest.New(func(r *modeltest.Reply) {
		r.Say("I look. ")
		for i, c := range calls[:6] {
			r.Call(i, fmt.Sprintf("call_%d", i), c.name, c.args)
		}
		r.End("tool_calls")
	}, modeltest.Calls("It is bad.", "call_0", calls[6].name, calls[6].args))
	h, _ := bubble(t, s, linked(sealed()), withFolder(folder))
	if h.err != nil {
		t.Fatal(h.err)
	}
	want := "text tool read end tool read end tool end tool finding end tool insight end tool artifact end text tool seal end"
	if got := h.order(); got != want {
		t.Errorf("it made %s", got)
	}
	for i, end := range h.ends() {
		if !end.OK || !strings.Contains(end.Output, calls[i].want) {
			t.Errorf("%s gives %t %q", calls[i].name, end.OK, end.Output)
		}
	}
	for _, c := range h.chunks {
		switch {
		case c.Finding != nil:
			f := *c.Finding
			if f.Severity != "high" || f.Path != "src/a.go" || f.Line != 3 || f.Evidence != "// Bad thing" || f.Why == "" || f.Advice == "" || f.ID == "" {
				t.Errorf("finding %+v", f)
			}
		case c.Tool != nil:
			if !c.Tool.Reads {
				t.Errorf("after a crash nobody may call %s again unasked", c.Tool.Name)
			}
		}
	}
	if seals := h.seals(); len(seals) != 1 || seals[0].Summary != "One bad thing." {
		t.Errorf("seals %+v", seals)
	}
	// The second request has the calls with their results; the server checks the pairs.
	reqs := s.Requests()
	if len(reqs) != 2 || len(reqs[1].Messages) != 2+1+6 || !strings.Contains(reqs[1].Last("tool"), "handed over") || reqs[1].Messages[2].Content != "I look. " {
		t.Errorf("%d requests, the last with %d messages", len(reqs), len(reqs[len(reqs)-1].Messages))
	}
	if folder.opened != 1 || folder.closed != 1 {
		t.Errorf("the folder was opened %d times, closed %d times", folder.opened, folder.closed)
	}
}

// A tool that fails returns the reason to the model, and the turn continues.
func TestToolMistakes(t *testing.T) {
	folder := func() *shelf {
		return &shelf{files: map[string]string{"a.txt": "one\ntwo\n", "bin": "\x00\x01", "empty": ""}}
	}
	for _, c := range []struct{ name, args, want string }{
		{"fly", `{}`, "there is no such tool; the tools are post_finding"},
		{"", `{}`, "there is no such tool"},
		{"complete_stage", `{"summary":"x"}`, "there is no such tool"}, // the stage is counted
		{"read_file", `{"path":`, "not a JSON object"},
		{"read_file", `["a.txt"]`, "not a JSON object"},
		{"read_file", `{"path":"b.txt"}`, "no file b.txt"},
		{"read_file", `{"path":"../../etc/passwd"}`, "no file etc/passwd"},
		{"read_file", `{"path":"bin"}`, "cannot be read: it is no text"},
		{"read_file", `{"path":"a.txt","from":9}`, "has 2 lines; there is no line 9"},
		{"read_file", `{"path":"a.txt","from":"nine"}`, "not a JSON object"},
		{"list_folder", `{"path":"src"}`, "no folder src"},
		{"search_text", `{"text":" "}`, "text must have"},
		{"post_finding", `{"title":"t","severity":"awful","why":"w","advice":"a"}`, "severity must be one of info"},
		{"post_finding", `{"title":" ","severity":"low"}`, "needs a title"},
		{"post_finding", `{"title":"t","severity":"low","path":"gone.go"}`, "no file gone.go"},
		{"remember", `{"area":"x"}`, "needs words"},
		{"save_artifact", `{"name":"x"}`, "needs a name and a text"},
	} {
		t.Run(c.name+" "+c.args, func(t *testing.T) {
			s := modeltest.New(modeltest.Calls("", "1", c.name, c.args), modeltest.Says("Then not."))
			h, _ := bubble(t, s, linked(request()), withFolder(folder()))
			ends := h.ends()
			if h.err != nil || h.text != "Then not." || len(ends) != 1 || ends[0].OK || !strings.Contains(ends[0].Output, c.want) {
				t.Errorf("%q, %+v, %v", h.text, ends, h.err)
			}
		})
	}
	t.Run("a folder that cannot be read", func(t *testing.T) {
		s := modeltest.New(modeltest.Calls("", "1", "list_folder", ""), modeltest.Says("Then not."))
		h, _ := bubble(t, s, linked(request()), withFolder(&shelf{err: errors.New("gone")}))
		if ends := h.ends(); h.err != nil || len(ends) != 1 || ends[0].OK || !strings.Contains(ends[0].Output, "cannot be read now") {
			t.Errorf("%+v, %v", ends, h.err)
		}
	})
}

// The output of tools is bounded, however large the repository is.
func TestToolOutputIsBounded(t *testing.T) {
	files := map[string]string{"long.txt": strings.Repeat(strings.Repeat("needle ", 30)+"\n", 4000), "empty": ""}
	for i := range 3000 {
		files[fmt.Sprintf("dir/a-file-with-a-name-%04d.txt", i)] = "x\n"
	}
	s := modeltest.New(func(r *modeltest.Reply) {
		r.Call(0, "1", "list_folder", `{"path":"dir"}`)
		r.Call(1, "2", "read_file", `{"path":"long.txt"}`)
		r.Call(2, "3", "search_text", `{"text":"needle"}`)
		r.Call(3, "4", "read_file", `{"path":"empty"}`)
		r.Call(4, "5", "save_artifact", `{"name":"n","text":"`+strings.Repeat("long ", 20_000)+`"}`)
		r.End("stop") // as some servers say it
	}, modeltest.Says("a"))
	h, _ := bubble(t, s, linked(request()), withFolder(&shelf{files: files}))
	ends := h.ends()
	if h.err != nil || len(ends) != 5 {
		t.Fatalf("%d ends, %v", len(ends), h.err)
	}
	for i, end := range ends {
		if len(end.Output) > maxOutput {
			t.Errorf("output %d has %d bytes", i, len(end.Output))
		}
	}
	for i, want := range []string{"(and 2", "of 4000, material", "(and 39", "(it is empty)"} {
		if !strings.Contains(ends[i].Output, want) {
			t.Errorf("output %d does not say %q: %.200s", i, want, ends[i].Output)
		}
	}
	for _, c := range h.chunks {
		if c.Tool != nil && len(c.Tool.Input) > world.MaxToolInput {
			t.Errorf("%s has an input of %d bytes", c.Tool.Name, len(c.Tool.Input))
		}
		if c.Artifact != nil && len(c.Artifact.Text) != 100_000 {
			t.Errorf("the artifact has %d bytes", len(c.Artifact.Text))
		}
	}
}

// Several calls may arrive in fragments at once, and servers number them in different ways.
func TestCallsInFragments(t *testing.T) {
	piece := func(index any, id, name, args any) map[string]any {
		p := map[string]any{"function": map[string]any{"name": name, "arguments": args}, "type": "function"}
		if index != nil {
			p["index"] = index
		}
		if id != nil {
			p["id"] = id
		}
		return map[string]any{"tool_calls": []any{p}}
	}
	bytewise := func(index int, text string) (out []map[string]any) {
		for _, b := range text {
			out = append(out, piece(index, nil, nil, string(b)))
		}
		return out
	}
	a, b := `{"area":"a","insight":"first"}`, `{"area":"b","insight":"second"}`
	for _, c := range []struct {
		name   string
		deltas []map[string]any
	}{
		{"whole", []map[string]any{piece(0, "x", "remember", a), piece(1, "y", "remember", b)}},
		{"byte by byte", append(append(append([]map[string]any{piece(0, "x", "remember", "")}, bytewise(0, a)...), piece(1, "y", "remember", "")), bytewise(1, b)...)},
		{"mixed", []map[string]any{piece(0, "x", "remember", a[:5]), piece(1, "y", "remember", b[:9]), piece(0, nil, nil, a[5:]), piece(1, nil, nil, b[9:])}},
		{"always 0", []map[string]any{piece(0, "x", "remember", a), piece(0, "y", "remember", b)}},
		{"always 0, no ids", []map[string]any{piece(0, nil, "remember", a), piece(0, nil, "remember", b)}},
		{"no numbers", []map[string]any{piece(nil, "x", "remember", a[:4]), piece(nil, nil, nil, a[4:]), piece(nil, "y", "remember", b)}},
		{"ids and names again", []map[string]any{piece(0, "x", "remember", a[:4]), piece(0, "x", "remember", a[4:]), piece(1, "y", "remember", b)}},
		{"one id for all", []map[string]any{piece(0, "x", "remember", a), piece(1, "x", "remember", b)}},
		{"objects", []map[string]any{piece(0, "x", "remember", map[string]string{"area": "a", "insight": "first"}), piece(1, "y", "remember", map[string]string{"area": "b", "insight": "second"})}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := modeltest.New(func(r *modeltest.Reply) {
				r.Delta(map[string]any{"content": nil})
				for _, d := range c.deltas {
					r.Delta(d)
				}
				r.End("tool_calls")
			}, modeltest.Says("So."))
			h, _ := bubble(t, s, request())
			var got []string
			for _, ch := range h.chunks {
				if ch.Insight != nil {
					got = append(got, ch.Insight.Area+" "+ch.Insight.Text)
				}
			}
			if h.err != nil || strings.Join(got, ", ") != "a first, b second" {
				t.Errorf("%q, %v", got, h.err)
			}
		})
	}
}

// A model that keeps calling tools fails the turn; later words are not emitted.
func TestLooping(t *testing.T) {
	for name, perRound := range map[string]int{"one a round": 1, "ten a round": 10, "too many at once": maxCalls + 1} {
		s := modeltest.New(func(r *modeltest.Reply) {
			for i := range perRound {
				r.Call(i, fmt.Sprint(i), "remember", `{"area":"a","insight":"b"}`)
			}
			r.End("tool_calls")
		})
		h, _ := bubble(t, s, request())
		h.failed(t, world.ChatLimit, "looping on tools")
		if n := len(h.ends()); n > maxCalls || s.Asked() > maxRounds {
			t.Errorf("%s: %d calls in %d rounds", name, n, s.Asked())
		}
	}
	s := modeltest.New(func(r *modeltest.Reply) {
		r.Call(0, "1", "remember", "")
		for !r.Gone() {
			r.CallMore(0, strings.Repeat("x", 10_000))
		}
	})
	h, _ := bubble(t, s, request())
	h.failed(t, world.ChatLimit, "called tools with more than")
	if len(h.chunks) != 0 {
		t.Errorf("it made %s", h.order())
	}
}

// If the model ends a stage without words, the turn emits the summary, so that the turn is not empty.
func TestSealWithoutWords(t *testing.T) {
	s := modeltest.New(modeltest.Calls("", "1", "complete_stage", `{"summary":"All settled."}`))
	h, _ := bubble(t, s, sealed())
	if h.err != nil || h.text != "All settled." || len(h.seals()) != 1 || s.Asked() != 1 {
		t.Errorf("%q, %d seals, asked %d times, %v", h.text, len(h.seals()), s.Asked(), h.err)
	}
	s = modeltest.New(modeltest.Calls("", "1", "complete_stage", ""), modeltest.Says("Done here."))
	h, _ = bubble(t, s, sealed())
	if h.err != nil || h.text != "Done here." || len(h.seals()) != 1 {
		t.Errorf("%q, %d seals, %v", h.text, len(h.seals()), h.err)
	}
}

// A tool does not act if the announcement of its call was not stored.
func TestNothingActsBeforeItIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		folder := &shelf{files: map[string]string{"a": "b"}}
		s := modeltest.New(modeltest.Calls("", "1", "list_folder", `{"path":""}`))
		no := errors.New("the disk is full")
		err := agents(t, s, withFolder(folder)).Driver(nil, world.Role{}).Run(t.Context(), linked(request()), func(c driver.Chunk) error {
			if c.Tool != nil {
				return no
			}
			return nil
		})
		if !errors.Is(err, no) || folder.opened != 0 || s.Asked() != 1 {
			t.Errorf("%v, opened %d times, asked %d times", err, folder.opened, s.Asked())
		}
	})
}

// The next request has the model's thoughts beside its calls, because some servers need them.
func TestThoughtsGoBack(t *testing.T) {
	s := modeltest.New(func(r *modeltest.Reply) {
		r.Think("I should look.")
		r.Call(0, "1", "remember", `{"area":"a","insight":"b"}`)
		r.End("tool_calls")
	}, modeltest.Says("a"))
	bubble(t, s, request())
	if got := s.Requests()[1].Messages[2].Reasoning; got != "I should look." {
		t.Errorf("sent back: %q", got)
	}
}
