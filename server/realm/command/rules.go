package command

import (
	"agentdungeon/server/kind"
	"agentdungeon/server/realm/place"
	"agentdungeon/server/realm/run"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// State is what rules decide from.
type State struct {
	*kind.Realm
	Rooms *place.Rooms
	Runs  *run.Runs
}

// Decision is what a command leads to.
type Decision struct {
	kind.Decision
	// Reply is the answer where that is not command:reply with the decision's text.
	Reply wire.Frame
	// Answer is what was answered before, nil for none; it is sent as it is.
	Answer []byte
	// Fresh says that Reply is not what is remembered as the answer: it is too large, and made anew
	// when the command is sent again.
	Fresh bool
	// Beside is a further word to the sender, nil for none.
	Beside wire.Frame
	// Follow is where the hero of a person goes who has entered a room, nil for nowhere.
	Follow *world.NavigationChanged
}

// Rule says how a command is decided.
type Rule struct {
	// Type is the command's.
	Type string
	// About is the conversation that it is about, which has to be in memory, "" for none.
	About func(wire.Command) string
	// Run: its requestId is that of the run that it is about, not its own.
	Run bool
	// Reads: it changes nothing and is answered whatever the state of the journal.
	Reads bool

	decide func(State, kind.Command) (Decision, *wire.Error)
}

// rules is the table of all commands that no kind decides for itself.
var rules = table(
	rule(say),
	rule(words),
	onTalk(func(c *wire.ChatSend) string { return c.ConversationID }, chat),
	onTalk(func(c *wire.ChatCancel) string { return c.ConversationID }, cancel).ofRun(),
	rule(start),
	onTalk(func(c *wire.ConversationAbort) string { return c.ConversationID },
		control[*wire.ConversationAbort](kind.Abort)),
	onTalk(func(c *wire.ConversationClose) string { return c.ConversationID },
		control[*wire.ConversationClose](kind.Close)),
	onTalk(func(c *wire.ConversationResume) string { return c.ConversationID },
		control[*wire.ConversationResume](kind.Resume)),
	onTalk(func(c *wire.ConversationPause) string { return c.ConversationID },
		control[*wire.ConversationPause](kind.Pause)),
	onTalk(func(c *wire.ConversationRename) string { return c.ConversationID }, rename),
	rule(give),
	rule(settings),
	rule(details),
	rule(enter),
	rule(back),
	rule(open).reading(),
	rule(list).reading(),
	rule(openSkill).reading(),
)

// typed is a rule while it is declared.
type typed[C wire.Command] struct{ Rule }

func rule[C wire.Command](decide func(State, kind.Command, C) (Decision, *wire.Error)) typed[C] {
	var c C
	return typed[C]{Rule{
		Type: c.CommandType(), About: func(wire.Command) string { return "" },
		decide: func(s State, in kind.Command) (Decision, *wire.Error) { return decide(s, in, in.Command.(C)) },
	}}
}

// onTalk is a rule about a conversation that is in memory.
func onTalk[C wire.Command](
	id func(C) string, decide func(State, kind.Command, C, *kind.Talk) (Decision, *wire.Error),
) typed[C] {
	t := rule(func(s State, in kind.Command, c C) (Decision, *wire.Error) {
		talk := s.Talks[id(c)]
		if talk == nil {
			return Decision{}, kind.NoTalk(id(c))
		}
		return decide(s, in, c, talk)
	})
	t.About = func(c wire.Command) string { return id(c.(C)) }
	return t
}

func (t typed[C]) ofRun() typed[C] {
	t.Run = true
	return t
}

func (t typed[C]) reading() typed[C] {
	t.Reads = true
	return t
}

func (t typed[C]) rule() Rule { return t.Rule }

func table(all ...interface{ rule() Rule }) map[string]Rule {
	out := map[string]Rule{}
	for _, t := range all {
		out[t.rule().Type] = t.rule()
	}
	return out
}

// About is the conversation that a command is about, "" for none.
func About(c wire.Command) string {
	if r, ok := rules[c.CommandType()]; ok {
		return r.About(c)
	}
	return ""
}

// RuleFor is the rule of a command. One that is not in the table is decided by a kind, or unknown.
func RuleFor(r *kind.Realm, in kind.Command) Rule {
	if rule, ok := rules[in.CommandType()]; ok {
		return rule
	}
	rule := Rule{Type: in.CommandType(), About: func(wire.Command) string { return "" }, decide: byKind}
	for _, k := range r.Kinds.All {
		if reader, ok := k.(kind.Reader); ok {
			if need := reader.Reads(r, in); need != nil {
				rule.Reads, rule.decide = true, framed(need)
			}
		}
	}
	return rule
}

// framed answers with the frame that a need gives.
func framed(need kind.Need) func(State, kind.Command) (Decision, *wire.Error) {
	return func(s State, _ kind.Command) (Decision, *wire.Error) {
		if frame, ok := s.Met[need.Key()].(wire.Frame); ok {
			return Decision{Reply: frame}, nil
		}
		return needs(need)
	}
}

func byKind(s State, in kind.Command) (Decision, *wire.Error) {
	for _, k := range s.Kinds.All {
		if c, ok := k.(kind.Commander); ok {
			if d, ok, e := c.Command(s.Realm, in); ok {
				return decided(d, e)
			}
		}
	}
	return Decision{}, wire.Errorf(wire.UnknownType, "this realm does not know %s", in.CommandType())
}

// decided is what a kind has decided.
func decided(d kind.Decision, e *wire.Error) (Decision, *wire.Error) { return Decision{Decision: d}, e }

// does is a decision of events with a word to the sender.
func does(text string, bodies ...world.Body) (Decision, *wire.Error) {
	return Decision{Decision: kind.Decision{Bodies: bodies, Text: text}}, nil
}
