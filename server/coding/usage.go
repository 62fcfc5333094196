package coding

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strconv"
	"time"

	"agentdungeon/server/kind"
	"agentdungeon/server/shadow"
	"agentdungeon/shared/world"
)

// Each request to a model is counted once (P17.12), although programs write several records of one request: Claude Code
// writes one for each block of a message while the message streams, and the first records have fewer tokens. The
// records of a request follow each other, so a session remembers its newest world.MaxCounted requests, and a record
// with more tokens replaces the count of an earlier one.
//
// The readers leave out records that a fork or a resumed session has copied: such a record names the session that made
// the request. The ledger leaves out a request that another session has counted, because some programs repeat the
// newest words of a parent in the file of its sub-agent. The remembered requests are committed together with the
// counts, so a restart loses none of them.

// ledger counts the requests of one batch of entries.
type ledger struct {
	r       *kind.Realm
	session *world.Session
	agent   world.Member
	rows    []*world.UsageChanged // the rows that have changed; the row that changed last is the last one
	others  map[string]bool       // the keys that other sessions of the program have counted
	counted []world.UsageCounted  // the requests of the session and of this batch, the newest last
}

// spent returns the events that count the tokens which the entries of a session have used, one event for each row
// of the ledger that changes. It sets the fields Counted and Stated of s.
func spent(r *kind.Realm, s *world.Session, agent world.Member, entries []shadow.Entry) (out []world.Body) {
	l := ledger{r: r, session: s, agent: agent, others: map[string]bool{}, counted: slices.Clone(s.Counted)}
	for i := range r.World.Sessions {
		if o := &r.World.Sessions[i]; o.Program == s.Program && o.SessionID != s.SessionID {
			for _, c := range o.Counted {
				l.others[c.Key] = true
			}
		}
	}
	for i := range entries {
		switch e := &entries[i]; {
		case e.Kind == shadow.Stated:
			s.Stated = max(e.Micros, 0)
		case e.Usage != nil:
			l.count(e.At, e.Usage)
		}
	}
	for _, row := range l.rows {
		out = append(out, row)
	}
	if n := len(l.counted); n > world.MaxCounted {
		l.counted = slices.Clone(l.counted[n-world.MaxCounted:])
	}
	s.Counted = l.counted
	return out
}

// count adds one request. If the request is counted already, it adds the difference between the later record and
// the earlier one.
func (l *ledger) count(at time.Time, u *shadow.Usage) {
	h := fnv.New64a()
	h.Write([]byte(u.Key))
	now := world.UsageCounted{
		Key: strconv.FormatUint(h.Sum64(), 36), Day: l.day(at), Model: kind.Clip(u.Model, world.MaxTitle),
		Tokens: tokens(u),
	}
	if now.Micros = min(max(u.Micros, 0), maxTokens); !u.Priced {
		now.Micros, now.Unpriced = 0, now.Sum()
	}
	if l.others[now.Key] {
		return
	}
	var was world.UsageCounted
	if i := slices.IndexFunc(l.counted, func(c world.UsageCounted) bool { return c.Key == now.Key }); i >= 0 {
		was = l.counted[i]
		if now.Sum() <= was.Sum() {
			return
		}
		now.Day, now.Model = was.Day, was.Model
		l.counted[i] = now
	} else {
		l.counted = append(l.counted, now)
		l.session.Stated = 0 // the program's own sum does not include this request
	}
	row := l.row(now.Model, now.Day)
	row.Tokens = row.Plus(now.Minus(was.Tokens))
	row.Micros += now.Micros - was.Micros
	row.Unpriced += now.Unpriced - was.Unpriced
	row.Context = cmp.Or(max(int64(u.Context), 0), row.Context)
	row.Window = cmp.Or(max(int64(u.Window), 0), row.Window)
}

// maxTokens limits each number of tokens of a request, so that no record can make a sum overflow.
const maxTokens = 1 << 40

// tokens returns the tokens of a request, each number between 0 and maxTokens.
func tokens(u *shadow.Usage) world.Tokens {
	t := u.Tokens()
	for _, n := range []*int64{&t.Input, &t.Output, &t.CacheRead, &t.CacheWrite, &t.CacheLong} {
		*n = min(max(*n, 0), maxTokens)
	}
	return t
}

// day returns the UTC day of a record. If the record's time is missing or in the future, day returns the day of the
// realm's clock.
func (l *ledger) day(at time.Time) string {
	day := l.r.At()
	if !at.IsZero() {
		day = min(day, world.TimeOf(at))
	}
	return day.Go().Format(time.DateOnly)
}

// row returns the event that sets the ledger's row for a model and a day, with the numbers that the world has now.
func (l *ledger) row(model, day string) *world.UsageChanged {
	for i, row := range l.rows {
		if row.Model == model && row.Day == day {
			l.rows = append(slices.Delete(l.rows, i, i+1), row)
			return row
		}
	}
	row := &world.UsageChanged{AgentUsage: world.AgentUsage{AgentID: l.agent.ID, Model: model, Day: day}}
	if known := l.r.World.UsageOf(l.agent.ID, model, day); known != nil {
		row.AgentUsage = *known
	}
	row.ConversationID, row.Parent, row.Name = l.session.ConversationID, l.session.Parent, l.agent.DisplayName
	l.rows = append(l.rows, row)
	return row
}
