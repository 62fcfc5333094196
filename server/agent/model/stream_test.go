package model

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"agentdungeon/server/agent/modeltest"
	"agentdungeon/server/driver"
	"agentdungeon/shared/world"
)

// bubble plays one turn with a server in memory, where waiting takes no real time, and returns the time that
// it took in the bubble.
func bubble(t *testing.T, s *modeltest.Server, turn driver.Turn, change ...func(*Config)) (h *heard, took time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		h = listen(t.Context(), agents(t, s, change...), turn)
		took = time.Since(began)
	})
	return h, took
}

// S4-B: each fault of a server fails the turn with a sentence; the words before it remain.
func TestFaults(t *testing.T) {
	raw := func(text string) modeltest.Play { return func(r *modeltest.Reply) { r.Raw(text) } }
	typed := func(kind, text string) modeltest.Play {
		return func(r *modeltest.Reply) {
			r.Header("Content-Type", kind)
			r.Raw(text)
		}
	}
	chunk := `{"choices":[{"index":0,"delta":{"content":"well, "},"finish_reason":null}]}`
	for _, c := range []struct {
		name  string
		play  modeltest.Play
		text  string // what is kept
		code  string
		words string // of the message
		asked int
	}{
		{"500 for ever", modeltest.Refuses(500, "out of memory"), "", world.ChatModel, "model.test answers 500 Internal Server Error: out of memory.", 4},
		{"503 for ever", modeltest.Refuses(503, "busy"), "", world.ChatModel, "answers 503 Service Unavailable: busy.", 4},
		{"429 for ever", modeltest.Refuses(429, "slow down", "Retry-After", "7"), "", world.ChatModel, "answers 429 Too Many Requests: slow down.", 4},
		{"no money", typedStatus(429, `{"error":{"message":"You have no credit.","code":"insufficient_quota"}}`), "", world.ChatModel, "You have no credit.", 1},
		{"401", modeltest.Refuses(401, "who are you?"), "", world.ChatModel, "answers 401 Unauthorized: who are you?", 1},
		{"404 without words", typedStatus(404, "404 page not found"), "", world.ChatModel, "It often ends with /v1.", 1},
		{"404 of ollama", typedStatus(404, `{"error":"model \"m-1\" not found"}`), "", world.ChatModel, `404 Not Found: model "m-1" not found.`, 1},
		{"422 of a framework", typedStatus(422, `{"detail":"no field messages"}`), "", world.ChatModel, "no field messages", 1},
		{"a page", typed("text/html", "<html>"+strings.Repeat("hello ", 1000)), "", world.ChatModel, "did not answer in the streaming format of chat completions, but with text/html.", 1},
		{"not streamed", typed("application/json", `{"choices":[{"message":{"content":"all at once"}}]}`), "", world.ChatModel, "but with application/json", 1},
		{"a page as a stream", raw("<html>\n<body>"), "", world.ChatModel, "streaming format", 1},
		{"garbage after words", raw("data: " + chunk + "\n\ndata: {\"choices\": [oops\n\n"), "well, ", world.ChatModel, "streaming format", 1},
		{"wrong types", raw("data: {\"choices\":\"none\"}\n\n"), "", world.ChatModel, "streaming format", 1},
		{"null", raw("data: null\n\ndata: 1\n\n"), "", world.ChatModel, "streaming format", 1},
		{"cut in a chunk", func(r *modeltest.Reply) {
			r.Say("well, ")
			r.Raw(`data: {"choices":[{"index":0,"delta":{"con`)
			r.Cut()
		}, "well, ", world.ChatModel, "broke off in the middle", 1},
		{"closed in a chunk", raw("data: " + chunk + "\n\ndata: {\"choi"), "well, ", world.ChatModel, "broke off in the middle", 1},
		{"closed without an end", raw("data: " + chunk + "\n\n"), "well, ", world.ChatModel, "broke off in the middle", 1},
		{"cut before a word", func(r *modeltest.Reply) { r.Cut() }, "", world.ChatModel, "broke off before it said a word", 4},
		{"closed before a word", raw(": hello\n\n"), "", world.ChatModel, "broke off before it said a word", 4},
		{"an error in the stream", raw("data: " + chunk + "\n\ndata: {\"error\":{\"message\":\"the GPU is gone\",\"code\":500}}\n\n"), "well, ", world.ChatModel, "answers with an error: the GPU is gone.", 1},
		{"an error as a text", raw("data: {\"error\":\"the GPU is gone\"}\n\n"), "", world.ChatModel, "the GPU is gone", 1},
		{"an error beside choices", raw(`data: {"id":"x","choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}],"error":{"message":"upstream went away","code":502}}` + "\n\n"), "", world.ChatModel, "upstream went away", 1},
		{"silent", func(r *modeltest.Reply) { r.Stall() }, "", world.ChatTimeout, "was silent for 60 seconds", 1},
		{"stalled", func(r *modeltest.Reply) { r.Say("well, "); r.Stall() }, "well, ", world.ChatTimeout, "was silent for 60 seconds", 1},
		{"an endless line", func(r *modeltest.Reply) {
			for !r.Gone() {
				r.Raw(strings.Repeat("data: x", 1000))
			}
		}, "", world.ChatModel, "a line of more than 1048576 bytes", 1},
		{"an end with an error", func(r *modeltest.Reply) { r.Say("well, "); r.End("error") }, "well, ", world.ChatModel, "ended the answer with an error", 1},
		{"cut after a marker", func(r *modeltest.Reply) { r.Say("well\n[DONE]"); r.Cut() }, "well\n[DONE]", world.ChatModel, "broke off", 1},
		{"filtered", func(r *modeltest.Reply) { r.Say("well, "); r.End("content_filter") }, "well, ", world.ChatModel, "content filter", 1},
		{"no room for a word", func(r *modeltest.Reply) { r.Think("hm"); r.End("length") }, "", world.ChatLimit, "length limit", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := modeltest.New(c.play)
			h, _ := bubble(t, s, request())
			h.failed(t, c.code, c.words)
			if h.text != c.text {
				t.Errorf("kept %q, not %q", h.text, c.text)
			}
			if s.Asked() != c.asked {
				t.Errorf("asked %d times, not %d", s.Asked(), c.asked)
			}
		})
	}
}

