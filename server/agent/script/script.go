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

// CodeNoTurn is the code of a turn that no rule matches where the script has no
// "otherwise".
const CodeNoTurn = "no_turn"

// maxSlots bounds how many slots' tries are remembered; the oldest slot is
// forgotten first, and its next try counts as the first again.
const maxSlots = 4096

// Script is a loaded file. It plays any number of turns at once, in any number
// of realms; what it counts (rules used, tries of a slot) lives as long as it
// does, which is one life of the server.
type Script struct {
	rules     []rule
	otherwise []step // nil: none

	mu    sync.Mutex
	used  []int // by rule, for times
	tries map[slot]int
	order []slot // of tries, oldest first
}

// rule is one entry of "turns". Zero values of kind, role, member, stage, completion,
// words, turn, attempt and run match anything; times 0 is without limit.
type rule struct {
	kind, role, member string
	stage, completion  string
	words              string // in lower case
	turn, attempt, run int
	times              int
	steps              []step
}

// slot is what tries are counted by.
type slot struct {
	realm, conversation, stage, role string
	attempt, n                       int
}

// Load reads and checks a script: at most MaxFile bytes. Errors name the file as
// it was given, and the field.
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

// Driver plays a role from the script. It is nil for a role of a template for which no
// rule can ever match a turn, where the script has no "otherwise": such a role is left
// to people. A role that some rules can match plays a turn that none of them matches as
// a failed turn that says so.
func (s *Script) Driver(t *world.Template, role world.Role) driver.Driver {
	if t != nil && s.otherwise == nil && !slices.ContainsFunc(s.rules,
		func(r rule) bool { return r.mayMatch(t, role.ID) }) {
		return nil
	}
	return agent{s}
}

// Written is how many roles of a template have a rule that names the role or a stage in
// which it acts: of two templates that a script plays, it was written for the one with
// more of them.
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

// mayMatch says whether some turn of a role of a template can match the rule: of a
// stage in which the role acts, or of a talk.
func (r *rule) mayMatch(t *world.Template, role string) bool {
	switch {
	case r.role != "" && r.role != role:
		return false
	case r.member != "" && r.member != role:
		return r.kind == world.KindParty // whose members have ids of their own
	case r.kind == world.KindForge:
		return false // the smith's, which is no role of a template
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

// Run plays one turn. Words of the text go out as they are paced, also under the
// pace instant, where only the waiting is left out (B19). A cancelled turn
// returns ctx's error at once, from inside any delay.
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

// PlaysSmith says whether the script has rules for forges; a script without any leaves
// them to fill the format by themselves.
func (d agent) PlaysSmith() bool {
	return slices.ContainsFunc(d.script.rules, func(r rule) bool { return r.kind == world.KindForge })
}

// place is where a turn is taken, as errors say it.
func place(turn driver.Turn) string {
	if kind := kindOf(turn); kind != world.KindProcess {
		return "a " + kind
	}
	return "stage " + turn.StageID
}

// kindOf is a turn's kind; one that says nothing is a process's.
func kindOf(turn driver.Turn) string {
	if turn.Kind == "" {
		return world.KindProcess
	}
	return turn.Kind
}

// pick counts the try and gives the steps of the first rule that matches and is
// not used up.
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

// try counts how many-eth run of its slot this is, from 1.
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
