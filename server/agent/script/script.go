package script

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/afero"

	"agentdungeon/server/driver"
	"agentdungeon/shared/world"
)

// CodeNoTurn is the error code of a turn that no rule matches, in a script without "otherwise".
const CodeNoTurn = "no_turn"

// maxSlots is the maximum number of turns whose tries are counted. If there are more, the count that began first is
// removed; a new count begins at 1.
const maxSlots = 4096

// Script is a loaded script file. It plays any number of turns concurrently, in any number of realms. Its counters
// (how often each rule was used and each slot was played) start at 0 when the server starts.
type Script struct {
	rules     []rule
	otherwise []step // nil if the script has no "otherwise"

	mu    sync.Mutex
	used  []int // number of uses of each rule, for times
	tries map[slot]int
	order []slot // the keys of tries, oldest first
}

// rule is an entry of "turns". A zero value of kind, role, member, stage, completion, words, turn, attempt or run
// matches every turn. times is the number of turns that the rule may play, 0 for no limit.
type rule struct {
	kind, role, member string
	stage, completion  string
	words              string // in lower case; the words of the turn contain them
	turn, attempt, run int
	times              int
	steps              []step
}

// slot is the key under which Script counts how often a turn was played: a turn that is played again has the same slot.
type slot struct {
	realm, conversation, stage, role string
	attempt, n                       int
}

// Load reads and parses a script of at most MaxFile bytes. Its errors contain the path as given; errors of the parser
// also name the field.
func Load(fs afero.Fs, path string) (*Script, error) {
	f, err := fs.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open script: %w", err)
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, fmt.Errorf("read script %s: %w", path, err)
	}
	return Parse(path, data)
}

// Driver returns the script as the driver of a role. It returns nil if no rule can match a turn of the role and the
// script has no "otherwise"; then people play the role. If the rules match only some turns of the role, the other turns
// fail with CodeNoTurn.
func (s *Script) Driver(t *world.Template, role world.Role) driver.Driver {
	if t != nil && s.otherwise == nil && !slices.ContainsFunc(s.rules,
		func(r rule) bool { return r.mayMatch(t, role.ID) }) {
		return nil
	}
	return agent{s}
}

// Written returns how many roles of a template the script names: a rule names the role, its member, or a stage in
// which the role acts. Of two templates that a script can play, it was written for the one with the larger number.
func (s *Script) Written(t *world.Template) (n int) {
	for _, role := range t.Roles {
		if slices.ContainsFunc(s.rules, func(r rule) bool {
			return (r.role != "" || r.member != "" || r.stage != "") &&
				r.mayMatch(t, role.ID)
		}) {
			n++
		}
	}
	return n
}

// mayMatch reports whether the rule can match a turn of a role of template t, either in a stage in which the role acts
// or in a conversation of another kind.
func (r *rule) mayMatch(t *world.Template, role string) bool {
	switch {
	case r.role != "" && r.role != role:
		return false
	case r.member != "" && r.member != role:
		return r.kind == world.KindParty // members of a party have their own ids
	case r.kind == world.KindForge:
		return false // no template has the role of the smith
	case r.kind != "" && r.kind != world.KindProcess, r.kind == "" && r.stage == "" && r.completion == "":
		return true
	}
	return slices.ContainsFunc(t.Stages, func(st world.Stage) bool {
		return (r.stage == "" || r.stage == st.ID) && (r.completion == "" || r.completion == st.Completion) &&
			slices.Contains(st.Acting(), role)
	})
}

var _ driver.Drivers = (*Script)(nil)

type agent struct{ script *Script }

// Run plays one turn. Text is always streamed in paced chunks; the pace instant only omits the waiting
// (B19). A cancelled turn returns ctx's error at once, also during a delay.
func (d agent) Run(ctx context.Context, turn driver.Turn, emit func(driver.Chunk) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	steps, ok := d.script.pick(turn)
	if !ok {
		return &driver.TurnError{
			Code:    CodeNoTurn,
			Message: fmt.Sprintf("the script has no turn for role %s in %s", turn.Role.ID, place(turn)),
		}
	}
	p := &player{ctx: ctx, turn: turn, emit: emit}
	for _, s := range steps {
		if err := s.play(p); err != nil {
			return err
		}
	}
	return nil
}

// PlaysSmith reports whether the script has rules for forges. If it has none, a forge fills the format of a skill
// without a driver.
func (d agent) PlaysSmith() bool {
	return slices.ContainsFunc(d.script.rules, func(r rule) bool { return r.kind == world.KindForge })
}

// place returns a text for errors that says which turn of which conversation failed.
func place(turn driver.Turn) string {
	if kind := kindOf(turn); kind != world.KindProcess {
		return "a " + kind
	}
	return "stage " + turn.StageID
}

// kindOf returns the kind of a turn; the default is a process.
func kindOf(turn driver.Turn) string {
	if turn.Kind == "" {
		return world.KindProcess
	}
	return turn.Kind
}

// pick counts a try of the turn and returns the steps of the first rule that matches the turn and is not used up.
func (s *Script) pick(turn driver.Turn) ([]step, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	run := s.try(turn)
	for i := range s.rules {
		r := &s.rules[i]
		if !r.matches(turn, run) {
			continue
		}
		if r.times > 0 {
			if s.used[i] >= r.times {
				continue
			}
			s.used[i]++
		}
		return r.steps, true
	}
	return s.otherwise, s.otherwise != nil
}

// try counts a run of the turn and returns how many runs it has had, including this one.
func (s *Script) try(turn driver.Turn) int {
	k := slot{
		realm: turn.RealmID, conversation: turn.ConversationID, stage: turn.StageID,
		role: turn.Role.ID, attempt: turn.Attempt, n: turn.N,
	}
	if s.tries[k] == 0 {
		if len(s.order) == maxSlots {
			delete(s.tries, s.order[0])
			s.order = append(s.order[:0], s.order[1:]...)
		}
		s.order = append(s.order, k)
	}
	s.tries[k]++
	return s.tries[k]
}

func (r *rule) matches(turn driver.Turn, run int) bool {
	return (r.kind == "" || r.kind == kindOf(turn)) &&
		(r.role == "" || r.role == turn.Role.ID) &&
		(r.member == "" || r.member == turn.MemberID) &&
		(r.words == "" || strings.Contains(strings.ToLower(turn.Words), r.words)) &&
		(r.stage == "" || r.stage == turn.StageID) &&
		(r.completion == "" || r.completion == turn.Completion) &&
		(r.turn == 0 || r.turn == turn.N) &&
		(r.attempt == 0 || r.attempt == turn.Attempt) &&
		(r.run == 0 || r.run == run)
}