func typedStatus(status int, body string) modeltest.Play {
	return func(r *modeltest.Reply) { r.Status(status, body) }
}

func TestStreams(t *testing.T) {
	delta := func(fields string) string {
		return `data: {"choices":[{"index":0,"delta":{` + fields + `}}]}` + "\n\n"
	}
	for _, c := range []struct {
		name, raw, want string
	}{
		{"plain", delta(`"role":"assistant","content":""`) + delta(`"content":"a"`) + delta(`"content":"b"`) + "data: [DONE]\n\n", "ab"},
		{"no blank after the colon, windows line ends", "data:{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\r\n\r\ndata:[DONE]\r\n\r\n", "a"},
		{"comments, names, numbers", ": OPENROUTER PROCESSING\n\nevent: message\nid: 1\nretry: 100\n" + delta(`"content":"a"`) + "data: [DONE]\n\n", "a"},
		{"a mark at the begin", "\uFEFF" + delta(`"content":"a"`) + "data: [DONE]\n", "a"},
		{"no line break at the end", delta(`"content":"a"`) + "data: [DONE]", "a"},
		{"no [DONE] but a reason", delta(`"content":"a"`) + `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n", "a"},
		{"cut after the last word", delta(`"content":"a"`) + `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: {\"cho", "a"},
		{"usage, nulls, other choices", delta(`"content":null,"tool_calls":null`) + `data: {"choices":[{"index":1,"delta":{"content":"no"}}]}` + "\n\n" + `data: {"choices":[],"usage":{"total_tokens":1}}` + "\n\n" + `data: {"choices":null,"error":null}` + "\n\n" + delta(`"content":"a"`) + "data: [DONE]\n\n", "a"},
		{"a refusal is words", delta(`"refusal":"I will not."`) + "data: [DONE]\n\n", "I will not."},
		{"invalid UTF-8", delta("\"content\":\"a\xff\xfeb\"") + "data: [DONE]\n\n", "a\uFFFD\uFFFDb"},
		{"half a character", delta(`"content":"a\ud83d"`) + delta(`"content":"\ude00b"`) + "data: [DONE]\n\n", "a\uFFFD\uFFFDb"},
		{"after the end", delta(`"content":"a"`) + "data: [DONE]\n\n" + delta(`"content":"b"`), "a"},
		{"a long answer cut by the server", delta(`"content":"a"`) + `data: {"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}` + "\n\ndata: [DONE]\n\n", "a"},
		{"many comments", strings.Repeat(": ping\n\n", 10_000) + delta(`"content":"a"`) + "data: [DONE]\n\n", "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, _ := bubble(t, modeltest.New(func(r *modeltest.Reply) { r.Raw(c.raw) }), request())
			if h.err != nil || h.text != c.want || !utf8.ValidString(h.text) {
				t.Errorf("%q, %v; want %q", h.text, h.err, c.want)
			}
		})
	}
}

