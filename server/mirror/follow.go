package mirror

import (
	"context"
	"errors"
	"time"

	"agentdungeon/server/realm"
	"agentdungeon/server/realm/watch"
)

// follower copies the findings of one open realm. Only its own goroutine uses the fields below kick.
type follower struct {
	m     *Mirror
	ref   Ref
	realm *realm.Realm
	kick  chan struct{} // capacity 1; a value makes the follower compare all findings with Redis now

	board    board
	tryAt    time.Time     // when Redis is updated next; zero for at once
	wait     time.Duration // the time until the next try after a failure; 0 after a success
	verifyAt time.Time     // the time of the next comparison of all findings with Redis
	races    int           // number of consecutive updates that failed with errRaced
	message  string        // message that people see in the realm; "" for none

	fileAt   time.Time // when findings.json is written next; zero if the file is up to date
	inFile   position  // position of findings.json; zero if the file does not exist or its position is unknown
	noFile   bool      // findings.json is known not to exist
	fileFail bool      // the last write of findings.json failed and was logged
}

// Follow begins to copy the findings of an open realm. It copies until the realm has closed or the caller
// calls end. end makes a last copy and returns when the copy is made: it waits at most Times.End for Redis,
// and writes findings.json if Redis does not take the copy.
func (m *Mirror) Follow(tenant string, r *realm.Realm) (end func()) {
	f := &follower{m: m, ref: Ref{tenant, r.ID()}, realm: r, kick: make(chan struct{}, 1)}
	f.board.ref = f.ref
	ctx, cancel := context.WithCancel(context.Background())
	m.mu.Lock()
	m.followers[f.ref] = f
	publishing := m.publishing[f.ref]
	m.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		if publishing != nil {
			<-publishing
		}
		f.run(ctx)
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.followers[f.ref] == f {
			delete(m.followers, f.ref)
			delete(m.failing, f.ref) // the failure is over: findings.json has the findings that Redis lacks
			m.cleanupDue = m.cleanupDue || f.board.behind()
		}
	}()
	return func() { cancel(); <-done }
}

// run is the follower's goroutine.
func (f *follower) run(ctx context.Context) {
	// Write findings.json some time after the opening and not at once: it may have 10 MB, and browsers that connect
	// then need the CPU.
	due := time.Now().Add(f.m.cfg.Times.File)
	for {
		w, tail, err := f.realm.Tail(ctx)
		switch {
		case errors.Is(err, watch.ErrLapped):
			continue
		case err != nil: // the realm is closed, or takes no events any more
			if w := f.realm.Last(); w != nil {
				epoch, _ := f.realm.Position()
				f.board.reset(epoch, w)
			}
			f.lastCopy()
			return
		}
		epoch, _ := f.realm.Position()
		f.board.reset(epoch, w)
		f.tryAt, f.fileAt = time.Time{}, due
		reread := f.follow(ctx, tail)
		tail.Close()
		if !reread {
			f.lastCopy()
			return
		}
		due = time.Now() // write the file at once: after an erasure it still has the erased words
	}
}

// follow copies the findings until the realm has closed, ctx ends, or the board must be read again from the realm,
// because it lacks events or may have erased words. In the last case reread is true.
func (f *follower) follow(ctx context.Context, tail *watch.Tail) (reread bool) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		ended := false
		select {
		case <-tail.Ready():
		case <-timer.C:
		case <-f.kick:
			f.board.forgetPosition()
			f.tryAt = time.Time{}
		case <-f.realm.Done():
			ended = true
		case <-ctx.Done():
			ended = true
		}
		frames, err := tail.Next()
		erased := false
		for _, frame := range frames {
			e, err := f.board.fold(frame)
			if err != nil {
				f.m.log.Error().Err(err).Str("realm", f.ref.ID).
					Msg("an event could not be folded; the findings are read again from the realm")
			}
			erased = erased || e || err != nil
		}
		switch {
		// The board lacks events or may have erased words, so it must be read again, even if the realm has closed.
		case errors.Is(err, watch.ErrLapped), erased:
			return true
		case err != nil, ended:
			return false
		}
		timer.Reset(f.update(ctx))
	}
}

// update updates the copy on Redis and findings.json, if they are due. The caller has to call update again
// after the returned time at the latest.
func (f *follower) update(ctx context.Context) time.Duration {
	now, next := time.Now(), time.Hour
	if f.m.redis != nil {
		if !f.verifyAt.IsZero() && !now.Before(f.verifyAt) {
			f.board.forgetPosition()
		}
		if f.board.behind() && !now.Before(f.tryAt) {
			f.updateRedis(ctx)
			now = time.Now()
		}
		if f.board.behind() {
			next = f.tryAt.Sub(now)
		} else {
			next = f.verifyAt.Sub(now)
		}
	}
	if f.m.redis == nil || f.wait > 0 {
		next = min(next, f.updateFile(now))
	}
	return max(0, next)
}

