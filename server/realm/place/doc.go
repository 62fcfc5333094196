// Package place owns where everybody is in a realm: what the linked folder looks like
// (Rooms), who walks where and which fort grows (Walks), and which room a person enters
// (Rooms.Enter, Rooms.Back).
//
// It reads the world and gives events; it never changes the world, touches no disk and
// starts no goroutine. The realm's actor asks it in each of its turns; Rooms may be asked
// from any goroutine.
//
//   - rooms.go: the survey of the folder and its rooms
//   - land.go: what is told of a new survey, the rooms where members stand
//   - visit.go: people who enter rooms and go back
//   - walks.go: who wants to go where, and when; walk.go: one walk
//   - forts.go: where members live, and how their forts grow
package place
