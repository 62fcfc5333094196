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

// Realms reads and writes the findings.json files of realms.
type Realms interface {
	// Refs lists all realms, open or not.
	Refs() []Ref
	// LoadBoard returns the content of a realm's findings.json, or nil if the file does not exist.
	LoadBoard(Ref) ([]byte, error)
	// SaveBoard replaces a realm's findings.json atomically. It does not create the realm's folder.
	SaveBoard(Ref, []byte) error
	// RemoveBoard deletes a realm's findings.json. It returns no error if the file does not exist.
	RemoveBoard(Ref) error
}

// Config configures a mirror.
type Config struct {
	Address Address // zero for copies in findings.json only
	Realms  Realms
	Log     zerolog.Logger
	// Server is an id of the worlds folder. The keys and entries on Redis contain it, because several servers can
	// share a Redis. It stays the same after a restart and is not secret.
	Server string
	// Times has the intervals and time limits. It is zero except in tests; zero stands for DefaultTimes.
	Times Times
}

// Times has the intervals and time limits of a mirror.
type Times struct {
	File       time.Duration // time from the first change that findings.json lacks to the writing of the file
	Look       time.Duration // time between two checks whether Redis answers
	Verify     time.Duration // time between two comparisons of all findings of a realm with Redis
	FirstRetry time.Duration // wait after a failure; each further failure doubles it
	LastRetry  time.Duration // maximum wait after a failure
	Patience   time.Duration // maximum wait for one answer of Redis
	End        time.Duration // how long the last copy of a closing realm may wait for Redis
}

// DefaultTimes are the times of every mirror outside of tests.
var DefaultTimes = Times{
	File: time.Second, Look: 2 * time.Second, Verify: time.Minute,
	FirstRetry: time.Second, LastRetry: 15 * time.Second, Patience: 5 * time.Second, End: 2 * time.Second,
}

// Mirror copies the findings of a server's realms. Its methods are safe for concurrent use.
type Mirror struct {
	cfg   Config
	log   zerolog.Logger
	redis *redisBoards // nil without a Redis server; then findings.json is the only copy

	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu        sync.Mutex
	followers map[Ref]*follower // by realm; only open realms have one
	// publishing has at most one entry: the realm whose findings.json is being published now. The channel is closed when
	// the publishing ends.
	publishing map[Ref]chan struct{}
	failing    map[Ref]bool  // realms whose follower failed to update Redis, for logState; Ref{} stands for the watcher
	wake       chan struct{} // capacity 1; a value makes the watcher check Redis now
	cleanupDue bool          // Redis may have boards of removed realms, or may lack boards of closed realms
}

// New returns a mirror. If cfg.Address is set, New starts the watcher, which connects to Redis in the
// background.
func New(cfg Config) *Mirror {
	if cfg.Times == (Times{}) {
		cfg.Times = DefaultTimes
	}
	m := &Mirror{cfg: cfg, log: cfg.Log, followers: map[Ref]*follower{}, publishing: map[Ref]chan struct{}{},
		failing: map[Ref]bool{}, wake: make(chan struct{}, 1)}
	m.ctx, m.cancel = context.WithCancel(context.Background())
	if !cfg.Address.IsZero() {
		m.redis = newRedisBoards(cfg.Address, cfg.Server, cfg.Times.Patience)
		m.work.Go(m.watchRedis)
	}
	return m
}

// Close stops the watcher and closes the connections to Redis. A follower that still runs then writes
// findings.json only.
func (m *Mirror) Close() error {
	m.cancel()
	m.work.Wait()
	if m.redis == nil {
		return nil
	}
	return m.redis.client.Close()
}

// Removed tells the mirror that a realm was removed. The watcher deletes the realm's board on Redis soon, or
// once Redis answers again, even after a restart of the server.
func (m *Mirror) Removed() {
	m.requestCleanup()
	select {
	case m.wake <- struct{}{}:
	default: // the watcher has a value in wake already
	}
}

