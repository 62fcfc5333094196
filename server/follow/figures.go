package follow

import (
	"maps"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/shadow"
)

// logEvery is the minimum time between two log lines with a program's figures.
const logEvery = time.Minute

// maxErrors is how many different errors of a program are logged.
const maxErrors = 20

// figures are what readers have met and do not show, by program, since the server's start. Several realms that read one
// file count it several times.
type figures struct {
	log zerolog.Logger
	mu  sync.Mutex
	of  map[string]*figure
}

type figure struct {
	counts            shadow.Counts
	failed, refused   int
	changed           bool
	loggedAt          time.Time
	errors            map[string]bool
	sessions, tracked int
}

// program returns the figure of a program. The caller holds mu.
func (f *figures) program(name string) *figure {
	p := f.of[name]
	if p == nil {
		p = &figure{counts: shadow.Counts{Unknown: map[string]int{}}, errors: map[string]bool{}}
		f.of[name] = p
	}
	return p
}

// read adds what a reading has met.
func (f *figures) read(program string, c shadow.Counts) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.program(program)
	for kind, n := range c.Unknown {
		if _, ok := p.counts.Unknown[kind]; ok || len(p.counts.Unknown) < shadow.MaxUnknown {
			p.counts.Unknown[kind] += n
			p.changed = p.changed || n > 0
		}
	}
	p.counts.Broken += c.Broken
	p.counts.TooLong += c.TooLong
	p.counts.Hidden += c.Hidden
	p.changed = p.changed || c.Broken+c.TooLong+c.Hidden > 0
}

// listed notes a listing. What it could not read is met again by each listing, so it is not added up.
func (f *figures) listed(program string, l *shadow.Listing, tracked int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.program(program)
	if l.Counts.Hidden > p.counts.Hidden {
		p.counts.Hidden, p.changed = l.Counts.Hidden, true
	}
	if p.tracked != tracked {
		p.changed = true
	}
	p.sessions, p.tracked = l.Total, tracked
}

// fail counts an error and logs it, unless the same was logged before.
func (f *figures) fail(program, realm, what string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.program(program)
	p.failed++
	p.changed = true
	key := what + err.Error()
	if p.errors[key] || len(p.errors) >= maxErrors {
		return
	}
	p.errors[key] = true
	f.log.Warn().Err(err).Str("program", program).Str("realm", realm).Msg(what)
}

// refused counts what a realm has not taken.
func (f *figures) refuse(program string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.program(program)
	p.refused++
	p.changed = true
}

// tell logs the figures of the programs whose figures have changed, each at most once in logEvery.
func (f *figures) tell(now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name, p := range f.of {
		if !p.changed || !p.loggedAt.IsZero() && now.Sub(p.loggedAt) < logEvery {
			continue
		}
		p.changed, p.loggedAt = false, now
		f.log.Info().Str("program", name).Int("sessions", p.sessions).Int("followed", p.tracked).
			Interface("unknown", maps.Clone(p.counts.Unknown)).Int("broken", p.counts.Broken).
			Int("tooLong", p.counts.TooLong).Int("unreadable", p.counts.Hidden).Int("errors", p.failed).
			Int("refused", p.refused).Msg("sessions of coding agents: what was met since the start")
	}
}
