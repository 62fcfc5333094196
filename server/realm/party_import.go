package realm

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"agentdungeon/server/party"
	"agentdungeon/server/realm/watch"
	"agentdungeon/server/team"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Sessions that an older program kept in files (document 002) become conversations, one
// file after the other, each by bounded commits: a file of 64 MB keeps nobody waiting. The
// id of a row says which of its session it is, so that a life that is cut off goes on where
// the one before it ended, with nothing twice and nothing missing.

// SessionFile is a session in a file. Load reads and checks it; Taken is called once it is
// in the journal for good, or was there already. Both touch the disk: they are called from
// goroutines of their own.
type SessionFile struct {
	Name  string
	Load  func() (*party.Snapshot, error)
	Taken func() error
}

// intake is what comes from files in this life.
type intake struct {
	files    []SessionFile   // see Config.Sessions; nil once the first is read
	arriving bool            // some of them may still be to be taken in
	arrived  map[string]bool // those that were taken in, by id: as many as an opening looks at
}

// brokenSession is a file that could not be taken in (S2-17).
type brokenSession struct {
	id   string // of the session, "" where the file does not say
	name string // of the file
	text string // for whoever wants the session
}

// broke keeps why a file could not be taken in: at most as many as an opening looks at.
func (r *Realm) broke(f SessionFile, err error) {
	b := brokenSession{name: f.Name, text: "The session's file cannot be read; the server's log says why."}
	var snapshot *party.Broken
	if errors.As(err, &snapshot) {
		b.id, b.text = snapshot.SessionID, snapshot.Error()
	}
	b.text += "\nIt is sessions/" + clip(f.Name, 255) + " in the realm's folder: mend it and start the server again, or remove it."
	r.brokenSessions = append(r.brokenSessions, b)
}

// is says whether the file is of a session: by what it says, else by its name, which in
// document 002's layout is ID.json or MILLISECONDS-ID.json.
func (b *brokenSession) is(id string) bool {
	if b.id != "" {
		return b.id == id
	}
	ms, ok := strings.CutSuffix(strings.TrimSuffix(b.name, ".json"), id)
	return ok && id != "" && (ms == "" || ms[len(ms)-1] == '-' && strings.Trim(ms[:len(ms)-1], "0123456789") == "")
}

// BrokenSession is why a session is not here whose file could not be taken in, in a text for
// a person (S2-17); nil for every other. It may be asked once TakenIn has given nil.
func (r *Realm) BrokenSession(id string) *wire.Error {
	for i := range r.brokenSessions {
		if b := &r.brokenSessions[i]; b.is(id) {
			return &wire.Error{Code: wire.Conflict, Message: b.text}
		}
	}
	return nil
}

// Bounds of what is taken in by one commit.
const (
	maxTakenRows  = 200
	maxTakenBytes = 256 << 10
)

// taking is the session that is being taken in.
type taking struct {
	file  SessionFile
	rest  []SessionFile
	head  world.Conversation
	rows  []party.Message
	times []world.Time // when each of them was
}

// stillArriving is what is said to whoever asks for a session of which only a part is here.
var stillArriving = wire.Errorf(wire.NotReady, "this session is still being taken in from its file; try again in a moment")

