// Package opencode reads the sessions of OpenCode (tried: version 1.18.33) from its database, as shadow.Reader
// describes.
//
// OpenCode keeps all sessions of a person in one SQLite database, opencode.db, with a log (-wal) beside it. The table
// event has the events of each session in order: event(aggregate_id, seq, type, data), where aggregate_id is the
// session's id. Each time a part of a message (a text, a tool call) gets more content, a new event repeats the part.
// The reader returns one Entry for a text when the text is complete, one when a tool call begins and one when it ends.
// A Position holds the seq of the last event that was read. An event with a lower seq is never read again, not even if
// somebody has replaced the database by an older one.
//
// The package has a handle open only while it reads, for at most 50 ms, so no lock is held between two reads. A handle
// is read-only, also for the index of the log (-shm). It never checkpoints and creates no file. It selects columns of
// the tables event and session by name and uses no other table, because the same file has the tables account and
// credential.
//
// server/app makes the Readers. server/follow calls them and passes the results to Realm.Observe.
package opencode

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"agentdungeon/server/proc"
	"agentdungeon/server/shadow"
)

// Config says in which folders a Reader looks, sets its clock, and limits the size of an event.
type Config struct {
	Homes []string         // folders that can contain an opencode.db; Homes returns those of a person
	Proc  string           // "" is /proc
	Now   func() time.Time // nil for time.Now
	// MaxRecord is the maximum size in bytes of an event that is read; the content of a larger one is not. 0 stands for 8
	// MiB, because a larger event cannot be read within 50 ms.
	MaxRecord int
}

// Homes returns the folder with OpenCode's data. home is the home folder, and getenv reads the environment.
func Homes(home string, getenv func(string) string) []string {
	data := getenv("XDG_DATA_HOME")
	if !filepath.IsAbs(data) {
		data = filepath.Join(home, ".local", "share")
	}
	return []string{filepath.Join(data, "opencode")}
}

const (
	program   = "opencode"
	file      = "opencode.db"
	maxRecord = 8 << 20
	maxRows   = 20_000 // maximum number of sessions in a listing, the newest first
	maxCalls  = 4096   // maximum number of sub-agents whose call is remembered
)

// Reader is a shadow.Reader. One goroutine at a time uses it.
type Reader struct {
	cfg   Config
	dbs   []*database
	calls map[string]string // by the sub-agent's session, the parent's call that has started it
}

// New returns a Reader.
func New(cfg Config) *Reader {
	if cfg.Proc == "" {
		cfg.Proc = "/proc"
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.MaxRecord <= 0 {
		cfg.MaxRecord = maxRecord
	}
	r := &Reader{cfg: cfg, calls: map[string]string{}}
	for _, home := range cfg.Homes {
		r.dbs = append(r.dbs, &database{path: filepath.Join(home, file), now: cfg.Now, tails: map[string]tail{}})
	}
	return r
}

// Program returns "opencode".
func (r *Reader) Program() string { return program }

// Sessions implements shadow.Reader. No record says which session a process shows. So Session.Alive is set if a
// process that has the database open began before the session's last change.
func (r *Reader) Sessions(ctx context.Context, want func(dir string) bool, limit int) (shadow.Listing, error) {
	var out shadow.Listing
	var failed error
	for _, db := range r.dbs {
		rows, err := db.list(ctx)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			out.Counts.Hidden++
			failed = errors.Join(failed, err)
			continue
		}
		holders := r.holders(db)
		out.Total += len(rows)
		for _, s := range rows {
			if s.Dir != "" && want(s.Dir) {
				s.Alive = len(before(holders, s.Changed)) > 0
				out.Sessions = append(out.Sessions, s)
			}
		}
	}
	slices.SortStableFunc(out.Sessions, func(a, b shadow.Session) int {
		if a.Alive != b.Alive {
			if a.Alive {
				return -1
			}
			return 1
		}
		return b.Changed.Compare(a.Changed)
	})
	out.Sessions = out.Sessions[:min(max(limit, 0), len(out.Sessions))]
	for i := range out.Sessions {
		s := &out.Sessions[i]
		s.Call = r.call(ctx, *s)
		if s.Alive && s.Parent == "" {
			s.Terminal = r.terminal(s)
		}
	}
	if out.Total == 0 && failed != nil {
		return out, failed
	}
	return out, nil
}

// terminal returns the command that attaches to the terminal of a session's process. It returns "" if several processes
// work in the session's folder.
func (r *Reader) terminal(s *shadow.Session) string {
	var pids []int
	for _, h := range before(r.holders(r.database(s.File)), s.Changed) {
		if h.dir == s.Dir {
			pids = append(pids, h.pid)
		}
	}
	return proc.Table{Root: r.cfg.Proc}.TerminalOf(pids)
}

// call returns the tool call by which the parent has started a sub-agent, or "" if it is not found yet. While the
// tool task runs, its call contains the id of the sub-agent's session in state.metadata.sessionId.
func (r *Reader) call(ctx context.Context, s shadow.Session) string {
	if s.Parent == "" {
		return ""
	}
	if call, ok := r.calls[s.ID]; ok {
		return call
	}
	db := r.database(s.File)
	if db == nil {
		return ""
	}
	call, err := db.call(ctx, s.Parent, s.ID)
	if err != nil || call == "" {
		return ""
	}
	if len(r.calls) >= maxCalls {
		clear(r.calls)
	}
	r.calls[s.ID] = call
	return call
}

// Read implements shadow.Reader.
func (r *Reader) Read(
	ctx context.Context, session shadow.Session, after shadow.Position, maxBytes int,
) (shadow.Batch, error) {
	out := shadow.Batch{Session: session, Next: after}
	db := r.database(session.File)
	if db == nil {
		return out, fmt.Errorf("%s is not a database of this reader", session.File)
	}
	t := translator{session: &out.Session, at: position{Seq: -1}, counts: &out.Counts}
	if after != "" {
		if err := json.Unmarshal([]byte(after), &t.at); err != nil {
			return out, fmt.Errorf("decode the position of session %s: %w", session.ID, err)
		}
	}
	open := t.at.Text
	events, held, more, err := []event(nil), true, true, error(nil)
	for ; held && more && len(events) == 0; maxBytes *= 2 {
		if events, more, err = db.events(ctx, session.ID, t.at.Seq, maxBytes, r.cfg.MaxRecord); err != nil {
			return out, err
		}
		t.at.Text = open
		events, held = ordered(events, &t.at.Text)
	}
	if len(events) == 0 {
		return out, nil
	}
	for _, e := range events {
		t.event(e)
	}
	next, err := json.Marshal(t.at)
	if err != nil {
		return out, err
	}
	out.Entries, out.Next, out.More = t.entries, shadow.Position(next), more
	return out, nil
}
