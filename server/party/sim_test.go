package party

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"agentdungeon/server/soak"
	"agentdungeon/shared/world"
)

// sim plays the engine: it passes what people and agents do to the plan and carries out the plan's
// decisions.
type sim struct {
	t       *testing.T
	rng     *rand.Rand
	team    world.Team
	s       State
	running string // whose turn is under way
	here    map[string]bool
	rows    []world.Message
	turns   int // number of agents' turns since a person did something
}

// FuzzParty: whatever people and agents say and however turns end, the queue stays within its limits and
// has only members (Check), nobody speaks as somebody else, every change to paused saves, no argument is
// modified, a restore is Ready-Idle, and in the end the party waits for a person (S2-08, S2-B10 to S2-B15).
func FuzzParty(f *testing.F) {
	for seed := range soak.Cases[uint64](300, 20) {
		f.Add(seed, uint16(20+seed))
	}
	f.Fuzz(func(t *testing.T, seed uint64, steps uint16) {
		m := &sim{t: t, rng: rand.New(rand.NewPCG(seed, 1)), here: map[string]bool{}}
		m.team = m.anyTeam()
		m.s = begin(State{}, m.team, "c")
		for range min(int(steps), 400) {
			m.step()
		}
		m.rest()
	})
}

func (m *sim) anyTeam() world.Team {
	var ids []string
	for i := range 1 + m.rng.IntN(3) {
		ids = append(ids, string(rune('P'+i)))
	}
	for i := range 1 + m.rng.IntN(9) {
		ids = append(ids, string(rune('a'+i)))
	}
	m.rng.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	return crew(ids...)
}

// words returns random text with markers of known and unknown names, in places that count and in places
// that do not.
func (m *sim) words() string {
	names := []string{"ghost", "D", "", "system"}
	for _, mem := range m.team.Members {
		names = append(names, mem.ID, mem.ID, mem.Name, strings.ToUpper(mem.DisplayName))
	}
	var b strings.Builder
	b.WriteString("Words.")
	for range m.rng.IntN(5) {
		var list []string
		for range 1 + m.rng.IntN(12) {
			list = append(list, names[m.rng.IntN(len(names))]+[]string{"", "", "!P1", "!p2", "!P3", "!P4"}[m.rng.IntN(6)])
		}
		mark := []string{"NEXT", "NEXT", "next", "FROM", "TEAM_TASK", "DROP"}[m.rng.IntN(6)]
		if mark == "DROP" && m.rng.IntN(2) == 0 {
			list = []string{"ALL"}
		}
		b.WriteString([]string{" ", "\n", "\n\n", "`"}[m.rng.IntN(4)] + "[" + mark + ": " + strings.Join(list, ",") + "]")
	}
	return b.String()
}

// pure calls a function and checks that it leaves the state unchanged.
func (m *sim) pure(call func()) {
	m.t.Helper()
	before, err := json.Marshal(m.s)
	if err != nil {
		m.t.Fatal(err)
	}
	call()
	if after, _ := json.Marshal(m.s); string(after) != string(before) {
		m.t.Fatalf("the state was changed:\n%s\n%s", before, after)
	}
}

// to carries out a decision. Only nextTurn may start a turn.
func (m *sim) to(d Decision, mayStart bool) {
	m.t.Helper()
	if err := d.State.Check(m.team); err != nil {
		m.t.Fatalf("%v: %+v", err, d.State)
	}
	if d.State.Status == Paused && m.s.Status == Active && savePoint(m.s, d.State) == "" {
		m.t.Fatalf("S2-B15: it came to rest without a save: %+v", d)
	}
	if item := d.State.Executing; item != nil && m.running == "" {
		if !mayStart {
			m.t.Fatalf("it starts %v", item)
		}
		if mem := member(m.team, item.Target); mem == nil || mem.Type != world.KindAgent {
			m.t.Fatalf("a turn of %s", item.Target)
		}
		m.running = item.Target
		if m.turns++; m.turns > MaxTurns {
			m.t.Fatal("agents never come to rest")
		}
	}
	var back State
	data, err := json.Marshal(d.State)
	if err == nil {
		err = json.Unmarshal(data, &back)
	}
	if err != nil || !reflect.DeepEqual(back, d.State) {
		m.t.Fatalf("it does not survive being kept (%v): %s", err, data)
	}
	m.s = d.State
}

func (m *sim) next() {
	m.t.Helper()
	for range 3 {
		var d Decision
		some := false
		m.pure(func() {
			d, some = nextTurn(m.s, m.team, func(mem world.Member) bool { return mem.ID != "c" })
		})
		if !some {
			break
		}
		m.to(d, true)
	}
	if m.running == "" && (m.s.Status != Paused || m.s.WaitingFor == "") {
		m.t.Fatalf("it stands still: %+v", m.s)
	}
}

// said passes words of a member to the plan. The caller has checked that the member may speak.
func (m *sim) said(id, text string) bool {
	m.t.Helper()
	marks, stored := Read(text)
	words := Words{MessageID: fmt.Sprint("m", len(m.rows)), MemberID: id, Marks: marks}
	var d Decision
	ok := false
	m.pure(func() {
		var e error
		if decided, err := takeWords(m.s, m.team, words); err != nil {
			e = err
		} else {
			d, ok = decided, true
		}
		if !ok && e == nil {
			m.t.Fatal("refused without a reason")
		}
	})
	if !ok {
		return false
	}
	role := world.RoleUser
	if mem := member(m.team, id); mem.Type == world.KindAgent {
		if id != m.running {
			m.t.Fatalf("%s spoke in the turn of %q", id, m.running)
		}
		role, m.running = world.RoleAssistant, ""
	} else {
		m.turns = 0
	}
	m.rows = append(m.rows, world.Message{MessageID: words.MessageID, Role: role, MemberID: id, Name: id, Content: stored, Status: world.MessageDone})
	m.to(d, false)
	m.next()
	return true
}

