package kind

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"agentdungeon/server/brief"
	"agentdungeon/server/conversation"
	"agentdungeon/server/driver"
	"agentdungeon/server/hints"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Realm is the state of a realm for one decision. It is valid until the decision returns. A kind does not modify it,
// except that NewID increments IDs.
type Realm struct {
	ID    string
	World *world.World
	Talks map[string]*Talk // the conversations in memory
	Kinds Set

	Clock  Clock
	Zone   *time.Location // the time zone of times in titles
	Born   int64          // seq of the last event before this opening of the realm
	Vaults Vaults
	Texts  map[string]world.SkillText // skills by name
	Hints  hints.Hints                // hints of the linked repository at the last Look

	Templates Templates
	Teams     Teams
	Drivers   driver.Drivers
	Pace      string // one of world.Pace..., from a flag of the server; "" for the pace in the realm's settings

	Here Here
	Met  Met // the results of the needs that were read for this decision

	// IDs is the number of ids that NewID has made for this decision. The engine resets it before it repeats the
	// decision.
	IDs int

	casts map[string]*world.Template // cache; at most one entry for each template
}

// Clock is the time of a decision.
type Clock struct {
	Now  time.Time  // monotonic, for waiting
	Wall world.Time // time of the wall clock
	Last world.Time // time of the last event
}

// Here has the present state of the realm that is not part of its world.
type Here interface {
	// Present reports whether a spectator has an open connection.
	Present(spectatorID string) bool
	// Answering returns, for each run that a driver plays now, the id of its conversation.
	Answering() []string
	// Erasing reports whether a conversation is being erased.
	Erasing(conversationID string) bool
	// Reads reports whether the engine is reading a Need with this key.
	Reads(key string) bool
}

// Templates returns process templates: embedded ones and those of the worlds folder.
type Templates interface {
	// Template returns a template by id, "" for the default. If there is none, the error is a sentence for a person
	// that also names the files that could not be read.
	Template(id string) (*world.Template, error)
	// All returns the usable templates, the default first.
	All() []*world.Template
}

// Teams returns the teams of parties: embedded ones and those of the worlds folder, as their
// files are now. Callers do not modify them.
type Teams interface {
	// Teams returns all teams, the default first.
	Teams() []*world.Team
	// Team returns a team by id. If there is none, the error is a sentence for a person that also names the files that
	// could not be read.
	Team(id string) (*world.Team, error)
}

// At returns the time for new events: the time of the clock, or that of the last event if the clock is slightly
// behind it (P4.1).
func (r *Realm) At() world.Time { return world.After(r.Clock.Last, r.Clock.Wall) }

// NewID returns an id that is unique in the realm. The id consists of prefix, the seq of the next event, and the number
// of ids made for this decision.
func (r *Realm) NewID(prefix string) string {
	r.IDs++
	return prefix + strconv.FormatInt(r.World.Tick+1, 10) + "-" + strconv.FormatInt(int64(r.IDs), 36)
}

// FreshID returns the requestId of a new run. Clients choose any ids for their own runs, so FreshID
// skips ids that are in use.
func (r *Realm) FreshID(t *Talk, prefix string) string {
	for {
		if id := r.NewID(prefix); !t.Used(id) {
			return id
		}
	}
}

// RunID returns the requestId of a run that a command begins: the command's requestID or, if that is "", a new one. It
// returns an error if a run of this conversation already has requestID.
func (r *Realm) RunID(t *Talk, requestID string) (string, *wire.Error) {
	if requestID == "" {
		return r.FreshID(t, "w"), nil
	}
	if t.Used(requestID) {
		return "", wire.Errorf(wire.Conflict, "requestId %s was used for something else", requestID)
	}
	return requestID, nil
}

// TalkIDs returns the ids of the conversations in memory, sorted.
func (r *Realm) TalkIDs() []string { return slices.Sorted(maps.Keys(r.Talks)) }

// TalksOf returns the conversations of a kind, in the order of their ids.
func (r *Realm) TalksOf(name string) []*Talk {
	var out []*Talk
	for _, id := range r.TalkIDs() {
		if t := r.Talks[id]; t.Head.Kind == name {
			out = append(out, t)
		}
	}
	return out
}

// Newest returns the conversations of a kind that have not ended, the last changed first, at most wire.ViewChats.
// The frame world:state contains them if their Standing is Recent.
func (r *Realm) Newest(name string) []*Talk {
	var list []*Talk
	for _, t := range r.TalksOf(name) {
		if !t.Head.Ended() {
			list = append(list, t)
		}
	}
	slices.SortStableFunc(list, func(x, y *Talk) int { return int(y.LastSeq - x.LastSeq) })
	return list[:min(len(list), wire.ViewChats)]
}

