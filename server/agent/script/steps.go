package script

import (
	"context"
	"strconv"
	"strings"
	"time"

	"agentdungeon/server/driver"
	"agentdungeon/shared/world"
)

// player plays one turn.
type player struct {
	ctx   context.Context
	turn  driver.Turn
	emit  func(driver.Chunk) error
	spoke bool // text was sent, so the next chunk waits for its gap first
	tools int  // number of tool calls so far, which is also the callId of the newest call
}

// step is an entry of "steps". play plays the step; it returns an error to end the turn. A step may be played many
// times, so play must not emit a value that it shares with an earlier call.
type step interface {
	play(p *player) error
}

// send emits a chunk unless the turn was cancelled.
func (p *player) send(c driver.Chunk) error {
	if err := p.ctx.Err(); err != nil {
		return err
	}
	return p.emit(c)
}

// speak emits text. If text was emitted before, it first waits for gap; at the pace instant it does not wait.
func (p *player) speak(text string, gap time.Duration) error {
	if p.spoke && p.turn.Pace != world.PaceInstant {
		if err := p.wait(gap); err != nil {
			return err
		}
	}
	p.spoke = true
	return p.send(driver.Chunk{Text: text})
}

// wait waits for d, or until the turn is cancelled.
func (p *player) wait(d time.Duration) error {
	if d <= 0 {
		return p.ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return p.ctx.Err()
	case <-p.ctx.Done():
		return p.ctx.Err()
	}
}

func (p *player) expand(text string) string { return expand(text, p.turn) }

// say streams a text as many times as the field repeat says. It keeps only one copy of the text in memory.
type say struct {
	text   string
	repeat int
	words  int // number of words of one chunk
	gap    time.Duration
}

func (s say) play(p *player) error {
	text := p.expand(s.text)
	for range s.repeat {
		for rest := text; rest != ""; {
			var chunk string
			chunk, rest = nextChunk(rest, s.words)
			if err := p.speak(chunk, s.gap); err != nil {
				return err
			}
		}
	}
	return nil
}

// chunks emits each of its texts as one chunk.
type chunks struct {
	texts []string
	gap   time.Duration
}

func (s chunks) play(p *player) error {
	for _, t := range s.texts {
		// The text is empty if it has only a placeholder whose value is empty, such as the problem of a process
		// without one.
		if t = p.expand(t); t == "" {
			continue
		}
		if err := p.speak(t, s.gap); err != nil {
			return err
		}
	}
	return nil
}

// raw emits bytes as one piece of text. The bytes need not be valid UTF-8.
type raw struct {
	text string
	gap  time.Duration
}

func (s raw) play(p *player) error { return p.speak(s.text, s.gap) }

// delay waits for d. With the pace instant it waits only if always is set.
type delay struct {
	d      time.Duration
	always bool
}

func (s delay) play(p *player) error {
	if p.turn.Pace == world.PaceInstant && !s.always {
		return p.ctx.Err()
	}
	return p.wait(s.d)
}

type finding world.Finding

func (s finding) play(p *player) error {
	f := world.Finding(s)
	f.Title = clip(p.expand(s.Title), world.MaxTitle)
	f.Text = clip(p.expand(s.Text), world.MaxFindingText)
	return p.send(driver.Chunk{Finding: &f})
}

type artifact driver.NamedText

func (s artifact) play(p *player) error {
	return p.send(driver.Chunk{Artifact: &driver.NamedText{Name: s.Name, Text: p.expand(s.Text)}})
}

type insight struct{ area, text string }

func (s insight) play(p *player) error {
	return p.send(driver.Chunk{Insight: &world.Insight{Area: s.area, Text: p.expand(s.text)}})
}

type activity driver.Activity

func (s activity) play(p *player) error {
	a := driver.Activity(s)
	return p.send(driver.Chunk{Activity: &a})
}

// read makes the hero walk to a file or folder.
type read string

func (s read) play(p *player) error {
	return p.send(driver.Chunk{Read: &driver.Read{Path: string(s)}})
}

// tool starts a tool, waits, emits the tool's output and ends the tool. With open set, it does not end the tool but
// stalls until the turn is cancelled, as if the driver had crashed.
type tool struct {
	name, input, output string
	repeat              int // number of copies of the output
	ok, reads, open     bool
	wait                delay
	pieces              []string
	gap                 time.Duration
}

func (s tool) play(p *player) error {
	p.tools++
	id := strconv.Itoa(p.tools)
	input := clip(p.expand(s.input), world.MaxToolInput)
	if err := p.send(driver.Chunk{Tool: &driver.ToolStart{CallID: id, Name: s.name, Input: input,
		Reads: s.reads}}); err != nil {
		return err
	}
	if s.wait.d > 0 {
		if err := s.wait.play(p); err != nil {
			return err
		}
	}
	for i, piece := range s.pieces {
		if i > 0 && p.turn.Pace != world.PaceInstant {
			if err := p.wait(s.gap); err != nil {
				return err
			}
		}
		if piece = p.expand(piece); piece == "" { // the expanded text can be empty; see chunks.play
			continue
		}
		if err := p.send(driver.Chunk{ToolOutput: &driver.ToolOutput{CallID: id, Text: piece}}); err != nil {
			return err
		}
	}
	if s.open {
		return stall{}.play(p)
	}
	output := p.expand(s.output)
	// Repeat the output only up to world.MaxMessageText bytes, because the realm keeps no more.
	output = strings.Repeat(output, min(s.repeat, world.MaxMessageText/max(len(output), 1)+1))
	return p.send(driver.Chunk{ToolEnd: &driver.ToolEnd{CallID: id, OK: s.ok, Output: output}})
}

type thought string

func (s thought) play(p *player) error {
	text := p.expand(string(s))
	if text == "" { // the expanded text can be empty; see chunks.play
		return nil
	}
	return p.send(driver.Chunk{Thought: text})
}

type seal string

func (s seal) play(p *player) error {
	return p.send(driver.Chunk{Seal: &driver.Seal{Summary: p.expand(string(s))}})
}

// fail ends the turn with an error (B5).
type fail struct{ code, message string }

func (s fail) play(p *player) error {
	if err := p.ctx.Err(); err != nil {
		return err
	}
	return &driver.TurnError{Code: s.code, Message: p.expand(s.message)}
}

// stall waits until the turn is cancelled.
type stall struct{}

func (stall) play(p *player) error {
	<-p.ctx.Done()
	return p.ctx.Err()
}

// empty ends the turn without a word, which the realm counts as a failure (B5).
type empty struct{}

func (empty) play(p *player) error { return p.ctx.Err() }
