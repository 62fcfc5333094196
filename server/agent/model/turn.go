package model

import (
	"context"
	"errors"
	"io"
	"strings"

	"agentdungeon/server/driver"
	"agentdungeon/server/dungeon"
	"agentdungeon/server/inspect"
)

// turn is the state of a turn while the driver plays it.
type turn struct {
	agents  *Agents
	ctx     context.Context
	req     driver.Turn
	emit    func(driver.Chunk) error
	process bool // the turn belongs to a process
	signal  bool // the model may end the stage

	broken error // the error that emit returned; nothing is emitted after it
	spoke  bool
	sealed bool
	calls  int             // tool calls in this turn
	judged map[string]bool // candidates with a verdict of this turn, by id
	named  int             // number of call ids that were made so far, including those for calls in the window

	repo   *inspect.Repo // nil until a tool needs it
	closer io.Closer
}

func (t *turn) close() {
	if t.closer != nil {
		_ = t.closer.Close() // an error of Close loses nothing, because the folder was only read
	}
}

// send emits a chunk unless the turn was cancelled.
func (t *turn) send(c driver.Chunk) error {
	if err := t.ctx.Err(); err != nil {
		return err
	}
	if t.broken != nil {
		return t.broken
	}
	if t.broken = t.emit(c); t.broken == nil && strings.TrimSpace(c.Text) != "" {
		t.spoke = true
	}
	return t.broken
}

// folder returns the linked repository. The first tool that needs it opens it; the end of the
// turn closes it.
func (t *turn) folder() (*inspect.Repo, error) {
	if t.repo == nil {
		repo, closer, err := t.agents.repos.Open(t.ctx, t.req.RepoPath)
		if err != nil {
			return nil, errors.New("the linked folder cannot be read now")
		}
		t.repo, t.closer = repo, closer
	}
	return t.repo, nil
}

// goTo makes the member walk to the file or folder that it reads.
func (t *turn) goTo(p string) error {
	return t.send(driver.Chunk{Read: &driver.Read{Path: dungeon.EncodePath(p)}})
}
