// Package council is the plan of a council: agents and people take turns on a task
// until its turns are taken (document 000). A council of one is a task for that one.
//
// It only decides: Next says what a council does now, from its head, its runs and who
// stands by. It keeps nothing between two calls, so that it is the recovery too, and
// it counts nothing that the transcript does not say (S0-11). It reads no clock, disk
// or log and starts no goroutine.
//
// server/realm calls it after every event and does what it says.
package council
