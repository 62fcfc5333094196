// Package place decides where people and heroes are in a realm. Rooms has the survey of the linked folder and
// the rooms that people enter; Walks decides the walks of members and the growth of their forts.
//
// It reads the world and returns events. It never changes the world, touches no disk and starts no
// goroutine. The realm's actor calls Walks in each step; Rooms is safe for concurrent use.
//
//   - rooms.go: the survey and its rooms; land.go: a new survey, and the rooms in use
//   - visit.go: people who enter rooms and go back
//   - walks.go: where members go, and when; walk.go: a single walk
//   - forts.go: where members live, and how their forts grow
package place
