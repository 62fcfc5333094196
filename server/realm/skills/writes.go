package skills

import (
	"context"
	"slices"

	"agentdungeon/server/kind"
	"agentdungeon/shared/world"
)

// Files is the skills folder on the disk.
type Files interface {
	// WriteSkill writes all files of a skill or none.
	WriteSkill(s world.SkillFiles) error
}

// Written reports that a skill was written, or that writing it failed.
type Written struct {
	kind.Writing
	Err error
}

// Worker writes skills outside the actor's goroutine.
type Worker struct {
	files   Files
	reports chan<- any
	life    context.Context
}

// Write writes a skill and then sends Written to the actor. If the realm ends before the actor has received
// it, the next opening finds the skill in the folder.
func (w Worker) Write(asked kind.Writing) {
	report := Written{asked, w.files.WriteSkill(asked.Files)}
	select {
	case w.reports <- report:
	case <-w.life.Done():
	}
}

// Writes lists the runs whose skills are being written. A conversation has at most one such run.
type Writes struct {
	Worker Worker
	under  []write
}

// NewWrites returns an empty list. Its worker sends Written to the channel reports until the context life ends.
func NewWrites(files Files, reports chan<- any, life context.Context) *Writes {
	return &Writes{Worker: Worker{files, reports, life}}
}

type write struct {
	conversationID, requestID string
	done                      chan struct{}
}

// Begin adds a run to the list, before its skill is written. The run answers the request requestID in the conversation.
func (w *Writes) Begin(conversationID, requestID string) {
	w.under = append(w.under, write{conversationID, requestID, make(chan struct{})})
}

// End removes a run from the list. The caller calls it after it has emitted the events for the run's skill.
func (w *Writes) End(conversationID, requestID string) {
	w.under = slices.DeleteFunc(w.under, func(u write) bool {
		if u.conversationID != conversationID || u.requestID != requestID {
			return false
		}
		close(u.done)
		return true
	})
}

// Of returns a channel for each listed run of these conversations. End closes the channel of its run.
func (w *Writes) Of(conversations []string) (out []<-chan struct{}) {
	for _, u := range w.under {
		if slices.Contains(conversations, u.conversationID) {
			out = append(out, u.done)
		}
	}
	return out
}
