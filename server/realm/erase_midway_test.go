package realm

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/realm/erasure"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// A person is erased while an agent quotes that person's words in an answer in another person's council. The agent's
// later words, findings and insights have none of the erased words, and nobody sees the ones that it had quoted
// (S1-19).
func TestEraseWhileAnAgentQuotes(t *testing.T) {
	goOn := make(chan struct{})
	waits := func(ctx context.Context, q TurnRequest, emit func(Chunk) error) error {
		said := "nothing"
		if strings.Contains(q.Prompt, adaSays) {
			said = adaSays
		}
		for _, c := range []Chunk{
			{Text: "They said: " + said + ", "},
			{Tool: &ToolStart{CallID: "c1", Name: "look", Input: "for " + said, Reads: true}}, {ToolOutput: &ToolOutput{CallID: "c1", Text: "seen " + said}},
			{Text: ""},
			{ToolOutput: &ToolOutput{CallID: "c1", Text: "and again " + said}},
			{ToolEnd: &ToolEnd{CallID: "c1", OK: true, Output: "seen " + said}},
			{Insight: &world.Insight{Area: "people", Text: "they said: " + said}},
			{Finding: &world.Finding{Title: "found", Text: said, Path: "a.go", Severity: "low"}},
			{Text: "so I say again: " + said + ", and that is all."},
		} {
			if c.Text == "" && c.Tool == nil && c.ToolOutput == nil && c.ToolEnd == nil && c.Insight == nil && c.Finding == nil {
				select {
				case <-goOn:
				case <-ctx.Done():
					return ctx.Err()
				}
				continue
			}
			if err := emit(c); err != nil {
				return err
			}
		}
		return nil
	}
	onDisk(t, cast(waits), func(d *disk) {
		goOn = make(chan struct{})
		c := d.tab()
		c.returns = true
		council := begun(t, c.send(ben, "n", councilOf("speak of the night", 3, ben.SpectatorID, "bard")))
		c.send(planter, "q2", &wire.ChatSend{ConversationID: council, Content: adaSays})
		c.send(ben, "q3", &wire.ChatSend{ConversationID: council, Content: benSays})
		later(time.Second)
		c.pull()
		if n := strings.Count(string(bytes.Join(c.raw, nil)), "They said: "+adaSays); n == 0 {
			t.Error("the agent says nothing yet")
		}
		if _, err := d.r.Erase(context.Background(), world.Erasure{SpectatorID: planter.SpectatorID, Reason: world.ErasedOnRequest, Who: "test"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		d.gone(t, c, []string{adaSays, adaName}, []string{benSays})
		close(goOn)
		later(time.Minute)
		c.pull()
		if n := grep(t, d.dir, "and that is all")["and that is all"]; n == 0 {
			t.Error("the answer is not there")
		}
		d.gone(t, c, []string{adaSays, adaName}, []string{benSays})
		d.equal(t)
		d.stop()
		d.gone(t, nil, []string{adaSays, adaName}, []string{benSays})
		d.open(false)
		d.equal(t)
		d.stop()
	})
}

// A person is erased while a session is read for that person's command. The answer does not name the person, and the
// realm remembers no answer for the person (S1-19).
func TestEraseWhoRestores(t *testing.T) {
	onDisk(t, cast(answers), func(d *disk) {
		c, session := d.resting(t, ben, benSays, planter)
		d.late.next.Store(1)
		c.send(planter, "restores", &wire.TeamSet{TeamID: "guild", ResumeSessionID: session})
		if _, err := d.r.Erase(context.Background(), world.Erasure{SpectatorID: planter.SpectatorID, Reason: world.ErasedOnRequest, Who: "test"}); err != nil {
			t.Error(err)
		}
		later(10 * time.Minute)
		c.pull()
		late := d.tab()
		if f := find(late.send(ben, "ask", &wire.TeamSet{TeamID: "guild", ResumeSessionID: session}), "command:reply"); f == nil {
			t.Error("nobody can restore any more")
		}
		d.stop()
		db, err := sql.Open("sqlite", filepath.Join(d.dir, sqlite.JournalFile))
		if err != nil {
			t.Fatal(err)
		}
		var answered int
		if err := errors.Join(db.QueryRow("SELECT count(*) FROM commands WHERE spectator_id = ?", planter.SpectatorID).Scan(&answered), db.Close()); err != nil || answered > 0 {
			t.Errorf("what they asked for is remembered: %d, %v", answered, err)
		}
	})
}

// unscoped is an eraser that cannot read the tables for a while.
type unscoped struct {
	erasure.Eraser
	bad bool
}

func (u *unscoped) ScopeErasure(ctx context.Context, e world.Erasure, names []string, bare bool) (world.Scope, error) {
	if u.bad {
		return world.Scope{}, errors.New("the tables cannot be read now")
	}
	return u.Eraser.ScopeErasure(ctx, e, names, bare)
}

// An erasure was intended before this opening. If this opening cannot continue it, the next one does: the erasure is
// not forgotten (S1-19).
func TestAnIntendedErasureIsNotForgotten(t *testing.T) {
	onDisk(t, cast(quoting), func(d *disk) {
		_, chat, _ := d.lived()
		e := world.Erasure{ErasureID: "e-cut", At: world.TimeOf(time.Now()), Conversations: []string{chat}, Reason: world.ErasedOnRequest, Who: "test"}
		if err := d.o.Eraser.IntendErasure(e); err != nil {
			t.Fatal(err)
		}
		d.stop()
		d.with = func(cfg *Config) { cfg.Eraser = &unscoped{cfg.Eraser, true} }
		d.open(false)
		later(time.Minute)
		if f := find(d.tab().send(ben, "o", &wire.ConversationOpen{ConversationID: chat}), "snapshot"); f == nil {
			t.Error("what could not be erased cannot be read")
		}
		d.stop()
		d.with = nil
		d.open(false)
		later(time.Minute)
		c := d.tab()
		if f := find(c.send(ben, "o", &wire.ConversationOpen{ConversationID: chat}), "error"); f == nil || f["code"] != "not_found" {
			t.Errorf("the erasure is forgotten: %v", f)
		}
		d.gone(t, c, []string{chatSays}, []string{benSays})
		d.stop()
	})
}
