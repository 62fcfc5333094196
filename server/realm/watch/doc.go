// Package watch owns who watches a realm and what they get: viewers that pull frames at
// their own pace, the list of spectators, the newest frames between the rows of a
// transcript, and whether a client that comes back gets a replay or a snapshot (P5).
//
// It decides nothing about the realm and numbers nothing. The realm's actor tells its
// Audience who comes and goes and what is shown; viewers and tails read a Feed from their
// own goroutines and ask the realm through a Desk.
//
//   - feed.go: what viewers read, from any goroutine
//   - viewer.go: one socket's cursor; tail.go: a cursor for other parts of the server
//   - audience.go: who watches; position.go: replay or snapshot; recent.go: the newest frames
//   - state.go: world:state, encoded once for all who come
//   - prefill.go: what the ring is given when a realm opens
package watch
