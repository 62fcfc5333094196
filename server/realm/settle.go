package realm

import (
	"context"

	"agentdungeon/server/kind"
	"agentdungeon/server/quests"
	"agentdungeon/shared/wire"
)

// settleMsg says that the repository accepts findings. reply has room for one value.
type settleMsg struct {
	findingIDs []string
	note       string
	reply      chan<- error
}

// Settle closes the open quests of findings that nobody has to mend, with a note that says why, as if the findings were
// withdrawn. It returns when the events are durable.
func (r *Realm) Settle(ctx context.Context, findingIDs []string, note string) error {
	reply := make(chan error, 1)
	got, err := call(ctx, r, settleMsg{findingIDs: findingIDs, note: note, reply: reply}, reply)
	if err != nil {
		return err
	}
	return got
}

func (m settleMsg) refuse(e *wire.Error) { m.fail(e) }

func (m settleMsg) fail(err error) { m.reply <- err }

func (m settleMsg) decide(r *kind.Realm, busy bool) (d kind.Decision, answer func()) {
	if busy {
		return d, func() { m.fail(errUnsaved) }
	}
	for _, id := range m.findingIDs {
		d.Bodies = append(d.Bodies, quests.Withdraw(r.World, id, m.note)...)
	}
	return d, func() { m.reply <- nil }
}
