package model

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"agentdungeon/server/driver"
	"agentdungeon/shared/world"
)

// Limits of one turn. A round is one request and its answer.
const (
	maxRounds = 12 // rounds
	maxCalls  = 24 // tool calls
)

var errTooManyCalls = &driver.TurnError{
	Code: world.ChatLimit,
	Message: fmt.Sprintf("The model is looping on tools: it came to the limit of %d calls or of %d rounds before it "+
		"gave an answer.", maxCalls, maxRounds),
}

// play sends requests until an answer calls no tools, or until the model has said something and ended the stage.
func (t *turn) play() error {
	tools := !t.agents.toolsRefused.Load() && !t.req.Unrecorded // a turn of a forge (Unrecorded) needs no tools
	messages := t.messages(tools)
	for range maxRounds {
		a, err := t.ask(messages, tools)
		if err != nil && tools && t.calls == 0 && !a.began && refusesTools(err) {
			t.agents.toolsRefused.Store(true)
			tools = false
			messages = t.messages(false)
			a, err = t.ask(messages, false)
		}
		if err != nil {
			return err
		}
		if len(a.calls) == 0 {
			return t.finish(a)
		}
		if messages, err = t.act(messages, a); err != nil {
			return err
		}
		if t.sealed && t.spoke {
			return nil
		}
	}
	return errTooManyCalls
}

// finish ends the turn after an answer without tool calls. If the answer is empty, finish returns an error only if
// the server gave a reason why the answer ended. Without a reason, the realm itself treats the empty answer as a
// failure.
func (t *turn) finish(a *answer) error {
	switch {
	case a.finish == "content_filter":
		return &driver.TurnError{Code: world.ChatModel, Message: "The content filter of the model server at " +
			t.agents.host + " stopped the answer."}
	case a.finish == "error":
		return &driver.TurnError{Code: world.ChatModel, Message: "The model server at " + t.agents.host +
			" ended the answer with an error."}
	case a.finish == "length" && !t.spoke:
		return &driver.TurnError{Code: world.ChatLimit, Message: "The model came to its length limit before it said a word."}
	case a.sealed:
		return t.send(driver.Chunk{Seal: &driver.Seal{}})
	}
	return nil
}

// ask sends a request and returns the answer. It retries a failed request if a retry may help and nothing of the answer
// was shown yet.
func (t *turn) ask(messages []openai.ChatCompletionMessage, tools bool) (*answer, error) {
	req := openai.ChatCompletionRequest{Model: t.agents.model, Messages: messages}
	if tools {
		req.Tools = t.tools()
	}
	for n := 1; ; n++ {
		a, err := t.receive(req, tools)
		if err == nil || a.began || n > maxRetries || t.ctx.Err() != nil || !worthRetry(err) {
			return a, err
		}
		if err := t.agents.pause(t.ctx, t.agents.wait(err, n, time.Now())); err != nil {
			return a, err
		}
	}
}

// refusesTools reports whether a server refuses a request because of its tools: Ollama "does
// not support tools", vLLM `"auto" tool choice requires ...`, OpenRouter "no endpoints found
// that support tool use".
func refusesTools(err error) bool {
	var e *serverError
	if !errors.As(err, &e) {
		return false
	}
	switch e.status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity, http.StatusNotImplemented:
		return strings.Contains(strings.ToLower(e.message), "tool")
	}
	return false
}

// failed returns a turn's error as a sentence for people, without the key.
func (t *turn) failed(err error) error {
	if ended := t.ctx.Err(); ended != nil {
		return ended
	}
	if t.broken != nil {
		return t.broken
	}
	var te *driver.TurnError
	if errors.As(err, &te) {
		return te
	}
	var refused *serverError
	var dns *net.DNSError
	at := "The model server at " + t.agents.host + " "
	code, text := world.ChatModel, ""
	switch {
	case errors.Is(err, errSilent):
		code, text = world.ChatTimeout, at+fmt.Sprintf("was silent for %d seconds", int(silence.Seconds()))
	case errors.As(err, &refused):
		text = at + refused.Error()
		if refused.status == http.StatusNotFound && refused.message == "" {
			text += "; is its address right? It often ends with /v1"
		}
	case errors.Is(err, errGarbage), errors.Is(err, errLong):
		text = at + strings.TrimPrefix(err.Error(), "the model's server ")
	case errors.Is(err, syscall.ECONNREFUSED):
		text = at + "cannot be reached: it refuses the connection"
	case errors.As(err, &dns):
		text = at + "cannot be reached: there is no such host"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET),
		errors.Is(err, syscall.EPIPE):
		text = at + "broke off in the middle"
		if !t.spoke {
			text = at + "broke off before it said a word"
		}
	default:
		var request *url.Error // a url.Error repeats the address, which the sentence already has
		if errors.As(err, &request) {
			err = request.Err
		}
		text = at + "cannot be used: " + clean(t.agents.key, err.Error())
	}
	return &driver.TurnError{Code: code, Message: strings.TrimRight(text, ".") + "."}
}