func TestManySmallChunks(t *testing.T) {
	const n = 100_000
	h, _ := bubble(t, modeltest.New(func(r *modeltest.Reply) {
		for i := range n {
			r.Raw(`data: {"choices":[{"delta":{"content":"` + string(rune('a'+i%26)) + `"}}]}` + "\n\n")
		}
		r.Done()
	}), request())
	if h.err != nil || len(h.text) != n || len(h.chunks) < n*9/10 { // an "s" is held back: it may begin the key
		t.Errorf("%d bytes in %d chunks, %v", len(h.text), len(h.chunks), h.err)
	}
}

// A stream that never ends is ended when the turn is cancelled, by the realm's limit or by a person.
func TestNeverEnding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		err := agents(t, modeltest.New(func(r *modeltest.Reply) {
			for !r.Gone() {
				r.Say(strings.Repeat("and so on ", 100))
			}
		})).Driver(nil, world.Role{}).Run(ctx, request(), func(c driver.Chunk) error {
			if n += len(c.Text); n > world.MaxMessageText {
				cancel()
			}
			return ctx.Err()
		})
		if err != context.Canceled {
			t.Errorf("it ends with %v", err)
		}
	})
}

// An answer without words is no error of the driver; the realm handles the empty turn.
func TestEmptyAnswer(t *testing.T) {
	h, _ := bubble(t, modeltest.New(modeltest.Says()), request())
	if h.err != nil || len(h.chunks) != 0 {
		t.Errorf("%v, %v", h.err, h.order())
	}
}