// TakenIn returns once all sessions that lay in files at the opening are taken in, as far
// as they can be, or the realm has ended.
func (r *Realm) TakenIn(ctx context.Context) error {
	select {
	case <-r.takenIn:
		return nil
	case <-r.done:
		return watch.ErrStopped
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// takeIn takes in the first of the files, and then the others (S2-10).
func (a *actor) takeIn(files []SessionFile) {
	if len(files) == 0 || a.outbox.Broken() != nil {
		a.noneArrives()
		return
	}
	f := files[0]
	a.then(act{effect: func() {
		a.work.Go(func() {
			s, err := f.Load()
			a.inTurn(func() {
				if err != nil { // it stays where it is (S2-17)
					a.log.Warn().Err(err).Str("file", f.Name).Msg("a session cannot be taken in")
					a.r.broke(f, err)
					a.takeIn(files[1:])
					return
				}
				a.takeRows(a.beginTaking(f, s, files[1:]))
			})
		})
	}})
}

// noneArrives is when nothing more is taken in.
func (a *actor) noneArrives() {
	if a.intake.arriving {
		a.intake.arriving = false
		close(a.r.takenIn)
	}
}

// beginTaking is a snapshot as a conversation. Its members are those of the team, where
// there is one of its id; else those of whom its file tells. Its times are the file's:
// it was last changed when its program changed it, whenever it is taken in (S2-12, S2-B4).
func (a *actor) beginTaking(f SessionFile, s *party.Snapshot, rest []SessionFile) *taking {
	team := world.Team{ID: s.TeamID, Name: s.TeamID, Members: s.Speakers()}
	if t, err := a.teams.Team(s.TeamID); err == nil {
		team = *t
	}
	now := a.at()
	t := &taking{file: f, rest: rest, rows: party.Migrate(s.Context.Messages), head: world.Conversation{
		ConversationID: s.SessionID, Kind: world.KindParty, Title: "Taken in - " + s.UpdatedAt.Go().In(a.zone).Format("Jan 2, 03:04 PM"),
		Status: world.ConversationPaused, Team: team, TaskPrompt: s.Context.TeamTask, CreatedAt: min(s.CreatedAt, now), UpdatedAt: min(s.UpdatedAt, now),
	}}
	said := t.head.CreatedAt // when the message before was: one without a time of its own is of then
	for _, m := range t.rows {
		said = min(cmp.Or(m.Timestamp, said), now)
		t.times = append(t.times, said)
	}
	return t
}

// takeRows takes in what one commit may hold, after all before it is durable, and comes
// again until all of it is in.
func (a *actor) takeRows(t *taking) {
	id := t.head.ConversationID
	a.lookUp(func(ctx context.Context) func() {
		there, err := a.tables.Conversation(ctx, id)
		return func() {
			next := 0
			var bodies []world.Body
			switch {
			case a.outbox.Broken() != nil || a.stopping:
				return
			case a.world.IsErased(id):
				a.log.Info().Str("file", t.file.Name).Msg("a session was erased here: its file is not taken in, and goes")
				next = len(t.rows)
			case a.erasures.Covers(id): // whether it has ended is seen at the next opening
				a.takeIn(t.rest)
				return
			case errors.Is(err, world.ErrNoConversation):
				bodies = append(bodies, &world.ConversationStarted{Conversation: t.head})
			case err != nil || there.Conversation.Kind != world.KindParty:
				a.log.Error().Err(err).Str("file", t.file.Name).Msg("a session could not be taken in; its file stays")
				a.takeIn(t.rest)
				return
			default:
				next = takenRows(id, there.Messages, len(t.rows))
			}
			bodies = append(bodies, a.rowsFrom(t, next)...)
			if len(bodies) == 0 {
				a.taken(t)
				return
			}
			a.emit("", bodies...)
			delete(a.talks, id) // the tables have it, like any session that is not at hand
			a.takeRows(t)
		}
	}, nil)
}

// rowsFrom are the next rows as events, as many as one commit may hold.
func (a *actor) rowsFrom(t *taking, next int) (out []world.Body) {
	for size := 0; next < len(t.rows) && len(out) < maxTakenRows && size < maxTakenBytes; next++ {
		m := t.rows[next]
		row := world.Message{
			MessageID: party.RowID(t.head.ConversationID, next), ConversationID: t.head.ConversationID, Role: world.RoleAssistant,
			MemberID: clip(m.Speaker.ID, world.MaxTitle), Name: clip(m.Speaker.Name, world.MaxTitle), Content: m.Content, Status: cmp.Or(m.Status, world.MessageDone), At: t.times[next],
		}
		kind := m.Speaker.Type
		if member := t.head.Member(m.Speaker.ID); kind == "" && member != nil {
			kind = member.Type // the file does not say
		}
		switch {
		case m.Speaker.ID == team.SystemID:
			row.Role, row.MemberID = world.RoleSystem, ""
		case kind == world.KindHuman:
			row.Role = world.RoleUser
		}
		size += len(m.Content)
		out = append(out, &world.MessageAdded{ConversationID: t.head.ConversationID, Message: row})
	}
	return out
}

// takenRows is how many rows of a session are here, by the newest of them; all of them
// where it goes on without its file, or never came from one.
func takenRows(sessionID string, newest []world.Message, all int) int {
	if len(newest) == 0 {
		return all
	}
	n, ok := party.RowOf(sessionID, newest[len(newest)-1].MessageID)
	if !ok {
		return all
	}
	return n + 1
}

// arrives says that a session may still come from a file, nil for one that is not here, or
// that only a part of it may be here.
func (a *actor) arrives(saved *world.SavedConversation) bool {
	if saved == nil {
		return a.intake.arriving
	}
	id := saved.Conversation.ConversationID
	return a.intake.arriving && !a.intake.arrived[id] && takenRows(id, saved.Messages, -1) >= 0
}

// taken is the end of a session's file.
func (a *actor) taken(t *taking) {
	id := t.head.ConversationID
	a.intake.arrived[id] = true
	a.log.Info().Str("conversation", id).Int("messages", len(t.rows)).Msg("a session was taken in from a file")
	a.then(act{effect: func() {
		a.work.Go(func() {
			if err := t.file.Taken(); err != nil {
				a.log.Warn().Err(err).Str("file", t.file.Name).Msg("a session was taken in, but its file could not be removed")
			}
			a.inTurn(func() { a.takeIn(t.rest) })
		})
	}})
}
