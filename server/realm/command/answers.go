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

// memory is how long a command's answer is kept.
const memory = 24 * time.Hour

// Answers are the answers to commands that were taken: at most world.MaxCommandRows, for a day.
type Answers struct {
	rows  map[key]world.CommandRow
	order []key // the oldest first
}

// key names a command: requestIds are unique for one person only.
type key struct{ person, request string }

// NewAnswers of the rows that the journal has.
func NewAnswers(rows []world.CommandRow, now world.Time) *Answers {
	a := &Answers{rows: map[key]world.CommandRow{}}
	for _, row := range rows {
		a.Remember(row, now)
	}
	return a
}

// Remember keeps an answer; the oldest go first.
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

// To is the answer to a person's command.
func (a *Answers) To(person, request string) (row world.CommandRow, known bool) {
	row, known = a.rows[key{person, request}]
	return row, known
}

// Forget an answer.
func (a *Answers) Forget(person, request string) {
	k := key{person, request}
	delete(a.rows, k)
	a.order = slices.DeleteFunc(a.order, func(other key) bool { return other == k })
}

// Erase forgets the answers to a person, and those about conversations that are erased.
func (a *Answers) Erase(scope world.Scope) {
	for k, row := range a.rows {
		id, _, _ := row.About()
		if scope.Person != "" && k.person == scope.Person || slices.Contains(scope.Conversations, id) {
			a.Forget(k.person, k.request)
		}
	}
}

// Hash says whether two commands ask for the same: over the type and the fields as decoded, so
// that spacing and the order of keys do not matter.
func Hash(c wire.Command) string {
	b, err := json.Marshal(c)
	if err != nil {
		b = fmt.Appendf(nil, "%+v", c) // no command of wire fails to encode
	}
	sum := sha256.Sum256(append([]byte(c.CommandType()+"\n"), b...))
	return hex.EncodeToString(sum[:])
}
