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

// Realm is what a kind may see of its realm, as it is at the moment of the call. All of
// it is the engine's: a kind changes nothing in it, except that NewID counts.
type Realm struct {
	ID    string
	World *world.World
	Talks map[string]*Talk // those in memory
	Kinds Set

	Clock  Clock
	Zone   *time.Location // of times in titles
	Born   int64          // the last event before this life
	Vaults Vaults
	Texts  map[string]world.SkillText // of skills, by name
	Hints  hints.Hints                // what the linked repository showed at the last Look

	Templates Templates
	Teams     Teams
	Drivers   driver.Drivers
	Pace      string // one of world.Pace..., for this life; "": the realm's setting

	Here Here
	Met  Met // what was read for what is decided now

	// IDs is how many ids were made. The engine takes back those of a decision that is made again.
	IDs int

	casts map[string]*world.Template // found before; at most as many as there are
}

// Clock is the time of a decision.
type Clock struct {
	Now  time.Time  // for waits; no clock that is set moves it
	Wall world.Time // what the wall clock says
	Last world.Time // of the last event that was decided
}

// Here is what goes on at the moment outside the world.
type Here interface {
	// Present says of a spectator whether one of its connections is open.
	Present(spectatorID string) bool
	// Answering are the conversations in which a driver plays a run, once for each run.
	Answering() []string
	// Erasing says whether a conversation is being erased.
	Erasing(conversationID string) bool
	// Reads says whether something waits for a need of that key.
	Reads(key string) bool
}

// Templates gives process templates: embedded ones and those of the worlds folder.
type Templates interface {
	// Template by id, "" for the default. An error says in a sentence for a person
	// that there is none, and which files could not be used.
	Template(id string) (*world.Template, error)
	// All are those that can be used, the default first.
	All() []*world.Template
}

// Teams gives the teams of parties: embedded ones and those of the worlds folder, as
// their files are now. They are not to be changed.
type Teams interface {
	// Teams are all of them, the default first.
	Teams() []*world.Team
	// Team by id. An error says in a sentence for a person that there is none, and which
	// files could not be used.
	Team(id string) (*world.Team, error)
}

// At is the time of what is decided (P4.1).
func (r *Realm) At() world.Time { return world.After(r.Clock.Last, r.Clock.Wall) }

// NewID is unique in the realm: it names the event it is made for, and no event is made
// for two.
func (r *Realm) NewID(prefix string) string {
	r.IDs++
	return prefix + strconv.FormatInt(r.World.Tick+1, 10) + "-" + strconv.FormatInt(int64(r.IDs), 36)
}

// FreshID is a new run's requestId. Clients choose theirs as they like, so it is not
// taken for granted that this one is free.
func (r *Realm) FreshID(t *Talk, prefix string) string {
	for {
		if id := r.NewID(prefix); !t.Used(id) {
			return id
		}
	}
}

// RunID is the requestId of a run that a command begins: the command's own, which must
// not have been a run's of this conversation, else a new one.
func (r *Realm) RunID(t *Talk, requestID string) (string, *wire.Error) {
	if requestID == "" {
		return r.FreshID(t, "w"), nil
	}
	if t.Used(requestID) {
		return "", wire.Errorf(wire.Conflict, "requestId %s was used for something else", requestID)
	}
	return requestID, nil
}

// TalkIDs are the conversations in memory, in an order that does not change.
func (r *Realm) TalkIDs() []string { return slices.Sorted(maps.Keys(r.Talks)) }

// TalksOf are those of a kind, in that order.
func (r *Realm) TalksOf(name string) []*Talk {
	var out []*Talk
	for _, id := range r.TalkIDs() {
		if t := r.Talks[id]; t.Head.Kind == name {
			out = append(out, t)
		}
	}
	return out
}

// Newest are the conversations of a kind that world:state shows of those that stand as
// Recent: the wire.ViewChats that last spoke, newest first.
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

// New is a conversation that begins now.
func (r *Realm) New(name, title, status string, team world.Team) world.Conversation {
	now := r.At()
	return world.Conversation{
		ConversationID: r.NewID("c"), Kind: name, Title: title, Status: status, Team: team, CreatedAt: now, UpdatedAt: now,
	}
}

// Fresh is the state of a conversation that has not begun.
func (r *Realm) Fresh(head world.Conversation) *Talk {
	t := conversation.New(r.Kinds.Of(head.Kind).Traits().Rules)
	t.Head = head
	return t
}

// SystemRow is a row that belongs to the conversation as a whole.
func (r *Realm) SystemRow(conversationID, text string) *world.MessageAdded {
	return &world.MessageAdded{ConversationID: conversationID, Message: world.Message{
		MessageID: r.NewID("m"), ConversationID: conversationID, Role: world.RoleSystem, Name: "system",
		Content: text, Status: world.MessageDone, At: r.At(),
	}}
}

// PersonRow is what a person says.
func (r *Realm) PersonRow(p Person, conversationID, request, text string) *world.Message {
	return &world.Message{
		MessageID: r.NewID("m"), ConversationID: conversationID, RequestID: request, Role: world.RoleUser,
		SpectatorID: p.SpectatorID,
		Name:        p.Name, Content: text, Status: world.MessageDone, At: r.At(),
	}
}

// Running is a run under way, nil for one that is not.
func (r *Realm) Running(conversationID, requestID string) *world.Run {
	if t := r.Talks[conversationID]; t != nil {
		if run := t.Run(requestID); run != nil && run.Status == world.RunRunning {
			return run
		}
	}
	return nil
}

// MaxAnswers is how many conversations of the kinds that answer are answered at once; more
// are refused.
const MaxAnswers = 32

// RoomToAnswer refuses where too many answers are under way; the conversation's own makes
// way.
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

// Overtaken is who spoke after what somebody had heard, nil for nobody.
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

// MemberName is what a member is called.
func (r *Realm) MemberName(id string) string {
	if ag := r.World.Agent(id); ag != nil && ag.DisplayName != "" {
		return ag.DisplayName
	}
	if role := r.World.ProcessState.Role(id); role != nil {
		return role.Name
	}
	return id
}

// NameIn is what a member is called in a conversation.
func (r *Realm) NameIn(talkID, member string) string {
	if t := r.Talks[talkID]; t != nil && !t.Rules.Staged {
		if m := t.Head.Member(member); m != nil {
			return m.DisplayName
		}
	}
	return r.MemberName(member)
}

// SkillsOf are the skills that a member was given, as it is told them.
func (r *Realm) SkillsOf(member string) []brief.Skill {
	var out []brief.Skill
	for _, s := range r.World.Skills {
		if slices.Contains(s.Agents, member) && !s.Missing {
			out = append(out, brief.Skill{Name: s.Name, Description: s.Description, Body: r.Texts[s.Name].Body})
		}
	}
	return out
}

// Clip makes a driver's or a person's text fit: valid UTF-8, at most limit bytes.
func Clip(s string, limit int) string {
	s, _ = world.Cut(strings.ToValidUTF8(s, "\uFFFD"), limit)
	return s
}

// Vaults are what members have learned.
type Vaults interface {
	// Of returns a member's insights, the oldest first. They are not to be changed.
	Of(memberID string) []world.Insight
}

// Unknown says that nobody knows what came of a tool.
func (c Cut) Unknown(r *Realm, talkID string) string {
	return r.NameIn(talkID, c.Run.MemberID) + " was cut off while it used " + c.Tool +
		"; nobody knows what came of that. Look first: to go on takes the turn again."
}
