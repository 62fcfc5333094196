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

// hookMsg is what a hook of a coding agent has told. reply has room for one value.
type hookMsg struct {
	ctx   context.Context // the hook's context; a hook that has ended opens no door
	hook  shadow.Hook
	doors *doors.Waits
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
	got, err := call(ctx, r, hookMsg{ctx: ctx, hook: h, doors: &r.doors, reply: reply}, reply)
	if err != nil {
		return nil, err
	}
	return got.door, got.err
}

// Watched reports whether anybody watches the realm.
func (r *Realm) Watched() bool { return r.Stats().Viewers > 0 }

// Leave ends the wait for a door.
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