func (m *sim) step() {
	m.t.Helper()
	r := m.rng
	switch k := r.IntN(20); {
	case k < 6: // a person
		v := Sender{SpectatorID: fmt.Sprint("s", r.IntN(4)), Present: func(id string) bool { return m.here[id] }}
		m.here[v.SpectatorID] = true
		if r.IntN(4) == 0 {
			v.MemberID = m.team.Members[r.IntN(len(m.team.Members))].ID
		}
		text := m.words()
		marks, _ := Read(text)
		v.From = marks.From
		var id string
		var after State
		m.pure(func() {
			var err error
			if who, s, _, e := speakAs(m.s, m.team, v); e != nil {
				err = e
			} else {
				id, after = who, s
			}
			if err == nil && after.Check(m.team) != nil {
				m.t.Fatalf("%v", after.Check(m.team))
			}
		})
		if id == "" {
			return
		}
		if mem := member(m.team, id); mem == nil || mem.Type != world.KindHuman {
			m.t.Fatalf("a person speaks as %s", id)
		}
		for _, seat := range m.s.Seats {
			if seat.SpectatorID == v.SpectatorID && seat.MemberID != id {
				m.t.Fatalf("%s speaks as %s", seat.MemberID, id)
			}
			if seat.MemberID == id && seat.SpectatorID != v.SpectatorID && m.here[seat.SpectatorID] && len(humans(m.team)) > 1 {
				m.t.Fatalf("%s speaks in the place of %s", v.SpectatorID, seat.SpectatorID)
			}
		}
		m.s = after
		if !m.said(id, text) {
			m.t.Fatal("a person's words were refused")
		}
	case k < 13 && m.running != "":
		if !m.said(m.running, m.words()) {
			m.t.Fatalf("%s was refused in its turn", m.running)
		}
	case k < 15: // an agent that nobody asked
		if id := m.team.Members[r.IntN(len(m.team.Members))]; id.Type == world.KindAgent && id.ID != m.running && m.said(id.ID, m.words()) {
			m.t.Fatalf("%s spoke although nobody asked", id.ID)
		}
	case k == 15 && m.running != "":
		who := m.running
		m.running = ""
		by := []string{"", humans(m.team)[0].ID, who}[r.IntN(3)]
		m.to(failTurn(m.s, m.team, who, []string{world.RunError, world.RunTimeout, world.RunCancelled}[r.IntN(3)], by), false)
		m.next()
	case k == 16:
		if d, err := pause(m.s, m.team, humans(m.team)[0].ID); err == nil {
			m.to(d, false)
		}
	case k == 17:
		who := m.team.Members[r.IntN(len(m.team.Members))].ID
		if d, err := resume(m.s, m.team, who); err == nil {
			m.turns = 0
			if m.running != "" && d.State.Executing == nil {
				m.t.Fatal("a resume forgot who speaks")
			}
			m.to(d, false)
			m.next()
		}
	case k == 18:
		m.here[fmt.Sprint("s", r.IntN(4))] = false
	case k == 19: // the server was killed
		m.running, m.turns = "", 0
		head := world.Conversation{ConversationID: "c", Team: m.team, CreatedAt: 1, UpdatedAt: 2}
		restored, err := restoreSession(m.s, &m.team, "c", NewSnapshot(head, m.rows, time.UnixMilli(5)), time.UnixMilli(5), time.UTC)
		if err != nil {
			m.t.Fatal(err)
		}
		s := restored.State
		if len(s.Queue) > 0 || s.Executing != nil || s.Status != Paused || s.WaitingFor != firstHuman(m.team) || s.TeamTask != taskOf(m.rows) || len(s.Seats) != len(m.s.Seats) {
			m.t.Fatalf("S2-08: not Ready-Idle: %+v", s)
		}
		if m.s.TeamTask != s.TeamTask {
			m.t.Fatalf("the task was %q, and the history says %q", m.s.TeamTask, s.TeamTask)
		}
		if len(restored.Missing) > 0 || restored.Stats.TotalMessages != len(m.rows) {
			m.t.Fatalf("%+v", restored.Missing)
		}
		m.s = s
		if err := s.Check(m.team); err != nil {
			m.t.Fatal(err)
		}
		m.next()
	}
}

// rest lets the agents continue by themselves, always asking somebody, until the party waits for a person.
func (m *sim) rest() {
	m.t.Helper()
	for range MaxTurns + 2 {
		if m.running == "" {
			break
		}
		if !m.said(m.running, "And you? [NEXT: "+m.team.Members[m.rng.IntN(len(m.team.Members))].ID+"]") {
			m.t.Fatal("an agent was refused in its turn")
		}
	}
	if mem := member(m.team, m.s.WaitingFor); m.running != "" || m.s.Status != Paused || mem == nil || mem.Type != world.KindHuman {
		m.t.Fatalf("it does not come to rest: %+v", m.s)
	}
}
