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

// memory is how long an answer is kept.
const memory = 24 * time.Hour

// Answers holds the answers to commands: at most world.MaxCommandRows, each for a day.
type Answers struct {
	rows  map[key]world.CommandRow
	order []key // the oldest first
}

// key identifies a command: a requestId is unique for one person only.
type key struct{ person, request string }

// NewAnswers returns the answers that the journal has.
func NewAnswers(rows []world.CommandRow, now world.Time) *Answers {
	a := &Answers{rows: map[key]world.CommandRow{}}
	for _, row := range rows {
		a.Remember(row, now)
	}
	return a
}

// Remember adds an answer and removes the oldest ones beyond the limits.
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

// Erase removes the answers to an erased person and those about erased conversations.
func (a *Answers) Erase(scope world.Scope) {
	for k, row := range a.rows {
		id, _, _ := row.About()
		if scope.Person != "" && k.person == scope.Person || slices.Contains(scope.Conversations, id) {
			a.Forget(k.person, k.request)
		}
	}
}

// Hash returns a hash of a command's type and decoded fields. Commands with equal hashes ask for the same,
// whatever the order of the keys and the spaces in their JSON.
func Hash(c wire.Command) string {
	b, err := json.Marshal(c)
	if err != nil {
		b = fmt.Appendf(nil, "%+v", c) // never happens: every command can be encoded
	}
	sum := sha256.Sum256(append([]byte(c.CommandType()+"\n"), b...))
	return hex.EncodeToString(sum[:])
}
