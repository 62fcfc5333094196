package realm

import (
	"cmp"
	"encoding/json"
	"runtime/debug"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/command"
	"agentdungeon/server/realm/commit"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// decision is what a command leads to: events and a word to the sender. The rules
// that make it only read the state.
type decision struct {
	bodies []world.Body
	text   string
	// chat is the reply of a chat.send: the run as it stands.
	chat *wire.ChatRepeated
	// room is the reply of a navigation, which is not remembered: see seenAgain.
	room *wire.MapChange
	// details are the reply of player:get-agent-details.
	details *wire.AgentDetails
	// beside is a further word to the sender, nil for none.
	beside wire.Frame
	// then is done after the events.
	then func()
	// needs is what has to be read before the rest is decided, nil for nothing.
	needs kind.Need
}

// command is the turn for a person's command: it is answered always, once what it
// led to is saved.
func (a *actor) command(in Input) {
	switch c := in.Command.(type) { // reading is always possible
	case *wire.ConversationOpen:
		a.open(in, c)
		return
	case *wire.ConversationList:
		a.listTalks(in, c)
		return
	case *wire.SkillOpen:
		a.openSkill(in, c)
		return
	}
	if a.reads(in) {
		return
	}
	name, hash := in.Command.CommandType(), command.Hash(in.Command)
	_, cancels := in.Command.(*wire.ChatCancel) // its requestId is the run's, not its own
	if in.RequestID != "" && !cancels {
		// Resending what has been taken is safe (P6.2).
		if known, ok := a.answers.To(in.From.SpectatorID, in.RequestID); ok {
			if known.Hash != hash {
				a.refuse(in, usedBefore(in))
				return
			}
			a.answerAgain(in, known)
			return
		}
	}
	switch {
	case a.outbox.Broken() != nil:
		a.refuse(in, readOnly)
		return
	case a.outbox.Full() && !isErase(in.Command):
		// Not through the outbox, which is what is full.
		a.refuseNow(in, wire.Errorf(wire.Unsaved, "the disk does not take any more; your words are kept here and can be sent again"))
		return
	}
	if c, ok := in.Command.(*wire.HistoryErase); ok {
		a.eraseFor(in, c)
		return
	}
	if e := a.erasures.Refuse(a.world, in.From.SpectatorID, target(in.Command)); e != nil {
		a.refuse(in, e)
		return
	}
	if a.joins(in) {
		return
	}
	if need := a.lacks(in); need != nil {
		a.waitFor(in, need)
		return
	}
	if talk := a.talks[target(in.Command)]; talk != nil && !cancels && in.RequestID != "" && talk.Used(in.RequestID) {
		if c, ok := in.Command.(*wire.ChatSend); ok { // by somebody else, or long ago
			a.saidBefore(in, c, nil)
		} else {
			a.refuse(in, usedBefore(in))
		}
		return
	}
	d, err := a.decide(in)
	if err != nil {
		if in.seq > 0 && in.RequestID != "" && err.Code != wire.NotReady { // sent again it is refused again
			a.answers.Remember(answered(in, a.errorFrame(in, err), a.calendar.now), a.calendar.now)
		}
		a.refuse(in, err)
		return
	}
	if d.needs != nil {
		a.needsMore(in, d)
		return
	}
	a.tell(&in, d)
	seq := in.seq
	var reply wire.Frame = &wire.CommandReply{RequestID: in.RequestID, Command: name, Text: d.text, Seq: seq}
	if d.chat != nil {
		reply = d.chat
	}
	if d.details != nil {
		reply = d.details
	}
	frame := a.encode(reply)
	if in.RequestID != "" && !cancels && seq > 0 && a.outbox.Broken() == nil {
		row := answered(in, frame, a.calendar.now)
		a.answers.Remember(row, a.calendar.now)
		a.outbox.Answer(row)
	}
	if d.room != nil {
		frame = a.encode(d.room)
	}
	if d.chat == nil || seq == 0 {
		a.out(commit.Entry{Reply: frame, To: in.To})
	} // else chat.started, for everyone, is the answer
	if d.beside != nil {
		a.out(commit.Entry{Reply: a.encode(d.beside), To: in.To})
	}
	if in.told != nil {
		a.then(act{effect: func() { in.told <- nil }, lost: func() { in.told <- readOnly }}) // holds one
	}
}

// tell has the events of a decision happen. The first that a command leads to carries its
// requestId, and is the one that its answer names.
func (a *actor) tell(in *Input, d decision) {
	if len(d.bodies) == 0 {
		return
	}
	request := in.RequestID
	if _, cancels := in.Command.(*wire.ChatCancel); cancels || in.seq > 0 {
		request = ""
	}
	if in.seq == 0 && d.needs == nil { // the audit names the server for what waits in between
		a.by = in.From.SpectatorID
		note(d.bodies, a.by)
	}
	in.seq = cmp.Or(in.seq, a.world.Tick+1)
	a.emit(request, d.bodies...)
	a.by = ""
	if d.then != nil {
		d.then()
	}
}

// answered is the row of a command's answer.
func answered(in Input, reply []byte, at world.Time) world.CommandRow {
	return world.CommandRow{
		SpectatorID: in.From.SpectatorID, RequestID: in.RequestID, Hash: command.Hash(in.Command), Reply: reply, At: at,
	}
}

// answerAgain answers a command that was taken before.
func (a *actor) answerAgain(in Input, known world.CommandRow) {
	switch c := in.Command.(type) {
	case *wire.ChatSend:
		a.saidBefore(in, c, known.Reply)
		return
	case *wire.HistoryErase: // erasing twice is erasing once
		a.eraseFor(in, c)
		return
	case *wire.NavigateEnter, *wire.NavigateBack:
		if room, e := a.seenAgain(in); e == nil {
			a.out(commit.Entry{Reply: a.encode(room), To: in.To})
			return
		} // the room is gone: that it was entered is still true
	}
	a.out(commit.Entry{Reply: known.Reply, To: in.To})
}

// note says in events that keep it who led to them.
func note(bodies []world.Body, who string) {
	for _, b := range bodies {
		switch b := b.(type) {
		case *world.ConversationStarted:
			b.SpectatorID = who
		case *world.ConversationRenamed:
			b.SpectatorID = who
		}
	}
}

// isErase: it says itself, past what waits, that the disk does not answer.
func isErase(c wire.Command) bool {
	_, ok := c.(*wire.HistoryErase)
	return ok
}

func (a *actor) refuse(in Input, e *wire.Error) {
	a.out(commit.Entry{Reply: a.errorFrame(in, e), To: in.To})
	if in.told != nil {
		in.told <- e
	}
}

func (a *actor) refuseNow(in Input, e *wire.Error) {
	if in.told != nil {
		in.told <- e
	}
	if in.To != nil {
		in.To.Send(a.errorFrame(in, e))
	}
}

func (a *actor) errorFrame(in Input, e *wire.Error) []byte {
	return a.encode(&wire.ErrorFrame{RequestID: in.RequestID, Code: e.Code, Message: e.Message})
}

// decide is the rule for each command, with what was read for it. A panic is an error and changes nothing.
func (a *actor) decide(in Input) (d decision, e *wire.Error) {
	ids := a.sees.IDs
	defer func() {
		if p := recover(); p != nil {
			a.log.Error().Str("command", in.Command.CommandType()).Msgf("panic while deciding: %v\n%s", p, debug.Stack())
			d, e = decision{}, wire.Errorf(wire.Internal, "the server failed at this command; nothing was changed")
		}
		if d.needs != nil && len(d.bodies) == 0 {
			a.sees.IDs = ids // it is decided again
		}
		a.sees.Met = nil
	}()
	a.sees.Met = in.met
	switch c := in.Command.(type) {
	case *wire.SpectatorSay:
		return a.decideSay(in, c.Text)
	case *wire.PlayerCommand:
		return a.decideWords(in, c)
	case *wire.ChatSend:
		return a.decideChat(in, c)
	case *wire.ChatCancel:
		return a.decideCancel(in, c)
	case *wire.ConversationStart:
		return a.decideTalk(in, c)
	case *wire.ConversationAbort:
		return a.control(in, c.ConversationID, kind.Abort)
	case *wire.ConversationClose:
		return a.control(in, c.ConversationID, kind.Close)
	case *wire.ConversationResume:
		return a.control(in, c.ConversationID, kind.Resume)
	case *wire.ConversationPause:
		return a.control(in, c.ConversationID, kind.Pause)
	case *wire.ConversationRename:
		return a.decideRename(c.ConversationID, c.Title)
	case *wire.SkillGive:
		return a.decideGive(c)
	case *wire.UpdateSettings:
		return a.decideSettings(c.Settings)
	case *wire.GetAgentDetails:
		return a.decideDetails(in, c.AgentID)
	case *wire.NavigateEnter:
		return a.decideEnter(in, c.Path, c.Page)
	case *wire.NavigateBack:
		return a.decideBack(in)
	}
	for _, k := range a.sees.Kinds.All {
		if c, ok := k.(kind.Commander); ok {
			if d, ok, e := c.Command(a.sees, commandOf(in)); ok {
				return a.decided(d, e)
			}
		}
	}
	return d, wire.Errorf(wire.UnknownType, "this realm does not know %s", in.Command.CommandType())
}

// commandOf is a command as kinds see it.
func commandOf(in Input) kind.Command {
	return kind.Command{From: in.From, RequestID: in.RequestID, Command: in.Command, Server: in.told != nil}
}

// readOnly is what is answered where nothing can be decided any more.
var readOnly = wire.Errorf(wire.Internal, "%s", ErrBroken)

func (a *actor) decideSettings(raw map[string]json.RawMessage) (decision, *wire.Error) {
	s, err := world.UpdateSettings(a.world.Settings, raw)
	if err != nil {
		return decision{}, wire.Errorf(wire.BadField, "%s", err)
	}
	if s == a.world.Settings {
		return decision{text: "Nothing changed."}, nil
	}
	return decision{bodies: []world.Body{&world.SettingsUpdated{Settings: s}}, text: "Settings saved."}, nil
}
