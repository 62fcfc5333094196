package journal_test

import (
	"fmt"
	"strings"
	"testing"

	"agentdungeon/server/store/storetest"
	"agentdungeon/shared/world"
)

// session begins a session of a team with some words.
func session(id, team string, words ...string) []world.Body {
	out := []world.Body{&world.ConversationStarted{Conversation: world.Conversation{
		ConversationID: id, Kind: world.KindParty, Title: id, Status: world.ConversationPaused, Team: world.Team{ID: team, Members: []world.Member{}}, CreatedAt: 1, UpdatedAt: 1,
	}}}
	row := func(role, text string) {
		out = append(out, &world.MessageAdded{ConversationID: id, Message: world.Message{
			MessageID: fmt.Sprint(id, "-", len(out)), ConversationID: id, Role: role, MemberID: "a", Content: text, Status: world.MessageDone,
		}})
	}
	row(world.RoleSystem, "it begins")
	for _, w := range words {
		row(world.RoleUser, w)
	}
	return out
}

// Sessions lists a team's sessions, the newest first, each with its first words. It lists no sessions of other
// teams, no empty ones, and no conversations of other kinds (S2-B3, S2-B4).
func TestSessions(t *testing.T) {
	r := storetest.NewRig(t)
	r.Commit(talk("chat", world.KindChat, world.ConversationActive))
	r.Commit(session("s1", "crew", "first", "second")...)
	r.Commit(session("s2", "other", "words")...)
	r.Commit(session("s3", "crew")...)
	r.Commit(session("s4", "crew", "fourth")...)
	r.Commit(&world.SegmentStarted{ConversationID: "s4", RequestID: "r", MessageID: "open", MemberID: "a"})
	list := func(team string, limit int) string {
		t.Helper()
		got, err := r.O.Journal.Sessions(t.Context(), team, limit)
		storetest.Must(t, err)
		var out []string
		for _, s := range got {
			out = append(out, fmt.Sprintf("%s %d %s", s.ConversationID, s.Spoken, s.First.Content))
		}
		return strings.Join(out, ", ")
	}
	if got := list("crew", 10); got != "s4 1 fourth, s1 2 first" {
		t.Errorf("%s", got)
	}
	r.Commit(&world.ConversationRenamed{ConversationID: "s1", Title: "again"})
	if got := list("crew", 1); got != "s1 2 first" {
		t.Errorf("%s", got)
	}
	if got := list("nobody", 10); got != "" {
		t.Errorf("%s", got)
	}
}

// An opening loads the current party, whatever its status, and no other session unless it has an unfinished run.
// A changed team is loaded changed.
func TestThePartyAtHandIsLoaded(t *testing.T) {
	r := storetest.NewRig(t)
	for _, id := range []string{"s1", "s2", "s3", "s4"} {
		r.Commit(session(id, "crew", "words")...)
	}
	r.Commit(&world.PartyUpdated{Party: world.Party{TeamID: "crew", ConversationID: "s2", Status: world.PartyPaused}},
		&world.ConversationTeam{ConversationID: "s2", Team: world.Team{ID: "crew", Name: "Changed", Members: []world.Member{{ID: "a"}}}},
		&world.ChatStarted{ConversationID: "s3", RequestID: "r", MemberID: "a", Status: world.RunRunning})
	r.Close()
	o := storetest.MustOpen(t, r.Dir)
	var loaded []string
	for _, c := range o.Saved.Conversations {
		loaded = append(loaded, c.Conversation.ConversationID+" "+c.Conversation.Team.Name)
	}
	if got := strings.Join(loaded, ", "); got != "s2 Changed, s3 " {
		t.Errorf("loaded %q", got)
	}
	if len(o.Saved.Conversations) == 2 && len(o.Saved.Conversations[0].Requests) != 0 {
		t.Errorf("%+v", o.Saved.Conversations[0])
	}
}
