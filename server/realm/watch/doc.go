// Package watch sends a realm's frames to its viewers. It owns the viewers, which pull frames at
// their own pace, the list of spectators, and the decision whether a client that reconnects gets a
// replay or a snapshot (P5).
//
// It decides nothing about the realm and numbers nothing. The realm's actor calls its Audience when
// viewers come and go and when frames are shown. Viewers and tails read a Feed from their own
// goroutines and call the realm through a Desk.
//
//   - feed.go: what viewers and tails share
//   - viewer.go: one socket's cursor; tail.go: a cursor for other parts of the server
//   - audience.go: the viewers of a realm; position.go: replay or snapshot
//   - recent.go: the newest events that are shown between rows; state.go: world:state
//   - prefill.go: the ring after an opening
package watch
