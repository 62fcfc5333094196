package commit

import (
	"cmp"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
)

// status is how saving stands, as everybody was told last.
type status struct {
	wire.SaveStatus
	failure error // why the last commit failed
	points  int   // frames that tell of a saved session and wait
}

// Status is how saving stands.
func (o *Outbox) Status() wire.SaveStatus { return o.status.SaveStatus }

// IsFailing says that the disk takes nothing.
func (o *Outbox) IsFailing() bool { return o.status.State == wire.SaveFailing }

// tell tells everybody when the state of saving changes.
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
			o.conf.Log.Info().Int64("seq", o.head).Msg("the journal is written again")
		}
	}
	s.State, s.Message = state, message
	o.aside(&s.SaveStatus)
}

// maxNotice is how many bytes of a failure people are told.
const maxNotice = 400

// Failing is what is said while the disk takes nothing. While a save point waits it is said in
// the words of document 002 (S2-15).
func (o *Outbox) Failing() wire.SaveStatus {
	s := &o.status
	s.Message = cmp.Or(wire.DiskReason(s.failure), "The disk does not answer.") +
		" What happens is kept and saved when the disk takes it again."
	if s.points > 0 && s.failure != nil {
		s.Message = kind.Clip("❌  Failed to save session: "+root(s.failure).Error(), maxNotice)
	}
	return s.SaveStatus
}

// root is the innermost of an error: what the disk said, without where.
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

// SavePoint tells that all that was said in a conversation is saved, once it is.
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

// Board tells everybody what is wrong with the board of findings outside this server, "" for
// nothing. It is akin to the state of saving: it goes past what waits and is told to whoever
// comes.
func (o *Outbox) Board(note string) {
	if o.status.Board == note {
		return
	}
	o.status.Board, o.status.Seq = note, o.head
	o.aside(&o.status.SaveStatus)
}
