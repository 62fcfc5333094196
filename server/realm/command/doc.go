// Package command decides the commands that people send. Its table (rules.go) has one rule for each
// command. It also keeps the answers to commands, so that a command can safely be sent twice (P6.2).
//
// Rules are pure: they decide from what the realm has in memory. They return events and an answer,
// or data that has to be read first, or an error, which means that nothing changed. Commands about
// a conversation are decided by its kind. The realm's actor calls the rules and carries out what
// they decide.
//
//   - rules.go: the table
//   - gates.go: the checks before a command is decided
//   - say.go: the input field; slash.go: lines that begin with a slash
//   - talks.go: conversations; members.go: members, skills and settings; rooms.go: rooms
//   - reads.go: commands that only read; again.go: commands that were sent before
//   - decision.go: what a rule gets and returns; answers.go: the answers
package command
