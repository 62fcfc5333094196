package command

import (
	"agentdungeon/server/kind"
	"agentdungeon/shared/wire"
)

// Rule says how the commands of one type are decided.
type Rule struct {
	Type  string // the type of the command
	Run   bool   // the command's requestId identifies a run, not the command
	Reads bool   // the command changes nothing, so it is answered even if the journal is broken

	decide func(State, kind.Command) (Decision, *wire.Error)
}

// rules has the rules of all commands that no kind of conversation decides.
var rules = table(
	rule(say),
	rule(words),
	onTalk(chat),
	onTalk(cancel).ofRun(),
	rule(start),
	onTalk(control[*wire.ConversationAbort](kind.Abort)),
	onTalk(control[*wire.ConversationClose](kind.Close)),
	onTalk(control[*wire.ConversationResume](kind.Resume)),
	onTalk(control[*wire.ConversationPause](kind.Pause)),
	onTalk(rename),
	rule(give),
	rule(settings),
	rule(details),
	rule(enter),
	rule(back),
	rule(open).reading(),
	rule(list).reading(),
	rule(openSkill).reading(),
	rule(openFile).reading(),
)

func rule[C wire.Command](decide func(State, kind.Command, C) (Decision, *wire.Error)) Rule {
	var c C
	return Rule{Type: c.CommandType(), decide: func(s State, in kind.Command) (Decision, *wire.Error) {
		return decide(s, in, in.Command.(C))
	}}
}

// onTalk returns a rule that calls decide with the conversation of the command. The rule refuses a command whose
// conversation is not in memory.
func onTalk[C wire.Command](decide func(State, kind.Command, C, *kind.Talk) (Decision, *wire.Error)) Rule {
	return rule(func(s State, in kind.Command, c C) (Decision, *wire.Error) {
		id := About(c)
		talk := s.Talks[id]
		if talk == nil {
			return Decision{}, kind.NoTalk(id)
		}
		return decide(s, in, c, talk)
	})
}

func (r Rule) ofRun() Rule {
	r.Run = true
	return r
}

func (r Rule) reading() Rule {
	r.Reads = true
	return r
}

func table(all ...Rule) map[string]Rule {
	out := map[string]Rule{}
	for _, r := range all {
		out[r.Type] = r
	}
	return out
}

// RuleFor returns the rule for a command. A command without an entry in rules is decided by a kind of conversation,
// or is unknown.
func RuleFor(r *kind.Realm, in kind.Command) Rule {
	if rule, ok := rules[in.CommandType()]; ok {
		return rule
	}
	rule := Rule{Type: in.CommandType(), decide: byKind}
	for _, k := range r.Kinds.All {
		if reader, ok := k.(kind.Reader); ok {
			if need := reader.Reads(r, in); need != nil {
				rule.Reads, rule.decide = true, framed(need)
			}
		}
	}
	return rule
}

// framed returns a rule that answers with the frame that was read for the parameter need. Until that frame was read,
// the rule asks for it.
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
