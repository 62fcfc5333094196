// Package party is the kind of conversation in which people and agents of one team talk, and
// who speaks next is said in the words themselves, by routing markers (document 002, its
// ConversationCoordinator).
//
// It owns the markers, the queue of who was asked, who speaks for a connection, what a
// closed message leads to (Said), who acts next (Next), how a saved session comes back
// (Restore), sessions as files, and the texts that document 002 fixes. The plan is pure
// functions of what they are given: no clock, disk, log, goroutine or random source. What
// has to be read first is returned as data (kind.Need). Teams are server/team's.
//
// server/kinds registers it, and server/realm drives it through server/kind. server/app
// exports sessions and chooses what a start takes up with the methods that need no realm.
//
// # Where to look
//
//   - the plan: plan.go, queue.go, state.go, members.go; its texts: texts.go
//   - markers: marks.go, guard.go; in rows: rows.go; what an agent is told: window.go
//   - what the engine drives: kind.go, control.go, commands.go, list.go; the team as its file is now: lineup.go
//   - save points: rest.go; sessions that are taken up again: takeup.go, restore.go, and by a start: start.go
//   - sessions as files: snapshot.go, file.go; those of an older program: imports.go
//
// # What must be kept, and where
//
// A party's rules need more than the transcript says, because [NEXT: ...] is stripped
// from what is stored (S2-B8). That is State: one for the realm, in the world, next to
// ProcessState. It is small (at most MaxQueue items and one seat for each member), and
// one event sets it whole, so that the two folds do no arithmetic:
//
//	party:update {party}                            State as it is now; durable
//	team:ready {team, restored, conversationId}     durable, after the events that set it up (S2-03)
//	session:restored {sessionId, conversationId, messageCount}        durable (S2-16)
//	session:warning {sessionId, message, missingMembers}              durable (S2-09)
//	session:saved {sessionId, conversationId}                         ephemeral (S2-16)
//
// A sessionId is the conversationId of the party. A Decision becomes one
// list of events, committed together: the run's start or end, system rows for its Notes,
// conversation.status where the status changes, and party:update with its State.
//
// What is not kept a second time: the team of a session (the head of its conversation),
// who said what (the rows), the team task (the last [TEAM_TASK: ...] that counts in the
// rows, see TaskOf; State has a copy for the page and the prompts), counts and summaries
// (the rows, see NewSnapshot), whether a turn is under way (the runs; State.Executing
// says which item it is for). Sessions that are not at hand need no State, since a
// session comes back Ready-Idle however it was left: paused, queue empty, nobody
// executing, waiting for the first person (S2-08). After a restart the party at hand
// comes back in the same way.
package party
