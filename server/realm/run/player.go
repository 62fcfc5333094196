package run

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"agentdungeon/server/driver"
	"agentdungeon/shared/world"
)

// Player plays one turn of a driver in a goroutine of its own.
type Player struct {
	Key
	ctx    context.Context
	driver driver.Driver
	turn   driver.Turn
	limit  time.Duration
	made   chan<- Made
}

// Made is the message of a Player to the actor: a chunk that the driver has emitted or, if end is set, the report
// that the driver has returned.
type Made struct {
	run   Key
	chunk driver.Chunk
	// durable gets nil once the start of a tool is durable, or the reason why the tool was refused. It has
	// room for one value.
	durable chan error
	end     bool
	err     error
}

// Play runs the driver and then reports to the actor that the driver has returned. Play returns when the report is in
// the queue of chunks for the actor, or the run has ended.
func (p *Player) Play() {
	err := p.run()
	_ = p.send(Made{run: p.Key, end: true, err: err}) // the error is dropped: send fails only if the run has ended
}

// Size returns the number of bytes that the player's request occupies in memory while it waits. This is 0 except for a
// request for a hidden answer, because all other requests refer to data that the realm has in memory anyway.
func (p *Player) Size() (n int) {
	if !p.turn.Unrecorded {
		return 0
	}
	for _, m := range p.turn.Window {
		n += len(m.Content)
	}
	return n + len(p.turn.Prompt)
}

// run calls the driver. If the driver panics, only this turn fails.
func (p *Player) run() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &driver.TurnError{Code: world.ChatModel, Message: fmt.Sprintf("the driver failed: %v\n%s", r, debug.Stack())}
		}
	}()
	return p.driver.Run(p.ctx, p.turn, p.emit)
}

// emit is the function that the driver emits chunks with. If the chunk starts a tool, emit returns once the
// start is durable.
func (p *Player) emit(c driver.Chunk) error {
	m := Made{run: p.Key, chunk: c}
	if c.Tool != nil {
		m.durable = make(chan error, 1)
	}
	if err := p.send(m); err != nil || c.Tool == nil {
		return err
	}
	select {
	case err := <-m.durable:
		return err
	case <-p.ctx.Done():
		return context.Cause(p.ctx)
	}
}

func (p *Player) send(m Made) error {
	if p.ctx.Err() != nil {
		return context.Cause(p.ctx)
	}
	select {
	case p.made <- m:
		return nil
	case <-p.ctx.Done():
		return context.Cause(p.ctx)
	}
}
