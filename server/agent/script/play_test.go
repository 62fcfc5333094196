package script

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/driver"
	"agentdungeon/shared/world"
)

func request() driver.Turn {
	return driver.Turn{
		RealmID: "realm", ConversationID: "conv", RequestID: "req", Instance: "r#1", MemberID: "r",
		Role: world.Role{ID: "r", Name: "The Reader"}, StageID: "s", N: 1, Attempt: 1,
		Completion: world.CompleteTurns, Pace: world.PaceWatchable, Problem: "too few chairs",
	}
}

// parse reads a valid script.
func parse(t testing.TB, text string) *Script {
	t.Helper()
	s, err := Parse("test.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// heard is a chunk with its time since the beginning of the turn.
type heard struct {
	at    time.Duration
	chunk driver.Chunk
}

// listen plays a turn and returns its chunks.
func listen(ctx context.Context, s *Script, turn driver.Turn) ([]heard, error) {
	var got []heard
	began := time.Now()
	err := s.Driver(nil, turn.Role).Run(ctx, turn, func(c driver.Chunk) error {
		got = append(got, heard{time.Since(began), c})
		return ctx.Err()
	})
	return got, err
}

func said(got []heard) string {
	var b strings.Builder
	for _, h := range got {
		b.WriteString(h.chunk.Text)
	}
	return b.String()
}

func TestSteps(t *testing.T) {
	text := func(s string) driver.Chunk { return driver.Chunk{Text: s} }
	for _, c := range []struct {
		name, steps string
		want        []driver.Chunk
		err         string
	}{
		// B19: words are streamed, a few at a time, with all white space.
		{"say", `{"say":" One two  three four\n\nfive six seven. "}`, []driver.Chunk{text(" One two  three "), text("four\n\nfive six "), text("seven. ")}, ""},
		{"say in words of its own", `{"say":"one two three","chunkWords":1}`, []driver.Chunk{text("one "), text("two "), text("three")}, ""},
		{"say only space", `{"say":" \n"}`, []driver.Chunk{text(" \n")}, ""},
		{"say again", `{"say":"la ","repeat":3}`, []driver.Chunk{text("la "), text("la "), text("la ")}, ""},
		{"a word without end", `{"say":"` + strings.Repeat("ä", 3000) + `"}`, []driver.Chunk{text(strings.Repeat("ä", 2048)), text(strings.Repeat("ä", 952))}, ""},
		{"chunks", `{"chunks":["a b c d e","{{n}}","\n"]}`, []driver.Chunk{text("a b c d e"), text("1"), text("\n")}, ""},
		{"bytes", `{"bytes":"YcMo/w=="}`, []driver.Chunk{text("a\xc3(\xff")}, ""},
		{"finding", `{"finding":{"severity":"high","title":"About {{role}}","text":"{{problem}}","path":"a..b/c.go","line":7}}`,
			[]driver.Chunk{{Finding: &world.Finding{Severity: "high", Title: "About The Reader", Text: "too few chairs", Path: "a..b/c.go", Line: 7}}}, ""},
		{"finding of the whole", `{"finding":{"severity":"info","title":"t","path":""}}`, []driver.Chunk{{Finding: &world.Finding{Severity: "info", Title: "t"}}}, ""},
		{"artifact", `{"artifact":{"name":"list","text":"{{stage}} {{n}}"}}`, []driver.Chunk{{Artifact: &driver.NamedText{Name: "list", Text: "s 1"}}}, ""},
		{"insight", `{"insight":{"area":"chairs","text":"{{role}} sits"}}`, []driver.Chunk{{Insight: &world.Insight{Area: "chairs", Text: "The Reader sits"}}}, ""},
		{"activity", `{"activity":"reading","tool":"read_file"}`, []driver.Chunk{{Activity: &driver.Activity{Activity: "reading", Tool: "read_file"}}}, ""},
		{"read", `{"read":"src/main.go"}`, []driver.Chunk{{Read: &driver.Read{Path: "src/main.go"}}}, ""},
		{"tool", `{"tool":{"name":"read_file","input":"{\"path\":\"{{stage}}\"}","output":"{{n}}, ","repeat":2,"reads":true,"delayMs":100,"chunks":["a","{{words}}","b"]}},{"say":"so"},{"tool":{"name":"write","ok":false,"always":true,"delayMs":5}}`, []driver.Chunk{
			{Tool: &driver.ToolStart{CallID: "1", Name: "read_file", Input: `{"path":"s"}`, Reads: true}},
			{ToolOutput: &driver.ToolOutput{CallID: "1", Text: "a"}}, {ToolOutput: &driver.ToolOutput{CallID: "1", Text: "b"}},
			{ToolEnd: &driver.ToolEnd{CallID: "1", OK: true, Output: "1, 1, "}}, text("so"),
			{Tool: &driver.ToolStart{CallID: "2", Name: "write"}}, {ToolEnd: &driver.ToolEnd{CallID: "2"}},
		}, ""},
		{"activity without a tool", `{"activity":"thinking"}`, []driver.Chunk{{Activity: &driver.Activity{Activity: "thinking"}}}, ""},
		{"thought", `{"thought":"{{problem}}?"}`, []driver.Chunk{{Thought: "too few chairs?"}}, ""},
		{"seal", `{"say":"done"},{"seal":"{{stage}} is done"},{"say":" really"}`, []driver.Chunk{text("done"), {Seal: &driver.Seal{Summary: "s is done"}}, text(" really")}, ""},
		{"seal without a summary", `{"seal":""}`, []driver.Chunk{{Seal: &driver.Seal{}}}, ""},
		{"error", `{"say":"well"},{"error":{"code":"model","message":"{{role}} is away"}}`, []driver.Chunk{text("well")}, "model: The Reader is away"}, // B5
		{"empty", `{"activity":"thinking"},{"empty":true}`, []driver.Chunk{{Activity: &driver.Activity{Activity: "thinking"}}}, ""},
		{"delay", `{"delayMs":10},{"say":"late"}`, []driver.Chunk{text("late")}, ""},
	} {
		for _, pace := range []string{world.PaceWatchable, world.PaceInstant} {
			t.Run(c.name+" "+pace, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := parse(t, one(c.steps))
					turn := request()
					turn.Pace = pace
					for range 2 { // a step played again is the same
						got, err := listen(t.Context(), s, turn)
						var chunks []driver.Chunk
						for _, h := range got {
							chunks = append(chunks, h.chunk)
						}
						if !reflect.DeepEqual(chunks, c.want) {
							t.Fatalf("got %+v, want %+v", chunks, c.want)
						}
						var turnErr *driver.TurnError
						if c.err == "" && err != nil || c.err != "" && (!errors.As(err, &turnErr) || err.Error() != c.err) {
							t.Fatalf("got error %v, want %q", err, c.err)
						}
						for _, h := range got { // the realm may keep and change what it gets
							if h.chunk.Finding != nil {
								h.chunk.Finding.Title = "changed"
							}
							if h.chunk.Activity != nil {
								h.chunk.Activity.Activity = "changed"
							}
						}
					}
				})
			})
		}
	}
}

