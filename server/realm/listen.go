package realm

import (
	"cmp"
	"context"
	"time"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/wait"
	"agentdungeon/server/shadow"
	"agentdungeon/shared/wire"
)

// listenAgain is the time after which Listen asks the realm again if the realm could not store events.
const listenAgain = time.Second

// listenMsg asks the actor for the words that people have sent to the agent of a hook. reply has room for one value.
type listenMsg struct {
	ctx   context.Context // the context of the hook's request
	hook  shadow.Hook
	reply chan<- listened
}

// listened is the answer to a listenMsg.
type listened struct {
	handed shadow.Handed
	err    error
}

// Listen returns the words that people have sent to the agent of the hook h. Before it returns, it durably records that
// this hook has them, so that no other hook gets them. If waits is set, Listen waits until there are words, another
// hook of the agent waits in Listen, the session or the realm has ended, or ctx ends; otherwise it returns at once. If
// the words cannot be passed to the hook, the caller must call Missed.
func (r *Realm) Listen(ctx context.Context, h shadow.Hook, waits bool) (shadow.Handed, error) {
	if !waits {
		got, err := r.hand(ctx, h)
		return got.handed, cmp.Or(err, got.err)
	}
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
		got, err := r.hand(ctx, h)
		if err != nil {
			return shadow.Handed{}, err
		}
		if len(got.handed.WordIDs) > 0 || got.handed.Over || ctx.Err() != nil {
			return got.handed, got.err
		}
		if got.err != nil {
			again.Reset(listenAgain)
		}
	}
}

// hand asks the actor for the words to the agent of h. If ctx ends meanwhile, the words wait for the next hook.
func (r *Realm) hand(ctx context.Context, h shadow.Hook) (listened, error) {
	reply := make(chan listened, 1)
	// This call does not end with the hook's context: words that the actor hands out must arrive here, so that Missed can
	// put them back.
	got, err := call(context.WithoutCancel(ctx), r, listenMsg{ctx: ctx, hook: h, reply: reply}, reply)
	if err == nil && len(got.handed.WordIDs) > 0 && ctx.Err() != nil {
		return listened{}, r.Missed(ctx, h, got.handed)
	}
	return got, err
}

// Missed records that a hook has not received the words in handed. They wait for the next hook of the agent.
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
