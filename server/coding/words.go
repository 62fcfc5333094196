package coding

import (
	"cmp"
	"slices"
	"strings"

	"agentdungeon/server/kind"
	"agentdungeon/server/shadow"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// maxHanded limits, in bytes, the messages of people that a hook gets in one call. The remaining ones wait for the
// agent's next stop. A single message is never cut.
const maxHanded = 64 << 10

// tell decides agent:tell: it queues a person's message to the agent if the agent's hooks can take messages.
func (k *Coding) tell(r *kind.Realm, from kind.Person, c *wire.AgentTell) (d kind.Decision, e *wire.Error) {
	s, hero := world.SessionOf(r.World.Sessions, c.AgentID), r.World.Agent(c.AgentID)
	switch {
	case from.SpectatorID == "":
		return d, kind.RegisterFirst
	case s == nil && hero != nil:
		return d, wire.Errorf(wire.Conflict, "%s does not run in a terminal; start a chat with it", hero.DisplayName)
	case s == nil || hero == nil || r.World.IsErased(s.ConversationID):
		return d, wire.Errorf(wire.NotFound, "no agent with this id is here now")
	case hero.State == nil || hero.State.State == world.StateLost:
		return d, wire.Errorf(wire.Conflict, "this agent cannot hear you: its session is over")
	case !s.Hears:
		return d, wire.Errorf(wire.Conflict, "%s", k.deaf(s))
	}
	waiting, its := 0, 0
	for w := range world.Words(r.World.Sessions) {
		if w.Waits() {
			waiting++
			if w.AgentID == s.AgentID {
				its++
			}
		}
	}
	if its >= world.MaxAgentWords || waiting >= world.MaxWords {
		return d, wire.Errorf(wire.Conflict, "too many words wait already; agents get theirs when they stop next")
	}
	d.Bodies = []world.Body{&world.WordTold{AgentWord: world.AgentWord{
		WordID: r.NewID("w"), AgentID: s.AgentID, ConversationID: s.ConversationID, Text: c.Text,
		SpectatorID: from.SpectatorID, Name: from.Name, Since: r.At(),
	}}}
	return d, nil
}

// deaf returns the error text for a person's message to a session whose hooks cannot take messages, with the
// reason. If the session's terminal is known, the text names it.
func (k *Coding) deaf(s *world.Session) string {
	why := "this server speaks to no hooks of " + named(s.Program)
	switch {
	case s.Parent != "":
		return "this agent cannot hear you: it is a sub-agent; speak to the agent that started it"
	case slices.Contains(hearing, s.Program):
		why = "no hook of its session has called yet, or none is installed (agentdungeon hooks install)"
	}
	where := "speak to it in its own terminal"
	if terminal := k.terminals[s.AgentID]; terminal != "" {
		where += ": " + terminal
	}
	return "this agent cannot hear you: " + why + "; " + where
}

// named returns the name of a program as people know it.
func named(program string) string { return cmp.Or(programs[program], program) }

// hearing lists the programs whose hooks can give messages of people to the agent.
var hearing = []string{"claude", "codex"}

// canHear reports whether the hooks of a session can give messages of people to its agent: its program has such
// hooks, and the agent is no sub-agent.
func canHear(s *world.Session) bool { return s.Parent == "" && slices.Contains(hearing, s.Program) }

// hears returns the event that marks a session as able to take messages of people, because one of its hooks has
// called this server. It returns none if the session is marked already.
func hears(s *world.Session) []world.Body {
	if s.Hears || !canHear(s) {
		return nil
	}
	now := *s
	now.Hears, now.Words = true, nil
	return []world.Body{&world.SessionRead{Session: now}}
}

// Hand returns the messages of people for a hook that waits for them (kind.Messenger). Its events mark the messages
// as handed before the hook gets them, so that no hook gets a message twice.
func (*Coding) Hand(r *kind.Realm, h shadow.Hook) (d kind.Decision, got shadow.Handed) {
	s := r.World.Session(h.Program, h.SessionID)
	if s == nil || r.World.IsErased(s.ConversationID) || r.World.Settings.Shadows == world.Off {
		return d, shadow.Handed{Over: true}
	}
	d.Bodies = hears(s)
	hero := r.World.Agent(s.AgentID)
	switch {
	case hero == nil || hero.State == nil || hero.State.State == world.StateLost:
		return d, shadow.Handed{Over: true}
	case h.Idle && !rests(hero.State):
		return d, got
	}
	for w := range world.Words(r.World.Sessions) {
		if w.AgentID != s.AgentID || w.State != "" || w.Stop != h.Stops {
			continue
		}
		text := spoken(w)
		if got.Text != "" {
			if len(got.Text)+len(text) > maxHanded {
				break
			}
			got.Text += "\n\n"
		}
		got.Text += text
		got.WordIDs = append(got.WordIDs, w.WordID)
		d.Bodies = append(d.Bodies, moved(w, world.WordHanded))
	}
	return d, got
}

// rests reports whether an agent does nothing, so that a person's message begins a turn of its own. If Claude Code
// gets one during a turn, the model sees it as a notification that does not come from the user. The report of a
// hook that a turn ends is not enough, because another hook can continue the turn; only the session's files show
// its end.
func rests(s *world.AgentState) bool {
	if s.Source == world.SourceHook {
		return false
	}
	switch s.State {
	case world.StateIdle, world.StateShell:
		return true
	}
	return s.State == world.StateWaiting && s.Wait == world.WaitTurn
}

// mark returns the text that precedes a person's message in the agent's record, so that this server recognises the
// message.
func mark(w *world.AgentWord) string { return "(" + w.WordID + "): " }

// spoken returns a person's message in the form in which the agent gets it, or the reason for which it is stopped.
func spoken(w *world.AgentWord) string {
	if w.Stop {
		return "Stopped through Agent Dungeon " + mark(w) + "the person who runs this session asked for it."
	}
	return "The person who runs this session says through Agent Dungeon " + mark(w) + w.Text
}

func moved(w *world.AgentWord, state string) *world.WordMoved {
	return &world.WordMoved{WordID: w.WordID, ConversationID: w.ConversationID, State: state}
}

// missed returns the events that put messages back into the queue because they did not reach the hook.
func missed(r *kind.Realm, h shadow.Hook) (out []world.Body) {
	for _, id := range h.WordIDs {
		if w := world.WordOf(r.World.Sessions, id); w != nil && w.State == world.WordHanded {
			out = append(out, moved(w, world.WordQueued))
		}
	}
	return out
}

// recorded returns those messages of people to an agent, or their request to stop, that an entry of the agent's record
// contains.
func recorded(w *world.World, conversationID string, e *shadow.Entry) (out []*world.AgentWord) {
	if e.Kind != shadow.Prompt && e.Kind != shadow.Stopped {
		return nil
	}
	for word := range world.Words(w.Sessions) {
		its := word.ConversationID == conversationID && word.Stop == (e.Kind == shadow.Stopped)
		if its && strings.Contains(e.Text, mark(word)) {
			out = append(out, word)
		}
	}
	return out
}

// delivered returns the events that set the states of people's messages to the agent of a session
// (world.AgentWord). A message that seen contains becomes delivered. If the session is over, each other message that
// still waits becomes undelivered or unknown; see unsaid. If only its turn is over, this holds for requests to stop.
func delivered(r *kind.Realm, conversationID string, seen shadow.Seen, over bool) (out []world.Body) {
	shown := map[string]bool{}
	for i := range seen.Entries {
		for _, w := range recorded(r.World, conversationID, &seen.Entries[i]) {
			if !shown[w.WordID] && w.State != world.WordDelivered {
				out = append(out, moved(w, world.WordDelivered))
			}
			shown[w.WordID] = true
		}
	}
	return append(out, unsaid(r, func(w *world.AgentWord) bool {
		return w.ConversationID == conversationID && !shown[w.WordID] && (over || late(w, seen.State))
	})...)
}

// late reports whether w is a request to stop that no hook has taken before the session's files show that the turn is
// over. It must not wait any longer, or it would stop a later turn.
func late(w *world.AgentWord, state shadow.State) bool {
	return w.Stop && w.State == "" && state.Name != "" && state.Name != shadow.Working &&
		world.TimeOf(state.Since) >= w.Since
}

// unsaid returns the events for the waiting messages for which match returns true and which cannot reach their
// agent any more. A message that no hook has taken becomes undelivered. A message that was handed to a hook becomes
// unknown, because the agent may have got it.
func unsaid(r *kind.Realm, match func(*world.AgentWord) bool) (out []world.Body) {
	for w := range world.Words(r.World.Sessions) {
		if !w.Waits() || !match(w) {
			continue
		}
		state := world.WordUndelivered
		if w.State == world.WordHanded {
			state = world.WordUnknown
		}
		out = append(out, moved(w, state))
	}
	return out
}

// word replaces the text of a row, which the agent's program has recorded, by the messages of people in it. It
// removes the text that the program and the hook have put around them.
func word(w *world.World, m *world.Message, e *shadow.Entry) {
	words := recorded(w, m.ConversationID, e)
	for i, said := range words {
		if i == 0 {
			m.Content, m.SpectatorID, m.Name = said.Text, said.SpectatorID, cmp.Or(said.Name, m.Name)
			continue
		}
		m.Content += "\n\n" + said.Text
	}
}

// words returns the events about messages of people to the agent of a session that follow from seen. It also sets
// whether the session can take messages; a session that is over cannot.
func (k *Coding) words(r *kind.Realm, now *world.Session, seen shadow.Seen, fresh, over bool) []world.Body {
	if terminal := seen.Session.Terminal; over || terminal == "" {
		delete(k.terminals, now.AgentID)
	} else if len(k.terminals) < world.MaxSessions {
		k.terminals[now.AgentID] = terminal
	}
	if seen.Heard && canHear(now) {
		now.Hears = true
	}
	now.Hears = now.Hears && !over
	if !fresh {
		seen.Entries = nil
	}
	return delivered(r, now.ConversationID, seen, over)
}
