package e2e

import (
	"encoding/json"

	"agentdungeon/shared/wire"
)

// Besides events, a Ledger records the answers to all questions of the tabs of a realm. After a kill, a test asks the
// questions again. The answers must then have everything that the recorded answers and the events have shown.

// told is a question of a client and the last answer to it.
type told struct {
	cmd    wire.Command // nil for a question by HTTP
	path   string       // of a question by HTTP, otherwise ""
	answer []byte
	seq    int64 // the ledger's head when the answer was recorded
}

// maxShown is the maximum number of questions that a Ledger records. A test that asks more questions fails.
const maxShown = 2000

// answered records the answer to a question, which is a command that only reads. It ignores other commands, because
// their results are events.
func (l *Ledger) answered(cmd wire.Command, answer []byte) {
	switch cmd.(type) {
	case *wire.ListRealms, *wire.GetAgentDetails, *wire.ConversationOpen, *wire.ConversationList, *wire.TeamList, *wire.SkillOpen, *wire.MapRoom:
	default:
		return
	}
	l.keep(questionOf(cmd), told{cmd: cmd, answer: answer})
}

// questionOf returns a key that identifies a question: the type and the fields of the command.
func questionOf(cmd wire.Command) string {
	raw, err := json.Marshal(cmd)
	if err != nil {
		panic(err) // commands of wire always encode
	}
	return cmd.CommandType() + string(raw)
}

func (l *Ledger) keep(key string, s told) {
	l.mu.Lock()
	s.seq = l.head
	l.shown[key] = s
	over := len(l.shown) > maxShown
	l.mu.Unlock()
	if over {
		l.complain("more than %d questions were asked", maxShown)
	}
}
