// Package party is the plan of a party: people and agents of one team talk, and who
// speaks next is said in the words themselves, by routing markers (document 002, its
// ConversationCoordinator).
//
// It owns the teams (embedded ones and the reading of files), the markers and which
// member a name means, the queue of who was asked, who speaks for a connection, what a
// closed message leads to (Said), who acts next (Next), how a saved session comes back
// (Restore) and the texts that document 002 fixes. Everything is a pure function of
// what it is given: no clock, disk, log, goroutine or random source. It changes nothing
// that it is given, and keeps nothing between two calls.
//
// server/realm calls it: Said after a message has closed, Next after every event, and
// does what they say. server/app makes a session's file with ForFile, and the command line
// uses its texts.
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
