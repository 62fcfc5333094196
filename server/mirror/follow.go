package mirror

import (
	"context"
	"errors"
	"time"

	"agentdungeon/server/realm"
	"agentdungeon/server/realm/watch"
)

// follower copies the findings of one open realm. Only its goroutine uses the fields after kick.
type follower struct {
	m     *Mirror
	ref   Ref
	realm *realm.Realm
	kick  chan struct{} // buffer of one: compare now

	board  board
	tryAt  time.Time     // next try, zero: at once
	wait   time.Duration // before the next try after a failure; 0 after a success
	verify time.Time     // when all of Redis is compared again
	races  int           // in a row
	note   string        // the last message to people

	fileDue  time.Time // of findings.json, where it lacks something; zero: not waiting yet
	written  position  // what findings.json holds; zero: nothing, or unknown
	noFile   bool      // it is known not to be there
	fileFail bool      // said
}

// Follow copies what a realm commits until it has closed or end is called. end makes a last copy
// and waits for it, at most about Times.End and one write of a file.
func (m *Mirror) Follow(tenant string, r *realm.Realm) (end func()) {
	f := &follower{m: m, ref: Ref{tenant, r.ID()}, realm: r, kick: make(chan struct{}, 1)}
	f.board.ref = f.ref
	ctx, cancel := context.WithCancel(context.Background())
	m.mu.Lock()
	m.follows[f.ref] = f
	busy := m.busy[f.ref]
	m.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		if busy != nil {
			<-busy
		}
		f.run(ctx)
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.follows[f.ref] == f {
			delete(m.follows, f.ref)
			delete(m.away, f.ref) // findings.json has what Redis did not get
			m.untidy = m.untidy || f.board.behind()
		}
	}()
	return func() { cancel(); <-done }
}

// run is the follower's goroutine.
func (f *follower) run(ctx context.Context) {
	// The folder has the copy of the earlier life. Replacing it can wait: viewers are about to
	// be shown the realm, and writing a file of 10 MB takes CPU from them.
	due := time.Now().Add(f.m.cfg.Times.File)
	for {
		w, tail, err := f.realm.Tail(ctx)
		switch {
		case errors.Is(err, watch.ErrLapped):
			continue
		case err != nil: // closed, or read-only from now on: the copy stays as it is
			if w := f.realm.Last(); w != nil {
				epoch, _ := f.realm.Position()
				f.board.reset(epoch, w)
			}
			f.last()
			return
		}
		epoch, _ := f.realm.Position()
		f.board.reset(epoch, w)
		f.tryAt, f.fileDue = time.Time{}, due
		again := f.follow(ctx, tail)
		tail.Close()
		if !again {
			f.last()
			return
		}
		due = time.Now() // without the erased words
	}
}

// follow copies until the whole state must be read again (again) or the realm has closed.
func (f *follower) follow(ctx context.Context, tail *watch.Tail) (again bool) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		ended := false
		select {
		case <-tail.Ready():
		case <-timer.C:
		case <-f.kick:
			f.board.doubt()
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
				f.m.log.Error().Err(err).Str("realm", f.ref.ID).Msg("the board is read again from the realm")
			}
			erased = erased || e || err != nil
		}
		switch {
		case errors.Is(err, watch.ErrLapped), erased: // also at the end: it lacks something
			return true
		case err != nil, ended:
			return false
		}
		timer.Reset(f.copy(ctx))
	}
}

// copy updates Redis and the file as far as they are due, and returns the longest time until its
// next call.
func (f *follower) copy(ctx context.Context) time.Duration {
	now, next := time.Now(), time.Hour
	if f.m.places != nil {
		if !f.verify.IsZero() && !now.Before(f.verify) {
			f.board.doubt()
		}
		if f.board.behind() && !now.Before(f.tryAt) {
			f.redis(ctx)
			now = time.Now()
		}
		if f.board.behind() {
			next = f.tryAt.Sub(now)
		} else {
			next = f.verify.Sub(now)
		}
	}
	if f.m.places == nil || f.wait > 0 {
		next = min(next, f.toFile(now))
	}
	return max(0, next)
}