// watchRedis is the body of the watcher goroutine, which checks whether Redis answers. When that changes, it
// wakes all followers, because the follower of a realm without new events would not notice it.
func (m *Mirror) watchRedis() {
	timer := time.NewTicker(m.cfg.Times.Look)
	defer timer.Stop()
	up, runID := false, ""
	for {
		now, err := m.redis.ping(m.ctx)
		if m.ctx.Err() != nil {
			return
		}
		m.logState(Ref{}, err)
		switch {
		case err != nil:
			if up {
				m.kickAll()
			}
			up = false
		case !up || now != runID: // Redis answers again, or was restarted, and may have older findings
			up, runID = true, now
			m.kickAll()
			m.requestCleanup()
		}
		if up {
			m.cleanUp()
		}
		select {
		case <-timer.C:
		case <-m.wake:
		case <-m.ctx.Done():
			return
		}
	}
}

func (m *Mirror) requestCleanup() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cleanupDue = true
}

// kickAll wakes all followers.
func (m *Mirror) kickAll() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, f := range m.followers {
		select {
		case f.kick <- struct{}{}:
		default: // the follower has a value in kick already
		}
	}
}

// cleanUp does nothing unless a cleanup was requested. It deletes the boards of removed realms from Redis, and
// copies the findings.json of closed realms to Redis.
func (m *Mirror) cleanUp() {
	m.mu.Lock()
	due := m.cleanupDue
	m.cleanupDue = false
	m.mu.Unlock()
	if !due {
		return
	}
	if err := m.cleanUpAll(); err != nil && m.ctx.Err() == nil {
		m.log.Debug().Str("why", m.cfg.Address.reason(err)).
			Msg("removing or adding boards on Redis failed; retrying")
		m.requestCleanup()
	}
}

func (m *Mirror) cleanUpAll() error {
	// List the boards before the realms, so that a realm that is created in between does not look like a removed one.
	there, err := m.redis.list(m.ctx)
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
			err = errors.Join(err, m.redis.delete(m.ctx, ref))
		}
	}
	for _, ref := range refs {
		err = errors.Join(err, m.publish(ref))
	}
	return err
}

// publish copies the findings.json of a closed realm to Redis and then removes the file.
func (m *Mirror) publish(ref Ref) error {
	done := make(chan struct{})
	m.mu.Lock()
	open := m.followers[ref] != nil
	if !open {
		m.publishing[ref] = done
	}
	m.mu.Unlock()
	if open {
		return nil // the realm is open, so its follower updates Redis
	}
	defer func() {
		m.mu.Lock()
		delete(m.publishing, ref)
		m.mu.Unlock()
		close(done)
	}()
	data, err := m.cfg.Realms.LoadBoard(ref)
	if err != nil || data == nil {
		return err
	}
	b, err := decodeBoard(ref, data)
	if err != nil {
		m.log.Warn().Err(err).Str("realm", ref.ID).
			Msg("a realm's findings.json cannot be used; it is written again when the realm is opened")
		return nil
	}
	if err := m.redis.sync(m.ctx, b); err != nil {
		return err
	}
	return m.cfg.Realms.RemoveBoard(ref)
}

// logState records, for each follower and for the watcher, whether its last access to Redis failed. The parameter
// who is the realm of the follower, or Ref{} for the watcher. logState logs the first failure, and later the moment
// at which all of them succeed again.
func (m *Mirror) logState(who Ref, err error) {
	m.mu.Lock()
	was := len(m.failing)
	if err != nil {
		m.failing[who] = true
	} else {
		delete(m.failing, who)
	}
	now := len(m.failing)
	m.mu.Unlock()
	switch {
	case was == 0 && now > 0:
		m.log.Warn().Stringer("redis", m.cfg.Address).Str("why", m.cfg.Address.reason(err)).
			Msg("Redis cannot be used; the findings are copied to findings.json in the realms' folders instead")
	case was > 0 && now == 0:
		m.log.Info().Stringer("redis", m.cfg.Address).Msg("Redis can be used again and has all findings")
	}
}
