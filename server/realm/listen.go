package realm

import (
	"context"
	"time"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/wait"
	"agentdungeon/server/shadow"
	"agentdungeon/shared/wire"
)

// listenAgain is the time to the next try when the realm took no events.
const listenAgain = time.Second

// listenMsg asks for the words that wait for the agent of a hook. reply has room for one value.
type listenMsg struct {
	ctx   context.Context // of the hook
	hook  shadow.Hook
	reply chan<- listened
}

// listened is the answer to a listenMsg.
type listened struct {
	handed shadow.Handed
	err    error
}

// Listen returns the words that wait for the agent of a hook, once it is durable that the hook has them: no other hook
// gets them. With waits it returns when there are some, another hook of the agent listens, the session or the realm has
// ended, or ctx ends; without it returns at once. The caller calls Missed if the hook does not get them.
func (r *Realm) Listen(ctx context.Context, h shadow.Hook, waits bool) (shadow.Handed, error) {
	ear := r.ears.Open(shadow.AgentID(h.Program, h.SessionID))
	if ear == nil {
		return shadow.Handed{}, wait.TooMany
	}
	defer r.ears.Close(ear)
	again := time.NewTimer(0)
	defer again.Stop()
	for {
		select {
		case <-again.C:
		case <-ear.Rings:
		case <-ear.Over:
			return shadow.Handed{}, nil
		case <-ctx.Done():
			return shadow.Handed{}, nil
		case <-r.done:
			return shadow.Handed{}, nil
		}
		reply := make(chan listened, 1)
		// The end of the hook does not cut this call off: words that it takes must be known here.
		got, err := call(context.WithoutCancel(ctx), r, listenMsg{ctx: ctx, hook: h, reply: reply}, reply)
		if err != nil {
			return shadow.Handed{}, err
		}
		if len(got.handed.WordIDs) > 0 && ctx.Err() != nil {
			return shadow.Handed{}, r.Missed(ctx, h, got.handed)
		}
		if len(got.handed.WordIDs) > 0 || got.handed.Over || !waits {
			return got.handed, got.err
		}
		if got.err != nil {
			again.Reset(listenAgain)
		}
	}
}

// Missed puts words back that a hook has not got: they wait for the next one.
func (r *Realm) Missed(ctx context.Context, h shadow.Hook, handed shadow.Handed) error {
	h.Told, h.WordIDs = shadow.Missed, handed.WordIDs
	_, err := r.Hook(context.WithoutCancel(ctx), h)
	return err
}

func (m listenMsg) refuse(e *wire.Error) { m.fail(e) }

func (m listenMsg) fail(err error) { m.reply <- listened{err: err} }

func (m listenMsg) decide(r *kind.Realm, busy bool) (d kind.Decision, answer func()) {
	if busy {
		return d, func() { m.refuse(wait.TooMany) }
	}
	var got shadow.Handed
	for _, k := range r.Kinds.All {
		if messenger, ok := k.(kind.Messenger); ok && m.ctx.Err() == nil {
			d, got = messenger.Hand(r, m.hook)
		}
	}
	return d, func() { m.reply <- listened{handed: got} }
}
