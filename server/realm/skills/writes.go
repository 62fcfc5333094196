package skills

import (
	"context"
	"slices"

	"agentdungeon/server/kind"
	"agentdungeon/shared/world"
)

// Files is the skills folder on the disk.
type Files interface {
	// WriteSkill writes a skill wholly or not at all.
	WriteSkill(s world.SkillFiles) error
}

// Written reports that a skill was written, or why it was not.
type Written struct {
	kind.Writing
	Err error
}

// Worker writes skills, beside the realm's actor.
type Worker struct {
	files   Files
	reports chan<- any
	life    context.Context
}

// Write writes a skill and reports Written. It returns when the report is taken, or the realm
// ends: then the next opening finds the skill in its folder.
func (w Worker) Write(asked kind.Writing) {
	report := Written{asked, w.files.WriteSkill(asked.Files)}
	select {
	case w.reports <- report:
	case <-w.life.Done():
	}
}

// Writes are the skills that are being written, by the run that asked for it: at most one a
// conversation.
type Writes struct {
	Worker Worker
	under  []write
}

// NewWrites has none. reports get a Written for each, until life is over.
func NewWrites(files Files, reports chan<- any, life context.Context) *Writes {
	return &Writes{Worker: Worker{files, reports, life}}
}

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