// A request is retried after the delay that the server names, else after a delay that doubles, and never
// after a word was shown.
func TestRetries(t *testing.T) {
	date := time.Date(2000, 1, 1, 0, 0, 30, 0, time.UTC).Format(http.TimeFormat) // bubbles begin with the year 2000
	for _, c := range []struct {
		name  string
		plays []modeltest.Play
		want  string
		took  time.Duration
	}{
		{"seconds", []modeltest.Play{modeltest.Refuses(429, "x", "Retry-After", "7"), modeltest.Says("a")}, "a", 7 * time.Second},
		{"no wait", []modeltest.Play{modeltest.Refuses(429, "x", "Retry-After", "0"), modeltest.Says("a")}, "a", 0},
		{"a date", []modeltest.Play{modeltest.Refuses(503, "x", "Retry-After", date), modeltest.Says("a")}, "a", 30 * time.Second},
		{"a date that is over", []modeltest.Play{modeltest.Refuses(503, "x", "Retry-After", "Fri, 31 Dec 1999 23:59:59 GMT"), modeltest.Says("a")}, "a", 0},
		{"a date far away", []modeltest.Play{modeltest.Refuses(503, "x", "Retry-After", "Fri, 31 Dec 2100 23:59:59 GMT"), modeltest.Says("a")}, "a", time.Minute},
		{"too long", []modeltest.Play{modeltest.Refuses(429, "x", "Retry-After", "86400"), modeltest.Says("a")}, "a", time.Minute},
		{"nonsense", []modeltest.Play{modeltest.Refuses(429, "x", "Retry-After", "soon"), modeltest.Says("a")}, "a", time.Second},
		{"doubling", []modeltest.Play{modeltest.Refuses(500, "x"), modeltest.Refuses(502, "x"), modeltest.Refuses(504, "x"), modeltest.Says("a")}, "a", 7 * time.Second},
		{"a connection that broke", []modeltest.Play{func(r *modeltest.Reply) { r.Cut() }, modeltest.Says("a")}, "a", time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := modeltest.New(c.plays...)
			h, took := bubble(t, s, request())
			if h.err != nil || h.text != c.want || took != c.took || s.Asked() != len(c.plays) {
				t.Errorf("%q after %v, asked %d times, %v", h.text, took, s.Asked(), h.err)
			}
		})
	}
	t.Run("not after words", func(t *testing.T) {
		s := modeltest.New(func(r *modeltest.Reply) { r.Say("a"); r.Cut() }, modeltest.Says("b"))
		h, _ := bubble(t, s, request())
		if h.err == nil || h.text != "a" || s.Asked() != 1 {
			t.Errorf("%q, asked %d times, %v", h.text, s.Asked(), h.err)
		}
	})
	t.Run("the waiting is given", func(t *testing.T) {
		var waits []time.Duration
		s := modeltest.New(modeltest.Refuses(500, "x"))
		h := listen(t.Context(), agents(t, s, func(c *Config) {
			c.Jitter = func() float64 { return 1 }
			c.Wait = func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil }
		}), request())
		want := []time.Duration{1500 * time.Millisecond, 3 * time.Second, 6 * time.Second}
		if h.err == nil || !slices.Equal(waits, want) {
			t.Errorf("waits %v, %v", waits, h.err)
		}
	})
}

func TestThoughts(t *testing.T) {
	h, _ := bubble(t, modeltest.New(func(r *modeltest.Reply) {
		for _, w := range []string{"Let ", "me ", "see. ", "It ", "is\n", "so"} {
			r.Think(w)
		}
		r.Delta(map[string]any{"reasoning": " indeed"})
		r.Say("Yes.")
		r.Delta(map[string]any{"thinking": strings.Repeat("é", 300)})
		r.End("stop")
	}), request())
	got := h.thoughts()
	if len(got) != 6 || got[0] != "Let me see." || got[1] != "It is" || got[2] != "so indeed" || strings.Join(got[3:], "") != strings.Repeat("é", 300) {
		t.Errorf("thoughts %q", got)
	}
	if h.err != nil || h.text != "Yes." {
		t.Errorf("%q, %v", h.text, h.err)
	}
}

// If a server refuses tools, the request is repeated without them, and later requests have none.
func TestToolsUnsupported(t *testing.T) {
	for _, refusal := range []modeltest.Play{
		modeltest.Refuses(400, "registry.ollama.ai/library/m-1 does not support tools"),
		modeltest.Refuses(400, `"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set`),
		modeltest.Refuses(404, "No endpoints found that support tool use"),
	} {
		s := modeltest.New(func(r *modeltest.Reply) {
			if len(r.Request.Tools) > 0 {
				refusal(r)
				return
			}
			modeltest.Says("All ", "settled.\n", "[DO", "NE]", "\n")(r)
		})
		synctest.Test(t, func(t *testing.T) {
			a := agents(t, s)
			h := listen(t.Context(), a, sealed())
			if h.err != nil || h.text != "All settled." || len(h.seals()) != 1 || s.Asked() != 2 {
				t.Fatalf("%q, %d seals, asked %d times, %v", h.text, len(h.seals()), s.Asked(), h.err)
			}
			reqs := s.Requests()
			if system := reqs[0].Last("system"); strings.Contains(system, marker) || !strings.Contains(system, "complete_stage") {
				t.Errorf("with tools it is told %q", system)
			}
			if system := reqs[1].Last("system"); !strings.Contains(system, marker) || strings.Contains(system, "complete_stage") {
				t.Errorf("without tools it is told %q", system)
			}
			if h = listen(t.Context(), a, request()); h.err != nil || s.Asked() != 3 || !strings.Contains(h.text, marker) {
				t.Errorf("the next turn, which seals nothing: %q, asked %d times, %v", h.text, s.Asked(), h.err)
			}
		})
	}
}

