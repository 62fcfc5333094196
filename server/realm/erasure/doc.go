// Package erasure runs the erasures of a realm: of conversations, or of a person's words and
// identity (P16.3, S1-19). One erasure is under way at a time. While it rewrites the tables, nobody
// can read them.
//
// Two types share the work. Erasures is the state. The realm's actor calls its methods, and they
// return what the actor has to do: events to emit, a job to start, a request to answer. Worker reads
// and writes the journal and the files in goroutines of its own and sends a report after each step.
// It does not use the state. Neither decides who may erase what, numbers events or shows frames.
//
// The steps of an erasure, and the reports that end them:
//
//	Worker.Find    look up what is asked for, make the intention durable         Found
//	Worker.Scope   after all runs in it have stopped: find all that it covers    Scoped
//	Worker.Redact  after history:erased is durable: rewrite rows, bases, files   Redacted, Ended
//
// The files:
//
//   - erasures.go: the state
//   - stops.go: the events that stop what is under way in the conversations
//   - worker.go: the steps; tables.go: the tables
//   - filter.go: removes what was erased from the later output of runs that began before
//   - silence.go: which conversations retention must not touch
package erasure
