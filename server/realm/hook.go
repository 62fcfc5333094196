package realm

import (
	"context"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/command"
	"agentdungeon/server/realm/wait"
	"agentdungeon/server/shadow"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// hookMsg is what a hook of a coding agent has told. reply has room for one value.
type hookMsg struct {
	hook  shadow.Hook
	reply chan<- hooked
}

// hooked is the answer to a hookMsg.
type hooked struct {
	door *Door
	err  error
}

// Door is a door that a hook has opened.
type Door struct {
	ID string
	// Closed gets the end of the door once it is durable. It gets nothing if the realm closes before.
	Closed <-chan *world.DoorClosed
}

// Hook passes to the realm what a hook of a coding agent has told, and returns when the events that follow from it are
// durable. door is nil if it opens none. The caller that has got a door calls Leave when it stops to wait.
func (r *Realm) Hook(ctx context.Context, h shadow.Hook) (door *Door, err error) {
	reply := make(chan hooked, 1)
	got, err := call(ctx, r, hookMsg{hook: h, reply: reply}, reply)
	if err != nil {
		return nil, err
	}
	return got.door, got.err
}

// Leave ends the wait for a door.
func (r *Realm) Leave(d *Door) { r.doors.Leave(d.ID) }

func (m hookMsg) refuse(e *wire.Error) { m.reply <- hooked{err: e} }

// decide returns the events for what a hook has told.
func (m hookMsg) decide(r *kind.Realm) (kind.Decision, string) {
	for _, k := range r.Kinds.All {
		if keeper, ok := k.(kind.Doorkeeper); ok {
			return keeper.Hooked(r, m.hook)
		}
	}
	return kind.Decision{}, ""
}

// hooked emits the events for what a hook has told, and answers once they are durable.
func (a *actor) hooked(m hookMsg) {
	if a.outbox.Full() || a.erasures.Busy() {
		m.refuse(wait.TooMany)
		return
	}
	d, id := m.decide(a.realm)
	if d.Warn != "" {
		a.log.Warn().Msg(d.Warn)
	}
	var door *Door
	if id != "" {
		door = &Door{ID: id, Closed: a.handle.doors.Wait(id)}
	}
	a.emit("", d.Bodies...)
	a.outbox.ThenOr(0, func() { m.reply <- hooked{door: door} }, func() { m.refuse(command.ReadOnly) })
}
