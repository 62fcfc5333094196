package follow

import (
	"maps"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/shadow"
)

// logEvery is the minimum time between two log lines with the counts of one program.
const logEvery = time.Minute

// maxErrors is the maximum number of different errors that are logged for a program.
const maxErrors = 20

// figures counts, for each program, records and files that the readers have found since the server's start but that
// the server does not show. A file that several realms read counts once for each realm.
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

// program returns the counts of a program. The caller holds mu.
func (f *figures) program(name string) *figure {
	p := f.of[name]
	if p == nil {
		p = &figure{counts: shadow.Counts{Unknown: map[string]int{}}, errors: map[string]bool{}}
		f.of[name] = p
	}
	return p
}

// read adds the counts of one batch that a reader has read.
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

// listed sets the counts of a listing. Each listing finds the same unreadable files again, so listed keeps the
// greater of their numbers and does not add them.
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

// fail counts an error. It logs the error unless the same error was logged before.
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

// refuse counts a batch that a realm has refused.
func (f *figures) refuse(program string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.program(program)
	p.refused++
	p.changed = true
}

// tell logs the counts of each program that have changed since they were last logged, at most once in logEvery for
// each program.
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
			Int("refused", p.refused).Msg("counts of the readers of coding agents' sessions since the start")
	}
}
