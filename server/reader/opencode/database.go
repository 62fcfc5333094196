package opencode

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"agentdungeon/server/shadow"
)

// readTime is the maximum time for which a handle on the database is open.
const readTime = 50 * time.Millisecond

// database is one opencode.db. It caches its last results together with the stamp of the files, so that looking at an
// unchanged database opens no file.
type database struct {
	path string
	now  func() time.Time

	listed   []shadow.Session
	listedAt stamp
	tails    map[string]tail // the fields that State needs, by session; at most maxTails
	held     held
}

// stamp has the sizes and times of the files of a database. If two stamps are equal, the database has not changed
// between them. An empty stamp differs from every stamp.
type stamp struct {
	size, log int64
	at, logAt time.Time
	settled   bool
}

// stamp returns the present stamp of the files. A file that was written within the last second can change again
// without getting another time. So the stamp of such a file is not settled, and it differs from every other stamp.
func (db *database) stamp() stamp {
	var s stamp
	s.size, s.at = stat(db.path)
	s.log, s.logAt = stat(db.path + "-wal")
	old := db.now().Add(-time.Second)
	s.settled = s.at.Before(old) && s.logAt.Before(old)
	return s
}

func (s stamp) same(o stamp) bool {
	return s.settled && o.settled && s.size == o.size && s.log == o.log && s.at.Equal(o.at) && s.logAt.Equal(o.logAt)
}

// tries is how often a read is tried that fails because the machine is busy or another handle interferes. No handle
// is open between two tries.
const tries = 3

// read opens a handle, calls f with it and closes the handle. f must end within readTime. If f fails, read can call
// it again.
//
// At a normal exit, a process of OpenCode removes the write-ahead log and its index, and a handle in WAL mode would
// create them again. So read opens a database without a log as immutable, which takes no lock, and uses the result
// only if nobody has opened the database meanwhile. If there is a log, the option readonly_shm makes SQLite take
// shared locks only. If the log is there because a process was killed, SQLite creates the index in memory.
func (db *database) read(ctx context.Context, f func(ctx context.Context, q *sql.Conn) error) (err error) {
	for range tries {
		if err = db.try(ctx, f); err == nil || ctx.Err() != nil || errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return err
}

func (db *database) try(ctx context.Context, f func(ctx context.Context, q *sql.Conn) error) error {
	if _, err := os.Stat(db.path); err != nil {
		return err
	}
	mode := "mode=ro&readonly_shm=1"
	before := db.stamp()
	if before.log < 0 {
		mode = "mode=ro&immutable=1"
	}
	path, err := filepath.Abs(db.path)
	if err != nil {
		return err
	}
	dsn := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path), RawQuery: mode +
		"&_pragma=busy_timeout(10)&_pragma=trusted_schema(0)&_pragma=query_only(1)&_pragma=cell_size_check(1)"}
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	handle, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return fmt.Errorf("open %s: %w", file, err)
	}
	handle.SetMaxOpenConns(1)
	q, err := handle.Conn(ctx)
	if err == nil {
		err = errors.Join(f(ctx, q), q.Close())
	}
	if err = errors.Join(err, handle.Close()); err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	if after := db.stamp(); before.log < 0 && (after.log >= 0 || after.size != before.size || !after.at.Equal(before.at)) {
		return fmt.Errorf("read %s: another process has opened it meanwhile", file)
	}
	return nil
}

