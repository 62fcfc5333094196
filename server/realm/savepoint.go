package realm

import (
	"cmp"

	"agentdungeon/shared/wire"
)

// savePoint tells that all that was said in a conversation is saved, once it is.
func (a *actor) savePoint(id string) {
	if a.broken != nil {
		return
	}
	a.out(entry{frame: a.encode(&wire.SessionSaved{SessionID: id, ConversationID: id}), saves: true})
	if a.save.State == wire.SaveFailing {
		a.aside(a.failing())
	}
}

// failing is what is said while the disk takes nothing. While a save point waits it is said
// in the words of document 002 (S2-15).
func (a *actor) failing() *wire.SaveStatus {
	s := a.save
	s.Message = cmp.Or(wire.DiskReason(a.failure), "The disk does not answer.") +
		" What happens is kept and saved when the disk takes it again."
	if a.unsaved > 0 && a.failure != nil {
		s.Message = clip("❌  Failed to save session: "+root(a.failure).Error(), maxNotice)
	}
	a.save.Message = s.Message
	return &s
}

// maxNotice is how many bytes of a failure people are told.
const maxNotice = 400
