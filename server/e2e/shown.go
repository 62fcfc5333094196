package e2e

import (
	"encoding/json"

	"agentdungeon/shared/wire"
)

// What was shown beside the events: every answer to a question that any tab of a realm has
// asked. It is asked for again after a kill, and together with what the events have shown it
// must be there.

// told is a question and its last answer.
type told struct {
	cmd    wire.Command // nil for one by HTTP
	path   string       // of one by HTTP
	answer []byte
	seq    int64 // the ledger's head then
}

// maxShown bounds the questions that are kept; a test that asks more fails.
const maxShown = 2000

// answered keeps what was answered to a question; commands that do something are events.
func (l *Ledger) answered(cmd wire.Command, answer []byte) {
	switch cmd.(type) {
	case *wire.ListRealms, *wire.GetAgentDetails, *wire.ConversationOpen, *wire.ConversationList, *wire.TeamList, *wire.SkillOpen, *wire.MapRoom:
	default:
		return
	}
	l.keep(questionOf(cmd), told{cmd: cmd, answer: answer})
}

// questionOf is what tells a question from others.
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