func TestMarker(t *testing.T) {
	for _, c := range []struct {
		text, want string
		sealed     bool
	}{
		{"All settled.\n[DONE]", "All settled.", true},
		{"All settled.\n\n [DONE] \n\n", "All settled.", true},
		{"[DONE]", "[DONE]", true},
		{"I am [DONE]", "I am [DONE]", false},
		{"[DONE]\nNot yet.", "[DONE]\nNot yet.", false},
		{"a\n[DONE]\nb\n[DONE]", "a\n[DONE]\nb", true},
		{"a\n[DONE", "a\n[DONE", false},
		{"a\n[DONE]]", "a\n[DONE]]", false},
		{"a\n[", "a\n[", false},
		{"a \n\n", "a \n\n", false},
		{"a\n[DONE]" + strings.Repeat("\n", 1000), "a\n[DONE]" + strings.Repeat("\n", 1000), false},
		{"a[[DONE]", "a[[DONE]", false},
	} {
		for _, size := range []int{1, 2, 3, 1000} {
			t.Run(fmt.Sprintf("%.20q by %d", c.text, size), func(t *testing.T) {
				var words []string
				for piece := range slices.Chunk([]byte(c.text), size) {
					words = append(words, string(piece))
				}
				synctest.Test(t, func(t *testing.T) {
					a := agents(t, modeltest.New(modeltest.Says(words...)))
					a.toolsRefused.Store(true)
					h := listen(t.Context(), a, sealed())
					if h.err != nil || h.text != c.want || (len(h.seals()) == 1) != c.sealed {
						t.Errorf("%q, %d seals, %v", h.text, len(h.seals()), h.err)
					}
				})
			})
		}
	}
}

// Some servers leave a model's thoughts in its answer. At the beginning of the answer they are shown as
// thoughts, later as words.
func TestThoughtsInTheAnswer(t *testing.T) {
	for _, c := range []struct{ text, words, thoughts string }{
		{"<think>\nLet me see.\n</think>\n\nYes.", "Yes.", "Let me see."},
		{" \n<think></think>Yes.", "Yes.", ""},
		{"<think>a < b </th </think>Yes. <think>no</think>", "Yes. <think>no</think>", "a < b </th"},
		{"<thinker>", "<thinker>", ""},
		{"<think", "<think", ""},
		{"<think>on and on", "", "on and on"},
		{"<think>on</thin", "", "on</thin"},
		{"<b>Yes.</b>", "<b>Yes.</b>", ""},
		{"  Yes.", "  Yes.", ""},
	} {
		for _, size := range []int{1, 3, 1000} {
			var words []string
			for piece := range slices.Chunk([]byte(c.text), size) {
				words = append(words, string(piece))
			}
			h, _ := bubble(t, modeltest.New(modeltest.Says(words...)), request())
			if got := strings.Join(h.thoughts(), " "); h.err != nil || h.text != c.words || got != c.thoughts {
				t.Errorf("%q by %d: says %q, thinks %q, %v", c.text, size, h.text, got, h.err)
			}
		}
	}
}

// The answer of a server that leaves the stream open after the last word is complete.
func TestLeftOpen(t *testing.T) {
	h, took := bubble(t, modeltest.New(func(r *modeltest.Reply) {
		r.Say("a")
		r.Frame(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": "stop"}}})
		r.Stall()
	}), request())
	if h.err != nil || h.text != "a" || took != silence {
		t.Errorf("%q after %v, %v", h.text, took, h.err)
	}
}
