// Package party is the kind of conversation in which people and agents of a team talk. Routing markers in the
// words, such as [NEXT: name], name the next speaker (document 002, its ConversationCoordinator).
//
// It owns the markers, the queue of requested turns, the seats (which member each connection speaks as), the choice
// of the next turn, the restoring of a saved session, sessions as files, and the texts that document 002 fixes. It
// has no clock, disk, log, goroutine or random source. Data that must be read first is returned as a need
// (kind.Need). Teams are in server/team.
//
// server/kinds registers the kind, and server/realm drives it through server/kind. server/app exports sessions
// (Export), and chooses the session that a start of the server resumes (Choose).
//
// # Where to look
//
// Pure functions, which decide and know no realm:
//
//   - the plan: plan.go, queue.go, seats.go, state.go, members.go; its texts: texts.go
//   - markers: marks.go, guard.go; the history in prompts: window.go
//   - sessions as rows and as files: rows.go, snapshot.go; the restoring of one: restore.go
//
// What the engine and the app call:
//
//   - party.go: the party and its team as its file is now; save points
//   - turns.go: words and runs; control.go: pause, resume, stop and end
//   - sessions.go: beginning and leaving sessions; restoring.go, with history.go and missing.go: restoring them
//   - commands.go, list.go: the commands of teams
//   - imports.go, export.go: session files; start.go: the session that a start of the server resumes
//
// # What is stored, and where
//
// The plan needs more than the transcript has, because [NEXT: ...] is removed from stored words (S2-B8). This is
// the State: one for the realm, in the world, beside ProcessState. It is small (at most MaxQueue items and one seat
// for each member), and one event sets all of it, so that applying an event needs no arithmetic:
//
//	party:update {party}                            State as it is now; durable
//	team:ready {team, restored, conversationId}     durable, after the events that set it up (S2-03)
//	session:restored {sessionId, conversationId, messageCount}        durable (S2-16)
//	session:warning {sessionId, message, missingMembers}              durable (S2-09)
//	session:saved {sessionId, conversationId}                         ephemeral (S2-16)
//
// A sessionId is the conversationId of the party. A Decision becomes one list of events that are committed
// together: the start or end of the run, system rows for its Notes, conversation.status if the status changes, and
// party:update with its State.
//
// Nothing is stored twice. The head of the conversation has the team of a session. The rows have the words, the
// team task (see taskOf; State has a copy for the page and the prompts), the counts and the summaries. The runs
// show whether a turn is under way (State.Executing has its item). Only the current session needs a State. After a
// restore, and after a restart of the server, a session is Ready-Idle: paused, with an empty queue and no turn
// under way, waiting for the first person (S2-08).
package party
