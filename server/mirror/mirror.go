package mirror

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// Ref identifies a realm.
type Ref struct{ Tenant, ID string }

// Realms is the mirror's port to the worlds folder.
type Realms interface {
	// Refs lists all realms, open or not.
	Refs() []Ref
	// LoadBoard reads a realm's findings.json; nil if there is none.
	LoadBoard(Ref) ([]byte, error)
	// SaveBoard replaces findings.json atomically; it creates no folder.
	SaveBoard(Ref, []byte) error
	// RemoveBoard deletes findings.json; a missing file is no error.
	RemoveBoard(Ref) error
}

// Config of a mirror.
type Config struct {
	Address Address // zero: findings.json alone
	Realms  Realms
	Log     zerolog.Logger
	// Server marks the boards of this worlds folder on Redis. It is the same in each life and
	// holds no secret.
	Server string
	// Times are for tests; zero is DefaultTimes.
	Times Times
}

// Times of a mirror.
type Times struct {
	File       time.Duration // delay of findings.json after the first change that it lacks
	Look       time.Duration // how often Redis is checked
	Verify     time.Duration // how often the whole board on Redis is compared
	FirstRetry time.Duration // after a failure; doubled with each further one
	LastRetry  time.Duration
	Patience   time.Duration // for one answer of Redis
	End        time.Duration // how long the last copy of a closing realm may wait for Redis
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
	away    map[Ref]bool          // who found Redis away, for the log; Ref{} is the watch goroutine
	nudge   chan struct{}         // buffer of one: look now
	untidy  bool                  // boards of removed realms may be left on Redis
}

// New creates a mirror and starts to look for Redis if there is an address. It does not wait: a
// server starts without its Redis.
func New(cfg Config) *Mirror {
	if cfg.Times == (Times{}) {
		cfg.Times = DefaultTimes
	}
	m := &Mirror{cfg: cfg, log: cfg.Log, follows: map[Ref]*follower{}, busy: map[Ref]chan struct{}{}, away: map[Ref]bool{},
		nudge: make(chan struct{}, 1)}
	m.ctx, m.cancel = context.WithCancel(context.Background())
	if !cfg.Address.IsZero() {
		m.places = newPlaces(cfg.Address, cfg.Server, cfg.Times.Patience)
		m.work.Go(m.watch)
	}
	return m
}

// Close stops what New started; realms that are still followed end without Redis.
func (m *Mirror) Close() error {
	m.cancel()
	m.work.Wait()
	if m.places == nil {
		return nil
	}
	return m.places.client.Close()
}

// Removed reports that realms were removed: their boards are deleted on Redis soon, or once it
// is back, possibly by a later life.
func (m *Mirror) Removed() {
	m.setUntidy()
	select {
	case m.nudge <- struct{}{}:
	default: // it looks soon
	}
}

// watch is the goroutine that notices when Redis goes and comes back, so that a realm without
// events reports it and catches up too.
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
		case !up || now != life: // another Redis process may have an older state
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

// poke wakes the followers of all open realms.
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

// tidy handles realms that were not open while Redis was away: it deletes the boards of removed
// realms and publishes what was left in findings.json.
func (m *Mirror) tidy() {
	m.mu.Lock()
	due := m.untidy
	m.untidy = false
	m.mu.Unlock()
	if !due {
		return
	}
	if err := m.tidyAll(); err != nil && m.ctx.Err() == nil {
		m.log.Debug().Str("why", m.cfg.Address.reason(err)).Msg("boards on Redis were not cleaned up; retrying")
		m.setUntidy()
	}
}

func (m *Mirror) tidyAll() error {
	there, err := m.places.ours(m.ctx) // read first: a realm created meanwhile is in neither list
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

// publish copies the findings.json of a closed realm to Redis and removes the file.
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
	if err != nil { // the next opening of the realm writes it again
		m.log.Warn().Err(err).Str("realm", ref.ID).Msg("a findings.json cannot be used")
		return nil
	}
	if err := m.places.sync(m.ctx, b); err != nil {
		return err
	}
	return m.cfg.Realms.RemoveBoard(ref)
}

// said logs once when Redis goes away and once when all is well again, whoever notices first.
// err is what who found, nil for success.
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
		m.log.Warn().Stringer("redis", m.cfg.Address).Str("why", m.cfg.Address.reason(err)).
			Msg("the findings board on Redis is away; findings.json in the realms' folders stands in for it")
	case was > 0 && now == 0:
		m.log.Info().Stringer("redis", m.cfg.Address).Msg("the findings board on Redis is back and has caught up")
	}
}