// redis tries to update Redis.
func (f *follower) redis(ctx context.Context) {
	const maxRaces = 5
	err := f.m.places.sync(ctx, &f.board)
	if errors.Is(err, errRaced) && f.races < maxRaces {
		f.races++
		f.tryAt = time.Time{} // at once, with a full comparison
		return
	}
	f.races = 0
	now := time.Now()
	if err == nil {
		f.dropFile()
		f.wait, f.verify = 0, now.Add(f.m.cfg.Times.Verify)
		f.m.said(f.ref, nil)
		f.say("")
		return
	}
	if ctx.Err() != nil {
		return
	}
	if f.wait == 0 {
		f.fileDue = now // the file takes its place from now on
	}
	f.wait = min(max(2*f.wait, f.m.cfg.Times.FirstRetry), f.m.cfg.Times.LastRetry)
	f.tryAt = now.Add(f.wait)
	f.m.said(f.ref, err)
	f.toFile(now)
	switch {
	case f.fileFail:
		f.say(sentence(err) +
			" findings.json cannot be written either: other programs see an older state of the findings, which are safe.")
	default:
		f.say(sentence(err) +
			" Until that is mended, other programs find the findings in findings.json in the realm's folder.")
	}
}

// toFile writes findings.json if it has been out of date for long enough, and returns the
// longest time until its next call.
func (f *follower) toFile(now time.Time) time.Duration {
	if f.written == f.board.at() {
		f.fileDue = time.Time{}
		return time.Hour
	}
	if f.fileDue.IsZero() {
		f.fileDue = now.Add(f.m.cfg.Times.File)
	}
	if now.Before(f.fileDue) {
		return f.fileDue.Sub(now)
	}
	data, err := f.board.file()
	if err == nil {
		err = f.m.cfg.Realms.SaveBoard(f.ref, data)
	}
	if err != nil {
		if !f.fileFail {
			f.m.log.Error().Err(err).Str("realm", f.ref.ID).Msg("findings.json could not be written; the journal has everything")
		}
		f.fileFail, f.written = true, position{}
		if f.m.places == nil {
			f.say("findings.json cannot be written: other programs see an older state of the findings, which are safe.")
		}
		f.fileDue = now.Add(f.m.cfg.Times.LastRetry)
		return f.m.cfg.Times.LastRetry
	}
	if f.fileFail, f.noFile = false, false; f.m.places == nil {
		f.say("")
	}
	f.written, f.fileDue = f.board.at(), time.Time{}
	return time.Hour
}

// dropFile removes findings.json once Redis holds the board.
func (f *follower) dropFile() {
	if f.noFile {
		return
	}
	if err := f.m.cfg.Realms.RemoveBoard(f.ref); err != nil {
		f.m.log.Warn().Err(err).Str("realm", f.ref.ID).Msg("findings.json could not be removed; the board is on Redis")
		return
	}
	f.noFile, f.written, f.fileDue = true, position{}, time.Time{}
}

// last makes the final copy of a realm that has closed.
func (f *follower) last() {
	if f.board.epoch == "" {
		return // nothing was ever committed here
	}
	if f.m.places != nil && f.board.behind() {
		ctx, cancel := context.WithTimeout(f.m.ctx, f.m.cfg.Times.End)
		defer cancel()
		err := f.m.places.sync(ctx, &f.board)
		if errors.Is(err, errRaced) {
			err = f.m.places.sync(ctx, &f.board)
		}
		if err == nil {
			f.dropFile()
			f.m.said(f.ref, nil)
			return
		}
		f.fileDue = time.Now()
	}
	if f.m.places == nil || f.board.behind() {
		f.fileDue = time.Time{}.Add(1)
		f.toFile(time.Now())
	}
}

// say tells people once what is wrong with the board; "" means that nothing is.
func (f *follower) say(note string) {
	if note == f.note {
		return
	}
	f.note = note
	f.realm.SetBoard(note)
}
