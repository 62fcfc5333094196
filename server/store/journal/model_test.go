package journal_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"agentdungeon/server/conversation"
	"agentdungeon/server/soak"
	"agentdungeon/server/store/storetest"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// script is a random sequence of events that the rules allow.
type script struct {
	rnd   *rand.Rand
	n     int
	talks []string
	runs  map[string][]string // conversation -> requests under way
	open  map[string]string   // request -> its open row
	tools map[string]string   // request -> the row of the tool that it uses
}

func (s *script) id(prefix string) string {
	s.n++
	return fmt.Sprint(prefix, s.n)
}

func (s *script) text() string {
	words := []string{"", "yes", "no\n", `"so"`, "\U0001f5dd", "<i>", strings.Repeat("w", s.rnd.IntN(3000))}
	return words[s.rnd.IntN(len(words))] + words[s.rnd.IntN(len(words))]
}

func (s *script) next() []world.Body {
	statuses := []string{world.ConversationActive, world.ConversationPaused, world.ConversationCompleted, world.ConversationInterrupted, world.ConversationAbandoned, world.ConversationQueued}
	if len(s.talks) == 0 || s.rnd.IntN(40) == 0 {
		id := s.id("c")
		s.talks = append(s.talks, id)
		kind := []string{world.KindChat, world.KindChat, world.KindCouncil, world.KindParty, ""}[s.rnd.IntN(5)]
		var about *world.About
		if s.rnd.IntN(2) == 0 {
			about = &world.About{ConversationID: "p", StageID: "s", Name: s.text()}
		}
		return []world.Body{&world.ConversationStarted{Conversation: world.Conversation{ConversationID: id, Kind: kind, About: about, Title: s.text(), Status: world.ConversationActive, MaxTurns: s.rnd.IntN(5), Team: world.Team{ID: "t", Members: []world.Member{{ID: "a", Order: 2}}}, CreatedAt: 1, UpdatedAt: 2}}}
	}
	c := s.talks[s.rnd.IntN(len(s.talks))]
	running := s.runs[c]
	pick := s.rnd.IntN(14)
	switch {
	case pick == 12 && s.rnd.IntN(2) == 0:
		return []world.Body{&world.ConversationTeam{ConversationID: c, Team: world.Team{ID: "t", Name: s.text(), Members: []world.Member{{ID: s.id("member"), Name: s.text()}}}}}
	case pick == 12:
		return []world.Body{&world.ConversationRenamed{ConversationID: c, Title: s.text()}}
	case pick == 0:
		return []world.Body{&world.ConversationStatus{ConversationID: c, Status: statuses[s.rnd.IntN(len(statuses))]}}
	case pick == 1:
		id := s.id("w")
		return []world.Body{
			&world.ChatStarted{ConversationID: c, RequestID: id, MemberID: "p", Status: world.RunDone, Message: &world.Message{MessageID: s.id("m"), ConversationID: c, RequestID: id, Role: world.RoleUser, MemberID: "p", SpectatorID: "someone", Content: s.text(), Status: world.MessageDone, At: world.Time(s.n)}},
			&world.ChatDone{ConversationID: c, RequestID: id, MemberID: "p"},
		}
	case pick == 2:
		return []world.Body{&world.MessageAdded{ConversationID: c, Message: world.Message{MessageID: s.id("m"), ConversationID: c, Role: world.RoleSystem, Content: s.text(), Status: world.MessageDone, At: world.Time(s.n)}}}
	case pick == 3:
		return storetest.Findings(s.id("f"))
	case pick < 6 || len(running) == 0:
		id := s.id("r")
		s.runs[c] = append(running, id)
		b := &world.ChatStarted{ConversationID: c, RequestID: id, MemberID: "a", Instance: "a#1", Status: world.RunRunning, Model: s.text()}
		if s.rnd.IntN(3) == 0 {
			b.Message = &world.Message{MessageID: s.id("m"), ConversationID: c, RequestID: id, Role: world.RoleUser, SpectatorID: "x", Content: s.text(), Status: world.MessageDone, At: 7}
		}
		if s.rnd.IntN(2) == 0 {
			b.Turn = &world.Turn{StageID: fmt.Sprint("s", s.rnd.IntN(2)), RoleID: "a", Attempt: 1 + s.rnd.IntN(2), N: s.n}
		}
		return []world.Body{b}
	}
	run := running[s.rnd.IntN(len(running))]
	if tool, used := s.tools[run]; used {
		if s.rnd.IntN(2) == 0 {
			return []world.Body{&world.ToolOutput{ConversationID: c, RequestID: run, MessageID: tool, Text: s.text()}}
		}
		delete(s.tools, run)
		end := &world.ToolEnd{ConversationID: c, RequestID: run, MessageID: tool, OK: s.rnd.IntN(2) == 0, Unknown: s.rnd.IntN(4) == 0, Output: s.text()}
		end.Refused = !end.OK && !end.Unknown
		if s.rnd.IntN(3) == 0 {
			end.Full = strings.Repeat("all of it \u00e9 ", 2000)
			end.Output, end.Cut = world.Cut(end.Full, world.MaxToolShown)
		}
		return []world.Body{end}
	} else if pick == 13 {
		id := s.id("m")
		s.tools[run] = id
		return []world.Body{&world.ToolStart{ConversationID: c, RequestID: run, MessageID: id, MemberID: "a", MemberName: "A", Name: "look", Input: s.text(), CallID: id, Reads: s.rnd.IntN(2) == 0}}
	}
	row, isOpen := s.open[run]
	if !isOpen && pick < 9 {
		id := s.id("m")
		s.open[run] = id
		return []world.Body{&world.SegmentStarted{ConversationID: c, RequestID: run, MessageID: id, MemberID: "a", Name: "A", StageID: "s"}}
	}
	var out []world.Body
	if isOpen {
		delete(s.open, run)
		out = append(out, &world.SegmentClosed{ConversationID: c, RequestID: run, Reason: world.ClosedByDone, Message: world.Message{
			MessageID: row, ConversationID: c, RequestID: run, Role: world.RoleAssistant, MemberID: "a", Name: "A", StageID: "s", Content: s.text(), Status: world.MessageDone, At: world.Time(s.n)}})
		if pick < 9 {
			return out
		}
	}
	s.runs[c] = slices.DeleteFunc(running, func(r string) bool { return r == run })
	ends := []world.Body{
		&world.ChatDone{ConversationID: c, RequestID: run, MemberID: "a"},
		&world.ChatError{ConversationID: c, RequestID: run, MemberID: "a", Code: world.ChatTimeout},
		&world.ChatError{ConversationID: c, RequestID: run, MemberID: "a", Code: world.ChatModel},
		&world.ChatCancelled{ConversationID: c, RequestID: run, MemberID: "a", Reason: world.CancelInterrupted},
		&world.ChatCancelled{ConversationID: c, RequestID: run, MemberID: "a", Reason: world.CancelPerson},
	}
	return append(out, ends[s.rnd.IntN(len(ends))])
}

