// Package kind says what a kind of conversation is to the engine: one small interface
// (Kind), a few capabilities that only some kinds have, what a kind may see of its realm
// (Realm), and what it answers with (Decision, Step).
//
// The engine, server/realm, drives every kind through this package and names none. A kind
// is a pure package of floor 1 with a state type of its own: it decides from what it is
// given and answers with events as data. It reads no clock, disk or log, starts no
// goroutine and changes nothing of what it is given. Its name comes from its Registration
// and stands in no constant that it compares with. server/kinds is the list of all kinds.
//
// # How a kind is added
//
// A package server/NAME with a type that has the methods of Kind, a constructor
// New(name string) kind.Kind, and one line in server/kinds. Nothing else changes: the
// engine begins, plays, stops, continues, shows, erases and restores its conversations.
//
// # Where to look
//
//   - the interface and its capabilities: kind.go
//   - what goes in and what comes out: decision.go; what a decision has to have read first: need.go, look.go
//   - what a run asks for beside words that are shown: asks.go
//   - the kinds of a realm: set.go; what a kind sees of it: realm.go, said.go; who can play: cast.go; members on the
//
// map: onmap.go
package kind
