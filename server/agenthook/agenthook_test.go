package agenthook_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/agenthook"
	"agentdungeon/server/realm"
	"agentdungeon/server/shadow"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// stage is a realm that shows one session and opens a door for each question.
type stage struct {
	session string
	since   time.Time // the realm shows no session before this time
	watched bool
	told    []shadow.Hook
	closed  chan *world.DoorClosed
	left    int
	cut     func() // called while the door opens, to end the hook; nil for none
	word    string // the word that waits for the session
	missed  []string
	done    chan struct{} // closed when the realm closes; nil for never
	lists   int           // how often the readers were asked for new sessions
}

func (s *stage) list() { s.lists++ }

func (s *stage) Shown(context.Context) (out realm.Shown, err error) {
	if !time.Now().Before(s.since) {
		out.Sessions = []world.Session{{Program: "claude", SessionID: s.session}, {Program: "codex", SessionID: s.session}}
	}
	return out, nil
}

func (s *stage) Hook(ctx context.Context, h shadow.Hook) (*realm.Door, error) {
	if s.cut != nil {
		s.cut()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.told = append(s.told, h)
	if h.Told != shadow.Asks {
		return nil, nil
	}
	return &realm.Door{ID: "d1", Closed: s.closed}, nil
}

func (s *stage) Listen(ctx context.Context, h shadow.Hook, waits bool) (shadow.Handed, error) {
	s.told = append(s.told, h)
	if !waits || s.word != "" {
		return shadow.Handed{Text: s.word, WordIDs: strings.Fields(s.word)}, nil
	}
	select {
	case <-ctx.Done():
	case <-s.done:
		s.word = "afterwards"
	}
	return shadow.Handed{}, nil
}

func (s *stage) Missed(_ context.Context, _ shadow.Hook, handed shadow.Handed) error {
	s.missed = handed.WordIDs
	return nil
}

func (s *stage) Leave(*realm.Door)     { s.left++ }
func (s *stage) Watched() bool         { return s.watched }
func (s *stage) Done() <-chan struct{} { return s.done }

func hooksOf(s *stage) *agenthook.Hooks {
	return agenthook.New(func() []agenthook.Realm { return []agenthook.Realm{s} }, time.Now, ignored, s.list)
}

func ignored(context.Context) func(string) bool {
	return func(path string) bool { return path == "/repo/.env" }
}

// A door shows the name of a file that git ignores, and not its content (P17.9).
func TestADoorHasNoContentOfIgnoredFiles(t *testing.T) {
	for input, brief := range map[string]string{
		`{"file_path":"/repo/.env","content":"PLAIN"}`:                                ".env",
		`{"command":"cat > .env <<E\nPLAIN\nE"}`:                                      ".env",
		`{"command":"*** Begin Patch\n*** Update File: .env\n+PLAIN\n*** End Patch"}`: ".env",
		`{"command":"cat .env"}`:                                                      "cat .env",
	} {
		s := &stage{session: "s1", watched: true, closed: make(chan *world.DoorClosed, 1)}
		s.closed <- &world.DoorClosed{Outcome: world.DoorTerminal}
		payload := `{"session_id":"s1","cwd":"/repo","hook_event_name":"PermissionRequest","tool_name":"T","tool_input":` + input +
			`,"permission_suggestions":[{"type":"addRules","rules":[{"toolName":"T","ruleContent":"cat > .env PLAIN"}]}]}`
		if _, err := hooksOf(s).Handle(context.Background(), shadow.Caller{Program: "claude"}, []byte(payload)); err != nil {
			t.Fatal(err)
		}
		h := s.told[0]
		if withheld := h.Brief == ".env"; withheld != (h.Always == "") || len(h.Choices) != 3 {
			t.Errorf("%s: the door says %q of the choices %q", input, h.Always, h.Choices)
		}
		if strings.Contains(h.Input+h.Brief, "PLAIN") || h.Brief != brief || !strings.Contains(h.Input, ".env") {
			t.Errorf("%s: the realm was told %+v", input, h)
		}
	}
}

// question is a payload that asks for a command. The command contains a secret.
const question = `{"session_id":"s1","hook_event_name":"PermissionRequest","tool_name":"Bash",` +
	`"tool_input":{"command":"curl -H 'Authorization: Bearer ghp_0123456789abcdefghijABCDEFGHIJ012345' x"},` +
	`"permission_suggestions":[{"type":"addRules","rules":[{"toolName":"Bash"}]}]}`

// A person's answer is written in the form that each program reads, and "always" allows only what the agent itself
// suggests (P17.8).
func TestAnAnswerIsTheProgramsDecision(t *testing.T) {
	for outcome, want := range map[string]string{
		world.DoorAllowed: `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`,
		world.DoorAlways: `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow",` +
			`"updatedPermissions":[{"type":"addRules","rules":[{"toolName":"Bash"}]}]}}}`,
		world.DoorDenied: `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny",` +
			`"message":"A person refused this."}}}`,
		world.DoorTerminal: "", world.DoorEnded: "",
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &stage{session: "s1", closed: make(chan *world.DoorClosed, 1)}
			s.closed <- &world.DoorClosed{Outcome: outcome}
			got, err := hooksOf(s).Handle(context.Background(), shadow.Caller{Program: "claude"}, []byte(question))
			if string(got.Text) != want || err != nil {
				t.Errorf("%s: %s %v", outcome, got.Text, err)
			}
			if len(s.told) != 1 || s.left != 1 {
				t.Errorf("%s: the realm was told %+v and left %d times", outcome, s.told, s.left)
			}
			h := s.told[0]
			if len(h.Choices) != 3 || h.Brief != "curl -H 'Authorization: Bearer [secret: github-pat]' x" {
				t.Errorf("%s: the realm was told %+v", outcome, h)
			}
		})
	}
}