func TestPace(t *testing.T) {
	const steps = `{"activity":"a"},{"delayMs":1000},{"say":"one two three"},{"say":"four","chunkMs":7},
		{"chunks":["five","six"],"chunkMs":0},{"bytes":"/w==","chunkMs":100},{"delayMs":500,"always":true},{"thought":"t"}`
	script := `{"version":1,"defaults":{"chunkMs":20,"chunkWords":1},"otherwise":[` + steps + `]}`
	const ms = time.Millisecond
	for pace, want := range map[string][]time.Duration{
		// The first words are emitted at once, each further chunk of text after its gap.
		world.PaceWatchable: {0, 1000 * ms, 1020 * ms, 1040 * ms, 1047 * ms, 1047 * ms, 1047 * ms, 1147 * ms, 1647 * ms},
		world.PaceInstant:   {0, 0, 0, 0, 0, 0, 0, 0, 500 * ms},
	} {
		t.Run(pace, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				turn := request()
				turn.Pace = pace
				got, err := listen(t.Context(), parse(t, script), turn)
				if err != nil {
					t.Fatal(err)
				}
				var at []time.Duration
				for _, h := range got {
					at = append(at, h.at)
				}
				if !reflect.DeepEqual(at, want) {
					t.Fatalf("got %v, want %v", at, want)
				}
			})
		})
	}
}

