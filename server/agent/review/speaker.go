package review

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"agentdungeon/server/driver"
	"agentdungeon/server/dungeon"
	"agentdungeon/server/inspect"
	"agentdungeon/server/report"
	"agentdungeon/shared/world"
)

// Delays of a turn, so that people can follow it, and the number of words said at once. At the pace world.PaceInstant
// there are no delays.
const (
	wordsAtOnce = 3
	wordGap     = 45 * time.Millisecond
	lookGap     = 900 * time.Millisecond // the time between walking to a file and speaking about it
)

// progressGap is the time after which a turn that runs checks says how many files are read.
const progressGap = time.Second

// view has the input of one turn: the request, the repository and the checks. Its methods only compute and emit
// nothing.
type view struct {
	ctx    context.Context
	turn   driver.Turn
	scouts *Scouts
	review *review
}

// speaker plays one turn: it emits words and findings about what the methods of view have computed.
type speaker struct {
	view
	emit   func(driver.Chunk) error
	err    error // the first error of emit, or of a cancelled turn
	spoken bool
}

// post emits a chunk. After an error, or once the turn is cancelled, it does nothing; player.Run and
// player.Ask return the error.
func (t *speaker) post(c driver.Chunk) {
	if t.err == nil {
		t.err = t.emit(c)
	}
}

func (t *speaker) pause(d time.Duration) {
	if t.err != nil {
		return
	}
	if t.turn.Pace == world.PaceInstant {
		t.err = t.ctx.Err()
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.ctx.Done():
		t.err = t.ctx.Err()
	}
}

// say streams a paragraph, a few words at a time (B19).
func (t *speaker) say(text string) {
	if t.spoken {
		text = "\n\n" + text
	}
	t.spoken = true
	at := 0
	for at < len(text) {
		end := at
		for n := 0; n < wordsAtOnce && end < len(text); n++ {
			for end < len(text) && (text[end] == ' ' || text[end] == '\n') {
				end++
			}
			for end < len(text) && text[end] != ' ' && text[end] != '\n' {
				end++
			}
		}
		t.post(driver.Chunk{Text: text[at:end]})
		if at = end; at < len(text) {
			t.pause(wordGap)
		}
	}
}

// meanwhile calls work, which must emit nothing. While work runs, meanwhile says once in progressGap how many files
// the review has read.
func (t *speaker) meanwhile(work func()) {
	ended := make(chan struct{})
	var teller sync.WaitGroup
	teller.Go(func() {
		gap := time.NewTicker(progressGap)
		defer gap.Stop()
		for {
			select {
			case <-ended:
				return
			case now := <-gap.C:
				if t.review.tells(now) {
					read, total := t.review.repo.Progress()
					t.post(driver.Chunk{Progress: &driver.Progress{Read: read, Total: total}})
				}
			}
		}
	})
	defer teller.Wait()
	defer close(ended)
	work()
}

// run returns the result of a check (Scouts.run). While the check runs, it says how many files have been read.
func (t *speaker) run(c *inspect.Check, last *last) (res *inspect.Result, err error) {
	t.meanwhile(func() { res, err = t.scouts.run(t.ctx, t.review, c, last) })
	return res, err
}

// walk makes the hero walk to a file or a folder. path is a path in the repository.
func (t *speaker) walk(path string) {
	t.post(driver.Chunk{Activity: &driver.Activity{Activity: "reading", Tool: "read"}})
	t.post(driver.Chunk{Read: &driver.Read{Path: dungeon.EncodePath(path)}})
	t.pause(lookGap)
}

func (t *speaker) sayf(format string, args ...any) { t.say(fmt.Sprintf(format, args...)) }

func (t *speaker) walkTo(f *world.Finding) {
	raw, err := dungeon.DecodePath(f.Path)
	if err != nil || f.Path == "" {
		return // a finding is posted even if nobody can walk to its place
	}
	t.walk(raw)
}

// handOver emits an artifact and ends the stage.
func (t *speaker) handOver(name, text, summary string) {
	t.post(driver.Chunk{Artifact: &driver.NamedText{Name: name, Text: text}})
	t.post(driver.Chunk{Seal: &driver.Seal{Summary: summary}})
}

// handCoverage emits, as an artifact, what this review can read.
func (t *speaker) handCoverage(c *world.Coverage) {
	t.post(driver.Chunk{Artifact: &driver.NamedText{
		Name: report.CoverageArtifact, Text: report.CoverageList(c), Coverage: c,
	}})
}

// sayParagraphs says a text one paragraph at a time.
func (t *speaker) sayParagraphs(text string) {
	for p := range strings.SplitSeq(text, "\n\n") {
		t.say(p)
	}
}
