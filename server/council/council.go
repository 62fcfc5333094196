package council

import (
	"fmt"
	"slices"

	"agentdungeon/shared/world"
)

// MaxFailures is the number of failures of a turn after which the council waits for a person.
const MaxFailures = 2

// State has the data from which a council decides.
type State struct {
	Head world.Conversation
	// Runs has the runs that play a Turn, in the order in which they began.
	Runs []world.Run
	// ActiveSeq is the seq at which the council last became active; earlier failures do not
	// count.
	ActiveSeq int64
	// Stands reports whether a member can take a turn now: either a driver plays it, or it is a person.
	Stands func(world.Member) bool
}

// Decision is the next action of a council. The zero value changes nothing.
type Decision struct {
	Turn *world.Turn // the turn to begin, by the member RoleID
	// Status is the new status, "" for no change; Reason explains it.
	Status string
	Reason string
}

// MaxTurns returns how many turns a council may take: the number in its head or, if that has none, the number in
// the realm's settings (S0-10).
func MaxTurns(c world.Conversation, s world.Settings) int {
	if c.MaxTurns > 0 {
		return c.MaxTurns
	}
	return s.TaskMaxTurns
}

// Taken counts the turns taken: successful runs only (S0-11).
func Taken(runs []world.Run) int {
	n := 0
	for _, r := range runs {
		if r.Turn != nil && r.Status == world.RunDone {
			n++
		}
	}
	return n
}

// Speaker returns the id of the member who speaks next: in the order of the team, the member after the one who last
// took or passed a turn, or the first member if nobody has (S0-13). The closing turn goes to the next agent in that
// order. Speaker returns "" for an empty team.
func Speaker(c world.Conversation, runs []world.Run) string {
	members := c.Team.Members
	if len(members) == 0 {
		return ""
	}
	next := after(members, runs)
	if closing, _ := passes(members, runs); closing {
		for i := range members {
			if m := members[(next+i)%len(members)]; m.Type == world.KindAgent {
				return m.ID
			}
		}
	}
	return members[next].ID
}

// after returns the index of the member after the one who last took or passed a turn, 0 if nobody has.
func after(members []world.Member, runs []world.Run) int {
	for _, r := range slices.Backward(runs) {
		if r.Turn == nil || r.Status != world.RunDone && !passed(r) {
			continue
		}
		if i := slices.IndexFunc(members, func(m world.Member) bool { return m.ID == r.MemberID }); i >= 0 {
			return (i + 1) % len(members)
		}
	}
	return 0
}

// passed reports whether the member passed the turn of the run: a person skipped it, or an agent had nothing to say. A
// passed turn does not count as taken.
func passed(r world.Run) bool {
	return r.Turn != nil && r.Status == world.RunCancelled && r.Reason == world.CancelSkipped
}

// passes reports whether all members have passed since somebody last spoke. Then one more turn closes the council: it
// sums up. closed is set once that turn is taken or passed (P9.13).
func passes(members []world.Member, runs []world.Run) (closing, closed bool) {
	silent := map[string]bool{}
	for _, r := range runs {
		all := len(silent) >= len(members)
		switch {
		case passed(r):
			silent[r.MemberID] = true
		case r.Status == world.RunDone:
			clear(silent)
		default:
			continue
		}
		if all && r.Turn != nil {
			return false, true
		}
	}
	return len(silent) >= len(members), false
}

// Next decides what an active council does next.
func Next(s State, settings world.Settings) Decision {
	if s.Head.Status != world.ConversationActive {
		return Decision{}
	}
	for _, r := range s.Runs {
		if r.Status == world.RunRunning {
			return Decision{}
		}
	}
	if d := over(s, settings); d.Status != "" {
		return d
	}
	turn := world.Turn{StageID: world.StageRounds, RoleID: Speaker(s.Head, s.Runs), Attempt: 1, N: Taken(s.Runs) + 1}
	failed := 0
	var last *world.Run
	for i, r := range s.Runs {
		if r.Turn != nil && r.Turn.N == turn.N && r.StartSeq > s.ActiveSeq &&
			(r.Status == world.RunError || r.Status == world.RunTimeout) {
			failed, last = failed+1, &s.Runs[i]
		}
	}
	if failed >= MaxFailures {
		return Decision{Status: world.ConversationPaused, Reason: fmt.Sprintf(
			"%s failed %d times at turn %d (%s). Resume tries again.", name(s.Head, last.MemberID), failed, turn.N, why(*last))}
	}
	return Decision{Turn: &turn}
}

// over returns the decision that ends a council that is over, according to document 000's table of edge cases. It
// returns the zero Decision for any other council.
func over(s State, settings world.Settings) Decision {
	done := func(format string, args ...any) Decision {
		return Decision{Status: world.ConversationCompleted, Reason: fmt.Sprintf(format, args...)}
	}
	if n, most := Taken(s.Runs), MaxTurns(s.Head, settings); n >= most { // S0-12
		return done("All %d turns are taken.", n)
	}
	if _, closed := passes(s.Head.Team.Members, s.Runs); closed && len(s.Head.Team.Members) > 0 {
		return done("Nobody had anything to add.")
	}
	if s.Head.TaskPrompt == "" { // S0-09
		return done("It has no task that could be gone on with.")
	}
	for _, m := range s.Head.Team.Members { // S0-08
		if !s.Stands(m) {
			return done("%s is not here any more.", name(s.Head, m.ID))
		}
	}
	if len(s.Head.Team.Members) == 0 {
		return done("It has no members.")
	}
	return Decision{}
}

func name(c world.Conversation, id string) string {
	if m := c.Member(id); m != nil && m.DisplayName != "" {
		return m.DisplayName
	}
	return id
}

func why(r world.Run) string {
	if r.Status == world.RunTimeout {
		return "it took too long"
	}
	if r.Code == world.ChatEmpty {
		return "it said nothing"
	}
	if r.Code != "" {
		return r.Code
	}
	return "it failed"
}

// Plan returns the state of a council's turns that clients see.
func Plan(c world.Conversation, runs []world.Run, settings world.Settings) world.Plan {
	p := world.Plan{Asked: []world.Ask{}, Turns: Taken(runs), MaxTurns: MaxTurns(c, settings)}
	if !c.Ended() && p.Turns < p.MaxTurns {
		p.NextMemberID = Speaker(c, runs)
		for _, r := range runs {
			if r.Status == world.RunRunning && r.Turn != nil {
				p.NextMemberID = r.MemberID
			}
		}
	}
	return p
}

// Admit returns the ids of the queued councils that may begin now, oldest first, so that at most limit councils are
// active. name is the kind of councils; Admit ignores conversations of other kinds.
func Admit(name string, all []world.Conversation, limit int) []string {
	active := 0
	var queued []world.Conversation
	for _, c := range all {
		switch {
		case c.Kind != name:
		case c.Status == world.ConversationActive:
			active++
		case c.Status == world.ConversationQueued:
			queued = append(queued, c)
		}
	}
	slices.SortStableFunc(queued, func(a, b world.Conversation) int { return int(a.CreatedAt - b.CreatedAt) })
	var out []string
	for _, c := range queued {
		if active+len(out) >= limit {
			break
		}
		out = append(out, c.ConversationID)
	}
	return out
}