func TestDefaultPaceIsAsDocumented(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got, err := listen(t.Context(), parse(t, one(`{"say":"1 2 3 4"}`)), request())
		if err != nil || len(got) != 2 || got[0].chunk.Text != "1 2 3 " || got[1].at != 40*time.Millisecond {
			t.Fatalf("got %v, %v", got, err)
		}
	})
}

// A wait ends with its turn, at both paces, and returns the reason.
func TestCancelEndsWaits(t *testing.T) {
	for name, steps := range map[string]string{
		"delay":  `{"delayMs":3600000,"always":true},{"say":"never"}`,
		"gap":    `{"chunks":["a","never"],"chunkMs":60000}`,
		"stall":  `{"say":"a"},{"stall":true}`,
		"stream": `{"say":"on and on ","repeat":10000000,"chunkMs":1}`,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
				defer cancel()
				began := time.Now()
				got, err := listen(ctx, parse(t, one(steps)), request())
				if !errors.Is(err, context.DeadlineExceeded) || strings.Contains(said(got), "never") {
					t.Fatalf("got %v, %v", got, err)
				}
				if d := time.Since(began); d != 30*time.Second {
					t.Fatalf("ended after %v", d)
				}
			})
		})
	}
}

// Run returns the error of emit and does not call emit again.
func TestRunStopsAtEmitsFirstError(t *testing.T) {
	s := parse(t, one(`{"thought":"t"},{"say":"a b c d"},{"finding":{"severity":"low","title":"t"}},{"seal":"x"}`))
	turn := request()
	turn.Pace = world.PaceInstant
	refused := errors.New("refused")
	for k := 1; k <= 5; k++ {
		calls := 0
		err := s.Driver(nil, turn.Role).Run(t.Context(), turn, func(driver.Chunk) error {
			if calls++; calls == k {
				return refused
			}
			return nil
		})
		if !errors.Is(err, refused) || calls != k {
			t.Errorf("refused at %d: %d calls, error %v", k, calls, err)
		}
	}
}

func TestFirstMatchWins(t *testing.T) {
	s := parse(t, `{"version":1,"turns":[
		{"match":{"role":"r","stage":"s","turn":2,"attempt":2},"steps":[{"say":"all of them"}]},
		{"match":{"completion":"explicit_signal"},"steps":[{"say":"signal"}]},
		{"match":{"turn":3},"steps":[{"say":"third"}]},
		{"match":{"attempt":2},"steps":[{"say":"again"}]},
		{"match":{"role":"r","stage":"s"},"steps":[{"say":"role and stage"}]},
		{"match":{"role":"r"},"steps":[{"say":"role"}]},
		{"match":{"stage":"s"},"steps":[{"say":"stage"}]}],
		"otherwise":[{"say":"otherwise"}]}`)
	for _, c := range []struct {
		want string
		with func(*driver.Turn)
	}{
		{"role and stage", func(*driver.Turn) {}},
		{"all of them", func(r *driver.Turn) { r.N, r.Attempt = 2, 2 }},
		{"again", func(r *driver.Turn) { r.Attempt = 2 }},
		{"third", func(r *driver.Turn) { r.N, r.Attempt = 3, 2 }},
		{"signal", func(r *driver.Turn) { r.N, r.Completion = 3, world.CompleteSignal }},
		{"role", func(r *driver.Turn) { r.StageID = "elsewhere" }},
		{"stage", func(r *driver.Turn) { r.Role.ID = "x" }},
		{"otherwise", func(r *driver.Turn) { r.Role.ID, r.StageID = "x", "y" }},
	} {
		turn := request()
		c.with(&turn)
		if got, err := listen(t.Context(), s, turn); err != nil || said(got) != c.want {
			t.Errorf("got %q, %v, want %q", said(got), err, c.want)
		}
	}
}

