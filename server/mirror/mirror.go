package mirror

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/realm"
)

// Ref names a realm.
type Ref struct{ Tenant, ID string }

// Realms is the worlds folder as the mirror needs it.
type Realms interface {
	// Refs lists every realm there is, open or not.
	Refs() []Ref
	// LoadBoard gives a realm's findings.json, nil where there is none.
	LoadBoard(Ref) ([]byte, error)
	// SaveBoard replaces it, all or nothing; it makes no folder.
	SaveBoard(Ref, []byte) error
	// RemoveBoard deletes it; one that is not there is no error.
	RemoveBoard(Ref) error
}

// Config of a mirror.
type Config struct {
	Address Address // zero: findings.json alone
	Realms  Realms
	Log     zerolog.Logger
	// Server marks this worlds folder's boards on Redis: the same in each of its lives, and
	// nothing that may not be read there.
	Server string
	// Times are for tests; zero is DefaultTimes.
	Times Times
}

// Times of a mirror.
type Times struct {
	File       time.Duration // findings.json is written so long after the first change that is not in it
	Look       time.Duration // how often Redis is asked whether it is there
	Verify     time.Duration // how often the whole board there is compared
	FirstRetry time.Duration // after a failure, then twice as long each time
	LastRetry  time.Duration
	Patience   time.Duration // with one answer of Redis
	End        time.Duration // how long the last copy of a realm that closes may wait for Redis
}

// DefaultTimes of a mirror.
var DefaultTimes = Times{
	File: time.Second, Look: 2 * time.Second, Verify: time.Minute,
	FirstRetry: time.Second, LastRetry: 15 * time.Second, Patience: 5 * time.Second, End: 2 * time.Second,
}

// Mirror keeps the boards of a server. It is safe from any goroutine.
type Mirror struct {
	cfg    Config
	log    zerolog.Logger
	places *places // nil: findings.json alone

	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu      sync.Mutex
	follows map[Ref]*follower     // open realms
	busy    map[Ref]chan struct{} // realms whose findings.json is being published; at most one
	away    map[Ref]bool          // who found Redis away, for the log; Ref{} is the watch
	nudge   chan struct{}         // holds one: look now
	untidy  bool                  // boards of removed realms may be left on Redis
}

// New makes a mirror and begins to look for Redis, where one is named. It waits for
// nothing: a server starts without its Redis.
func New(cfg Config) *Mirror {
	if cfg.Times == (Times{}) {
		cfg.Times = DefaultTimes
	}
	m := &Mirror{cfg: cfg, log: cfg.Log, follows: map[Ref]*follower{}, busy: map[Ref]chan struct{}{}, away: map[Ref]bool{}, nudge: make(chan struct{}, 1)}
	m.ctx, m.cancel = context.WithCancel(context.Background())
	if !cfg.Address.IsZero() {
		m.places = newPlaces(cfg.Address, cfg.Server, cfg.Times.Patience)
		m.work.Go(m.watch)
	}
	return m
}

// Close ends what New began; realms that are followed still end without Redis.
func (m *Mirror) Close() error {
	m.cancel()
	m.work.Wait()
	if m.places == nil {
		return nil
	}
	return m.places.client.Close()
}

// Follow copies what a realm commits until it has closed or end is called, which makes a
// last copy and waits for it: at most about Times.End and one write of a file.
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
			delete(m.away, f.ref) // what it could not tell Redis is left in findings.json
			m.untidy = m.untidy || f.board.behind()
		}
	}()
	return func() { cancel(); <-done }
}

// Removed says that realms are gone: their boards are taken off Redis soon, or once it is
// back, also by a later life.
func (m *Mirror) Removed() {
	m.setUntidy()
	select {
	case m.nudge <- struct{}{}:
	default: // it looks soon
	}
}

// watch is a goroutine that sees Redis come and go, so that also a realm in which nothing
// happens says so and catches up.
func (m *Mirror) watch() {
	timer := time.NewTicker(m.cfg.Times.Look)
	defer timer.Stop()
	up, life := false, ""
	for {
		now, err := m.places.look(m.ctx)
		if m.ctx.Err() != nil {
			return
		}
		m.said(Ref{}, err)
		switch {
		case err != nil:
			if up {
				m.poke()
			}
			up = false
		case !up || now != life: // another life may hold an older state
			up, life = true, now
			m.poke()
			m.setUntidy()
		}
		if up {
			m.tidy()
		}
		select {
		case <-timer.C:
		case <-m.nudge:
		case <-m.ctx.Done():
			return
		}
	}
}

func (m *Mirror) setUntidy() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.untidy = true
}

// poke has every open realm look at once.
func (m *Mirror) poke() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, f := range m.follows {
		select {
		case f.kick <- struct{}{}:
		default: // it will
		}
	}
}

// tidy catches up on what happened to realms that are not open while Redis was away: it
// removes the boards of those that are gone, and publishes what others left in
// findings.json.
func (m *Mirror) tidy() {
	m.mu.Lock()
	due := m.untidy
	m.untidy = false
	m.mu.Unlock()
	if !due {
		return
	}
	if err := m.tidyAll(); err != nil && m.ctx.Err() == nil {
		m.log.Debug().Str("why", m.cfg.Address.reason(err)).Msg("boards on Redis could not be tidied; it is tried again")
		m.setUntidy()
	}
}

func (m *Mirror) tidyAll() error {
	there, err := m.places.ours(m.ctx) // before the realms: one that is made now is in neither
	if err != nil {
		return err
	}
	refs := m.cfg.Realms.Refs()
	known := make(map[Ref]bool, len(refs))
	for _, ref := range refs {
		known[ref] = true
	}
	for _, ref := range there {
		if !known[ref] {
			err = errors.Join(err, m.places.forget(m.ctx, ref))
		}
	}
	for _, ref := range refs {
		err = errors.Join(err, m.publish(ref))
	}
	return err
}

// publish puts the findings.json of a realm that is not open on Redis and removes it.
func (m *Mirror) publish(ref Ref) error {
	done := make(chan struct{})
	m.mu.Lock()
	open := m.follows[ref] != nil
	if !open {
		m.busy[ref] = done
	}
	m.mu.Unlock()
	if open {
		return nil // its follower does it
	}
	defer func() {
		m.mu.Lock()
		delete(m.busy, ref)
		m.mu.Unlock()
		close(done)
	}()
	data, err := m.cfg.Realms.LoadBoard(ref)
	if err != nil || data == nil {
		return err
	}
	b, err := boardOf(ref, data)
	if err != nil { // its next opening writes it anew
		m.log.Warn().Err(err).Str("realm", ref.ID).Msg("a findings.json cannot be used")
		return nil
	}
	if err := m.places.sync(m.ctx, b); err != nil {
		return err
	}
	return m.cfg.Realms.RemoveBoard(ref)
}

// said logs when Redis goes away and when all is well again, once each, whoever finds out
// first. err is what who found, nil for nothing.
func (m *Mirror) said(who Ref, err error) {
	m.mu.Lock()
	was := len(m.away)
	if err != nil {
		m.away[who] = true
	} else {
		delete(m.away, who)
	}
	now := len(m.away)
	m.mu.Unlock()
	switch {
	case was == 0 && now > 0:
		m.log.Warn().Stringer("redis", m.cfg.Address).Str("why", m.cfg.Address.reason(err)).Msg("the findings board on Redis is away; findings.json in the realms' folders stands in for it")
	case was > 0 && now == 0:
		m.log.Info().Stringer("redis", m.cfg.Address).Msg("the findings board on Redis is back and has caught up")
	}
}
