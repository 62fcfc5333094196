// Package process is the plan of a staged process: the process controller of document 003, as plain functions.
//
// It owns who acts next (Next), the commands of people (Start, Pause, Resume, Skip, Restart, Seal), the end of a
// stage (Advance) and the prompts of members (Prompt, Ask). Everything is a pure function of the world, the runs
// and rows of the transcript (Facts) and a given time: no clock, disk, log, goroutine or random source. The package
// never modifies its arguments. A command returns events for world.Apply, or an error if it is refused.
//
// After every event the realm actor calls Next and carries out the Decision. The package stores nothing between two
// calls, so a process continues after a crash from the world and the transcript alone (S3-04, S3-22).
package process
