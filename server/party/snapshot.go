package party

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"agentdungeon/server/jsonfile"
	"agentdungeon/server/team"
	"agentdungeon/shared/world"
)

// SchemaVersion is the version of the snapshots that File writes (S2-B3).
const SchemaVersion = "1.0"

// Limits of a snapshot file that is read.
const (
	MaxSnapshotFile     = 64 << 20 // bytes
	MaxSnapshotMessages = 100_000
)

// Snapshot is a session in the form of document 002's file. The transcript is authoritative: NewSnapshot
// makes a Snapshot from it, for Restore and for export. ParseSnapshot reads the files of an older program.
type Snapshot struct {
	SchemaVersion string     `json:"schemaVersion"`
	TeamID        string     `json:"teamId"`
	SessionID     string     `json:"sessionId"`
	CreatedAt     world.Time `json:"createdAt"`
	UpdatedAt     world.Time `json:"updatedAt"`
	Context       Context    `json:"context"`
	Metadata      Metadata   `json:"metadata"`
}

// Context is the input of the next prompt (S2-11).
type Context struct {
	Messages  []Message  `json:"messages"` // oldest first
	TeamTask  string     `json:"teamTask"`
	Timestamp world.Time `json:"timestamp"`
	Version   int        `json:"version"` // ContextVersion
}

// ContextVersion is the value of Context.Version.
const ContextVersion = 1

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
	// Status says how incomplete words ended: world.MessageInterrupted and the like. It is "" for complete
	// words.
	Status string `json:"status,omitempty"`
}

// Speaker is the speaker of a message, with the names of that time. The fields of the older format are read
// and never written (S2-10).
type Speaker struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	DisplayName string `json:"displayName"`
	// Type is world.KindHuman or world.KindAgent, "" if the file does not give it, and for the system.
	Type string `json:"type,omitempty"`

	RoleID    string `json:"-"`
	RoleName  string `json:"-"`
	RoleTitle string `json:"-"`
}

func (s Speaker) id() string   { return cmp.Or(s.ID, s.RoleID) }
func (s Speaker) name() string { return cmp.Or(s.Name, s.RoleName) }

// spoken reports whether a row is a message of the session: a closed row of a person or an agent. Rows of
// tools and of the system are none, except for system messages that came from the session's file.
func spoken(m world.Message) bool {
	return (m.Role == world.RoleUser || m.Role == world.RoleAssistant) && m.Status != world.MessageOpen
}

// NewSnapshot returns a session as its transcript has it; rows are all of its rows, oldest first. The team
// task comes from the rows or, if no row sets it, from the head of an imported session.
func NewSnapshot(head world.Conversation, rows []world.Message, now time.Time) *Snapshot {
	s := &Snapshot{
		SchemaVersion: SchemaVersion, TeamID: head.Team.ID, SessionID: head.ConversationID, CreatedAt: head.CreatedAt, UpdatedAt: head.UpdatedAt,
		Context: Context{Messages: []Message{}, TeamTask: TaskOf(rows), Timestamp: world.TimeOf(now), Version: ContextVersion},
	}
	for _, row := range rows {
		_, came := RowOf(head.ConversationID, row.MessageID)
		if system := row.Role == world.RoleSystem && came; !spoken(row) && !system {
			continue
		}
		s.Context.Messages = append(s.Context.Messages, messageOf(&head, row))
	}
	if !slices.ContainsFunc(rows, SaysTask) {
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
	if of := head.Member(row.MemberID); of != nil {
		m.Speaker.Name, m.Speaker.DisplayName = of.Name, of.DisplayName
	}
	return m
}

func metadata(messages []Message) Metadata {
	m := Metadata{MessageCount: len(messages), Summary: Summary(len(messages), "")}
	if n := len(messages); n > 0 {
		m.LastSpeakerID, m.Summary = messages[n-1].Speaker.id(), Summary(n, messages[0].Content)
	}
	return m
}

// File returns the snapshot as a file: JSON indented by two spaces, with the new names of speakers only,
// whatever format it was read from (S2-10, S2-B3).
func (s *Snapshot) File() ([]byte, error) {
	out := *s
	out.Context.Messages = Migrate(s.Context.Messages)
	data, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode session snapshot: %w", err)
	}
	return append(data, '\n'), nil
}

// CheckVersion returns an error for another schema version than SchemaVersion. The error says whether it is
// newer or older (S2-B5).
func CheckVersion(v string) error {
	theirs, ok := parseVersion(v)
	ours, _ := parseVersion(SchemaVersion)
	switch c := slices.Compare(theirs, ours); {
	case !ok:
		return fmt.Errorf("%s: schemaVersion: %q is no version", invalid, jsonfile.Clip(v, 64))
	case c > 0:
		return said(tooNew(v))
	case c < 0:
		return said(tooOld(v))
	}
	return nil
}

// parseVersion splits a version such as "1.0" into its numbers.
func parseVersion(v string) ([]int, bool) {
	parts := strings.Split(v, ".")
	if len(parts) != 2 {
		return nil, false
	}
	var out []int
	for _, p := range parts {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil {
			return nil, false
		}
		out = append(out, int(n))
	}
	return out, true
}

// ToTakeIn reads a snapshot file that is imported as a conversation: its ids must also be valid ids of a
// realm. An error is a *Broken.
func ToTakeIn(data []byte) (*Snapshot, error) {
	s, err := ParseSnapshot(data)
	if err != nil {
		return nil, broken(data, err)
	}
	r := jsonfile.NewPlain(invalid, MaxSnapshotFile)
	r.ID(s.TeamID, "teamId")
	r.ID(s.SessionID, "sessionId")
	if err := r.Err(); err != nil {
		return nil, broken(data, err)
	}
	return s, nil
}

// ParseSnapshot reads a snapshot file, also one in which speakers have the older names. It ignores unknown
// fields. An error names the field (S2-17), as in
//
//	Invalid session snapshot: context.messages[3].speaker.id: is missing
func ParseSnapshot(data []byte) (*Snapshot, error) {
	r := jsonfile.NewPlain(invalid, MaxSnapshotFile)
	f := r.Object(r.Read(data), "")
	s := &Snapshot{SchemaVersion: r.String(f["schemaVersion"], "schemaVersion", true)}
	if r.Err() == nil {
		if err := CheckVersion(s.SchemaVersion); err != nil {
			return nil, err
		}
	}
	s.TeamID = filled(r, f["teamId"], "teamId")
	s.SessionID = filled(r, f["sessionId"], "sessionId")
	s.CreatedAt = timeOf(r, f["createdAt"], "createdAt")
	s.UpdatedAt = timeOf(r, f["updatedAt"], "updatedAt")
	c := r.Object(f["context"], "context")
	s.Context.TeamTask, _ = world.Cut(r.String(c["teamTask"], "context.teamTask", false), MaxTask)
	s.Context.Version = ContextVersion
	if c["timestamp"] != nil {
		s.Context.Timestamp = timeOf(r, c["timestamp"], "context.timestamp")
	}
	if c["version"] != nil {
		s.Context.Version = r.Integer(c["version"], "context.version", ContextVersion, ContextVersion)
	}
	s.Context.Messages = []Message{}
	for i, v := range r.List(c["messages"], "context.messages", 0, MaxSnapshotMessages) {
		s.Context.Messages = append(s.Context.Messages, readMessage(r, v, jsonfile.Index("context.messages", i)))
	}
	if f["metadata"] != nil {
		r.Object(f["metadata"], "metadata")
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	s.Metadata = metadata(s.Context.Messages) // counted anew, because the file's counts may be wrong
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
