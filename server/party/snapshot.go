package party

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"agentdungeon/server/jsonfile"
	"agentdungeon/server/team"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// SchemaVersion is the version of the snapshots that File writes (S2-B3).
const SchemaVersion = "1.0"

// Limits of a snapshot file.
const (
	maxSnapshotFile     = 64 << 20 // bytes of a file
	maxSnapshotMessages = 100_000
)

// Snapshot is a session in the form of document 002's file. NewSnapshot makes a Snapshot from the transcript,
// for a restore and for an export. ParseSnapshot reads a file of an older program.
type Snapshot struct {
	SchemaVersion string     `json:"schemaVersion"`
	TeamID        string     `json:"teamId"`
	SessionID     string     `json:"sessionId"`
	CreatedAt     world.Time `json:"createdAt"`
	UpdatedAt     world.Time `json:"updatedAt"`
	Context       Context    `json:"context"`
	Metadata      Metadata   `json:"metadata"`
}

// Context has the data from which the prompt of the session's next turn is made (S2-11).
type Context struct {
	Messages  []Message  `json:"messages"` // oldest first
	TeamTask  string     `json:"teamTask"`
	Timestamp world.Time `json:"timestamp"`
	Version   int        `json:"version"` // contextVersion of document 002
}

const contextVersion = 1

// Metadata describes a snapshot in a list.
type Metadata struct {
	LastSpeakerID string `json:"lastSpeakerId"`
	MessageCount  int    `json:"messageCount"`
	Summary       string `json:"summary"`
}

// Message is one contribution to a session.
type Message struct {
	ID        string     `json:"id"`
	Speaker   Speaker    `json:"speaker"`
	Content   string     `json:"content"`
	Timestamp world.Time `json:"timestamp"`
	// Status is the row's status if the words are incomplete, such as world.MessageInterrupted, else "".
	Status string `json:"status,omitempty"`
}

// Speaker is the speaker of a message, with the names that the speaker had when the message was written. The fields of
// the older format are read and never written (S2-10).
type Speaker struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	DisplayName string `json:"displayName"`
	// Type is world.KindHuman or world.KindAgent. It is "" if the speaker is the system or if the file gives no type.
	Type string `json:"type,omitempty"`

	RoleID    string `json:"-"`
	RoleName  string `json:"-"`
	RoleTitle string `json:"-"`
}

func (s Speaker) id() string   { return cmp.Or(s.ID, s.RoleID) }
func (s Speaker) name() string { return cmp.Or(s.Name, s.RoleName) }

// NewSnapshot returns a session with the messages of people and agents, and with the system messages of the
// session's file if it was imported. rows are all rows, oldest first. The team task comes from the rows or,
// if no row sets it, from the head of an imported session.
func NewSnapshot(head world.Conversation, rows []world.Message, now time.Time) *Snapshot {
	s := &Snapshot{
		SchemaVersion: SchemaVersion, TeamID: head.Team.ID, SessionID: head.ConversationID,
		CreatedAt: head.CreatedAt, UpdatedAt: head.UpdatedAt,
		Context: Context{
			Messages: []Message{}, TeamTask: taskOf(rows), Timestamp: world.TimeOf(now), Version: contextVersion,
		},
	}
	for _, row := range rows {
		_, imported := rowOf(head.ConversationID, row.MessageID)
		if spoken(row) || row.Role == world.RoleSystem && imported {
			s.Context.Messages = append(s.Context.Messages, messageOf(&head, row))
		}
	}
	if !slices.ContainsFunc(rows, setsTask) {
		s.Context.TeamTask = head.TaskPrompt
	}
	s.Metadata = metadata(s.Context.Messages)
	return s
}

// messageOf returns a row as a message of the session. A speaker in the team has the team's name.
func messageOf(head *world.Conversation, row world.Message) Message {
	m := Message{ID: row.MessageID, Content: row.Content, Timestamp: row.At}
	if row.Status != world.MessageDone {
		m.Status = row.Status
	}
	m.Speaker = Speaker{ID: cmp.Or(row.MemberID, row.SpectatorID, row.Role), Name: row.Name, DisplayName: row.Name}
	switch row.Role {
	case world.RoleUser:
		m.Speaker.Type = world.KindHuman
	case world.RoleAssistant:
		m.Speaker.Type = world.KindAgent
	case world.RoleSystem:
		m.Speaker.ID = team.SystemID
	}
	if member := head.Member(row.MemberID); member != nil {
		m.Speaker.Name, m.Speaker.DisplayName = member.Name, member.DisplayName
	}
	return m
}

