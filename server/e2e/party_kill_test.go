package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// S2-08, S2-01: two people are in a party of the real binary, which is killed at random moments of turns, restores
// and new sessions, while a member leaves and joins the team. It always comes back Ready-Idle (no turn and an empty
// queue), words and commands are carried out once, everybody keeps their seat, no turn is lost or doubled, and the
// party can be continued.
func TestPartyKilledAtRandomMoments(t *testing.T) {
	t.Parallel()
	rng := seeded(t)(41)
	script := filepath.Join(t.TempDir(), "party.json")
	file(t, script, partyTalk)
	home := NewHome(t, server, "-pace", "instant", "-script", script)
	team := filepath.Join(home.Worlds, "teams", "crew.json")
	whole, less := twoPeople(t, "sentinel", "architect"), twoPeople(t, "architect")
	file(t, team, whole)
	l := home.Start()
	ledger := NewLedger(t)
	ada, ben := NewTab(t, ledger, "Ada"), NewTab(t, ledger, "Ben")
	ada.Join(l)
	bareRealm(ada)
	ben.Join(l)
	ben.Until("the realm", func() bool { return ben.Live() && ben.World != nil })
	ada.Do("set", &wire.TeamSet{TeamID: "crew"})
	ada.Do("captain", &wire.TeamTakeMember{MemberID: "captain"})
	ben.Do("mate", &wire.TeamTakeMember{MemberID: "mate"})
	var sessions []string
	ada.Look(func() { sessions = append(sessions, ada.World.Party.ConversationID) })

	words := map[string]*Command{} // by their text
	asks := []string{"", "[NEXT: sentinel]", "[NEXT: architect]", "[NEXT: sentinel, architect!P1, mate]", "[DROP: ALL] [NEXT: sentinel]", "[NEXT: nobody]"}
	kills := number(t, "AGENTDUNGEON_PARTY_KILLS", 20)
	for n := range kills {
		say := func(tab *Tab, who, at string) {
			text := fmt.Sprint(who, " ", n, []string{"", " slowly"}[rng.IntN(2)])
			words[text] = tab.Send(fmt.Sprint(who, "-", n), &wire.ChatSend{ConversationID: at, Content: text + "\n" + asks[rng.IntN(len(asks))]})
		}
		until := 0
		ada.Look(func() {
			at := ada.World.Party.ConversationID
			switch kind := rng.IntN(8); {
			case kind == 0:
				ada.Send(fmt.Sprint("new-", n), &wire.TeamSet{TeamID: "crew"})
			case kind < 3 || at == "":
				ada.Send(fmt.Sprint("resume-", n), &wire.TeamSet{TeamID: "crew", ResumeSessionID: sessions[rng.IntN(len(sessions))]})
			case kind == 3:
				ada.Send(fmt.Sprint("end-", n), &wire.ConversationClose{ConversationID: at})
			default:
				say(ada, "Ada", at)
			}
			until = ada.Frames + rng.IntN(30)
		})
		ben.Look(func() {
			if at := ben.World.Party.ConversationID; at != "" {
				say(ben, "Ben", at)
			}
		})
		if rng.IntN(3) == 0 {
			ada.Within(time.Duration(rng.IntN(20_000))*time.Microsecond, func() bool { return false })
		} else {
			ada.Within(2*time.Second, func() bool { return ada.Frames >= until })
		}
		l.Kill()
		file(t, team, []string{whole, whole, less}[rng.IntN(3)])
		l = home.Start()
		for _, tab := range []*Tab{ada, ben} {
			if err := tab.Connect(l); err != nil {
				t.Fatalf("life %d: %v", n+2, err)
			}
			tab.Until("live again", func() bool { return tab.Live() })
			tab.Until("answered", func() bool { return len(tab.Pending) == 0 })
		}
		ledger.AskAgain(ada, l)
		ada.Look(func() {
			if id := ada.World.Party.ConversationID; id != "" && !slices.Contains(sessions, id) {
				sessions = append(sessions, id)
			}
		})
		if t.Failed() {
			t.Fatalf("life %d", n+2)
		}
	}
	file(t, team, whole)
	ada.Do("last", &wire.TeamSet{TeamID: "crew", ResumeSessionID: sessions[0]})
	ada.Do("on", &wire.ChatSend{ConversationID: sessions[0], Content: "Go on.\n[NEXT: architect]"})
	ada.Until("an answer", func() bool {
		got := ledger.script(sessions[0])
		return got[len(got)-1] == "assistant:architect:Architect answers: Go on.:done"
	})
	ledger.Check()

	// Check the party's state after each start of the server, before the first command of a client.
	w := world.New(world.Realm{})
	said, cut, back := map[string]int{}, 0, false
	for _, ev := range ledger.Events() {
		asked := ev.RequestID != ""
		if _, ofRun := ev.Body.(interface{ RunRequestID() string }); ofRun {
			b, began := ev.Body.(*world.ChatStarted)
			asked = began && b.Message != nil
		}
		if _, ok := ev.Body.(*world.ChatCancelled); ok {
			cut++
		}
		if p := w.Party; back && asked {
			back = false
			if p.Executing != nil || len(p.Queue) > 0 || p.Status == world.PartyActive || p.ConversationID != "" && (p.Status != world.PartyPaused || p.WaitingFor != "captain") {
				t.Errorf("seq %d: S2-08: it came back as %+v", ev.Seq, p)
			}
		}
		if _, ok := ev.Body.(*world.RealmRestored); ok {
			back = true
		}
		if b, ok := ev.Body.(*world.ChatStarted); ok && b.Message != nil {
			text, _, _ := strings.Cut(b.Message.Content, "\n")
			said[text]++
			if want := map[string]string{ada.Self.SpectatorID: "captain", ben.Self.SpectatorID: "mate"}[b.Message.SpectatorID]; b.Message.MemberID != want {
				t.Errorf("seq %d: %s spoke as %q, not as %q", ev.Seq, b.Message.SpectatorID, b.Message.MemberID, want)
			}
		}
		world.Apply(w, ev)
	}
	taken := 0
	for text, c := range words {
		want := 0
		if c.Code == "" {
			want = 1
			taken++
		}
		if said[text] != want {
			t.Errorf("%q stands there %d times, answered %q", text, said[text], c.Code)
		}
	}
	t.Logf("%d kills, %d sessions, %d of %d words taken, %d turns cut off or stopped", kills, len(sessions), taken, len(words), cut)
	if code := l.Stop(); code != 0 {
		t.Errorf("stopped with %d", code)
	}
}
