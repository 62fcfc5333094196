package opencode

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"agentdungeon/server/shadow"
)

const (
	maxTail  = 100 // number of newest events that State reads
	maxTails = 256
	moment   = 2 * time.Second  // a tool call that runs longer than this without output counts as a question
	between  = time.Minute      // maximum pause of an agent between two requests of a turn
	silence  = 10 * time.Minute // how long a process in another folder counts as at work on a turn
	slack    = 2 * time.Second  // tolerance: start times of processes are accurate to about a second
)

// tail has the data in the newest events of a session from which its state follows.
type tail struct {
	at       stamp
	last     time.Time // the time of the newest event
	found    bool      // there is a message among the events
	user     bool      // the newest message is a prompt
	created  time.Time // when the newest message was created
	ended    time.Time // when the newest message was complete, zero if it is not
	finish   string
	rejected bool // a person has refused a tool call of the newest message
	calls    []call
}

// call is a tool call that has not ended.
type call struct {
	id, name, brief, status string
	began                   time.Time
	told                    bool // the tool has written metadata, so it runs
}

// State implements shadow.Reader. OpenCode does not record whether a session waits for a person or is idle, so State
// concludes it:
//
//   - A turn is open if the newest message is a prompt, or a message of the agent that is not complete or has called
//     tools.
//   - Only a process that has the database open and began before the newest event can work on the turn. Without such a
//     process an open turn is lost. If the process's working directory is neither in the session's nor around it, the
//     state is a guess.
//   - A tool call has the status "running" before a person has allowed it. The tools that ask write metadata
//     (state.metadata) as soon as they are allowed. If such a tool writes none for longer than the constant moment, it
//     is probably waiting. The same holds for a call that has been pending for longer: pending means that the model
//     still writes the input.
func (r *Reader) State(
	ctx context.Context, session shadow.Session, _ shadow.Position, now time.Time,
) (shadow.State, error) {
	db := r.database(session.File)
	if db == nil {
		return shadow.State{}, fmt.Errorf("%s is not a database of this reader", session.File)
	}
	t, err := db.tail(ctx, session)
	if err != nil {
		return shadow.State{}, err
	}
	holders := before(r.holders(db), later(t.last, session.Changed))
	here := slices.ContainsFunc(holders, func(h holder) bool { return around(h.dir, session.Dir) })
	s := t.state(now)
	if s.Name != shadow.Working && s.Wait != shadow.WaitPermission && s.Wait != shadow.WaitQuestion {
		if len(holders) == 0 || session.Parent != "" {
			s.Name, s.Wait = shadow.Ended, ""
		}
		return s, nil
	}
	switch {
	case len(holders) == 0:
		return shadow.State{Name: shadow.Gone, Reason: s.Reason, Source: shadow.FromTranscript, Since: t.last}, nil
	case !here && now.Sub(t.last) > silence:
		return shadow.State{Name: shadow.Gone, Reason: s.Reason, Source: shadow.FromGuess, Since: t.last}, nil
	case !here:
		s.Source = shadow.FromGuess
	}
	return s, nil
}

// state returns the state of a session that a process has open.
func (t *tail) state(now time.Time) shadow.State {
	s := shadow.State{Name: shadow.Working, Source: shadow.FromTranscript, Since: t.created}
	switch {
	case !t.found:
		return shadow.State{Name: shadow.Waiting, Wait: shadow.WaitTurn, Source: shadow.FromTranscript, Since: t.last}
	case t.user:
		return s
	case !t.ended.IsZero() && (t.rejected || t.finish != "tool-calls" && t.finish != "unknown"):
		return shadow.State{Name: shadow.Waiting, Wait: shadow.WaitTurn, Source: shadow.FromTranscript, Since: t.ended}
	case !t.ended.IsZero():
		if s.Since = t.ended; now.Sub(t.ended) > between {
			return shadow.State{Name: shadow.Waiting, Wait: shadow.WaitTurn, Source: shadow.FromGuess, Since: t.ended}
		}
		return s
	}
	for _, c := range t.calls {
		s.Reason = reason(c.name, c.brief)
		if !c.began.IsZero() {
			s.Since = c.began
		}
		silent := !c.told && now.Sub(s.Since) > moment
		switch {
		case c.name == "question" && c.status == "running":
			return shadow.State{Name: shadow.Waiting, Wait: shadow.WaitQuestion, Reason: s.Reason,
				Source: shadow.FromTranscript, Since: s.Since}
		case silent && (c.status == "pending" || slices.Contains(asking, c.name)):
			return shadow.State{Name: shadow.Waiting, Wait: shadow.WaitPermission, Reason: s.Reason,
				Source: shadow.FromGuess, Since: s.Since}
		}
	}
	return s
}

