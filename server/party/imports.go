package party

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"agentdungeon/server/jsonfile"
	"agentdungeon/server/kind"
	"agentdungeon/server/team"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// This file imports sessions that an older program stored in files (document 002). Each file becomes a
// conversation by several small commits, so that a file of 64 MB does not block the realm. The id of a row
// gives its position in the session, so an import that a restart interrupted continues with the next row.

// Limits of one commit of an import.
const (
	MaxImportRows  = 200
	MaxImportBytes = 256 << 10
)

// imports is the state of the imports since the server started.
type imports struct {
	names  []string        // files to import; each opening of the realm lists a limited number
	now    *importing      // nil if no session is being imported
	ended  bool            // all files were handled
	done   map[string]bool // ids of imported sessions, at most as many as names
	failed []failedFile    // files that failed; at most as many as names
}

// importing is a session that is being imported.
type importing struct {
	file  string
	head  world.Conversation
	rows  []Message
	times []world.Time // times of rows, with the same indexes
}

// failedFile is a file that could not be imported (S2-17).
type failedFile struct {
	session string // the id in the file, "" if there is none
	name    string
	text    string // why, for a person who opens the session
}

// holds reports whether the file contains the session with that id. It compares the id in the file or, if the file has
// none, the file's name: ID.json, or MILLISECONDS-ID.json in document 002's layout.
func (f *failedFile) holds(id string) bool {
	if f.session != "" {
		return f.session == id
	}
	rest, ok := strings.CutSuffix(strings.TrimSuffix(f.name, ".json"), id)
	digits, dash := strings.CutSuffix(rest, "-")
	return ok && id != "" && (rest == "" || dash && strings.Trim(digits, "0123456789") == "")
}

// pending reports whether a session, or a part of it, may still be imported from a file.
func (s *imports) pending(id string, got loaded) bool {
	if s.ended || got.snap == nil {
		return !s.ended
	}
	_, partly := importedRows(id, got.saved.Messages)
	return partly && !s.done[id]
}

// StillImporting is the error for a command on a session that is still being imported from its file.
var StillImporting = wire.Errorf(wire.NotReady,
	"this session is still being imported from its file; try again in a moment")

// The reads of an import (kind.Need), in their order.
type (
	// listFiles lists the session files, as a fileList.
	listFiles struct{ unshared }
	// readFile reads a session file, as a *Snapshot.
	readFile struct {
		unshared
		name string
	}
	// readStored reads the conversation of a session as far as it is imported, as a
	// *world.SavedConversation, nil for none.
	readStored struct {
		unshared
		id string
	}
	// removeFile removes a session file whose session is complete in the journal.
	removeFile struct {
		unshared
		name string
	}
)

type fileList struct {
	names []string
	err   error // why the list of names may be incomplete
}

func (listFiles) Read(_ context.Context, from kind.Sources) (any, error) {
	names, err := from.SessionFiles()
	return fileList{names, err}, nil
}

func (n readFile) Read(_ context.Context, from kind.Sources) (any, error) {
	data, err := from.ReadSession(n.name)
	if err != nil {
		return nil, err
	}
	return parseImport(data)
}

func (n readStored) Read(ctx context.Context, from kind.Sources) (any, error) {
	saved, err := from.Conversation(ctx, n.id)
	if errors.Is(err, world.ErrNoConversation) {
		return (*world.SavedConversation)(nil), nil
	}
	return &saved, err
}

func (n removeFile) Read(_ context.Context, from kind.Sources) (any, error) {
	return nil, from.RemoveSession(n.name)
}

// Imports begins to import the files of the realm's folder (S2-10).
func (k *Party) Imports(*kind.Realm) kind.Steps { return kind.One(kind.Step{Needs: listFiles{}}) }

// Broken returns the error that tells why the file of a session could not be imported (S2-17). It returns nil for all
// other sessions.
func (k *Party) Broken(id string) *wire.Error {
	for i := range k.imports.failed {
		if f := &k.imports.failed[i]; f.holds(id) {
			return &wire.Error{Code: wire.Conflict, Message: f.text}
		}
	}
	return nil
}

