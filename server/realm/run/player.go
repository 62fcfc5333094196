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

// Made is what a driver has made, or that it has returned.
type Made struct {
	run   Key
	chunk driver.Chunk
	// durable is told once a tool's start is durable, or why it was refused. It holds one.
	durable chan error
	end     bool
	err     error
}

// Play has the driver play its turn, and returns when it has returned and is heard or the run has
// ended.
func (p *Player) Play() {
	err := p.run()
	_ = p.send(Made{run: p.Key, end: true, err: err}) // of a run that has ended nobody hears
}

// Size is how many bytes of the request wait with a turn that is heard and not shown.
func (p *Player) Size() (n int) {
	if !p.turn.Heard {
		return 0
	}
	for _, m := range p.turn.Window {
		n += len(m.Content)
	}
	return n + len(p.turn.Prompt)
}

// run gives a panic of the driver as an error: it fails this turn and no other.
func (p *Player) run() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &driver.TurnError{Code: world.ChatModel, Message: fmt.Sprintf("the driver failed: %v\n%s", r, debug.Stack())}
		}
	}()
	return p.driver.Run(p.ctx, p.turn, p.emit)
}

// emit is driver.Driver's. A tool acts once its start is durable.
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