// asking has the tools that write metadata as soon as a person has allowed them.
var asking = []string{"bash", "edit", "write", "multiedit", "apply_patch", "patch"}

// tail reads the newest events of a session. It selects single fields of them, because an event holds the whole output
// of a tool.
func (db *database) tail(ctx context.Context, session shadow.Session) (tail, error) {
	now := db.stamp()
	if t, ok := db.tails[session.ID]; ok && now.same(t.at) {
		return t, nil
	}
	var rows []tailRow
	err := db.read(ctx, func(ctx context.Context, q *sql.Conn) (err error) {
		rows, err = tailRows(ctx, q, session.ID)
		return err
	})
	if err != nil {
		return tail{}, err
	}
	slices.Reverse(rows)
	t := fold(rows, session)
	t.at = now
	if len(db.tails) >= maxTails {
		clear(db.tails)
	}
	db.tails[session.ID] = t
	return t, nil
}

// tailRow has the fields of an event from which the state follows. The event is about a message or a part.
type tailRow struct {
	msg, role, finish, failed   string
	created, completed          float64
	part, of, tool, status, err string
	brief                       string
	told                        bool
	began, at                   float64
}

func tailRows(ctx context.Context, q *sql.Conn, session string) (all []tailRow, err error) {
	get := func(path, none string) string { return "coalesce(json_extract(data,'$." + path + "')," + none + ")" }
	input := "substr(coalesce("
	for _, name := range []string{"command", "filePath", "pattern", "description", "url", "query"} {
		input += "json_extract(data,'$.part.state.input." + name + "'),"
	}
	columns := []string{get("info.id", "''"), get("info.role", "''"), get("info.finish", "''"),
		get("info.error.name", "''"), get("info.time.created", "0"), get("info.time.completed", "0"),
		get("part.id", "''"), get("part.messageID", "''"), get("part.tool", "''"), get("part.state.status", "''"),
		"substr(" + get("part.state.error", "''") + ",1,400)", input + "''),1,400)",
		"json_type(data,'$.part.state.metadata') IS NOT NULL", get("part.state.time.start", "0"), get("time", "0")}
	rows, err := q.QueryContext(ctx, "SELECT "+strings.Join(columns, ",")+` FROM event WHERE aggregate_id = ?
		AND type IN ('message.updated.1','message.part.updated.1') AND octet_length(data) <= 1048576
		AND json_valid(data) ORDER BY seq DESC LIMIT ?`, session, maxTail)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var r tailRow
		if err := rows.Scan(&r.msg, &r.role, &r.finish, &r.failed, &r.created, &r.completed, &r.part, &r.of, &r.tool,
			&r.status, &r.err, &r.brief, &r.told, &r.began, &r.at); err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, rows.Err()
}

// fold returns the tail that follows from rows, which are ordered by seq. The newest message is the one that was
// created last. It need not be the last one in this order, because the program writes a prompt again after its
// turn.
func fold(rows []tailRow, session shadow.Session) tail {
	t := tail{last: session.Began}
	newest := ""
	parts := map[string]call{}
	refused := map[string]bool{}
	for _, r := range rows {
		t.last = later(t.last, later(millis(r.at), later(millis(r.created), millis(r.completed))))
		if r.msg != "" {
			if created := millis(r.created); r.msg == newest || !created.Before(t.created) {
				if r.msg != newest {
					clear(parts)
				}
				newest, t.found, t.created = r.msg, true, created
				t.user, t.ended, t.finish = r.role == "user", millis(r.completed), r.finish
				if r.failed != "" {
					t.finish = "error"
					t.ended = later(t.ended, created)
				}
			}
			continue
		}
		if r.tool == "" || r.of != newest {
			continue
		}
		if r.status != "running" && r.status != "pending" {
			delete(parts, r.part)
			refused[r.of] = refused[r.of] || rejected(r.err)
			continue
		}
		parts[r.part] = call{id: r.part, name: r.tool, brief: brief(session.Dir, r.brief), status: r.status,
			began: millis(r.began), told: r.told}
		if c := parts[r.part]; c.began.IsZero() {
			c.began = millis(r.at)
			parts[r.part] = c
		}
	}
	t.rejected = refused[newest]
	for _, c := range parts {
		t.calls = append(t.calls, c)
	}
	slices.SortFunc(t.calls, func(a, b call) int { return strings.Compare(a.id, b.id) })
	return t
}

