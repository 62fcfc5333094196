package skills

import "slices"

// Writes are the skills that are being written, by the run that asked for it: at most one a
// conversation. The zero value has none.
type Writes struct{ under []write }

type write struct {
	conversationID, requestID string
	done                      chan struct{}
}

// Begin notes that a skill of a run is being written.
func (w *Writes) Begin(conversationID, requestID string) {
	w.under = append(w.under, write{conversationID, requestID, make(chan struct{})})
}

// End notes that the world knows what came of it.
func (w *Writes) End(conversationID, requestID string) {
	w.under = slices.DeleteFunc(w.under, func(u write) bool {
		if u.conversationID != conversationID || u.requestID != requestID {
			return false
		}
		close(u.done)
		return true
	})
}

// Of returns a channel for each write under way of these conversations, which is closed by End.
func (w *Writes) Of(conversations []string) (out []<-chan struct{}) {
	for _, u := range w.under {
		if slices.Contains(conversations, u.conversationID) {
			out = append(out, u.done)
		}
	}
	return out
}
