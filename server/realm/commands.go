package realm

import (
	"cmp"
	"context"
	"errors"
	"maps"

	"github.com/rs/zerolog"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/command"
	"agentdungeon/server/realm/commit"
	"agentdungeon/server/realm/erasure"
	"agentdungeon/server/realm/plan"
	"agentdungeon/server/realm/wait"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// This file carries out commands and the steps of plans. A command or a step that needs data from the disk waits for
// the data.

// command handles a command. The answer follows when all events of the command are durable.
func (a *actor) command(in Input) {
	a.realm.Met = in.met
	defer func() { a.realm.Met = nil }()
	cmd := kind.Command{From: in.From, RequestID: in.RequestID, Command: in.Command, Server: in.outcome != nil}
	state := command.State{Realm: a.realm, Rooms: &a.handle.rooms, Runs: a.runs}
	rule := command.RuleFor(a.realm, cmd)
	now := command.Situation{
		Broken: a.outbox.Broken() != nil, Full: a.outbox.Full(),
		Erased: a.erasures.Refuse(a.realm.World, in.From.SpectatorID, command.About(in.Command)),
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
	case command.RefuseNow:
		if in.outcome != nil {
			in.outcome <- v.Err
		}
		if in.To != nil {
			in.To.Send(a.audience.Encode(refusal(in, v.Err)))
		}
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

// same reports whether message is an earlier copy of the command in, and that copy has already emitted an event.
func (in Input) same(message any) bool {
	first, ok := message.(Input)
	return ok && first.RequestID == in.RequestID && first.From.SpectatorID == in.From.SpectatorID && first.seq > 0
}

// row returns the journal's row that stores reply as the answer to the command.
func (in Input) row(reply []byte, at world.Time) world.CommandRow {
	return world.CommandRow{
		SpectatorID: in.From.SpectatorID, RequestID: in.RequestID, Hash: command.Hash(in.Command), Reply: reply, At: at,
	}
}

// carryOut emits the events of the decision d and answers the command; e is the error if the rule refused it.
func (a *actor) carryOut(in Input, rule command.Rule, d command.Decision, e *wire.Error) {
	if e != nil {
		// Remember the refusal, because the command has emitted events: if the sender repeats the command, the
		// answer is the same.
		if in.seq > 0 && in.RequestID != "" && e.Code != wire.NotReady {
			a.answers.Remember(in.row(a.audience.Encode(refusal(in, e)), a.realm.Clock.Wall), a.realm.Clock.Wall)
		}
		a.refuse(in, e)
		return
	}
	if d.Needs != nil {
		a.await(in, rule, d)
		return
	}
	a.emitDecision(&in, rule, d)
	if d.Looks != nil && in.To != nil {
		a.audience.Look(in.To, d.Looks, a.realm.Clock.Now)
	}
	var reply wire.Frame = &wire.CommandReply{RequestID: in.RequestID, Command: rule.Type, Text: d.Text, Seq: in.seq}
	if d.Reply != nil && !d.Fresh {
		reply = d.Reply
	}
	if in.RequestID != "" && !rule.Run && in.seq > 0 && a.outbox.Broken() == nil {
		row := in.row(a.audience.Encode(reply), a.realm.Clock.Wall)
		a.answers.Remember(row, a.realm.Clock.Wall)
		a.outbox.Answer(row)
	}
	if d.Reply != nil {
		reply = d.Reply
	}
	_, begun := reply.(*wire.ChatRepeated)
	switch {
	case d.Answer != nil:
		a.outbox.Out(commit.Entry{Reply: d.Answer, To: in.To})
	case !begun || in.seq == 0:
		a.answer(in, reply)
	} // a command that begins a run gets no reply: its chat.started is the answer
	if d.Beside != nil {
		a.answer(in, d.Beside)
	}
	if in.outcome != nil {
		a.outbox.ThenOr(0, func() { in.outcome <- nil }, func() { in.outcome <- command.ReadOnly })
	}
}

// emitDecision emits the events of a decision, the first one with the command's requestId. It sets in.seq to the seq
// of the first event, unless in.seq is set already.
func (a *actor) emitDecision(in *Input, rule command.Rule, d command.Decision) {
	if len(d.Bodies) == 0 {
		return
	}
	request := in.RequestID
	if rule.Run || in.seq > 0 {
		request = ""
	}
	a.by = in.From.SpectatorID
	if in.seq == 0 && d.Needs == nil { // not if the command waits for data
		for _, b := range d.Bodies {
			switch b := b.(type) {
			case *world.ConversationStarted:
				b.SpectatorID = a.by
			case *world.ConversationRenamed:
				b.SpectatorID = a.by
			case interface{ SetAuthor(by, name string) }:
				b.SetAuthor(a.by, in.From.Name)
			}
		}
	}
	in.seq = cmp.Or(in.seq, a.realm.World.Tick+1)
	a.emit(request, d.Bodies...)
	a.by = ""
	if d.Follow != nil {
		a.walks.Follow(a.realm.World, in.From.SpectatorID, d.Follow.Path)
	}
}

// await makes a command wait until the data that its decision needs was read. If the decision also has events, await
// emits them first; the data is then read once they are durable.
func (a *actor) await(in Input, rule command.Rule, d command.Decision) {
	if len(d.Bodies) == 0 {
		if !a.waits.Wait(d.Needs, in) {
			a.refuse(in, wait.TooMany)
		}
		return
	}
	rest := in
	rest.seq = cmp.Or(in.seq, a.realm.World.Tick+1)
	key, ok := a.waits.Hold(d.Needs, rest)
	if !ok {
		a.refuse(in, wait.TooMany)
		return
	}
	a.emitDecision(&in, rule, d)
	a.readBehind(key)
}

// readBehind starts to read the data for which messages wait under key, once all events so far are durable.
func (a *actor) readBehind(key string) {
	a.outbox.ThenOr(0, func() { a.waits.Read(key) }, func() {
		for _, m := range a.waits.Take(key) {
			a.resume(m, wait.Result{Err: command.ReadOnly})
		}
	})
}

// onRead takes the data that was read for a need (kind.Need), and resumes the messages that waited for the data.
func (a *actor) onRead(res wait.Result) {
	waited, ok := a.waits.Finish(res)
	if !ok {
		return
	}
	if res.Err == nil {
		if looked, ok := res.Got.(kind.Looked); ok {
			a.realm.Hints = looked.Hints
			a.emit("", a.shelf.Looked(a.realm.World, a.realm.At(), looked)...)
		}
		for _, id := range a.talks.Add(a.realm, res) {
			a.drive(plan.Mend(a.realm, id))
		}
	}
	for _, m := range waited {
		a.resume(m, res)
	}
}

// planMsg stands in the queue for a kind of conversation whose plan needs data from the disk. When the data was read,
// the plan decides its next step again.
type planMsg struct{ kind kind.Kind }

// resume handles a message again after the data that it waited for was read.
func (a *actor) resume(msg any, res wait.Result) {
	switch m := msg.(type) {
	case abandonMsg:
		if res.Err != nil {
			m.answer(0, res.Err)
			return
		}
		m.read = true
		a.onAbandon(m)
	case outsideMsg:
		if res.Err != nil {
			m.fail(res.Err)
			return
		}
		a.outside(m)
	case planMsg:
		a.drive(plan.Found(a.realm, m.kind, res))
		a.handle.imports.check()
	case Input:
		switch {
		case m.resent:
			m.resent = false
		case res.Err != nil:
			a.refuse(m, unread(m, res.Err, a.log))
			return
		default:
			met := kind.Met{}
			maps.Copy(met, m.met)
			met[res.Need.Key()] = res.Got
			m.met = met
			if _, ok := res.Got.(kind.Looked); ok {
				// plan.Mend gives the kind of a conversation that was just read the chance to add events. onRead calls
				// it for the conversations that Talks.Add returns, and Add does not return one that came as a
				// kind.Looked.
				a.drive(plan.Mend(a.realm, command.About(m.Command)))
			}
		}
		a.command(m)
	}
}

// drive carries out the steps of plans.
func (a *actor) drive(steps plan.Steps) {
	for s := range steps {
		if s.Warn != "" {
			a.log.Warn().Str("conversation", s.Talk).Msg(s.Warn)
		}
		if s.Info != "" {
			a.log.Info().Str("conversation", s.Talk).Msg(s.Info)
		}
		by := a.by
		a.by = cmp.Or(s.By, by)
		a.emit("", s.Bodies...)
		a.by = by
		if s.Needs != nil {
			// If the queue has no room, the plan decides the same step again later.
			if key, ok := a.waits.Hold(s.Needs, planMsg{s.Kind}); ok {
				a.readBehind(key)
			}
		}
		if a.outbox.Broken() != nil || a.stopping {
			return
		}
	}
}

// unread returns the error for the sender of a command whose data could not be read because of err. It also logs err,
// unless the sender gets the whole of err, the actor has ended, or an erasure is under way.
func unread(in Input, err error, log zerolog.Logger) *wire.Error {
	e := wire.Errorf(wire.NotReady, "the transcripts cannot be read now; try again in a moment")
	found := errors.As(err, &e)
	if !(found && err == error(e)) && !errors.Is(err, context.Canceled) && !errors.Is(err, erasure.ErrRedacting) {
		log.Error().Err(err).Str("command", in.Command.CommandType()).Msg("the data that a command needs could not be read")
	}
	return e
}
