package council

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"agentdungeon/shared/world"
)

// MaxFailures is the number of failures of a turn after which the council waits for a person.
const MaxFailures = 2

// State has the data from which a council decides.
type State struct {
	Head world.Conversation
	// Runs has the runs that play a Turn, in the order in which they began.
	Runs []world.Run
	// Said has the newest rows of the transcript, oldest first.
	Said []world.Message
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

// Speaker returns the id of the member who speaks next: an agent that a person has asked by its name (called), else the
// member whose last turn, taken or passed, is the longest ago, which is the order of the team unless a person has asked
// somebody (S0-13). The closing turn, and turns after the last one, go to agents. Speaker returns "" for an empty team.
func (s *State) Speaker(settings world.Settings) string {
	members := s.Head.Team.Members
	if named := s.called(); len(named) > 0 {
		return named[0]
	}
	last := map[string]int{}
	for i, r := range s.Runs {
		if counts(r) {
			last[r.MemberID] = i + 1
		}
	}
	closing, _ := s.passes()
	onlyAgents := closing || Taken(s.Runs) >= MaxTurns(s.Head, settings)
	next := ""
	for _, m := range members {
		if (m.Type == world.KindAgent || !onlyAgents) && (next == "" || last[m.ID] < last[next]) {
			next = m.ID
		}
	}
	return next
}

// called returns the agents that persons have named in their words and that have had no turn since, in the order in
// which they were named.
func (s *State) called() (named []string) {
	for _, row := range s.Said {
		if row.SpectatorID == "" {
			continue
		}
		for _, id := range agentsIn(row.Content, s.Head.Team.Members) {
			if !slices.Contains(named, id) && !s.since(row, func(r world.Run) bool { return r.MemberID == id }) {
				named = append(named, id)
			}
		}
	}
	return named
}

// asked reports whether a person has asked something after which no agent has spoken, and not all agents have passed.
func (s *State) asked() bool {
	for _, row := range slices.Backward(s.Said) {
		if row.SpectatorID == "" || !strings.Contains(row.Content, "?") {
			continue
		}
		spoke := s.since(row, func(r world.Run) bool {
			m := s.Head.Member(r.MemberID)
			return m != nil && m.Type == world.KindAgent && !passed(r)
		})
		return !spoke && slices.ContainsFunc(s.Head.Team.Members, func(m world.Member) bool {
			return m.Type == world.KindAgent && !s.since(row, func(r world.Run) bool { return r.MemberID == m.ID })
		})
	}
	return false
}

// since reports whether a turn that began after a row was taken or passed, and is one that match accepts.
func (s *State) since(row world.Message, match func(world.Run) bool) bool {
	return slices.ContainsFunc(s.Runs, func(r world.Run) bool {
		return counts(r) && r.StartSeq > row.Seq && match(r)
	})
}

// counts reports whether a run is a turn that its member has taken or passed.
func counts(r world.Run) bool { return r.Turn != nil && (r.Status == world.RunDone || passed(r)) }

// passed reports whether the member passed the turn of the run: a person skipped it, or an agent had nothing to say. A
// passed turn does not count as taken.
func passed(r world.Run) bool {
	return r.Turn != nil && r.Status == world.RunCancelled && r.Reason == world.CancelSkipped
}

// passes reports whether all members have passed since somebody last spoke. Then one more turn closes the council: it
// sums up. closed is set once that turn is taken or passed (P9.13). A question of a person comes before both.
func (s *State) passes() (closing, closed bool) {
	if len(s.called()) > 0 || s.asked() {
		return false, false
	}
	members := s.Head.Team.Members
	silent := map[string]bool{}
	for _, r := range s.Runs {
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
	turn := world.Turn{StageID: world.StageRounds, RoleID: s.Speaker(settings), Attempt: 1, N: Taken(s.Runs) + 1}
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
	if n := Taken(s.Runs); n >= s.turns(settings) { // S0-12
		return done("All %d turns are taken.", n)
	}
	if _, closed := s.passes(); closed && len(s.Head.Team.Members) > 0 {
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

// turns returns how many turns the council takes: MaxTurns, and more while agents have to answer a person.
func (s *State) turns(settings world.Settings) int {
	most, waiting := MaxTurns(s.Head, settings), len(s.called())
	if waiting == 0 && s.asked() {
		waiting = 1
	}
	if waiting > 0 {
		most = max(most, Taken(s.Runs)+waiting)
	}
	return most
}

// lastSpeaker returns the member who took the last turn, "" for none.
func (s *State) lastSpeaker() string {
	for _, r := range slices.Backward(s.Runs) {
		if r.Turn != nil && r.Status == world.RunDone {
			return r.MemberID
		}
	}
	return ""
}

// silent returns the agents that have passed their last turn since a person last had a turn, in the order of the team.
func (s *State) silent() (names []string) {
	passes := map[string]bool{}
	for _, r := range s.Runs {
		m := s.Head.Member(r.MemberID)
		switch {
		case m == nil || !counts(r):
		case m.Type == world.KindHuman:
			clear(passes)
		default:
			passes[m.ID] = passed(r)
		}
	}
	for _, m := range s.Head.Team.Members {
		if passes[m.ID] {
			names = append(names, name(s.Head, m.ID))
		}
	}
	return names
}

// Plan returns the state of a council's turns that clients see.
func Plan(s State, settings world.Settings) world.Plan {
	p := world.Plan{Asked: []world.Ask{}, Turns: Taken(s.Runs), MaxTurns: s.turns(settings)}
	if !s.Head.Ended() && p.Turns < p.MaxTurns {
		p.NextMemberID = s.Speaker(settings)
		for _, r := range s.Runs {
			if r.Status == world.RunRunning && r.Turn != nil {
				p.NextMemberID = r.MemberID
			}
		}
	}
	return p
}

// askedOf returns the newest message of a person in rows that the member m has not seen before its last row, of those
// that name the member or, if there is none, of those that ask something and name no agent; "" for none. since has the
// rows of the other agents after it.
func askedOf(rows []world.Message, m world.Member, team []world.Member) (asked string, since []world.Message) {
	at := -1
	for i, row := range slices.Backward(rows) {
		if row.SpectatorID == "" && row.MemberID == m.ID {
			break
		}
		if row.SpectatorID == "" {
			continue
		}
		agents := agentsIn(row.Content, team)
		if slices.Contains(agents, m.ID) {
			at = i
			break
		}
		if at < 0 && len(agents) == 0 && strings.Contains(row.Content, "?") {
			at = i
		}
	}
	if at < 0 {
		return "", nil
	}
	for _, row := range rows[at+1:] {
		if row.SpectatorID == "" && row.Role == world.RoleAssistant {
			since = append(since, row)
		}
	}
	return rows[at].Content, since
}

// agentsIn returns the agents that a text names, each as a whole word, in capitals or not, in the order in which it
// names them.
func agentsIn(text string, members []world.Member) (ids []string) {
	words := " " + strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_'
	}), " ") + " "
	at := map[string]int{}
	for _, m := range members {
		for _, name := range []string{m.ID, m.Name, m.DisplayName} {
			i := strings.Index(words, " "+strings.ToLower(name)+" ")
			if before, ok := at[m.ID]; m.Type == world.KindAgent && name != "" && i >= 0 && (!ok || i < before) {
				at[m.ID] = i
			}
		}
	}
	return slices.SortedFunc(maps.Keys(at), func(a, b string) int { return at[a] - at[b] })
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
