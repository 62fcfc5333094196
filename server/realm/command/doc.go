// Package command decides what people send: one rule for each command, in one table (rules.go),
// and keeps the answers to those that were taken, so that sending one again is safe (P6.2).
//
// Rules are pure: they decide from what a realm has in memory, and return events and an answer, or
// what has to be read first, or an error; an error means that nothing changed. What is about one
// conversation its kind decides. The realm's actor asks the rules, and does what they decide.
//
//   - rules.go: the table: which command is decided by which rule, and what it needs
//   - say.go: what people type into the one field; slash.go: lines that begin with a slash
//   - talks.go: what people do with conversations; members.go: with members, skills and settings
//   - rooms.go: with rooms
//   - reads.go: commands that only read; again.go: commands that were taken before
//   - answers.go: the answers to those
package command