// Importing reports whether files are still being imported.
func (k *Party) Importing() bool { return !k.imports.ended }

// Found handles the result of a need or the error of reading it. It continues an import or, if need is of the type
// missing, warns of missing members.
func (k *Party) Found(r *kind.Realm, need kind.Need, got any, err error) kind.Steps {
	if n, ok := need.(missing); ok {
		return kind.One(warnMissing(r, n.id, got, err))
	}
	return kind.One(k.imports.found(r, k.name, need, got, err))
}

// found continues an import. name is the kind of the conversations that the import makes.
func (s *imports) found(r *kind.Realm, name string, need kind.Need, got any, err error) kind.Step {
	var closed *wire.Error
	if errors.As(err, &closed) { // the realm is closing
		s.names = nil
	}
	switch n := need.(type) {
	case listFiles:
		files, _ := got.(fileList)
		s.names, s.done = files.names, map[string]bool{}
		step := s.next()
		if err = errors.Join(err, files.err); err != nil {
			step.Warn = fmt.Sprintf("not all session files can be imported: %v", err)
		}
		return step
	case readFile:
		if err != nil { // the file stays where it is (S2-17)
			s.failed = append(s.failed, newFailedFile(n.name, err))
			step := s.next()
			step.Warn = fmt.Sprintf("a session cannot be imported: sessions/%s: %v", n.name, err)
			return step
		}
		s.now = newImport(r, name, n.name, got.(*Snapshot))
		return kind.Step{Needs: readStored{id: s.now.head.ConversationID}}
	case readStored:
		stored, _ := got.(*world.SavedConversation)
		return s.add(r, stored, err)
	case removeFile:
		step := s.next()
		if err != nil {
			step.Warn = fmt.Sprintf("an imported session's file sessions/%s could not be removed: %v", n.name, err)
		}
		return step
	}
	return kind.Step{}
}

// next returns the step that reads the next file, or ends the import.
func (s *imports) next() kind.Step {
	s.now = nil
	if s.ended = len(s.names) == 0; s.ended {
		return kind.Step{}
	}
	name := s.names[0]
	s.names = s.names[1:]
	return kind.Step{Needs: readFile{name: name}}
}

func newFailedFile(name string, err error) failedFile {
	f := failedFile{name: name, text: "The session's file cannot be read; the server's log says why."}
	var bad *fileError
	if errors.As(err, &bad) {
		f.session, f.text = bad.sessionID, bad.Error()
	}
	f.text += "\nIt is sessions/" + kind.Clip(name, 255) +
		" in the realm's folder: mend it and start the server again, or remove it."
	return f
}

// newImport returns the import of the snapshot s as a conversation of the kind name. The members of the conversation
// are those of the team that s names or, if there is no such team, the speakers in s. The conversation has the times in
// s instead of the time of the import (S2-12, S2-B4).
func newImport(r *kind.Realm, name, file string, s *Snapshot) *importing {
	members := world.Team{ID: s.TeamID, Name: s.TeamID, Members: speakers(s)}
	if t, err := r.Teams.Team(s.TeamID); err == nil {
		members = *t
	}
	now := r.At()
	i := &importing{file: file, rows: migrate(s.Context.Messages), head: world.Conversation{
		ConversationID: s.SessionID, Kind: name, Status: world.ConversationPaused, Team: members,
		Title:      "Taken in - " + s.UpdatedAt.Go().In(r.Zone).Format(titleTime),
		TaskPrompt: s.Context.TeamTask, CreatedAt: min(s.CreatedAt, now), UpdatedAt: min(s.UpdatedAt, now),
	}}
	said := i.head.CreatedAt // a message without a time has the time of the message before it
	for _, m := range i.rows {
		said = min(cmp.Or(m.Timestamp, said), now)
		i.times = append(i.times, said)
	}
	return i
}