// asked is a payload that asks a person two questions.
const asked = `{"session_id":"s1","hook_event_name":"PermissionRequest","tool_name":"AskUserQuestion","tool_input":` +
	`{"questions":[{"question":"Which database?","options":[{"label":"SQLite"}]},{"question":"Which <extras>?"}],"more":1}}`

// Questions of an agent cannot be allowed: a person answers them, and the agent gets each answer with its question
// (P17.8).
func TestAQuestionGetsItsAnswers(t *testing.T) {
	for want, closed := range map[string]*world.DoorClosed{
		`"updatedInput":{"answers":{"Which \u003cextras\u003e?":"Cache, Logs","Which database?":"SQLite"},` +
			`"more":1,"questions":[`: {Outcome: world.DoorAnswered, Answers: []string{"SQLite", "Cache, Logs"}},
		`"behavior":"deny","message":"A person does not answer this.`: {Outcome: world.DoorDenied},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &stage{session: "s1", closed: make(chan *world.DoorClosed, 1)}
			s.closed <- closed
			got, err := hooksOf(s).Handle(context.Background(), shadow.Caller{Program: "claude"}, []byte(asked))
			if !strings.Contains(string(got.Text), want) || err != nil {
				t.Errorf("the answer is %s %v, without %s", got.Text, err, want)
			}
			h := s.told[0]
			if !slices.Equal(h.Choices, []string{world.ChoiceAnswer, world.ChoiceDeny}) || h.Brief != "Which database? Which <extras>?" {
				t.Errorf("the realm was told %+v", h)
			}
		})
	}
}