// New returns the head of a conversation that begins now.
func (r *Realm) New(name, title, status string, team world.Team) world.Conversation {
	now, id := r.At(), r.NewID("c")
	if r.Kinds.Of(name).Traits().Private {
		id = world.PrivateID(id)
	}
	return world.Conversation{
		ConversationID: id, Kind: name, Title: title, Status: status, Team: team, CreatedAt: now, UpdatedAt: now,
	}
}

// Fresh returns the state of a conversation that has not begun.
func (r *Realm) Fresh(head world.Conversation) *Talk {
	t := conversation.New(r.Kinds.Of(head.Kind).Traits().Rules)
	t.Head = head
	return t
}

// SystemRow returns the event that adds a system row with this text.
func (r *Realm) SystemRow(conversationID, text string) *world.MessageAdded {
	return &world.MessageAdded{ConversationID: conversationID, Message: world.Message{
		MessageID: r.NewID("m"), ConversationID: conversationID, Role: world.RoleSystem, Name: "system",
		Content: text, Status: world.MessageDone, At: r.At(),
	}}
}

// PersonRow returns the row of a person's words.
func (r *Realm) PersonRow(p Person, conversationID, request, text string) *world.Message {
	return &world.Message{
		MessageID: r.NewID("m"), ConversationID: conversationID, RequestID: request, Role: world.RoleUser,
		SpectatorID: p.SpectatorID,
		Name:        p.Name, Content: text, Status: world.MessageDone, At: r.At(),
	}
}

// Running returns a run if it is under way, else nil.
func (r *Realm) Running(conversationID, requestID string) *world.Run {
	if t := r.Talks[conversationID]; t != nil {
		if run := t.Run(requestID); run != nil && run.Status == world.RunRunning {
			return run
		}
	}
	return nil
}

// MaxAnswers limits how many conversations of kinds with Traits.Answers are answered at once;
// further ones are refused.
const MaxAnswers = 32

// RoomToAnswer returns an error if MaxAnswers conversations other than conversationID are being answered. It does not
// count conversationID, because the new answer replaces the answer under way there.
func (r *Realm) RoomToAnswer(conversationID string) *wire.Error {
	n := 0
	for _, id := range r.Here.Answering() {
		if t := r.Talks[id]; t != nil && r.Kinds.Of(t.Head.Kind).Traits().Answers && id != conversationID {
			n++
		}
	}
	if n >= MaxAnswers {
		return wire.Errorf(wire.RateLimited, "%d conversations are being answered; wait for one of them", n)
	}
	return nil
}

// Overtaken returns a frame with the newest row of a person in t if the seq of that row is higher than seen. seen is
// the seq of the last row that the sender, from, had seen. Overtaken returns nil if there is no such row or if seen is
// 0.
func Overtaken(t *Talk, from Person, request string, seen int64) *wire.Overtaken {
	if seen <= 0 {
		return nil
	}
	for i := len(t.Messages) - 1; i >= 0; i-- {
		m := &t.Messages[i]
		if m.Role != world.RoleUser {
			continue
		}
		if m.Seq <= seen {
			return nil
		}
		return &wire.Overtaken{
			ConversationID: t.Head.ConversationID, RequestID: request, Name: m.Name, Own: m.SpectatorID == from.SpectatorID,
			LastSeq: m.Seq,
		}
	}
	return nil
}

// MemberName returns the name of a member.
func (r *Realm) MemberName(id string) string {
	if ag := r.World.Agent(id); ag != nil && ag.DisplayName != "" {
		return ag.DisplayName
	}
	if role := r.World.ProcessState.Role(id); role != nil {
		return role.Name
	}
	return id
}

// NameIn returns the name of a member in a conversation.
func (r *Realm) NameIn(talkID, member string) string {
	if t := r.Talks[talkID]; t != nil && !t.Rules.Staged {
		if m := t.Head.Member(member); m != nil {
			return m.DisplayName
		}
	}
	return r.MemberName(member)
}

// SkillsOf returns the skills of a member in the form in which its prompt contains them.
func (r *Realm) SkillsOf(member string) []brief.Skill {
	var out []brief.Skill
	for _, s := range r.World.Skills {
		if slices.Contains(s.Agents, member) && !s.Missing {
			out = append(out, brief.Skill{Name: s.Name, Description: s.Description, Body: r.Texts[s.Name].Body})
		}
	}
	return out
}

// Clip makes a text valid UTF-8 and cuts it to at most limit bytes.
func Clip(s string, limit int) string {
	s, _ = world.Cut(strings.ToValidUTF8(s, "\uFFFD"), limit)
	return s
}

// Vaults has the insights of members.
type Vaults interface {
	// Of returns a member's insights, oldest first. Callers do not modify them.
	Of(memberID string) []world.Insight
}

// Unknown returns a text for people, which says that the run was cut off during a tool call and that the outcome of the
// call is unknown.
func (c Cut) Unknown(r *Realm, talkID string) string {
	return r.NameIn(talkID, c.Run.MemberID) + " was cut off while it used " + c.Tool +
		"; it is unknown what the tool has done. Check that first, because resuming repeats the turn."
}
