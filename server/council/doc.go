// Package council is the plan of a council: agents and people take turns on a task until all turns are taken
// (document 000). A task for one agent is a council of one.
//
// Next decides what a council does, from its head, its runs and the members who are present. It stores nothing
// between two calls, so a council continues after a restart with the next call. It counts only what the transcript
// has (S0-11). It reads no clock, disk or log and starts no goroutine.
//
// server/realm calls it after every event and carries out its decisions.
package council
