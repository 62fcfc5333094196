package agents

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"
)

// Step is one answer of the model. A prompt contains its steps as JSON after the word PLAY, and the model answers
// each request with the next step. The number of tool calls since the prompt says which step is next, so the model
// needs no memory.
type Step struct {
	Call  string        `json:"call,omitempty"`  // the tool that the model calls with Input
	Input any           `json:"input,omitempty"` // an object; a text if the tool takes a text
	Say   string        `json:"say,omitempty"`   // the model's last words; they end the turn
	Pause time.Duration `json:"pause,omitempty"` // the time that the model waits before it answers
}

// play is the word before the steps in a prompt.
const play = "PLAY "

// Prompt returns a prompt that makes the model answer with these steps.
func Prompt(steps ...Step) string {
	text, err := json.Marshal(steps)
	if err != nil {
		panic(err) // steps always encode
	}
	return play + string(text)
}

// asked is a request to the model, independent of its API.
type asked struct {
	model  string
	prompt string // the last text that contains steps
	called int    // number of tool calls since the prompt
	tools  bool   // whether the model may call tools
	shaped bool   // whether the answer has to be JSON
	stream bool
}

// text adds one text of a user to the request. If the text contains steps, it replaces the prompt.
func (a *asked) text(text string) {
	if strings.Contains(text, play) {
		a.prompt, a.called = text, 0
	}
}

// step returns the step with which the model answers this request.
func (a *asked) step() Step {
	switch {
	case a.shaped:
		return Step{Say: "{}"}
	case !a.tools || a.prompt == "":
		return Step{Say: "A few words."}
	}
	_, text, _ := strings.Cut(a.prompt, play)
	var steps []Step
	if err := json.NewDecoder(strings.NewReader(text)).Decode(&steps); err != nil {
		return Step{Say: "The steps are no JSON: " + err.Error()}
	}
	if a.called >= len(steps) {
		return Step{Say: "Done."}
	}
	return steps[a.called]
}

// The tokens that each request uses, as the model reports them.
const (
	tokensIn, tokensCached, tokensOut = 1300, 11000, 42
)

// NewModel starts a model on loopback and returns its URL. It runs until end is called.
func NewModel() (url string, end func()) {
	server := httptest.NewServer(http.HandlerFunc(serveModel))
	return server.URL, func() {
		server.CloseClientConnections() // a program may still wait for an answer after a pause
		server.Close()
	}
}

func serveModel(w http.ResponseWriter, r *http.Request) {
	api := apiOf(r.URL.Path)
	if api == nil || r.Method != http.MethodPost {
		w.Header().Set("Content-Type", "application/json")
		// Programs also ask for the size of a prompt and for the list of models; this one object answers both.
		fmt.Fprintf(w, `{"input_tokens":%d,"totalTokens":%d,"object":"list","data":[],"models":[]}`, tokensIn, tokensIn)
		return
	}
	var body map[string]any
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 64<<20)).Decode(&body); err != nil {
		http.Error(w, `{"error":{"message":"the request is no JSON"}}`, http.StatusBadRequest)
		return
	}
	a := api.read(body)
	a.stream = a.stream || strings.Contains(r.URL.Path, ":stream")
	s := a.step()
	out := &answer{w: w, stream: a.stream, model: a.model}
	if a.stream {
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		out.flush()
	} else {
		w.Header().Set("Content-Type", "application/json")
	}
	if s.Pause > 0 {
		select {
		case <-time.After(s.Pause):
		case <-r.Context().Done():
			return
		}
	}
	api.write(out, s)
}

// answer writes the model's answer to one request.
type answer struct {
	w      http.ResponseWriter
	stream bool
	model  string
}

func (a *answer) flush() {
	if f, ok := a.w.(http.Flusher); ok {
		f.Flush()
	}
}

// object is one JSON object.
type object = map[string]any

// event writes one event of a stream; kind is its name, "" for none. A write error means that the program has closed
// the connection, and is ignored.
func (a *answer) event(kind string, o object) {
	if kind != "" {
		o["type"] = kind
		fmt.Fprintf(a.w, "event: %s\n", kind)
	}
	fmt.Fprintf(a.w, "data: %s\n\n", encode(o))
	a.flush()
}

// whole writes an answer in one piece.
func (a *answer) whole(o object) { _, _ = a.w.Write(encode(o)) }

func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // only objects of this package are encoded, and they can be
	}
	return text
}

// newID returns a random id that begins with prefix.
func newID(prefix string) string { return prefix + strings.ToLower(rand.Text()) }