// list returns all sessions, the newest first.
func (db *database) list(ctx context.Context) ([]shadow.Session, error) {
	now := db.stamp()
	if now.size < 0 {
		return nil, fs.ErrNotExist
	}
	if now.same(db.listedAt) {
		return db.listed, nil
	}
	var all []shadow.Session
	err := db.read(ctx, func(ctx context.Context, q *sql.Conn) error {
		rows, err := q.QueryContext(ctx, `SELECT id, coalesce(parent_id,''), coalesce(directory,''), coalesce(title,''),
			time_created, time_updated FROM session ORDER BY time_updated DESC LIMIT ?`, maxRows)
		if err != nil {
			return err
		}
		defer rows.Close()
		all = nil
		for rows.Next() {
			s := shadow.Session{Program: program, File: db.path}
			var began, changed float64
			if err := rows.Scan(&s.ID, &s.Parent, &s.Dir, &s.Title, &began, &changed); err != nil {
				return err
			}
			s.Name, s.Title = names(s.Title, s.Parent != "")
			s.Began, s.Changed = millis(began), millis(changed)
			if !filepath.IsAbs(s.Dir) {
				s.Dir = ""
			}
			all = append(all, s)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, err
	}
	db.listed, db.listedAt = all, now
	return all, nil
}

// names splits a session's title into the type of a sub-agent and the title. A new session has a title with the time
// at which it began, until the model has made one. The title of a sub-agent is "Look at x (@general subagent)".
func names(title string, sub bool) (name, rest string) {
	if strings.HasPrefix(title, "New session - ") || strings.HasPrefix(title, "Child session - ") {
		return "", ""
	}
	if head, tail, ok := strings.Cut(title, " (@"); ok && sub && strings.HasSuffix(tail, " subagent)") {
		return strings.TrimSuffix(tail, " subagent)"), head
	}
	return "", title
}

// event is a row of the table event.
type event struct {
	id, kind string
	seq      int64
	size     int
	data     []byte // nil if the content is too long
}

// events returns the events of a session after seq: at least one, about maxBytes, and only as many as readTime allows.
// more is set if further events can exist.
func (db *database) events(ctx context.Context, session string, seq int64, maxBytes, maxRecord int) (
	all []event, more bool, err error) {
	err = db.read(ctx, func(ctx context.Context, q *sql.Conn) error {
		began, bytes := time.Now(), 0
		all, more = nil, false
		rows, err := q.QueryContext(ctx, `SELECT id, type, seq, octet_length(data),
			CASE WHEN octet_length(data) <= ? THEN data END
			FROM event WHERE aggregate_id = ? AND seq > ? ORDER BY seq`, maxRecord, session, seq)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			if len(all) > 0 && (bytes >= maxBytes || time.Since(began) > readTime/2) {
				more = true
				return nil
			}
			var e event
			if err := rows.Scan(&e.id, &e.kind, &e.seq, &e.size, &e.data); err != nil {
				return err
			}
			bytes += e.size
			all = append(all, e)
		}
		// Keep the events that were read before readTime was over, because each row is one complete event.
		if err := rows.Err(); err != nil && (len(all) == 0 || ctx.Err() == nil) {
			return err
		}
		more = ctx.Err() != nil
		return nil
	})
	return all, more, err
}

// call returns the callID of the tool call by which the parent has started the sub-agent child.
func (db *database) call(ctx context.Context, parent, child string) (call string, err error) {
	err = db.read(ctx, func(ctx context.Context, q *sql.Conn) error {
		return q.QueryRowContext(ctx, `SELECT coalesce(json_extract(data, '$.part.callID'), '') FROM event
			WHERE aggregate_id = ? AND type = 'message.part.updated.1' AND instr(data, ?) > 0 AND json_valid(data)
			AND json_extract(data, '$.part.state.metadata.sessionId') = ? ORDER BY seq DESC LIMIT 1`,
			parent, child, child).Scan(&call)
	})
	return call, err
}

func millis(ms float64) time.Time {
	if ms <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(ms)).UTC()
}

func stat(path string) (size int64, at time.Time) {
	info, err := os.Stat(path)
	if err != nil {
		return -1, time.Time{}
	}
	return info.Size(), info.ModTime()
}

func (r *Reader) database(path string) *database {
	for _, db := range r.dbs {
		if db.path == path {
			return db
		}
	}
	return nil
}
