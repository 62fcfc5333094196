package command

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// memory is how long Answers keeps an answer.
const memory = 24 * time.Hour

// Answers holds the answers to the latest commands: at most world.MaxCommandRows, and none that is older than memory.
type Answers struct {
	rows  map[key]world.CommandRow
	order []key // the oldest first
}

// key identifies a command. Two people may use the same requestId.
type key struct{ person, request string }

// NewAnswers returns the answers in rows, which the journal has stored.
func NewAnswers(rows []world.CommandRow, now world.Time) *Answers {
	a := &Answers{rows: map[key]world.CommandRow{}}
	for _, row := range rows {
		a.Remember(row, now)
	}
	return a
}

// Remember adds an answer. It removes the oldest answers if there are too many, and those that are too old.
func (a *Answers) Remember(row world.CommandRow, now world.Time) {
	k := key{row.SpectatorID, row.RequestID}
	a.rows[k] = row
	a.order = append(a.order, k)
	old := now - world.Time(memory.Milliseconds())
	for len(a.order) > world.MaxCommandRows || len(a.order) > 0 && a.rows[a.order[0]].At < old {
		delete(a.rows, a.order[0])
		a.order = a.order[1:]
	}
}

// To returns the answer to a person's command.
func (a *Answers) To(person, request string) (row world.CommandRow, known bool) {
	row, known = a.rows[key{person, request}]
	return row, known
}

// Forget removes an answer.
func (a *Answers) Forget(person, request string) {
	k := key{person, request}
	delete(a.rows, k)
	a.order = slices.DeleteFunc(a.order, func(other key) bool { return other == k })
}

// Erase removes the answers to erased people and the answers about erased conversations.
func (a *Answers) Erase(scope world.Scope) {
	for k, row := range a.rows {
		id, _, _ := row.About()
		if scope.Person != "" && k.person == scope.Person || slices.Contains(scope.Conversations, id) {
			a.Forget(k.person, k.request)
		}
	}
}

// Hash returns a hash of the command's type and decoded fields. Two commands with the same fields have the
// same hash, even if their JSON has other spaces or another order of keys.
func Hash(c wire.Command) string {
	b, err := json.Marshal(c)
	if err != nil {
		b = fmt.Appendf(nil, "%+v", c) // never happens: every command can be encoded
	}
	sum := sha256.Sum256(append([]byte(c.CommandType()+"\n"), b...))
	return hex.EncodeToString(sum[:])
}
