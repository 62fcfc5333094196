package party

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"agentdungeon/server/kind"
	"agentdungeon/server/team"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// The import of sessions that an older program stored in files (document 002). Files become conversations
// one after the other, by bounded commits, so that a file of 64 MB blocks nobody. The id of a row tells its
// place in its session, so the next life of the server continues an interrupted import without a row twice
// or missing.

// Limits of one commit of an import.
const (
	MaxTakenRows  = 200
	MaxTakenBytes = 256 << 10
)

// arrivals is the state of the imports in this life.
type arrivals struct {
	names   []string        // files to import; an opening lists a bounded number
	now     *arrival        // the session that is being imported, nil for none
	over    bool            // the import has ended
	arrived map[string]bool // ids of imported sessions, at most as many as names
	unread  []unreadable    // at most as many as names
}

// arrival is a session that is being imported.
type arrival struct {
	file  string
	head  world.Conversation
	rows  []Message
	times []world.Time // the time of each row
}

// unreadable is a file that could not be imported (S2-17).
type unreadable struct {
	id   string // of the session, "" if the file does not say
	name string // of the file
	text string // for a person who opens the session
}

// is reports whether the file is the file of a session: by the id in it, else by its name, which is ID.json
// or MILLISECONDS-ID.json in document 002's layout.
func (u *unreadable) is(id string) bool {
	if u.id != "" {
		return u.id == id
	}
	ms, ok := strings.CutSuffix(strings.TrimSuffix(u.name, ".json"), id)
	return ok && id != "" && (ms == "" || ms[len(ms)-1] == '-' && strings.Trim(ms[:len(ms)-1], "0123456789") == "")
}

// broken returns why the file of a session could not be imported, for a person (S2-17). It returns nil for
// every other session.
func (a *arrivals) broken(id string) *wire.Error {
	for i := range a.unread {
		if u := &a.unread[i]; u.is(id) {
			return &wire.Error{Code: wire.Conflict, Message: u.text}
		}
	}
	return nil
}

// mayArrive reports whether a session, or a part of it, may still come from a file.
func (a *arrivals) mayArrive(id string, got taken) bool {
	if a.over || got.snap == nil {
		return !a.over
	}
	return !a.arrived[id] && imported(id, got.saved.Messages, -1) >= 0
}

// StillArriving is the error for a command on a session of which only a part is imported.
var StillArriving = wire.Errorf(wire.NotReady,
	"this session is still being taken in from its file; try again in a moment")

// The needs of an import, in order.
type (
	// listing needs the names of the files, given as a listed.
	listing struct{}
	// content needs one file, given as a *Snapshot.
	content struct{ name string }
	// there needs the conversation of a session as the tables have it, given as a
	// *world.SavedConversation, nil for none.
	there struct{ id string }
	// removal needs a file to be gone, because its session is in the journal for good.
	removal struct{ name string }
)

type listed struct {
	names []string
	err   error // why there may be more
}

// Key returns "", so that the need is not shared.
func (listing) Key() string { return "" }

// Key returns "", so that the need is not shared.
func (content) Key() string { return "" }

// Key returns "", so that the need is not shared.
func (there) Key() string { return "" }

// Key returns "", so that the need is not shared.
func (removal) Key() string { return "" }

func (listing) Read(_ context.Context, from kind.Sources) (any, error) {
	names, err := from.SessionFiles()
	return listed{names, err}, nil
}

func (n content) Read(_ context.Context, from kind.Sources) (any, error) {
	data, err := from.ReadSession(n.name)
	if err != nil {
		return nil, err
	}
	return ToTakeIn(data)
}

func (n there) Read(ctx context.Context, from kind.Sources) (any, error) {
	saved, err := from.Conversation(ctx, n.id)
	if errors.Is(err, world.ErrNoConversation) {
		return (*world.SavedConversation)(nil), nil
	}
	return &saved, err
}

func (n removal) Read(_ context.Context, from kind.Sources) (any, error) {
	return nil, from.RemoveSession(n.name)
}

// Imports begins to import the files of the realm's folder (S2-10).
func (k *Party) Imports(*kind.Realm) kind.Steps { return kind.One(kind.Step{Needs: listing{}}) }

// Broken returns why the file of a session could not be imported, nil for every other session.
func (k *Party) Broken(id string) *wire.Error { return k.files.broken(id) }

// Importing reports whether files are still being imported.
func (k *Party) Importing() bool { return !k.files.over }

// Found continues an import, or the search for missing members, with what was read.
func (k *Party) Found(r *kind.Realm, need kind.Need, got any, err error) kind.Steps {
	return kind.One(k.found(r, need, got, err))
}

func (k *Party) found(r *kind.Realm, need kind.Need, got any, err error) kind.Step {
	a := &k.files
	var closed *wire.Error
	if errors.As(err, &closed) { // the realm is closing
		a.names = nil
	}
	switch n := need.(type) {
	case absence:
		if err != nil {
			return kind.Step{Talk: n.id, Warn: fmt.Sprintf("who is missing in a session could not be read: %v", err)}
		}
		return misses(r, n.id, got.(taken))
	case listing:
		found, _ := got.(listed)
		a.names, a.arrived = found.names, map[string]bool{}
		step := a.next()
		if err = errors.Join(err, found.err); err != nil {
			step.Warn = fmt.Sprintf("not all session files can be imported: %v", err)
		}
		return step
	case content:
		if err != nil { // the file stays where it is (S2-17)
			a.unread = append(a.unread, unread(n.name, err))
			step := a.next()
			step.Warn = fmt.Sprintf("a session cannot be imported: sessions/%s: %v", n.name, err)
			return step
		}
		a.now = arrives(r, k.name, n.name, got.(*Snapshot))
		return kind.Step{Needs: there{a.now.head.ConversationID}}
	case there:
		saved, _ := got.(*world.SavedConversation)
		return a.add(r, saved, err)
	case removal:
		step := a.next()
		if err != nil {
			step.Warn = fmt.Sprintf("a session was imported, but its file sessions/%s could not be removed: %v", n.name, err)
		}
		return step
	}
	return kind.Step{}
}