// B5, B6: a turn that no rule matches fails at once with a code, each time, so that the plan can count the
// failures and back off.
func TestNoTurn(t *testing.T) {
	s := parse(t, `{"version":1,"turns":[{"match":{"role":"x"},"steps":[{"say":"a"}]}]}`)
	for range 3 {
		got, err := listen(t.Context(), s, request())
		var turnErr *driver.TurnError
		if len(got) != 0 || !errors.As(err, &turnErr) || turnErr.Code != CodeNoTurn ||
			turnErr.Message != "the script has no turn for role r in stage s" {
			t.Fatalf("got %v, %v", got, err)
		}
	}
}

func TestTimesAndRun(t *testing.T) {
	s := parse(t, `{"version":1,"turns":[
		{"match":{"stage":"s"},"times":2,"steps":[{"say":"twice"}]},
		{"match":{"run":2},"steps":[{"say":"second try"}]}],
		"otherwise":[{"say":"any"}]}`)
	ask := func(want string, with func(*driver.Turn)) {
		t.Helper()
		turn := request()
		with(&turn)
		if got, err := listen(t.Context(), s, turn); err != nil || said(got) != want {
			t.Errorf("got %q, %v, want %q", said(got), err, want)
		}
	}
	same := func(*driver.Turn) {}
	ask("twice", same)                                     // try 1 of this slot
	ask("twice", func(r *driver.Turn) { r.RealmID = "b" }) // times counts over realms
	ask("second try", same)                                // tries by slot
	ask("any", same)
	ask("second try", func(r *driver.Turn) { r.RealmID = "b" })
	for _, other := range []func(*driver.Turn){
		func(r *driver.Turn) { r.N = 2 },
		func(r *driver.Turn) { r.Attempt = 2 },
		func(r *driver.Turn) { r.StageID = "other" },
		func(r *driver.Turn) { r.ConversationID = "other" },
		func(r *driver.Turn) { r.Role.ID = "other" },
	} {
		ask("any", other)
		ask("second try", other)
	}
	// After a restart of the server the counts begin again.
	fresh := parse(t, `{"version":1,"turns":[{"times":1,"steps":[{"say":"once"}]}],"otherwise":[{"say":"any"}]}`)
	if got, _ := listen(t.Context(), fresh, request()); said(got) != "once" {
		t.Errorf("got %q", said(got))
	}
}

// A turn that is cancelled before it begins does not count as a try or as a use of a rule.
func TestCancelledBeforeCountsNothing(t *testing.T) {
	s := parse(t, `{"version":1,"turns":[{"match":{"run":1},"times":1,"steps":[{"say":"first"}]}]}`)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := listen(ctx, s, request()); !errors.Is(err, context.Canceled) || len(got) != 0 {
		t.Fatalf("got %v, %v", got, err)
	}
	if got, err := listen(t.Context(), s, request()); err != nil || said(got) != "first" {
		t.Fatalf("got %v, %v", got, err)
	}
}

