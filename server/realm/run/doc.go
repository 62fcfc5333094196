// Package run owns the runs that drivers play in a realm, from chat.started to chat.done,
// chat.error or chat.cancelled: their open rows, tools and time limits, the words and the output
// that wait to be shown, and the members that cool down after a council.
//
// The realm's actor calls the methods of Runs with what happened and with the realm, which they
// only read. They return Steps: events to emit and frames to show, in order. They never wait and
// write nothing. A Player is the goroutine of one driver; it shares nothing with Runs but the queue
// of chunks (64 of all drivers; while it is full, drivers wait).
//
//   - runs.go: the state, how a run begins, and what others see of it
//   - player.go: the goroutine of a driver
//   - hear.go: the chunks of a driver; say.go: its words; tools.go: its tools; board.go: findings,
//     quests and documents
//   - end.go: how runs end
//   - due.go: deltas, time limits and cooling down
package run
