package agenttest

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	"agentdungeon/server/driver"
)

var codePattern = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// goodTurn checks that a good turn streams its text in several chunks (B19) and passes all checks of a recorder.
func goodTurn(open func() driver.Driver, turns Turns) error {
	before := goroutines()
	rec := newRecorder(context.Background())
	err := open().Run(rec.ctx, *turns.Good, rec.emit)
	rec.end()
	if err != nil {
		rec.problem("the turn failed: %v", err)
	}
	if strings.TrimSpace(rec.text()) == "" {
		rec.problem("the turn ended without a word")
	}
	if n := rec.texts(); n < 2 {
		rec.problem("the text came in %d chunk, so it was not streamed", n)
	}
	rec.toolsEnded()
	return rec.verdict(before)
}

func cancelledBefore(open func() driver.Driver, turns Turns) error {
	before := goroutines()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	rec := newRecorder(ctx)
	began := time.Now()
	err := open().Run(ctx, *turns.Good, rec.emit)
	rec.end()
	rec.ended(began, err)
	return rec.verdict(before)
}

// cancelledWaiting plays a turn repeatedly and cancels it after delays from zero to an hour. The turn must end
// without any more waiting.
func cancelledWaiting(open func() driver.Driver, turns Turns) error {
	for _, after := range []time.Duration{0, time.Millisecond, 30 * time.Millisecond, time.Second, time.Hour} {
		if err := cancelAfter(open, *turns.Stalls, after, time.Millisecond); err != nil {
			return fmt.Errorf("play a turn that is cancelled after %v: %w", after, err)
		}
	}
	return nil
}

// cancelledInEmit cancels a turn while emit blocks. emit blocks for an hour, like a realm that is too busy to take
// a chunk.
func cancelledInEmit(open func() driver.Driver, turns Turns) error {
	return cancelAfter(open, *turns.Good, time.Minute, time.Hour)
}

func cancelAfter(open func() driver.Driver, turn driver.Turn, after, emitTakes time.Duration) error {
	before := goroutines()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	rec := newRecorder(ctx)
	rec.takes = emitTakes
	done := make(chan error, 1)
	player := open()
	go func() {
		err := player.Run(ctx, turn, rec.emit)
		rec.end()
		done <- err
	}()
	time.Sleep(after)
	synctest.Wait()
	select {
	case err := <-done:
		return fmt.Errorf("the turn ended before it was cancelled, with the error %v", err)
	default:
	}
	began := time.Now()
	cancel()
	synctest.Wait() // waits until all goroutines block; the time of the bubble stands still
	select {
	case err := <-done:
		rec.ended(began, err)
	default:
		rec.problem("the turn goes on after it has been cancelled")
	}
	return rec.verdict(before)
}

var errRefused = errors.New("refused by the test")

// emitFails makes emit fail at each chunk of the turn, at most the first 50. It plays each case twice: with an emit
// that also cancels the turn's context, as a realm does, and with an emit that does not.
func emitFails(open func() driver.Driver, turns Turns) error {
	whole := newRecorder(context.Background())
	if err := open().Run(whole.ctx, *turns.Good, whole.emit); err != nil {
		return fmt.Errorf("the turn failed: %w", err)
	}
	whole.end()
	for k := 1; k <= min(whole.count(), 50); k++ {
		for _, alsoCancel := range []bool{true, false} {
			before := goroutines()
			ctx, cancel := context.WithCancel(context.Background())
			rec := newRecorder(ctx)
			rec.refuse = k
			if alsoCancel {
				rec.cancel = cancel
			}
			err := open().Run(ctx, *turns.Good, rec.emit)
			rec.end()
			rec.ended(rec.refusedAt(), err)
			cancel()
			if err := rec.verdict(before); err != nil {
				return fmt.Errorf("play a turn whose emit fails at chunk %d (context also cancelled: %v): %w",
					k, alsoCancel, err)
			}
		}
	}
	return nil
}