// After every restart the tables equal a plain fold in memory, and the heads and windows equal those of the
// actor's fold.
func TestTablesEqualTheFold(t *testing.T) { // S4-04 to S4-08, S1-01
	seeds, steps := soak.Cases[uint64](20, 2), soak.Cases(250, 150)
	for seed := range seeds {
		s := &script{rnd: rand.New(rand.NewPCG(seed, 1)), runs: map[string][]string{}, open: map[string]string{}, tools: map[string]string{}}
		m := &storetest.Model{Talks: map[string]*conversation.State{}, Rows: map[string][]world.Message{}, Runs: map[string][]world.Run{}}
		r := storetest.NewRig(t)
		r.Commit(&world.RealmCreated{Realm: storetest.RigRealm, Settings: world.DefaultSettings()})
		for step := range steps {
			var bodies []world.Body
			for range 1 + s.rnd.IntN(6) {
				bodies = append(bodies, s.next()...)
			}
			b := r.Batch(bodies...)
			storetest.Must(t, r.O.Journal.Commit(b))
			r.Fold(b)
			for _, rec := range b.Records {
				m.Fold(rec.Event)
			}
			if step%20 == 19 {
				packAll(r, 1+s.rnd.Int64N(12), s.rnd.Int64N(30))
			}
			if step%50 == 49 {
				r.Close()
				r.Open()
				m.Compare(t, r.O)
			}
			if step%70 == 69 { // the events go, the transcripts stay
				storetest.Must(t, r.O.Journal.SaveBase(r.WorldNow()))
				bases, err := tables.ReadBases(t.Context(), r.O.Journal.Writer())
				storetest.Must(t, err)
				storetest.Must(t, r.O.Journal.Trim(t.Context(), 1+s.rnd.Int64N(bases[len(bases)-1].Seq+1)))
			}
		}
		floor := r.O.Journal.Floor()
		if got := storetest.ReadAll(t, r.O.Journal, floor-1); !slices.EqualFunc(got, r.Frames[floor-1:], slices.Equal) {
			t.Fatal("the frames differ")
		}
		if len(storetest.BlocksOf(t, r.O.Journal.Writer())) < 2 {
			t.Fatal("nothing was packed")
		}
	}
}