// updateRedis copies what has changed to Redis. After a failure it sets the time of the next try and updates
// findings.json.
func (f *follower) updateRedis(ctx context.Context) {
	const maxRaces = 5
	err := f.m.redis.sync(ctx, &f.board)
	if errors.Is(err, errRaced) && f.races < maxRaces {
		f.races++
		f.tryAt = time.Time{} // sync has forgotten the position, so the next sync compares all findings
		return
	}
	f.races = 0
	now := time.Now()
	if err == nil {
		f.removeFile()
		f.wait, f.verifyAt = 0, now.Add(f.m.cfg.Times.Verify)
		f.m.logState(f.ref, nil)
		f.show("")
		return
	}
	if ctx.Err() != nil {
		return
	}
	if f.wait == 0 {
		f.fileAt = now // write findings.json now: it is the copy while Redis does not answer
	}
	f.wait = min(max(2*f.wait, f.m.cfg.Times.FirstRetry), f.m.cfg.Times.LastRetry)
	f.tryAt = now.Add(f.wait)
	f.m.logState(f.ref, err)
	f.updateFile(now)
	if f.fileFail {
		f.show(userMessage(err) +
			" findings.json cannot be written either: other programs see an older copy. The findings themselves are safe.")
	} else {
		f.show(userMessage(err) +
			" Until that is mended, other programs find the findings in findings.json in the realm's folder.")
	}
}

// updateFile writes findings.json if the file has been out of date for Times.File. The caller has to call it
// again after the returned time at the latest.
func (f *follower) updateFile(now time.Time) time.Duration {
	if f.inFile == f.board.at() {
		f.fileAt = time.Time{}
		return time.Hour
	}
	if f.fileAt.IsZero() {
		f.fileAt = now.Add(f.m.cfg.Times.File)
	}
	if now.Before(f.fileAt) {
		return f.fileAt.Sub(now)
	}
	data, err := f.board.file()
	if err == nil {
		err = f.m.cfg.Realms.SaveBoard(f.ref, data)
	}
	if err != nil {
		if !f.fileFail {
			f.m.log.Error().Err(err).Str("realm", f.ref.ID).
				Msg("findings.json could not be written; the journal has all findings")
		}
		f.fileFail, f.inFile = true, position{}
		if f.m.redis == nil {
			f.show("findings.json cannot be written: other programs see an older copy. The findings themselves are safe.")
		}
		f.fileAt = now.Add(f.m.cfg.Times.LastRetry)
		return f.m.cfg.Times.LastRetry
	}
	if f.fileFail, f.noFile = false, false; f.m.redis == nil {
		f.show("")
	}
	f.inFile, f.fileAt = f.board.at(), time.Time{}
	return time.Hour
}

// removeFile removes findings.json once Redis has the board.
func (f *follower) removeFile() {
	if f.noFile {
		return
	}
	if err := f.m.cfg.Realms.RemoveBoard(f.ref); err != nil {
		f.m.log.Warn().Err(err).Str("realm", f.ref.ID).Msg("findings.json could not be removed; the board is on Redis")
		return
	}
	f.noFile, f.inFile, f.fileAt = true, position{}, time.Time{}
}

// lastCopy makes the last copy of the findings, after the realm has closed.
func (f *follower) lastCopy() {
	if f.board.epoch == "" {
		return // the realm has committed nothing, so there is nothing to copy
	}
	if f.m.redis != nil && f.board.behind() {
		ctx, cancel := context.WithTimeout(f.m.ctx, f.m.cfg.Times.End)
		defer cancel()
		err := f.m.redis.sync(ctx, &f.board)
		if errors.Is(err, errRaced) {
			err = f.m.redis.sync(ctx, &f.board)
		}
		if err == nil {
			f.removeFile()
			f.m.logState(f.ref, nil)
			return
		}
	}
	if f.m.redis == nil || f.board.behind() {
		f.fileAt = time.Now()
		f.updateFile(f.fileAt)
	}
}

// show sets the message about the copy that people see in the realm, or removes it if message is empty.
func (f *follower) show(message string) {
	if message == f.message {
		return
	}
	f.message = message
	f.realm.SetBoard(message)
}
