package app

import (
	"context"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// The erasure of a person removes from a party the team's task that they set and the names that they
// mentioned, also where the server has copied them. The member as whom they spoke belongs to the team and
// stays.
func TestErasingAPersonOfAParty(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		worlds := filepath.Join(t.TempDir(), "worlds")
		a := start(t, worlds, castFile(t, partyScript), func(c *Config) { c.Pace = world.PaceInstant })
		r := link(t, a, repo(t))
		session := a.session(t, "guild", "Hear me. [TEAM_TASK: qzplanted is my task]\n[NEXT: sentinel, qzplanted one]")
		submit(t, r, &wire.ChatSend{ConversationID: session, Content: "And more, qzplanted all over.\n[FROM: qzplanted two] [NEXT: healer]"})
		time.Sleep(time.Minute)
		if p := a.party(t); p.TeamTask != "qzplanted is my task" {
			t.Fatalf("%+v", p)
		}
		id := r.ID()
		stop(t, a)
		if countWords(t, worlds) == 0 {
			t.Fatal("nothing is planted")
		}
		if _, err := stopped(afero.NewOsFs(), worlds, id).Erase(context.Background(), world.Erasure{SpectatorID: "p1", Reason: world.ErasedOnRequest, Who: "test"}, zerolog.Nop()); err != nil {
			t.Fatal(err)
		}
		if n := countWords(t, worlds); n > 0 {
			t.Errorf("it is still there, %d times", n)
		}
		a = start(t, worlds, castFile(t, partyScript))
		defer stop(t, a)
		talk, err := mustOpen(t, a, id).Transcripts().Conversation(context.Background(), session)
		if err != nil {
			t.Fatal(err)
		}
		if m := talk.Conversation.Member("host"); m == nil || m.DisplayName != "The Host" {
			t.Errorf("the team has lost a place: %+v", talk.Conversation.Team)
		}
	})
}
