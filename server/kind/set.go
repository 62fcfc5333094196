package kind

import (
	"slices"

	"agentdungeon/server/conversation"
	"agentdungeon/server/driver"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Set has the kinds of conversation that a realm can have, in the order of registration. In this order the engine
// asks them for their next step.
type Set struct {
	names  []string
	byName map[string]Kind
}

// NewSet creates a Set with a new Kind for each registration.
func NewSet(all []Registration) Set {
	s := Set{byName: map[string]Kind{}}
	for _, reg := range all {
		s.names = append(s.names, reg.Name)
		s.byName[reg.Name] = reg.New(reg.Name)
	}
	return s
}

// All yields the kinds with their names, in order.
func (s Set) All(yield func(name string, k Kind) bool) {
	for _, name := range s.names {
		if !yield(name, s.byName[name]) {
			return
		}
	}
}

// Host returns the kind that implements Host, or nil.
func (s Set) Host() Host {
	for _, name := range s.names {
		if h, ok := s.byName[name].(Host); ok {
			return h
		}
	}
	return nil
}

// Of returns the kind of a name. For a name that is not registered it returns a kind whose conversations can only
// be read and stopped.
func (s Set) Of(name string) Kind {
	if k := s.byName[name]; k != nil {
		return k
	}
	return unknown{name: name}
}

// Restore creates the state of a conversation from what the tables saved of it.
func (s Set) Restore(saved world.SavedConversation) *Talk {
	return conversation.Restore(saved, s.Of(saved.Conversation.Kind).Traits().Rules)
}

// Fold applies an event to the conversations in memory. The caller has already applied the event to the world.
func (s Set) Fold(talks map[string]*Talk, ev world.Event) {
	id := world.ConversationOf(ev.Body)
	if id == "" {
		return
	}
	if b, ok := ev.Body.(*world.ConversationStarted); ok {
		talks[id] = conversation.New(s.Of(b.Conversation.Kind).Traits().Rules)
	}
	if t := talks[id]; t != nil {
		t.Apply(ev)
	}
}

// Running reports whether a conversation of any Runner is under way.
func (s Set) Running(r *Realm) bool {
	for _, name := range s.names {
		if k, ok := s.byName[name].(Runner); ok && k.Running(r) {
			return true
		}
	}
	return false
}

// Continues reports whether a conversation of any kind continues by itself in the realm whose saved state is saved; see
// Continuer and Traits.Gathers.
func (s Set) Continues(saved *world.Saved) bool {
	for _, name := range s.names {
		if k, ok := s.byName[name].(Continuer); ok && k.Continues(saved) {
			return true
		}
	}
	return slices.ContainsFunc(saved.Conversations, func(c world.SavedConversation) bool {
		status := c.Conversation.Status
		return (status == world.ConversationActive || status == world.ConversationInterrupted) &&
			s.Of(c.Conversation.Kind).Traits().Gathers
	})
}

// unknown is the kind of conversations that only a newer version of the program knows. With the name "" it stands for
// the unknown kind of a transcript whose beginning was lost, and then has the rules of conversations with stages.
type unknown struct {
	Planless
	name string
}

var newer = wire.Errorf(wire.Conflict, "this version of the program does not know conversations of this kind")

func (k unknown) Traits() Traits { return Traits{Rules: conversation.Rules{Staged: k.name == ""}} }

func (unknown) Begin(*Realm, Start) (Decision, *wire.Error)            { return Decision{}, newer }
func (unknown) Said(*Realm, *Talk, Words) (Decision, *wire.Error)      { return Decision{}, newer }
func (unknown) Control(*Realm, *Talk, Control) (Decision, *wire.Error) { return Decision{}, newer }
func (unknown) View(_ *Realm, t *Talk) View                            { return View{Team: t.Head.Team} }

func (unknown) Turn(*Realm, *Talk, *world.ChatStarted) (driver.Driver, driver.Turn) {
	return nil, driver.Turn{}
}

// None yields no steps.
func None(func(Step) bool) {}

// One returns Steps with the only step s.
func One(s Step) Steps { return func(yield func(Step) bool) { yield(s) } }
