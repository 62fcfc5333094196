// Package party is the kind of conversation in which people and agents of a team talk. Routing markers in
// the words name the next speaker (document 002, its ConversationCoordinator).
//
// It owns the markers, the queue of requested turns, the seats of connections (Speaks), the effect of a
// closed message (Said), the choice of the next turn (Next), the restoring of a saved session (Restore),
// sessions as files, and the texts that document 002 fixes. The plan consists of pure functions: no clock,
// disk, log, goroutine or random source. Data that must be read first is returned as a need (kind.Need).
// Teams are in server/team.
//
// server/kinds registers the kind, and server/realm drives it through server/kind. server/app exports
// sessions, and chooses the session that a start resumes, with the methods that need no realm.
//
// # Where to look
//
//   - the plan: plan.go, queue.go, state.go, members.go; its texts: texts.go
//   - markers: marks.go, guard.go; in rows: rows.go; the history in prompts: window.go
//   - what the engine drives: kind.go, control.go, commands.go, list.go; the team as its file is now:
//     lineup.go
//   - save points: rest.go; restoring sessions: takeup.go, restore.go, and at a start: start.go
//   - sessions as files: snapshot.go, file.go; those of an older program: imports.go
//
// # What is stored, and where
//
// The plan needs more than the transcript has, because [NEXT: ...] is removed from stored words (S2-B8).
// That is State: one for the realm, in the world, next to ProcessState. It is small (at most MaxQueue items
// and one seat for each member), and one event sets all of it, so that folds do no arithmetic:
//
//	party:update {party}                            State as it is now; durable
//	team:ready {team, restored, conversationId}     durable, after the events that set it up (S2-03)
//	session:restored {sessionId, conversationId, messageCount}        durable (S2-16)
//	session:warning {sessionId, message, missingMembers}              durable (S2-09)
//	session:saved {sessionId, conversationId}                         ephemeral (S2-16)
//
// A sessionId is the conversationId of the party. A Decision becomes one list of events that are committed
// together: the start or end of the run, system rows for its Notes, conversation.status if the status
// changes, and party:update with its State.
//
// Nothing is stored twice. The head of the conversation has the team of a session, the rows have the words,
// the team task (the last [TEAM_TASK: ...] that counts, see TaskOf; State has a copy for the page and the
// prompts), counts and summaries (see NewSnapshot), and the runs show whether a turn is under way
// (State.Executing has its item). Only the current session needs a State. A restored session is Ready-Idle
// whatever its state was: paused, queue empty, nobody executing, waiting for the first person (S2-08). So
// is the current session after a restart.
package party
