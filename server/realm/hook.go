package realm

import (
	"context"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/doors"
	"agentdungeon/server/realm/wait"
	"agentdungeon/server/shadow"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// hookMsg passes what a hook of a coding agent has reported to the actor. reply has room for one value.
type hookMsg struct {
	ctx   context.Context // the context of the hook's request; a hook that has ended opens no door
	hook  shadow.Hook
	doors *doors.Waits
	reply chan<- hooked
}

// hooked is the answer to a hookMsg.
type hooked struct {
	door *Door
	err  error
}

// Door is a question of a coding agent that a person can answer. The agent's hook waits for the answer.
type Door struct {
	ID string
	// Closed receives the event that closes the door, once the event is durable. It receives nothing if the realm closes
	// first.
	Closed <-chan *world.DoorClosed
}

// Hook passes a report of a coding agent's hook to the realm, and returns when the events that follow from the report
// are durable. door is nil if the report asks no question. A caller that gets a door must call Leave when the hook no
// longer waits for the answer.
func (r *Realm) Hook(ctx context.Context, h shadow.Hook) (door *Door, err error) {
	reply := make(chan hooked, 1)
	got, err := call(ctx, r, hookMsg{ctx: ctx, hook: h, doors: &r.doors, reply: reply}, reply)
	if err != nil {
		return nil, err
	}
	return got.door, got.err
}

// Watched reports whether the realm has a viewer.
func (r *Realm) Watched() bool { return r.Stats().Viewers > 0 }

// Leave ends the wait of a hook for the answer to the door d.
func (r *Realm) Leave(d *Door) { r.doors.Leave(d.ID) }

func (m hookMsg) refuse(e *wire.Error) { m.fail(e) }

func (m hookMsg) fail(err error) { m.reply <- hooked{err: err} }

func (m hookMsg) decide(r *kind.Realm, busy bool) (d kind.Decision, answer func()) {
	if busy {
		return d, func() { m.refuse(wait.TooMany) }
	}
	var opened *Door
	for _, k := range r.Kinds.All {
		keeper, ok := k.(kind.Doorkeeper)
		if !ok || m.ctx.Err() != nil && m.hook.Told == shadow.Asks {
			continue
		}
		var id string
		if d, id = keeper.Hooked(r, m.hook); id != "" {
			opened = &Door{ID: id, Closed: m.doors.Wait(id)}
		}
	}
	return d, func() { m.reply <- hooked{door: opened} }
}
