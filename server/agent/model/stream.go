package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"agentdungeon/server/driver"
	"agentdungeon/shared/world"
)

// Limits of one answer in bytes. The realm's own limits also apply.
const (
	maxArgs    = 512 << 10 // bytes of the arguments of all tool calls
	maxEcho    = 256 << 10 // bytes of the answer's words that are sent back to the model in the next round
	maxThought = 240       // bytes of a thought that are shown at once
)

// frame is one event of a stream. It differs from the library's type because servers differ: some send arguments as
// objects, some omit the index of a tool call, and the field names of thoughts vary.
type frame struct {
	Error   json.RawMessage `json:"error"`
	Choices []struct {
		Index int `json:"index"`
		Delta struct {
			Content   string  `json:"content"`
			Refusal   string  `json:"refusal"`
			Reasoning string  `json:"reasoning"`
			Thoughts  string  `json:"reasoning_content"`
			Thinking  string  `json:"thinking"`
			ToolCalls []piece `json:"tool_calls"`
		} `json:"delta"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
}

// piece is a part of a tool call, as one event of a stream has it.
type piece struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// call is a tool call, joined from its pieces.
type call struct {
	index int // the server's index, -1 if it sends none
	id    string
	name  string
	args  strings.Builder
}

// answer is the result of one request.
type answer struct {
	calls   []*call // at most maxCalls calls
	size    int     // bytes of the arguments of all calls
	text    strings.Builder
	thought strings.Builder // sent back with the calls, because some servers need it
	finish  string
	began   bool // a part of the answer has arrived, so the request is not retried
	said    bool // a word was emitted
	sealed  bool // the marker was found
}

// receive reads one answer and emits its words as they arrive.
func (t *turn) receive(req openai.ChatCompletionRequest, tools bool) (_ *answer, err error) {
	ctx, end := context.WithCancelCause(t.ctx)
	defer end(nil)
	try := newAttempt(t.agents, end)
	config := openai.DefaultConfig(t.agents.key.secret)
	config.BaseURL, config.HTTPClient = t.agents.url, try
	a := &answer{}
	defer func() {
		if err != nil && errors.Is(context.Cause(ctx), errSilent) {
			err = errSilent
		}
	}()
	stream, err := openai.NewClientWithConfig(config).CreateChatCompletionStream(ctx, req)
	if err != nil {
		return a, err
	}
	defer func() {
		// The error of Close is ignored because the stream was only read.
		_ = stream.Close()
	}()
	hidden := keyFilter{key: t.agents.key}
	out := &speech{turn: t, answer: a, wordFilter: hidden, thoughtFilter: hidden}
	if t.signal && !tools {
		out.ending = &markerFilter{}
	}
	for {
		raw, err := stream.RecvRaw()
		if err != nil && (try.done || a.finish != "" && endsQuietly(err, ctx)) {
			return a, out.end()
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF // the stream ended before the answer was complete
			}
			return a, errors.Join(err, out.rest())
		}
		var f frame
		if json.Unmarshal(raw, &f) != nil {
			return a, errors.Join(errGarbage, out.rest())
		}
		if len(f.Error) > 0 && string(f.Error) != "null" {
			return a, errors.Join(t.agents.failure(raw), out.rest())
		}
		for i := range f.Choices {
			c := &f.Choices[i]
			if c.Index != 0 {
				continue
			}
			if c.FinishReason != "" {
				a.finish = c.FinishReason
			}
			if err := out.think(c.Delta.Thoughts, c.Delta.Reasoning, c.Delta.Thinking); err != nil {
				return a, err
			}
			if err := out.say(c.Delta.Content + c.Delta.Refusal); err != nil {
				return a, err
			}
			for _, p := range c.Delta.ToolCalls {
				if err := a.add(p); err != nil {
					return a, err
				}
			}
		}
	}
}

// endsQuietly reports whether an answer counts as complete although its stream ended with err. After the last word some
// servers send no [DONE]: they close the connection in order, break it off, or leave it open.
func endsQuietly(err error, ctx context.Context) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(context.Cause(ctx), errSilent)
}

// add appends a piece to the tool call to which it belongs. Some servers give all calls the same index or none; then
// the ids and names of the pieces tell the calls apart.
func (a *answer) add(p piece) error {
	a.began = true
	index := -1
	if p.Index != nil {
		index = *p.Index
	}
	var c *call
	for i := len(a.calls) - 1; i >= 0 && c == nil; i-- {
		o := a.calls[i]
		switch {
		case p.ID != "" && o.id != "":
			if p.ID == o.id && index == o.index {
				c = o
			}
		case index >= 0 && o.index == index:
			// If the server sends no ids, a name begins a new call if the arguments of the previous call are complete.
			if p.Function.Name == "" || o.args.Len() == 0 || !json.Valid([]byte(o.args.String())) {
				c = o
			}
		case index < 0 && p.ID == "" && p.Function.Name == "":
			c = o
		}
	}
	if c == nil {
		if len(a.calls) >= maxCalls {
			return errTooManyCalls
		}
		c = &call{index: index}
		a.calls = append(a.calls, c)
	}
	if p.ID != "" {
		c.id = p.ID
	}
	if p.Function.Name != "" {
		c.name = p.Function.Name
	}
	args := string(p.Function.Arguments)
	if strings.HasPrefix(args, `"`) {
		if err := json.Unmarshal(p.Function.Arguments, &args); err != nil {
			return errGarbage
		}
	} else if args == "null" {
		args = ""
	}
	if a.size += len(args); a.size > maxArgs {
		return &driver.TurnError{Code: world.ChatLimit,
			Message: fmt.Sprintf("The model called tools with more than %d bytes of arguments.", maxArgs)}
	}
	c.args.WriteString(args)
	return nil
}

