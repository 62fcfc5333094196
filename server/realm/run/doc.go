// Package run owns the runs that drivers play in a realm, from chat.started to chat.done,
// chat.error or chat.cancelled: their open rows, their tools, their time limits, the words and the
// output that wait to be shown, and who cools down after them.
//
// A method of Runs is called from the actor's goroutine. It gets what happened and a view of the
// realm that it only reads, and gives Steps: events to decide and frames to show, in order. It
// never waits and writes nothing. A Player is the other side, the goroutine of one driver; it
// shares nothing with Runs but the queue of what drivers make (64; a full one makes them wait).
//
//   - runs.go: the state, how a run begins and goes, what others see of it; due.go: what is due
//   - player.go: the goroutine of a driver
//   - hear.go: what a driver makes; say.go: its words; tools.go: its tools; board.go: findings,
//     quests and documents; forget.go: without what was erased
//   - end.go, lastlife.go: how runs end
//   - cooling.go: who cools down
package run