// holder is a process that has the database open.
type holder struct {
	pid   int
	fd    string // the link in /proc that names the database
	dir   string
	start time.Time
}

// held caches the last scan for processes that have the database open.
type held struct {
	at      stamp
	looked  time.Time
	holders []holder
}

// holders returns the processes other than this one that have the database open. It scans all processes again only if
// the database has changed or a holder has ended: at most every 2 s if it knows holders and all of them live,
// otherwise at most 4 times a second.
func (r *Reader) holders(db *database) []holder {
	h, now, at := &db.held, r.cfg.Now(), db.stamp()
	before := len(h.holders)
	h.holders = slices.DeleteFunc(h.holders, func(o holder) bool {
		path, err := os.Readlink(o.fd)
		return err != nil || path != r.real(db)
	})
	pause := 250 * time.Millisecond
	if len(h.holders) > 0 && len(h.holders) == before {
		pause = 2 * time.Second
	}
	if age := now.Sub(h.looked); at.same(h.at) && len(h.holders) == before || age >= 0 && age < pause {
		return h.holders
	}
	*h = held{at: at, looked: now, holders: r.look(db)}
	return h.holders
}

func (r *Reader) real(db *database) string {
	path, err := filepath.EvalSymlinks(db.path)
	if err != nil {
		return db.path
	}
	return path
}

// look scans all processes. It skips a process whose open files this user may not see.
func (r *Reader) look(db *database) (all []holder) {
	processes, err := os.ReadDir(r.cfg.Proc)
	if err != nil {
		return nil
	}
	path, boot := r.real(db), r.boot()
	for _, p := range processes {
		pid, err := strconv.Atoi(p.Name())
		if err != nil || pid == os.Getpid() && r.cfg.Proc == "/proc" {
			continue
		}
		folder := filepath.Join(r.cfg.Proc, p.Name())
		fds, err := os.ReadDir(filepath.Join(folder, "fd"))
		if err != nil {
			continue
		}
		for _, fd := range fds {
			link := filepath.Join(folder, "fd", fd.Name())
			if target, err := os.Readlink(link); err != nil || target != path {
				continue
			}
			start, err := started(folder)
			if err != nil {
				break
			}
			dir, err := os.Readlink(filepath.Join(folder, "cwd"))
			if err != nil {
				dir = ""
			}
			all = append(all, holder{pid: pid, fd: link, dir: dir, start: boot.Add(start)})
			break
		}
	}
	return all
}

// boot returns the time at which the machine started. If it is unknown, boot returns zero, and every process seems to
// be older than every event.
func (r *Reader) boot() time.Time {
	data, err := os.ReadFile(filepath.Join(r.cfg.Proc, "stat"))
	if err != nil {
		return time.Time{}
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "btime "); ok {
			if s, err := strconv.ParseInt(strings.TrimSpace(rest), 10, 64); err == nil {
				return time.Unix(s, 0)
			}
		}
	}
	return time.Time{}
}

// started returns the time from the machine's start to the start of a process: field 22 of its file stat, in hundredths
// of a second.
func started(folder string) (time.Duration, error) {
	data, err := os.ReadFile(filepath.Join(folder, "stat"))
	if err != nil {
		return 0, err
	}
	text := string(data)
	// The second field is the program's name in parentheses, which can have spaces.
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) < 20 {
		return 0, errors.New("the stat file of a process has too few fields")
	}
	ticks, err := strconv.ParseInt(fields[19], 10, 64)
	return time.Duration(ticks) * 10 * time.Millisecond, err
}

// before returns the holders that began before the time at.
func before(all []holder, at time.Time) (some []holder) {
	for _, h := range all {
		if !h.start.After(at.Add(slack)) {
			some = append(some, h)
		}
	}
	return some
}

// around reports whether two folders are the same, or one is inside the other.
func around(a, b string) bool {
	return a != "" && b != "" && (a == b || strings.HasPrefix(a, b+"/") || strings.HasPrefix(b, a+"/"))
}
