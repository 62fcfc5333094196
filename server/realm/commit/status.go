package commit

import (
	"cmp"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/watch"
	"agentdungeon/server/ring"
	"agentdungeon/shared/wire"
)

// status has the last save:status and the state from which the next one follows.
type status struct {
	wire.SaveStatus
	failure error // the error of the last commit, if it failed
	points  int   // number of session:saved frames that wait for their events
}

// Status returns the last save:status.
func (o *Outbox) Status() wire.SaveStatus { return o.status.SaveStatus }

// IsFailing reports whether the last commit failed.
func (o *Outbox) IsFailing() bool { return o.status.State == wire.SaveFailing }

// aside shows an ephemeral frame at once, ahead of all entries in the queue.
func (o *Outbox) aside(f wire.Frame) {
	o.Flush()
	o.conf.Audience.Show(ring.Item{Bytes: watch.Encode(o.conf.Log, f)})
}

// tell sends save:status to all viewers if state differs from the last state that was sent.
func (o *Outbox) tell(state, message string) {
	s := &o.status
	was := s.State
	s.Seq = o.head
	if was == state {
		return
	}
	if was == wire.SaveSaved {
		s.Since = o.wall
	}
	if state == wire.SaveSaved {
		s.Since = 0
		if was == wire.SaveFailing {
			o.conf.Log.Info().Int64("seq", o.head).Msg("the journal can be written again")
		}
	}
	s.State, s.Message = state, message
	o.aside(&s.SaveStatus)
}

// maxNotice limits the text about a failed commit in save:status, in bytes.
const maxNotice = 400

// Failing returns the save status, with a text about the last failed commit. While a session:saved frame of a party
// waits for its events, the text has the wording that S2-15 of SPEC.md prescribes for a failed save of a session.
func (o *Outbox) Failing() wire.SaveStatus {
	s := &o.status
	s.Message = cmp.Or(wire.DiskReason(s.failure), "The disk does not answer.") +
		" New events stay in memory and are saved when the disk can be written again."
	if s.points > 0 && s.failure != nil {
		s.Message = kind.Clip("❌  Failed to save session: "+root(s.failure).Error(), maxNotice)
	}
	return s.SaveStatus
}

// root returns the innermost error of err: the error of the disk, without the operations around it.
func root(err error) error {
	for {
		switch e := err.(type) {
		case interface{ Unwrap() error }:
			if inner := e.Unwrap(); inner != nil {
				err = inner
				continue
			}
		case interface{ Unwrap() []error }:
			if all := e.Unwrap(); len(all) > 0 {
				err = all[len(all)-1]
				continue
			}
		}
		return err
	}
}

// SavePoint sends session:saved to all viewers once all events of the conversation so far are durable.
func (o *Outbox) SavePoint(conversationID string) {
	if o.broken != nil {
		return
	}
	saved := &wire.SessionSaved{SessionID: conversationID, ConversationID: conversationID}
	o.Out(Entry{Frame: watch.Encode(o.conf.Log, saved), Saves: true})
	if o.IsFailing() {
		s := o.Failing()
		o.aside(&s)
	}
}

// Board sends note to all viewers: a sentence about a problem with the copy of the findings for other programs, or ""
// if there is none. The frame does not wait for events, and later viewers get it too.
func (o *Outbox) Board(note string) {
	if o.status.Board == note {
		return
	}
	o.status.Board, o.status.Seq = note, o.head
	o.aside(&o.status.SaveStatus)
}