// failedTurn checks that a turn with an error does not count as completed (B5).
func failedTurn(open func() driver.Driver, turns Turns) error {
	before := goroutines()
	rec := newRecorder(context.Background())
	err := open().Run(rec.ctx, *turns.Fails, rec.emit)
	rec.end()
	var turnErr *driver.TurnError
	switch {
	case err == nil:
		rec.problem("the failed turn counts as done")
	case !errors.As(err, &turnErr):
		rec.problem("the failed turn has no code: %v", err)
	case !codePattern.MatchString(turnErr.Code) || strings.TrimSpace(turnErr.Message) == "":
		rec.problem("the failed turn has an invalid code %q or an empty message %q", turnErr.Code, turnErr.Message)
	case turns.FailCode != "" && turnErr.Code != turns.FailCode:
		rec.problem("the failed turn has code %q, not %q", turnErr.Code, turns.FailCode)
	}
	rec.toolsEnded()
	return rec.verdict(before)
}

// heapSlack is the maximum number of bytes by which a huge answer may grow the heap.
const heapSlack = 4 << 20

// hugeAnswer checks that the live heap does not grow with the size of an answer. It measures the heap after each eighth
// of a huge answer.
func hugeAnswer(open func() driver.Driver, turns Turns) error {
	if turns.HugeBytes < 8*heapSlack {
		return fmt.Errorf("HugeBytes is %d, but must be at least %d", turns.HugeBytes, 8*heapSlack)
	}
	before := goroutines()
	player := open()
	base := liveHeap()
	var got, worst int64
	next := turns.HugeBytes / 8
	err := player.Run(context.Background(), *turns.Huge, func(c driver.Chunk) error {
		if got += int64(len(c.Text)); got >= next {
			next += turns.HugeBytes / 8
			worst = max(worst, liveHeap()-base)
		}
		return nil
	})
	switch {
	case err != nil:
		return fmt.Errorf("the turn failed: %w", err)
	case got < turns.HugeBytes:
		return fmt.Errorf("the answer has %d bytes, not %d or more", got, turns.HugeBytes)
	case worst > heapSlack:
		return fmt.Errorf("the heap grew by %d bytes while the driver streamed %d bytes", worst, got)
	}
	return leftover(before)
}

// twoAtOnce plays two turns at the same time and checks that they do not mix. A realm plays two turns at once in a
// parallel stage, and two realms may do so at any time.
func twoAtOnce(open func() driver.Driver, turns Turns) error {
	before := goroutines()
	player := open()
	alone := newRecorder(context.Background())
	if err := player.Run(alone.ctx, *turns.Good, alone.emit); err != nil {
		return fmt.Errorf("the turn failed: %w", err)
	}
	alone.end()
	var both [2]*recorder
	var wg sync.WaitGroup
	for i := range both {
		turn := *turns.Good
		turn.RealmID = fmt.Sprintf("%s-%d", turn.RealmID, i)
		rec := newRecorder(context.Background())
		both[i] = rec
		wg.Go(func() {
			if err := player.Run(rec.ctx, turn, rec.emit); err != nil {
				rec.problem("the turn failed: %v", err)
			}
			rec.end()
		})
	}
	wg.Wait()
	for _, rec := range both {
		if got, want := rec.text(), alone.text(); got != want {
			rec.problem("beside another turn it says %q, alone %q", got, want)
		}
	}
	return errors.Join(alone.verdict(before), both[0].verdict(before), both[1].verdict(before))
}

// goroutines waits until all other goroutines of the bubble block or end, and returns the number of live goroutines.
// Before it counts them, it calls runtime.GC, which stops every thread once: by then a goroutine that was about to end
// has ended.
func goroutines() int {
	synctest.Wait()
	runtime.GC()
	return runtime.NumGoroutine()
}

func leftover(before int) error {
	if after := goroutines(); after > before {
		return fmt.Errorf("the turn left %d goroutines running", after-before)
	}
	return nil
}

func liveHeap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