// A door says in words what the agent suggests to allow from now on, without secrets, and how long it can be answered
// (P17.8).
func TestADoorSaysWhatIsAlwaysAllowed(t *testing.T) {
	for suggested, want := range map[string]string{
		`{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"npm test:*"},{"toolName":"Read"}],` +
			`"behavior":"allow","destination":"localSettings"}`: "Bash(npm test:*), Read in this folder",
		`{"type":"setMode","mode":"acceptEdits","destination":"session"}`:                    "all edits in this session",
		`{"type":"addDirectories","directories":["/a","/b"],"destination":"userSettings"}`:   "work in /a, /b in every folder",
		`{"type":"setMode","mode":"plan"},{"type":"addRules","rules":[{"toolName":"Read"}]}`: "the mode plan; Read",
		`{"type":"later","x":1}`: `{"type":"later","x":1}`,
		`{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"x ghp_16C7e42F292c6912E7710c838347Ae178B4a"}]}`: "Bash(x [secret: github-pat])",
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &stage{session: "s1", closed: make(chan *world.DoorClosed, 1)}
			s.closed <- &world.DoorClosed{Outcome: world.DoorAlways}
			payload := `{"session_id":"s1","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{},` +
				`"permission_suggestions":[` + suggested + `]}`
			got, err := hooksOf(s).Handle(context.Background(), shadow.Caller{Program: "claude"}, []byte(payload))
			if err != nil || !strings.Contains(string(got.Text), suggested) {
				t.Errorf("the answer is %s %v, without %s", got.Text, err, suggested)
			}
			if h := s.told[0]; h.Always != want || h.Hold != 10*time.Minute {
				t.Errorf("the door says %q for %s, want %q", h.Always, h.Hold, want)
			}
		})
	}
}

// A hook of Claude Code waits ten minutes for a person, a hook of Codex 20 seconds and only if somebody watches. After
// that time, or when the hook is cut off, the door says that only the terminal can answer it (P17.8).
func TestAHookThatGivesUpLeavesItsDoor(t *testing.T) {
	for name, c := range map[string]struct {
		program string
		cut     time.Duration
		watched bool
		waits   time.Duration
		hangs   bool
	}{
		"claude":                {"claude", time.Hour, false, 10 * time.Minute, true},
		"claude, cut off":       {"claude", time.Second, false, time.Second, true},
		"codex":                 {"codex", time.Hour, true, 20 * time.Second, true},
		"codex, nobody watches": {"codex", time.Hour, false, 0, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &stage{session: "s1", watched: c.watched, closed: make(chan *world.DoorClosed)}
			ctx, cancel := context.WithTimeout(context.Background(), c.cut)
			defer cancel()
			began := time.Now()
			got, err := hooksOf(s).Handle(ctx, shadow.Caller{Program: c.program}, []byte(question))
			if got.Text != nil || err != nil || time.Since(began) != c.waits {
				t.Errorf("%s: %s %v after %v, want nothing after %v", name, got.Text, err, time.Since(began), c.waits)
			}
			last := s.told[len(s.told)-1]
			if hangs := last.Told == shadow.Hangs && last.DoorID == "d1"; hangs != c.hangs {
				t.Errorf("%s: the last word is %+v", name, last)
			}
			if c.hangs == (len(s.told[0].Choices) == 0) {
				t.Errorf("%s: the choices are %v", name, s.told[0].Choices)
			}
		})
	}
}

// If a hook ends while its door opens, the door is left: the page does not offer to answer a door for which no hook
// waits (P17.8).
func TestAHookEndsWhileItsDoorOpens(t *testing.T) {
	s := &stage{session: "s1", closed: make(chan *world.DoorClosed)}
	ctx, cancel := context.WithCancel(context.Background())
	s.cut = cancel
	got, err := hooksOf(s).Handle(ctx, shadow.Caller{Program: "claude"}, []byte(question))
	if got.Text != nil || err != nil || s.left != 1 || len(s.told) != 2 || s.told[1].Told != shadow.Hangs {
		t.Errorf("%s %v, left %d times, told %+v", got.Text, err, s.left, s.told)
	}
}

// A hook with a question of a session that no reader has found yet waits until the session is found; a hook that tells
// anything else does not wait (P17.8).
func TestAQuestionWaitsForItsSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stage{session: "s1", since: time.Now().Add(2 * time.Second), closed: make(chan *world.DoorClosed, 1)}
		s.closed <- &world.DoorClosed{Outcome: world.DoorAllowed}
		h := hooksOf(s)
		if _, err := h.Handle(context.Background(), shadow.Caller{Program: "claude"}, []byte(`{"session_id":"s1","hook_event_name":"Stop"}`)); err != nil || len(s.told) != 0 {
			t.Errorf("%v, told %+v", err, s.told)
		}
		if got, err := h.Handle(context.Background(), shadow.Caller{Program: "claude"}, []byte(question)); got.Text == nil || err != nil {
			t.Errorf("%s %v", got.Text, err)
		}
		s.since = time.Now().Add(time.Hour)
		if got, err := h.Handle(context.Background(), shadow.Caller{Program: "claude"}, []byte(question)); got.Text != nil || err != nil || len(s.told) != 1 {
			t.Errorf("a session that nobody shows: %s %v, told %+v", got.Text, err, s.told)
		}
		if s.lists != 3 {
			t.Errorf("the readers were asked %d times for new sessions, not once for each of three calls", s.lists)
		}
		if at := h.Heard()["claude"]; at == 0 || h.Heard()["codex"] != 0 {
			t.Errorf("heard: %v", h.Heard())
		}
	})
}

