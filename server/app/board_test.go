package app

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/server/mirror"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// S3-15, S1-19: the copy of the findings is a file in the realm's folder. An erasure without a server writes
// it anew, also if the copy was on Redis; the next start publishes it there.
func TestTheBoardIsInTheFolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const words = "the lantern in the cellar belongs to nobody else but me"
		worlds := filepath.Join(t.TempDir(), "worlds")
		a := start(t, worlds, castFile(t, `{"version":1,"turns":[{"match":{"kind":"chat"},"steps":[{"say":"I write that down."},
			{"finding":{"severity":"low","title":"somebody said it","text":"{{words}}"}}]}],"otherwise":[{"say":"well"}]}`))
		r := link(t, a, repo(t))
		submit(t, r, &wire.StartProcess{Problem: "p", TemplateID: "standard_brainstorm"})
		submit(t, r, &wire.ConversationStart{Kind: world.KindChat, MemberIDs: []string{"ideator"}, Title: "c"})
		w, err := r.World(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		page, _, err := r.Transcripts().Conversations(context.Background(), world.ConversationQuery{Kind: world.KindChat, Limit: 10})
		if err != nil || len(page) != 1 {
			t.Fatalf("%d chats, %v", len(page), err)
		}
		submit(t, r, &wire.ChatSend{ConversationID: page[0].ConversationID, Content: words})
		time.Sleep(time.Minute)
		synctest.Wait()
		id := r.ID()
		stop(t, a)
		board := func() (text string, seq int64, findings []world.Finding) {
			t.Helper()
			data, err := os.ReadFile(filepath.Join(worlds, id, "findings.json"))
			if err != nil {
				t.Fatal(err)
			}
			var f struct {
				Seq      int64           `json:"seq"`
				Findings []world.Finding `json:"findings"`
			}
			if err := json.Unmarshal(data, &f); err != nil {
				t.Fatal(err)
			}
			return string(data), f.Seq, f.Findings
		}
		text, before, findings := board()
		if len(findings) != 1 || !strings.Contains(text, words) || before < w.Tick {
			t.Fatalf("at %d: %s", before, text)
		}
		for _, was := range []string{"a file", "on Redis"} {
			if was == "on Redis" {
				if err := os.Remove(filepath.Join(worlds, id, "findings.json")); err != nil {
					t.Fatal(err)
				}
			}
			e := world.Erasure{Who: "a test", Reason: world.ErasedOnRequest, SpectatorID: "p1"}
			if _, err := stopped(afero.NewOsFs(), worlds, id).Erase(context.Background(), e, zerolog.Nop()); err != nil {
				t.Fatal(err)
			}
			text, after, findings := board()
			if len(findings) != 1 || strings.Contains(text, words) || after <= before {
				t.Errorf("%s: at %d after %d: %s", was, after, before, text)
			}
		}
	})
}

// When a server starts, clients can open its realms before it copies the findings of these realms to the board.
func TestTheBoardIsWrittenAfterTheOpening(t *testing.T) { // S3-15
	synctest.Test(t, func(t *testing.T) {
		worlds := filepath.Join(t.TempDir(), "worlds")
		a := start(t, worlds)
		defer stop(t, a)
		file := filepath.Join(worlds, link(t, a, repo(t)).ID(), "findings.json")
		synctest.Wait()
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("it is written while the realm is opened: %v", err)
		}
		time.Sleep(mirror.DefaultTimes.File)
		synctest.Wait()
		if _, err := os.Stat(file); err != nil {
			t.Error(err)
		}
	})
}