// B25: the number of slots whose tries are counted is bounded.
func TestTriesAreBounded(t *testing.T) {
	s := parse(t, `{"version":1,"otherwise":[{"say":"a"}]}`)
	for i := range maxSlots + 10 {
		turn := request()
		turn.ConversationID = fmt.Sprint(i)
		s.pick(turn)
	}
	if len(s.tries) != maxSlots || len(s.order) != maxSlots {
		t.Fatalf("%d tries, %d in order", len(s.tries), len(s.order))
	}
	turn := request()
	turn.ConversationID = "0" // forgotten
	s.pick(turn)
	if got := s.try(turn); got != 2 {
		t.Errorf("a forgotten slot's second try is counted as %d", got)
	}
}

func TestPlaceholders(t *testing.T) {
	turn := request()
	turn.Problem = "is {{role}} {{n}} enough?"
	for _, c := range []struct{ in, want string }{
		{"{{problem}}", "is {{role}} {{n}} enough?"}, // placeholders are replaced once: a replaced text is not searched again
		{"{{role}}/{{stage}}/{{n}}", "The Reader/s/1"},
		{"{{{role}}} {{1}} {{ }} {{", "{The Reader} {{1}} {{ }} {{"},
		{"none", "none"},
	} {
		if got := expand(c.in, turn); got != c.want {
			t.Errorf("%q gives %q, want %q", c.in, got, c.want)
		}
	}
	turn.Role.Name = ""
	if got := expand("{{role}}", turn); got != "r" {
		t.Errorf("a role without a name is %q", got)
	}
}

// An expanded placeholder makes no finding too long and no chunk empty.
func TestPlaceholdersKeepChunksSound(t *testing.T) {
	s := parse(t, one(`{"finding":{"severity":"low","title":"{{problem}}","text":"{{problem}}"}},{"chunks":["{{problem}}","a"]},{"thought":"{{problem}}"}`))
	turn := request()
	turn.Pace = world.PaceInstant
	turn.Problem = "x" + strings.Repeat("ü", 5000)
	got, err := listen(t.Context(), s, turn)
	if err != nil {
		t.Fatal(err)
	}
	if f := got[0].chunk.Finding; len(f.Title) != world.MaxTitle-1 || len(f.Text) != world.MaxFindingText-1 {
		t.Errorf("title of %d and text of %d bytes", len(f.Title), len(f.Text))
	}
	turn.Problem = ""
	if got, err = listen(t.Context(), s, turn); err != nil || len(got) != 2 || got[1].chunk.Text != "a" {
		t.Errorf("got %v, %v", got, err)
	}
}

// Each chunk of a text has at most n words and maxChunk bytes. Joined, the chunks are the text.
func FuzzNextChunk(f *testing.F) {
	f.Add("one two  three\n", 2)
	f.Add(" \u2003ü\xff ", 1)
	f.Add(strings.Repeat("long", 1100), 3)
	f.Fuzz(func(t *testing.T, text string, n int) {
		n = 1 + (n%maxChunkWords+maxChunkWords)%maxChunkWords
		var b strings.Builder
		for rest := text; rest != ""; {
			var chunk string
			chunk, rest = nextChunk(rest, n)
			if chunk == "" || len(chunk) > maxChunk || len(strings.Fields(chunk)) > n {
				t.Fatalf("chunk %q of %q for %d words", chunk, text, n)
			}
			b.WriteString(chunk)
		}
		if b.String() != text {
			t.Fatalf("got %q of %q", b.String(), text)
		}
	})
}

