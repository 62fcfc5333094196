// Package process is the plan of a staged process: the process controller of document 003, as
// plain functions.
//
// It owns the templates (embedded ones and the reading of files), who acts next (Next), the
// commands of people (Start, Pause, Resume, Skip, Restart, Seal), the end of a stage (Advance)
// and the prompts of members (Prompt, Ask). Everything is a pure function of the folded world,
// the facts of the transcript and a given time: no clock, disk, log, goroutine or random source.
// It never modifies its arguments. It returns events for world.Apply, or an error, and then
// nothing has changed.
//
// After every event the realm actor calls Next and does what it returns. Nothing is kept between
// two calls, so the state after a crash is as good as any other (S3-04, S3-22).
package process
