package realm

import (
	"cmp"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/command"
	"agentdungeon/server/realm/commit"
	"agentdungeon/server/realm/view"
	"agentdungeon/server/realm/wait"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// readOnly is what is answered where nothing can be decided any more.
var readOnly = wire.Errorf(wire.Internal, "%s", ErrBroken)

// command is the actor's step for a person's command. Every command is answered, after its events are
// saved. Package server/realm/command has the rules and the checks that a command passes first.
func (a *actor) command(in Input) {
	a.sees.Met = in.met
	defer func() { a.sees.Met = nil }()
	cmd := kind.Command{From: in.From, RequestID: in.RequestID, Command: in.Command, Server: in.told != nil}
	state := command.State{Realm: a.sees, Rooms: &a.r.rooms, Runs: a.runs}
	rule := command.RuleFor(a.sees, cmd)
	now := command.Standing{
		Broken: a.outbox.Broken() != nil, Full: a.outbox.Full(),
		Erased: a.erasures.Refuse(a.world, in.From.SpectatorID, rule.About(in.Command)),
	}
	if known, ok := a.answers.To(in.From.SpectatorID, in.RequestID); ok && in.RequestID != "" {
		now.Known = &known
	}
	key, waiting := a.waits.Find(in.same)
	now.Waiting = waiting && in.RequestID != "" && !in.resent
	v := rule.Admit(state, cmd, now)
	switch v.Action {
	case command.Refuse:
		a.refuse(in, v.Err)
	case command.RefuseNow: // not through the outbox, which is what is full
		in.turnAway(a.audience.Encode(refusal(in, v.Err)), v.Err)
	case command.Join:
		if in.resent = true; !a.waits.Join(key, in) {
			a.refuse(in, wait.TooMany)
		}
	case command.Erase:
		a.eraseFor(in, in.Command.(*wire.HistoryErase))
	default:
		d, e := v.Decide(state, cmd, a.log)
		a.carryOut(in, rule, d, e)
	}
}

// same says that a message is this command, and has led to something already.
func (in Input) same(message any) bool {
	first, ok := message.(Input)
	return ok && first.RequestID == in.RequestID && first.From.SpectatorID == in.From.SpectatorID && first.seq > 0
}

// turnAway tells the sender at once that a command is refused.
func (in Input) turnAway(refusal []byte, e *wire.Error) {
	if in.told != nil {
		in.told <- e
	}
	if in.To != nil {
		in.To.Send(refusal)
	}
}

// carryOut has happen what was decided, and answers.
func (a *actor) carryOut(in Input, rule command.Rule, d command.Decision, e *wire.Error) {
	if e != nil {
		if in.seq > 0 && in.RequestID != "" && e.Code != wire.NotReady { // sent again it is refused again
			a.answers.Remember(answered(in, a.audience.Encode(refusal(in, e)), a.sees.Clock.Wall), a.sees.Clock.Wall)
		}
		a.refuse(in, e)
		return
	}
	if d.Needs != nil {
		a.needsMore(in, rule, d)
		return
	}
	a.tell(&in, rule, d)
	var reply wire.Frame = &wire.CommandReply{RequestID: in.RequestID, Command: rule.Type, Text: d.Text, Seq: in.seq}
	if d.Reply != nil && !d.Fresh {
		reply = d.Reply
	}
	if in.RequestID != "" && !rule.Run && in.seq > 0 && a.outbox.Broken() == nil {
		row := answered(in, a.audience.Encode(reply), a.sees.Clock.Wall)
		a.answers.Remember(row, a.sees.Clock.Wall)
		a.outbox.Answer(row)
	}
	if d.Reply != nil {
		reply = d.Reply
	}
	_, begun := reply.(*wire.ChatRepeated)
	switch {
	case d.Answer != nil:
		a.out(commit.Entry{Reply: d.Answer, To: in.To})
	case !begun || in.seq == 0:
		a.answer(in, reply)
	} // else chat.started, for everyone, is the answer
	if d.Beside != nil {
		a.answer(in, d.Beside)
	}
	if in.told != nil {
		a.then(act{effect: func() { in.told <- nil }, lost: func() { in.told <- readOnly }}) // holds one
	}
}

// tell has the events of a decision happen. The first that a command leads to carries its
// requestId, and is the one that its answer names.
func (a *actor) tell(in *Input, rule command.Rule, d command.Decision) {
	if len(d.Bodies) == 0 {
		return
	}
	request := in.RequestID
	if rule.Run || in.seq > 0 {
		request = ""
	}
	if in.seq == 0 && d.Needs == nil { // the audit names the server for what waits in between
		a.by = in.From.SpectatorID
		note(d.Bodies, a.by)
	}
	in.seq = cmp.Or(in.seq, a.world.Tick+1)
	a.emit(request, d.Bodies...)
	a.by = ""
	if d.Follow != nil {
		a.walks.Follow(a.world, in.From.SpectatorID, d.Follow.Path)
	}
}

// answered is the row of a command's answer.
func answered(in Input, reply []byte, at world.Time) world.CommandRow {
	return world.CommandRow{
		SpectatorID: in.From.SpectatorID, RequestID: in.RequestID, Hash: command.Hash(in.Command), Reply: reply, At: at,
	}
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

// liveReply is the effect of a snapshot that waits: what is provisional in it is told as it is when
// it leaves. Words of rows that are shown do not wait for the disk, and the answer may have to.
type liveReply struct {
	to   Input
	rows *wire.Snapshot
}

// answer puts a frame for the sender in line.
func (a *actor) answer(in Input, f wire.Frame) {
	rows, ok := f.(*wire.Snapshot)
	if !ok {
		a.out(commit.Entry{Reply: a.audience.Encode(f), To: in.To})
		return
	}
	if a.outbox.Broken() != nil {
		rows.Overlays = a.runs.Overlays(rows.ConversationID)
		a.out(commit.Entry{Reply: a.audience.Encode(rows), To: in.To})
		return
	}
	size := 0
	for _, m := range rows.Messages {
		size += view.RowBytes(m)
	}
	a.out(commit.Entry{Effect: liveReply{in, rows}, Holds: size})
}

func refusal(in Input, e *wire.Error) wire.Frame {
	return &wire.ErrorFrame{RequestID: in.RequestID, Code: e.Code, Message: e.Message}
}

func (a *actor) refuse(in Input, e *wire.Error) {
	a.out(commit.Entry{Reply: a.audience.Encode(refusal(in, e)), To: in.To})
	if in.told != nil {
		in.told <- e
	}
}