// A rule may match a kind of conversation, a member, and words.
func TestMatchKindMemberWords(t *testing.T) {
	s := parse(t, `{"version":1,"turns":[
		{"match":{"kind":"chat","words":"HELLO there"},"steps":[{"say":"You said {{words}}."}]},
		{"match":{"kind":"chat","run":2},"steps":[{"say":"again"}]},
		{"match":{"kind":"chat"},"steps":[{"say":"chat"}]},
		{"match":{"kind":"council","member":"r"},"steps":[{"say":"council of {{words}}"}]},
		{"match":{"kind":"process"},"steps":[{"say":"process"}]},
		{"match":{"member":"x"},"steps":[{"say":"another"}]}]}`)
	for _, c := range []struct{ kind, member, words, want string }{
		{world.KindChat, "r", "well, Hello There!", "You said well, Hello There!."},
		{world.KindChat, "r", "bye", "again"}, // the second run of the same slot
		{world.KindChat, "r", "bye", "chat"},
		{world.KindCouncil, "r", "chairs", "council of chairs"},
		{world.KindCouncil, "x", "chairs", "another"},
		{world.KindProcess, "r", "", "process"},
		{"", "r", "", "process"},
	} {
		turn := request()
		turn.Kind, turn.MemberID, turn.Words, turn.Pace = c.kind, c.member, c.words, world.PaceInstant
		if c.kind == world.KindChat || c.kind == world.KindCouncil {
			turn.StageID = ""
		}
		got, err := listen(t.Context(), s, turn)
		if err != nil || said(got) != c.want {
			t.Errorf("%s, %s, %q: says %q, %v", c.kind, c.member, c.words, said(got), err)
		}
	}
	turn := request()
	turn.Kind, turn.StageID, turn.MemberID = world.KindCouncil, "", "y"
	if _, err := listen(t.Context(), s, turn); err == nil || !strings.Contains(err.Error(), "no turn for role r in a council") {
		t.Errorf("nobody's turn: %v", err)
	}
}

// A tool without an end runs until the turn is cancelled, like one that a crash leaves.
func TestToolThatNeverEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Hour, cancel)
		began := time.Now()
		got, err := listen(ctx, parse(t, one(`{"say":"I write."},{"tool":{"name":"write","chunks":["a"],"end":false}}`)), request())
		if !errors.Is(err, context.Canceled) || time.Since(began) != time.Hour {
			t.Errorf("it ends after %v with %v", time.Since(began), err)
		}
		if len(got) != 3 || got[1].chunk.Tool == nil || got[1].chunk.Tool.Reads || got[2].chunk.ToolOutput == nil {
			t.Errorf("it made %+v", got)
		}
	})
}

// A tool waits for its delay and emits its output in pieces.
func TestToolPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ms = time.Millisecond
		s := parse(t, one(`{"tool":{"name":"build","delayMs":1000,"chunks":["a","b"],"chunkMs":30}},{"tool":{"name":"build","delayMs":500,"always":true}}`))
		for pace, want := range map[string][]time.Duration{
			world.PaceWatchable: {0, 1000 * ms, 1030 * ms, 1030 * ms, 1030 * ms, 1530 * ms},
			world.PaceInstant:   {0, 0, 0, 0, 0, 500 * ms},
		} {
			turn := request()
			turn.Pace = pace
			got, err := listen(t.Context(), s, turn)
			var at []time.Duration
			for _, h := range got {
				at = append(at, h.at)
			}
			if err != nil || !reflect.DeepEqual(at, want) {
				t.Errorf("%s: at %v, %v", pace, at, err)
			}
		}
	})
}

// A script plays the smith of forges only if it has rules for forges.
func TestScriptsPlayTheSmith(t *testing.T) {
	const rules = `{"version":1,"turns":[{"match":{"kind":"%s","stage":"infer"},"steps":[{"say":"{}"}]}],"otherwise":[{"say":"other"}]}`
	turn := request()
	turn.Kind, turn.StageID, turn.Role = world.KindForge, "infer", world.Role{ID: "smith"}
	for kind, plays := range map[string]bool{"forge": true, "chat": false} {
		s := parse(t, fmt.Sprintf(rules, kind))
		smith, ok := s.Driver(nil, turn.Role).(driver.Smith)
		if !ok || smith.PlaysSmith() != plays {
			t.Errorf("a script for a %s plays the smith: %v", kind, !plays)
		}
	}
	turn.Pace = world.PaceInstant
	if got, err := listen(t.Context(), parse(t, fmt.Sprintf(rules, "forge")), turn); err != nil || said(got) != "{}" {
		t.Errorf("%q, %v", said(got), err)
	}
}