// speech emits the words and thoughts of an answer as they arrive.
type speech struct {
	turn          *turn
	answer        *answer
	wordFilter    keyFilter
	splitter      thoughtSplitter
	thoughtFilter keyFilter
	ending        *markerFilter
	// thought has thoughts that wait for the end of their sentence: at most maxThought bytes and one piece of the stream.
	thought string
}

func (s *speech) say(text string) error {
	if text == "" {
		return nil
	}
	s.answer.began = true
	words, thought := s.splitter.push(s.wordFilter.push(text))
	s.thought += thought
	if err := s.showThoughts(words != ""); err != nil {
		return err
	}
	if s.ending != nil {
		words = s.ending.push(words)
	}
	return s.out(words)
}

func (s *speech) out(text string) error {
	if text == "" {
		return nil
	}
	if room := maxEcho - s.answer.text.Len(); room > 0 {
		short, _ := world.Cut(text, room)
		s.answer.text.WriteString(short)
	}
	if strings.TrimSpace(text) != "" {
		s.answer.said = true
	}
	return s.turn.send(driver.Chunk{Text: text})
}

// think shows the thoughts of the model, up to the end of a sentence or a line. Each shown thought replaces the
// previous one, so single words would be unreadable. own and others are the values of the fields in which different
// servers send thoughts; think shows the first value that is not empty.
func (s *speech) think(own string, others ...string) error {
	text := own
	for _, o := range others {
		if text == "" {
			text = o
		}
	}
	if text == "" {
		return nil
	}
	s.answer.began = true
	text = s.thoughtFilter.push(text)
	if own != "" && s.answer.thought.Len()+len(text) <= maxEcho {
		s.answer.thought.WriteString(text)
	}
	s.thought += text
	return s.showThoughts(false)
}

func (s *speech) showThoughts(all bool) error {
	for s.thought != "" {
		n := len(s.thought)
		if !all {
			n = sentence(s.thought)
		}
		if n == 0 {
			return nil
		}
		text := s.thought[:n]
		s.thought = s.thought[n:]
		for text = strings.TrimSpace(text); text != ""; {
			part, _ := world.Cut(text, maxThought)
			text = text[len(part):]
			if err := s.turn.send(driver.Chunk{Thought: part}); err != nil {
				return err
			}
		}
	}
	return nil
}

// sentence returns the length of the beginning of text that can be shown: it ends with a line or a sentence, or text
// has maxThought bytes. If text must wait for more, sentence returns 0.
func sentence(text string) int {
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		return i + 1
	}
	if i := strings.LastIndex(text, ". "); i >= 0 {
		return i + 2
	}
	if len(text) >= maxThought {
		return len(text)
	}
	return 0
}

// flush emits the words and thoughts that the filters held back. done reports whether the words ended with the marker,
// which flush does not emit.
func (s *speech) flush() (done bool, err error) {
	words, thought := s.splitter.push(s.wordFilter.rest())
	moreWords, moreThought := s.splitter.rest()
	s.thought += thought + moreThought + s.thoughtFilter.rest()
	if err := s.showThoughts(true); err != nil {
		return false, err
	}
	words += moreWords
	if s.ending != nil {
		words = s.ending.push(words)
		held := ""
		held, done = s.ending.end()
		words += held
	}
	return done, s.out(words)
}

// rest emits the text that the filters still hold back after the server broke off the stream.
func (s *speech) rest() error {
	done, err := s.flush()
	if done && err == nil { // emit the marker as text: the answer was cut, so the marker does not end the stage
		err = s.out("\n" + marker)
	}
	return err
}

// end emits the text that the filters still hold back at the end of a complete answer. If the answer ends with the
// marker, end marks the answer as sealed.
func (s *speech) end() (err error) {
	if s.answer.sealed, err = s.flush(); err != nil {
		return err
	}
	// An answer that has only the marker counts as one without words, which is a failure. So emit the marker as its
	// text.
	if s.answer.sealed && !s.answer.said {
		return s.out(marker)
	}
	return nil
}
