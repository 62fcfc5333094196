package coding

import (
	"slices"

	"agentdungeon/server/kind"
	"agentdungeon/server/shadow"
	"agentdungeon/server/shell"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Hooked returns the events that follow from a report of a hook (kind.Doorkeeper). If the hook asks whether a tool
// may run, Hooked opens a door, which is a question that people can answer. If a hook shows that the session has
// continued, Hooked closes the session's doors.
func (k *Coding) Hooked(r *kind.Realm, h shadow.Hook) (d kind.Decision, door string) {
	s := r.World.Session(h.Program, h.SessionID)
	if s == nil || r.World.IsErased(s.ConversationID) || r.World.Settings.Shadows == world.Off {
		return d, ""
	}
	switch h.Told {
	case shadow.Asks:
		if h.Again {
			d, door = reopens(r, s, h)
		} else {
			d, door = opens(r, s, h)
		}
	case shadow.Missed:
		d.Bodies = missed(r, h)
	case shadow.Hangs:
		if old := r.World.Door(h.DoorID); old != nil && old.Open() && len(old.Choices) > 0 {
			d.Bodies = []world.Body{inTerminal(*old)}
		}
	case shadow.Did, shadow.Fails:
		input := kind.Clip(h.Input, world.MaxToolInput)
		d.Bodies = goesOn(r, s.AgentID, closes(r, s.AgentID, world.DoorTerminal, func(d *world.AgentDoor) bool {
			return asksFor(d, h.Tool, input)
		}))
		if h.Told == shadow.Did {
			d.Bodies = append(d.Bodies, corrected(r, s.AgentID, h.Tool, input)...)
		}
	case shadow.Over:
		d.Bodies = closes(r, s.AgentID, world.DoorTerminal, everyDoor)
		if turned := turns(r, s, h); turned != nil {
			d.Bodies = append(d.Bodies, turned)
		} else {
			d.Bodies = goesOn(r, s.AgentID, d.Bodies)
		}
		d.Bodies = append(d.Bodies, unsaid(r, func(w *world.AgentWord) bool { return w.Stop && w.AgentID == s.AgentID })...)
	case shadow.Says:
		if turned := turns(r, s, h); turned != nil && waitsBehind(r, s.AgentID, nil) == nil {
			d.Bodies = []world.Body{turned}
		}
	}
	d.Bodies = append(d.Bodies, hears(s)...)
	return d, door
}

// turns returns the event that sets the state of a session's hero after a hook has reported that a turn begins or
// ends. It returns nil if the hero is already in that state, or if the hero's state is unknown. The hero keeps the
// state until the session's files show another one (P17.17).
func turns(r *kind.Realm, s *world.Session, h shadow.Hook) world.Body {
	hero := r.World.Agent(s.AgentID)
	if h.State == "" || hero == nil || hero.State == nil || hero.State.State == world.StateLost {
		return nil
	}
	state := *hero.State
	state.State, state.Wait, state.Reason = h.State, "", ""
	if h.State == world.StateWaiting {
		state.Wait = world.WaitTurn
	}
	if state.State == hero.State.State && state.Wait == hero.State.Wait {
		return nil
	}
	state.Source, state.Since = world.SourceHook, r.At()
	return &world.AgentStated{AgentID: s.AgentID, ConversationID: s.ConversationID, AgentState: state}
}

// opens handles a question of a session's hook: it returns the events that open a door, and the id of the door.
func opens(r *kind.Realm, s *world.Session, h shadow.Hook) (d kind.Decision, door string) {
	open := 0
	for i := range r.World.Doors {
		if r.World.Doors[i].Open() {
			open++
		}
	}
	if open >= world.MaxDoors {
		return kind.Decision{Warn: "too many questions of coding agents are open; the agent asks in its own terminal"}, ""
	}
	opened := &world.DoorOpened{AgentDoor: world.AgentDoor{
		DoorID: r.NewID("d"), AgentID: s.AgentID, ConversationID: s.ConversationID,
		Tool: kind.Clip(h.Tool, world.MaxTitle), Summary: kind.Clip(h.Brief, shadow.MaxReason),
		Detail: kind.Clip(h.Input, world.MaxToolInput), Choices: append([]string{}, h.Choices...), Since: r.At(),
		Always: kind.Clip(h.Always, world.MaxToolInput), Until: until(r, h),
	}}
	d.Bodies = []world.Body{opened}
	if hero := r.World.Agent(s.AgentID); hero != nil && hero.State != nil {
		state := *hero.State
		behind(&opened.AgentDoor, &state)
		d.Bodies = append(d.Bodies, &world.AgentStated{
			AgentID: s.AgentID, ConversationID: s.ConversationID, AgentState: state,
		})
	}
	return d, opened.DoorID
}

// until returns the time at which the hook gives up waiting for the answer, 0 if people cannot answer here.
func until(r *kind.Realm, h shadow.Hook) world.Time {
	if len(h.Choices) == 0 || h.Hold <= 0 {
		return 0
	}
	return world.TimeOf(r.At().Go().Add(h.Hold))
}

// reopens handles a question of a hook that waited while the server ended: it returns the event that gives the door of
// the question its choices again, and the id of the door. If there is no such door, the question was decided meanwhile,
// and reopens opens none.
func reopens(r *kind.Realm, s *world.Session, h shadow.Hook) (d kind.Decision, door string) {
	input := kind.Clip(h.Input, world.MaxToolInput)
	for i := range r.World.Doors {
		old := r.World.Doors[i]
		if old.Open() && old.AgentID == s.AgentID && asksFor(&old, h.Tool, input) && len(old.Choices) == 0 {
			old.Choices, old.Until = append(old.Choices, h.Choices...), until(r, h)
			d.Bodies = []world.Body{&world.DoorOpened{AgentDoor: old}}
			return d, old.DoorID
		}
	}
	return d, ""
}

// behind sets state to the state of a hero that waits for a person's answer to the door d.
func behind(d *world.AgentDoor, state *world.AgentState) {
	state.State, state.Wait, state.Source = world.StateWaiting, world.WaitPermission, world.SourceHook
	state.Since = d.Since
	state.Reason = d.Tool
	if len(shadow.Questions(d.Tool, d.Detail)) > 0 {
		state.Wait = world.WaitQuestion
	}
	if d.Summary != "" {
		state.Reason = kind.Clip(d.Tool+": "+d.Summary, shadow.MaxReason)
	}
}

// inTerminal returns the event that removes all choices from a door. Then people can answer the question only in
// the agent's terminal and not on the page.
func inTerminal(d world.AgentDoor) *world.DoorOpened {
	d.Choices, d.Until = []string{}, 0
	return &world.DoorOpened{AgentDoor: d}
}

// closes returns the events that close those open doors of an agent for which match returns true.
func closes(r *kind.Realm, agentID, outcome string, match func(*world.AgentDoor) bool) (out []world.Body) {
	for i := range r.World.Doors {
		if d := &r.World.Doors[i]; d.AgentID == agentID && d.Open() && match(d) {
			out = append(out, &world.DoorClosed{DoorID: d.DoorID, ConversationID: d.ConversationID, Outcome: outcome})
		}
	}
	return out
}

// everyDoor is a function for closes that selects all doors.
func everyDoor(*world.AgentDoor) bool { return true }

// goesOn returns closed, the events that close doors of an agent. If a hook has set the agent's present state, goesOn
// adds the event that sets the next one: the agent waits for its oldest door that is still open, or else works.
func goesOn(r *kind.Realm, agentID string, closed []world.Body) []world.Body {
	hero := r.World.Agent(agentID)
	if len(closed) == 0 || hero == nil || hero.State == nil || hero.State.Source != world.SourceHook {
		return closed
	}
	state := *hero.State
	if next := waitsBehind(r, agentID, closed); next != nil {
		behind(next, &state)
	} else {
		state.State, state.Wait, state.Reason, state.Since = world.StateWorking, "", "", r.At()
	}
	if state == *hero.State {
		return closed
	}
	return append(closed, &world.AgentStated{
		AgentID: agentID, ConversationID: closed[0].(*world.DoorClosed).ConversationID, AgentState: state,
	})
}

// corrected returns an event that corrects the recorded answer to a permission question. A person refused the call
// on the page, but the call has run, so somebody had allowed it in the terminal before.
func corrected(r *kind.Realm, agentID, tool, input string) []world.Body {
	for i := range slices.Backward(r.World.Doors) {
		d := &r.World.Doors[i]
		if d.AgentID == agentID && asksFor(d, tool, input) && !d.Open() {
			if d.Outcome == world.DoorDenied {
				return []world.Body{&world.DoorClosed{
					DoorID: d.DoorID, ConversationID: d.ConversationID, Outcome: world.DoorTerminal,
				}}
			}
			return nil
		}
	}
	return nil
}

// Command implements kind.Commander. It decides agent:tell, a person's message to an agent, agent:stop, a person's
// request that an agent stop, and door:answer, a person's answer to an agent's question.
func (k *Coding) Command(r *kind.Realm, in kind.Command) (d kind.Decision, ok bool, e *wire.Error) {
	ok = true
	switch c := in.Command.(type) {
	case *wire.AgentTell:
		d, e = k.tell(r, in.From, c)
	case *wire.AgentStop:
		d, e = k.stop(r, in.From, c)
	case *wire.DoorAnswer:
		d, e = answered(r, in.From, c)
	default:
		ok = false
	}
	return d, ok, e
}

// answered decides door:answer. Only the first answer to a question counts.
func answered(r *kind.Realm, from kind.Person, c *wire.DoorAnswer) (d kind.Decision, e *wire.Error) {
	door := r.World.Door(c.DoorID)
	switch {
	case from.SpectatorID == "":
		return d, kind.RegisterFirst
	case door == nil:
		return d, wire.Errorf(wire.NotFound, "there is no such door; it may have closed long ago")
	case !door.Open():
		return d, wire.Errorf(wire.Conflict, "this door is closed already: %s", door.Outcome)
	case len(door.Choices) == 0:
		return d, wire.Errorf(wire.Conflict, "answer this in the agent's own terminal")
	case !slices.Contains(door.Choices, c.Choice):
		return d, wire.Errorf(wire.BadField, "this door has no choice %s", c.Choice)
	}
	closed := &world.DoorClosed{
		DoorID: door.DoorID, ConversationID: door.ConversationID, By: from.SpectatorID, Name: from.Name,
	}
	switch c.Choice {
	case world.ChoiceAllow:
		closed.Outcome = world.DoorAllowed
	case world.ChoiceAlways:
		closed.Outcome = world.DoorAlways
	case world.ChoiceDeny:
		closed.Outcome = world.DoorDenied
	case world.ChoiceAnswer:
		closed.Outcome, closed.Answers = world.DoorAnswered, c.Answers
		if n := len(shadow.Questions(door.Tool, door.Detail)); len(c.Answers) != n {
			return d, wire.Errorf(wire.BadField, "this door has %d questions, and needs an answer to each", n)
		}
	}
	d.Bodies = goesOn(r, door.AgentID, []world.Body{closed})
	return d, nil
}

// Slash returns ok false: the kind has no slash commands.
func (*Coding) Slash(*kind.Realm, kind.Command, string, string) (d kind.Decision, ok bool, e *wire.Error) {
	return d, false, nil
}

// Restore marks each open door as one that only the agent's terminal can answer, because no hook waits for the answer.
// A hook that asks again gives its door the choices again; see reopens.
func (*Coding) Restore(r *kind.Realm, _ kind.Opening) kind.Steps {
	var out []world.Body
	for i := range r.World.Doors {
		if d := &r.World.Doors[i]; d.Open() && len(d.Choices) > 0 {
			out = append(out, inTerminal(*d))
		}
	}
	if len(out) == 0 {
		return kind.None
	}
	return kind.One(kind.Step{Bodies: out})
}

// passed returns the events that close doors of an agent because its files, as read into seen, show that the
// session has continued or ended. calls has the session's tool calls by CallID.
func passed(r *kind.Realm, agentID string, seen shadow.Seen, calls map[string]*world.ToolUse) []world.Body {
	if s := seen.State.Name; s == shadow.Ended || s == shadow.Gone {
		return closes(r, agentID, world.DoorEnded, everyDoor)
	}
	return closes(r, agentID, world.DoorTerminal, func(d *world.AgentDoor) bool {
		state := seen.State
		if state.Source == shadow.FromStatus && state.Name != shadow.Waiting && world.TimeOf(state.Since) > d.Since {
			return true
		}
		for i := range seen.Entries {
			e := &seen.Entries[i]
			if e.At.IsZero() || world.TimeOf(e.At) <= d.Since {
				continue
			}
			switch e.Kind {
			case shadow.Words, shadow.Turn, shadow.Stopped, shadow.Failed, shadow.Prompt, shadow.Notice:
				return true
			case shadow.Result:
				if call := calls[e.CallID]; call != nil && asksFor(d, call.Name, call.Input) {
					return true
				}
			}
		}
		return false
	})
}

// disproved returns the events that correct recorded answers to doors. A person has answered on the page, but the
// agent's own record shows that a person had already decided in the agent's terminal.
func disproved(r *kind.Realm, agentID string, entries []shadow.Entry,
	calls map[string]*world.ToolUse) (out []world.Body) {
	for i := range entries {
		e, call := &entries[i], calls[entries[i].CallID]
		if e.Kind != shadow.Result || !e.Person || call == nil {
			continue
		}
		if d := doorOf(r, agentID, call, world.TimeOf(e.At)); d != nil && d.By != "" {
			out = append(out, &world.DoorClosed{
				DoorID: d.DoorID, ConversationID: d.ConversationID, Outcome: world.DoorTerminal,
			})
		}
	}
	return out
}

// asksFor reports whether a door asks whether this call of a tool may run. Two calls of one tool with the same input
// are the same here, because the hooks do not name their calls. So are two calls with the same command line: hooks of
// Codex have other names for its tools than its record.
func asksFor(d *world.AgentDoor, tool, input string) bool {
	if line := shell.Line(d.Detail); line != "" {
		return line == shell.Line(input)
	}
	return d.Tool == tool && shadow.SameInput(d.Detail, input)
}

// doorOf returns the newest door of an agent that asks for a call and opened before the time at, nil for none. It
// belongs to the call whose result the program recorded at that time.
func doorOf(r *kind.Realm, agentID string, call *world.ToolUse, at world.Time) *world.AgentDoor {
	for i := range slices.Backward(r.World.Doors) {
		d := &r.World.Doors[i]
		if d.AgentID == agentID && asksFor(d, call.Name, call.Input) && at > d.Since {
			return d
		}
	}
	return nil
}

// calls returns, by CallID, the open tool calls of a conversation and the tool calls among entries.
func calls(t *kind.Talk, entries []shadow.Entry) map[string]*world.ToolUse {
	out := map[string]*world.ToolUse{}
	if t != nil {
		for _, m := range t.Messages {
			if m.Status == world.MessageOpen && m.Tool != nil {
				out[m.Tool.CallID] = m.Tool
			}
		}
	}
	for i := range entries {
		if e := &entries[i]; e.Kind == shadow.Call && e.Tool != nil {
			out[e.CallID] = &world.ToolUse{Name: e.Tool.Name, Input: kind.Clip(e.Tool.Input, world.MaxToolInput)}
		}
	}
	return out
}

// waitsBehind returns the agent's oldest open door, nil for none. It ignores doors that an event of bodies closes.
func waitsBehind(r *kind.Realm, agentID string, bodies []world.Body) *world.AgentDoor {
	for i := range r.World.Doors {
		d := &r.World.Doors[i]
		closed := slices.ContainsFunc(bodies, func(b world.Body) bool {
			c, ok := b.(*world.DoorClosed)
			return ok && c.DoorID == d.DoorID
		})
		if d.AgentID == agentID && d.Open() && !closed {
			return d
		}
	}
	return nil
}