func metadata(messages []Message) Metadata {
	n := len(messages)
	if n == 0 {
		return Metadata{Summary: summary(0, "")}
	}
	return Metadata{
		MessageCount: n, LastSpeakerID: messages[n-1].Speaker.id(), Summary: summary(n, messages[0].Content),
	}
}

// migrate returns a copy of the messages whose speakers have only the new names: where a speaker has only roleId,
// roleName and roleTitle, they become id, name and displayName (S2-10). It does not modify its argument.
func migrate(messages []Message) []Message {
	out := make([]Message, len(messages))
	for i, m := range messages {
		s := Speaker{ID: m.Speaker.id(), Type: m.Speaker.Type}
		s.Name = cmp.Or(m.Speaker.name(), s.ID)
		s.DisplayName = cmp.Or(m.Speaker.DisplayName, m.Speaker.RoleTitle, s.Name)
		m.Speaker = s
		out[i] = m
	}
	return out
}

// File returns the snapshot as a file: JSON that is indented by two spaces. Speakers have only the new names, even if
// the snapshot was read from the older format (S2-10, S2-B3).
func (s *Snapshot) File() ([]byte, error) {
	out := *s
	out.Context.Messages = migrate(s.Context.Messages)
	data, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode session snapshot: %w", err)
	}
	return append(data, '\n'), nil
}

// checkVersion returns an error for another schema version than SchemaVersion. The error says whether the
// version is newer or older (S2-B5).
func checkVersion(version string) error {
	v := "v" + version
	if strings.Count(v, ".") != 1 || !semver.IsValid(v) {
		return fmt.Errorf("%s: schemaVersion: %q is no version", invalid, jsonfile.Clip(version, 64))
	}
	switch c := semver.Compare(v, "v"+SchemaVersion); {
	case c > 0:
		return fixedText(fmt.Sprintf("Schema version %s is not supported. Please upgrade Agent Dungeon.", version))
	case c < 0:
		return fixedText(fmt.Sprintf("Schema version %s is deprecated. Please migrate to %s.", version, SchemaVersion))
	}
	return nil
}

// parseImport reads a snapshot file for an import: its ids must be valid ids of a realm. An error is a
// *fileError.
func parseImport(data []byte) (*Snapshot, error) {
	s, err := ParseSnapshot(data)
	if err == nil {
		r := jsonfile.NewPlain(invalid, maxSnapshotFile)
		r.ID(s.TeamID, "teamId")
		r.ID(s.SessionID, "sessionId")
		err = r.Err()
	}
	if err != nil {
		return nil, newFileError(data, err)
	}
	return s, nil
}

// fileError is the error of a snapshot file that cannot be read.
type fileError struct {
	sessionID string // "" if unknown
	err       error  // a text for a person (S2-17, S2-B5)
}

func (e *fileError) Error() string { return e.err.Error() }
func (e *fileError) Unwrap() error { return e.err }

// newFileError finds the session's id at the top of the file, also if the file was cut off behind it.
func newFileError(data []byte, err error) *fileError {
	e := &fileError{err: err}
	file := json.NewDecoder(bytes.NewReader(data))
	if begin, err := file.Token(); err != nil || begin != json.Delim('{') {
		return e
	}
	for file.More() {
		name, err := file.Token()
		if err != nil {
			return e
		}
		var value any
		if file.Decode(&value) != nil {
			return e
		}
		if id, ok := value.(string); ok && name == "sessionId" && wire.ValidID(id) {
			e.sessionID = id
			return e
		}
	}
	return e
}

