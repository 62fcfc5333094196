// Package process is the plan of a staged process: what the documents call the
// process controller, as plain functions.
//
// It owns the templates (embedded ones and the reading of files), the question
// who acts next (Next), what the commands of people do (Start, Pause, Resume,
// Skip, Restart, Seal), how a stage ends (Advance) and what a member is told
// (Prompt, Ask). Everything is a pure function of the folded world, of the facts of
// the transcript and of the time it is given: no clock, disk, log, goroutine or
// random source. It never changes what it is given; it answers with events for
// world.Apply, or with an error, and then nothing changed.
//
// The realm actor calls it level-triggered: after every event it asks Next and
// does what Next says. Nothing needs to be remembered between two calls, so the
// state after a crash is as good as any other (S3-04, S3-22).
package process