// next returns the step that reads the next file, or ends the import.
func (a *arrivals) next() kind.Step {
	a.now = nil
	if a.over = len(a.names) == 0; a.over {
		return kind.Step{}
	}
	name := a.names[0]
	a.names = a.names[1:]
	return kind.Step{Needs: content{name}}
}

// unread returns the error of a file for people.
func unread(name string, err error) unreadable {
	u := unreadable{name: name, text: "The session's file cannot be read; the server's log says why."}
	var snapshot *Broken
	if errors.As(err, &snapshot) {
		u.id, u.text = snapshot.SessionID, snapshot.Error()
	}
	u.text += "\nIt is sessions/" + kind.Clip(name, 255) +
		" in the realm's folder: mend it and start the server again, or remove it."
	return u
}

// arrives returns the import of a snapshot as a conversation. Its members are those of the team with its
// id, if there is one, else the speakers in the file. Its times are the file's, so that its last change is
// that of the older program (S2-12, S2-B4).
func arrives(r *kind.Realm, name, file string, s *Snapshot) *arrival {
	members := world.Team{ID: s.TeamID, Name: s.TeamID, Members: s.Speakers()}
	if t, err := r.Teams.Team(s.TeamID); err == nil {
		members = *t
	}
	now := r.At()
	a := &arrival{file: file, rows: Migrate(s.Context.Messages), head: world.Conversation{
		ConversationID: s.SessionID, Kind: name, Status: world.ConversationPaused, Team: members,
		Title:      "Taken in - " + s.UpdatedAt.Go().In(r.Zone).Format("Jan 2, 03:04 PM"),
		TaskPrompt: s.Context.TeamTask, CreatedAt: min(s.CreatedAt, now), UpdatedAt: min(s.UpdatedAt, now),
	}}
	said := a.head.CreatedAt // a message without a time has that of the message before it
	for _, m := range a.rows {
		said = min(cmp.Or(m.Timestamp, said), now)
		a.times = append(a.times, said)
	}
	return a
}

// add adds as many rows as one commit may hold to those in the tables. It repeats that, once they are
// durable, until the session is complete.
func (a *arrivals) add(r *kind.Realm, saved *world.SavedConversation, err error) kind.Step {
	now := a.now
	id := now.head.ConversationID
	var step kind.Step
	from := 0
	switch {
	case r.World.IsErased(id):
		step.Info = "a session was erased here: its file is not imported, and goes: sessions/" + now.file
		from = len(now.rows)
	case r.Here.Erasing(id): // the next opening sees whether the erasure has ended
		return a.next()
	case err != nil || saved != nil && saved.Conversation.Kind != now.head.Kind:
		step = a.next()
		step.Talk = id
		step.Warn = fmt.Sprintf("a session could not be imported; its file sessions/%s stays: %v", now.file, err)
		return step
	case saved == nil:
		step.Bodies = append(step.Bodies, &world.ConversationStarted{Conversation: now.head})
	default:
		from = imported(id, saved.Messages, len(now.rows))
	}
	step.Bodies = append(step.Bodies, now.from(from)...)
	if step.Needs = (there{id}); len(step.Bodies) == 0 {
		a.arrived[id] = true
		step.Needs = removal{now.file}
		if step.Info == "" {
			step.Talk, step.Info = id, fmt.Sprintf("a session of %d messages was imported from a file", len(now.rows))
		}
	}
	return step
}

// from returns events for the rows from next on, as many as one commit may hold.
func (a *arrival) from(next int) (out []world.Body) {
	id := a.head.ConversationID
	for size := 0; next < len(a.rows) && len(out) < MaxTakenRows && size < MaxTakenBytes; next++ {
		m := a.rows[next]
		row := world.Message{
			MessageID: RowID(id, next), ConversationID: id, Role: world.RoleAssistant,
			MemberID: kind.Clip(m.Speaker.ID, world.MaxTitle), Name: kind.Clip(m.Speaker.Name, world.MaxTitle),
			Content: m.Content, Status: cmp.Or(m.Status, world.MessageDone), At: a.times[next],
		}
		of := m.Speaker.Type
		if member := a.head.Member(m.Speaker.ID); of == "" && member != nil {
			of = member.Type // the file does not give the type
		}
		switch {
		case m.Speaker.ID == team.SystemID:
			row.Role, row.MemberID = world.RoleSystem, ""
		case of == world.KindHuman:
			row.Role = world.RoleUser
		}
		size += len(m.Content)
		out = append(out, &world.MessageAdded{ConversationID: id, Message: row})
	}
	return out
}

// imported returns the number of rows of a session that the tables have, by its newest row. It returns all
// if the session has continued without its file or was never in a file.
func imported(sessionID string, newest []world.Message, all int) int {
	if len(newest) == 0 {
		return all
	}
	n, ok := RowOf(sessionID, newest[len(newest)-1].MessageID)
	if !ok {
		return all
	}
	return n + 1
}
