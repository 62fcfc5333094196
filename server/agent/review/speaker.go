package review

import (
	"cmp"
	"context"
	"fmt"
	"slices"
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

// tourGap is the time after which a hero whose checks still run walks on to another file that they read.
const tourGap = 4 * time.Second

// tourStops is the number of files after which such a tour begins again.
const tourStops = 24

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
	tour   tour
}

// tour is the way of a hero whose checks run for long: it stands at one after the other of the files that they read.
type tour struct {
	stops []string  // nil before the first stop
	next  int       // index in stops
	moved time.Time // when the hero went to a place last
}

// plan sets the stops: of the files that a hero's checks read the largest, one of each folder, and source before tests
// and data. Each hero begins at another.
func (t *tour) plan(repo *inspect.Repo, hero string, checks []*inspect.Check) {
	var files []*inspect.File
	for i := range repo.Files {
		f := &repo.Files[i]
		reads := func(c *inspect.Check) bool { return c.Reads(repo, f) }
		if !f.Vendored && f.Lang != "" && slices.ContainsFunc(checks, reads) {
			files = append(files, f)
		}
	}
	aside := func(f *inspect.File) int {
		if inspect.IsCode(f.Lang) && !f.Test {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(files, func(a, b *inspect.File) int {
		return cmp.Or(aside(a)-aside(b), cmp.Compare(b.Size, a.Size))
	})
	t.stops = []string{}
	seen := map[string]bool{}
	for _, f := range files {
		if len(t.stops) < tourStops && !seen[f.Dir()] {
			seen[f.Dir()] = true
			t.stops = append(t.stops, f.Path)
		}
	}
	t.next = rank(hero) * tourStops / len(heroes)
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
// the review has read, and lets the hero walk among the files that its checks read.
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
				t.goOn(now)
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

// goOn lets the hero walk to the next stop of its tour, if it has stood at its place for long. At the pace
// world.PaceInstant it stays.
func (t *speaker) goOn(now time.Time) {
	if t.turn.Pace == world.PaceInstant || now.Sub(t.tour.moved) < tourGap {
		return
	}
	if t.tour.stops == nil {
		t.tour.plan(t.review.repo, t.turn.Role.ID, t.scouts.of(t.turn.Role.ID))
	}
	if n := len(t.tour.stops); n > 0 {
		t.goTo(t.tour.stops[t.tour.next%n])
		t.tour.next++
	}
}

// walk makes the hero walk to a file or a folder, and waits a moment. path is a path in the repository.
func (t *speaker) walk(path string) {
	t.goTo(path)
	t.pause(lookGap)
}

func (t *speaker) goTo(path string) {
	t.tour.moved = time.Now()
	t.post(driver.Chunk{Activity: &driver.Activity{Activity: "reading", Tool: "read"}})
	t.post(driver.Chunk{Read: &driver.Read{Path: dungeon.EncodePath(path)}})
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