// A question waits only if its session is new: one that no realm shows half a minute after its first hook call belongs
// to another folder, and its terminal asks at once (P17.8).
func TestAQuestionOfAnotherFolderDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stage{session: "s1", since: time.Now().Add(time.Hour)}
		h := hooksOf(s)
		asks := func() time.Duration {
			began := time.Now()
			if got, err := h.Handle(context.Background(), shadow.Caller{Program: "codex"}, []byte(question)); got.Text != nil || err != nil {
				t.Errorf("%s %v", got.Text, err)
			}
			return time.Since(began)
		}
		if took := asks(); took != 3*time.Second {
			t.Errorf("the question of a new session waits for %v", took)
		}
		time.Sleep(30 * time.Second)
		for range 3 {
			if took := asks(); took != 0 || s.lists != 1 {
				t.Errorf("the question of another folder's session waits for %v; %d listings", took, s.lists)
			}
			time.Sleep(50 * time.Minute)
		}
	})
}

// A payload that the package does not understand changes nothing (P17.8).
func TestUnknownPayloads(t *testing.T) {
	s := &stage{session: "s1"}
	h := hooksOf(s)
	for payload, code := range map[string]wire.Code{
		"": wire.BadField, "[1]": wire.BadField, "{}": "", `{"session_id":"s1","hook_event_name":"Unknown"}`: "",
		`{"hook_event_name":"PermissionRequest"}`: "",
	} {
		got, err := h.Handle(context.Background(), shadow.Caller{Program: "claude"}, []byte(payload))
		var e *wire.Error
		if got.Text != nil || errors.As(err, &e) != (code != "") || code != "" && e.Code != code {
			t.Errorf("%s: %s %v", payload, got.Text, err)
		}
	}
	if _, err := h.Handle(context.Background(), shadow.Caller{Program: "emacs"}, []byte(question)); err == nil {
		t.Error("an unknown program is taken")
	}
	if len(s.told) != 0 {
		t.Errorf("told %+v", s.told)
	}
}

// The hook that runs beside Claude Code waits for words and wakes the agent with them; Codex gets words at its stop and
// continues with them. Words that did not reach the hook go back to the queue. Sub-agents and other hooks get no words
// (P17.14).
func TestAHookGetsWords(t *testing.T) {
	for name, c := range map[string]struct {
		program string
		wake    bool
		payload string
		word    string
		want    string
	}{
		"claude":                {"claude", true, `{"session_id":"s1","hook_event_name":"Stop"}`, "Go on.", "Go on."},
		"claude, its other one": {"claude", false, `{"session_id":"s1","hook_event_name":"Stop"}`, "Go on.", ""},
		"claude, a sub-agent":   {"claude", true, `{"session_id":"s1","agent_id":"a","hook_event_name":"Stop"}`, "Go on.", ""},
		"codex":                 {"codex", false, `{"session_id":"s1","hook_event_name":"Stop"}`, "Go on.", `{"decision":"block","reason":"Go on."}`},
		"codex, nothing":        {"codex", false, `{"session_id":"s1","hook_event_name":"Stop"}`, "", ""},
		"codex, another event":  {"codex", false, `{"session_id":"s1","hook_event_name":"PostToolUse"}`, "Go on.", ""},
		"codex, wake":           {"codex", true, `{"session_id":"s1","hook_event_name":"Stop"}`, "Go on.", ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &stage{session: "s1", word: c.word}
			got, err := hooksOf(s).Handle(context.Background(), shadow.Caller{Program: c.program, Wake: c.wake}, []byte(c.payload))
			if string(got.Text) != c.want || err != nil || got.Wake != (c.wake && c.want != "") {
				t.Errorf("%s: %s %t %v", name, got.Text, got.Wake, err)
			}
			if c.want == "" {
				return
			}
			if got.Lost(); len(s.missed) != 2 {
				t.Errorf("%s: given back are %v", name, s.missed)
			}
		})
	}
}