// ParseSnapshot reads a snapshot file. Speakers may have the older names, and unknown fields are ignored. An
// error names the field (S2-17), as in
//
//	Invalid session snapshot: context.messages[3].speaker.id: is missing
func ParseSnapshot(data []byte) (*Snapshot, error) {
	r := jsonfile.NewPlain(invalid, maxSnapshotFile)
	f := r.Object(r.Read(data), "")
	s := &Snapshot{SchemaVersion: r.String(f["schemaVersion"], "schemaVersion", true)}
	if r.Err() == nil {
		if err := checkVersion(s.SchemaVersion); err != nil {
			return nil, err
		}
	}
	s.TeamID = filled(r, f["teamId"], "teamId")
	s.SessionID = filled(r, f["sessionId"], "sessionId")
	s.CreatedAt = timeOf(r, f["createdAt"], "createdAt")
	s.UpdatedAt = timeOf(r, f["updatedAt"], "updatedAt")
	c := r.Object(f["context"], "context")
	s.Context.TeamTask, _ = world.Cut(r.String(c["teamTask"], "context.teamTask", false), maxTask)
	s.Context.Version = contextVersion
	if c["timestamp"] != nil {
		s.Context.Timestamp = timeOf(r, c["timestamp"], "context.timestamp")
	}
	if c["version"] != nil {
		s.Context.Version = r.Integer(c["version"], "context.version", contextVersion, contextVersion)
	}
	s.Context.Messages = []Message{}
	for i, v := range r.List(c["messages"], "context.messages", 0, maxSnapshotMessages) {
		s.Context.Messages = append(s.Context.Messages, readMessage(r, v, jsonfile.Index("context.messages", i)))
	}
	if f["metadata"] != nil {
		r.Object(f["metadata"], "metadata")
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	s.Metadata = metadata(s.Context.Messages) // the file's own metadata may be wrong
	return s, nil
}

func readMessage(r *jsonfile.Reader, v any, at string) Message {
	f := r.Object(v, at)
	m := Message{
		ID:      r.String(f["id"], at+".id", false),
		Content: r.String(f["content"], at+".content", true),
	}
	if len(m.Content) > world.MaxMessageText {
		r.Fail(at+".content", "is %d bytes long, at most %d fit", len(m.Content), world.MaxMessageText)
	}
	if f["timestamp"] != nil {
		m.Timestamp = timeOf(r, f["timestamp"], at+".timestamp")
	}
	switch status := r.String(f["status"], at+".status", false); status {
	case world.MessageInterrupted, world.MessageCancelled, world.MessageError:
		m.Status = status
	}
	at += ".speaker"
	g := r.Object(f["speaker"], at)
	for _, field := range []struct {
		name string
		to   *string
	}{
		{"id", &m.Speaker.ID}, {"name", &m.Speaker.Name}, {"displayName", &m.Speaker.DisplayName},
		{"roleId", &m.Speaker.RoleID}, {"roleName", &m.Speaker.RoleName}, {"roleTitle", &m.Speaker.RoleTitle},
	} {
		*field.to = r.String(g[field.name], at+"."+field.name, false)
	}
	if m.Speaker.id() == "" {
		r.Fail(at+".id", "is missing")
	}
	switch kind, _ := g["type"].(string); kind {
	case world.KindHuman, world.KindAgent:
		m.Speaker.Type = kind
	}
	return m
}

func filled(r *jsonfile.Reader, v any, at string) string {
	s := r.String(v, at, true)
	if s == "" {
		r.Fail(at, "is empty")
	}
	return s
}

// timeOf reads a time as RFC 3339 or as milliseconds since 1970.
func timeOf(r *jsonfile.Reader, v any, at string) world.Time {
	switch v := v.(type) {
	case nil:
		r.Fail(at, "is missing")
	case string:
		t, err := time.Parse(time.RFC3339Nano, v)
		if err == nil {
			return world.TimeOf(t)
		}
		r.Fail(at, "%q is no RFC 3339 time", jsonfile.Clip(v, 64))
	case json.Number:
		ms, err := v.Int64()
		if err == nil && ms >= 0 && ms < 1<<53 {
			return world.Time(ms)
		}
		r.Fail(at, "must be milliseconds since 1970")
	default:
		r.Fail(at, "must be a time")
	}
	return 0
}