// speakers returns the speakers of a snapshot as members, each once with the newest name, at most
// world.MaxAgentsEver. It omits speakers without a type.
func speakers(s *Snapshot) []world.Member {
	out := []world.Member{}
	at := map[string]int{} // the index in out by id
	for _, m := range migrate(s.Context.Messages) {
		from := m.Speaker
		if from.Type == "" || from.ID == team.SystemID || !wire.ValidID(from.ID) {
			continue
		}
		i, known := at[from.ID]
		if !known {
			if len(out) == world.MaxAgentsEver {
				continue
			}
			i, at[from.ID] = len(out), len(out)
			out = append(out, world.Member{ID: from.ID, Role: from.ID, Color: speakerColor, Type: from.Type, Order: i})
		}
		out[i].Name = jsonfile.Clip(from.Name, world.MaxTitle)
		out[i].DisplayName = jsonfile.Clip(from.DisplayName, world.MaxTitle)
	}
	return out
}

// speakerColor is the colour of a member of which only a session file has the name.
const speakerColor = "#808080"

// add returns the step that commits the next rows of the session, or removes its file if the session is complete.
// stored is the part of the session that the journal has, nil for nothing.
func (s *imports) add(r *kind.Realm, stored *world.SavedConversation, err error) kind.Step {
	now := s.now
	id := now.head.ConversationID
	var step kind.Step
	next := 0
	switch {
	case r.World.IsErased(id):
		step.Info = "a session was erased here: its file is not imported and is removed: sessions/" + now.file
		next = len(now.rows)
	case r.Here.Erasing(id): // skip the file; after the erasure the next opening handles it
		return s.next()
	case err != nil || stored != nil && stored.Conversation.Kind != now.head.Kind:
		step = s.next()
		step.Talk = id
		step.Warn = fmt.Sprintf("a session could not be imported; its file sessions/%s stays: %v", now.file, err)
		return step
	case stored == nil:
		step.Bodies = append(step.Bodies, &world.ConversationStarted{Conversation: now.head})
	default:
		var partly bool
		if next, partly = importedRows(id, stored.Messages); !partly {
			next = len(now.rows)
		}
	}
	step.Bodies = append(step.Bodies, now.from(next)...)
	if len(step.Bodies) > 0 {
		step.Needs = readStored{id: id}
		return step
	}
	s.done[id] = true
	step.Needs = removeFile{name: now.file}
	if step.Info == "" {
		step.Talk, step.Info = id, fmt.Sprintf("a session of %d messages was imported from a file", len(now.rows))
	}
	return step
}

// from returns events that add the rows of the session from the index next on, at most as many as one commit may hold.
func (i *importing) from(next int) (out []world.Body) {
	id := i.head.ConversationID
	for size := 0; next < len(i.rows) && len(out) < MaxImportRows && size < MaxImportBytes; next++ {
		m := i.rows[next]
		row := world.Message{
			MessageID: rowID(id, next), ConversationID: id, Role: world.RoleAssistant,
			MemberID: kind.Clip(m.Speaker.ID, world.MaxTitle), Name: kind.Clip(m.Speaker.Name, world.MaxTitle),
			Content: m.Content, Status: cmp.Or(m.Status, world.MessageDone), At: i.times[next],
		}
		speaker := m.Speaker.Type
		if member := i.head.Member(m.Speaker.ID); speaker == "" && member != nil {
			speaker = member.Type
		}
		switch {
		case m.Speaker.ID == team.SystemID:
			row.Role, row.MemberID = world.RoleSystem, ""
		case speaker == world.KindHuman:
			row.Role = world.RoleUser
		}
		size += len(m.Content)
		out = append(out, &world.MessageAdded{ConversationID: id, Message: row})
	}
	return out
}

// importedRows returns how many rows of a session are imported. It finds the number in the id of the last row in
// newest, the session's newest rows in the journal. partly is false for a session that has no rows, has continued
// without its file, or was never in a file.
func importedRows(sessionID string, newest []world.Message) (n int, partly bool) {
	if len(newest) == 0 {
		return 0, false
	}
	n, partly = rowOf(sessionID, newest[len(newest)-1].MessageID)
	return n + 1, partly
}