// The hook after a tool call of Claude Code ends the turn if a person has asked for that, and the realm is told of the
// call all the same. A request that did not reach the hook goes back to the queue. Codex goes on after such an answer,
// so its hook takes no request (P17.18).
func TestAHookStopsItsAgent(t *testing.T) {
	const ends = `{"continue":false,"stopReason":"Stop."}`
	for name, c := range map[string]struct{ program, payload, word, want string }{
		"claude":               {"claude", `{"session_id":"s1","hook_event_name":"PostToolUse","tool_name":"Read"}`, "Stop.", ends},
		"claude, nobody asks":  {"claude", `{"session_id":"s1","hook_event_name":"PostToolUse","tool_name":"Read"}`, "", ""},
		"claude, a failure":    {"claude", `{"session_id":"s1","hook_event_name":"PostToolUseFailure"}`, "Stop.", ends},
		"claude, its turn end": {"claude", `{"session_id":"s1","hook_event_name":"Stop"}`, "Stop.", ""},
		"codex":                {"codex", `{"session_id":"s1","hook_event_name":"PostToolUse","tool_name":"Read"}`, "Stop.", ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &stage{session: "s1", word: c.word}
			got, err := hooksOf(s).Handle(context.Background(), shadow.Caller{Program: c.program}, []byte(c.payload))
			if string(got.Text) != c.want || err != nil || got.Wake {
				t.Errorf("%s: %s %t %v", name, got.Text, got.Wake, err)
			}
			called := strings.Contains(c.payload, "PostToolUse")
			if first := s.told[0].Told; called && first != shadow.Did && first != shadow.Fails {
				t.Errorf("%s: the realm was told %+v", name, s.told)
			}
			for _, h := range s.told[1:] {
				if h.Told == shadow.Listens && !h.Stops {
					t.Errorf("%s: the hook of a call asks for words: %+v", name, h)
				}
			}
			if c.want == "" {
				return
			}
			if got.Lost(); len(s.missed) != 1 {
				t.Errorf("%s: given back are %v", name, s.missed)
			}
		})
	}
}

// A hook that waits for words also waits until a realm shows its session, continues in the next realm that shows the
// session when the first one closes, and ends with the agent (P17.14).
func TestAHookWaitsForWords(t *testing.T) {
	stop := []byte(`{"session_id":"s1","hook_event_name":"Stop"}`)
	synctest.Test(t, func(t *testing.T) {
		s := &stage{session: "s1", since: time.Now().Add(2 * time.Second), done: make(chan struct{})}
		time.AfterFunc(time.Hour, func() { close(s.done) })
		got, err := hooksOf(s).Handle(context.Background(), shadow.Caller{Program: "claude", Wake: true}, stop)
		if string(got.Text) != "afterwards" || err != nil {
			t.Errorf("%s %v", got.Text, err)
		}
		s = &stage{session: "s1"}
		ctx, end := context.WithTimeout(context.Background(), time.Minute)
		defer end()
		if got, err := hooksOf(s).Handle(ctx, shadow.Caller{Program: "claude", Wake: true}, stop); got.Text != nil || err != nil {
			t.Errorf("%s %v", got.Text, err)
		}
		began := time.Now()
		if got, err := hooksOf(&stage{session: "s1"}).Handle(context.Background(), shadow.Caller{Program: "claude", Wake: true}, stop); got.Text != nil || err != nil || time.Since(began) != 24*time.Hour {
			t.Errorf("%s %v after %v", got.Text, err, time.Since(began))
		}
	})
}
