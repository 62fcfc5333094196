package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/realm"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// partyTeam is who talks in the party that is restored.
var partyTeam = world.Team{ID: "cast", Name: "Cast", Members: []world.Member{
	{ID: "person", Name: "Person", DisplayName: "Person", Type: world.KindHuman, Role: "person", Color: "#aabbcc"},
	{ID: "sage", Name: "Sage", DisplayName: "Sage", Type: world.KindAgent, Role: "sage", Color: "#4fb8a3", Order: 1},
	{ID: "bard", Name: "Bard", DisplayName: "Bard", Type: world.KindAgent, Role: "bard", Color: "#c8a34f", Order: 2},
}}

type oneTeam struct{}

func (oneTeam) Teams() []*world.Team             { return []*world.Team{&partyTeam} }
func (oneTeam) Team(string) (*world.Team, error) { return &partyTeam, nil }

// partyRestore is from a realm's folder to a party that is ready again: the opening, the
// actor's start, an attach, world:state, and team:set with the session up to team:ready,
// which is durable by then. As talkRestore, in this process.
func (b *bench) partyRestore(ctx context.Context, times, n int) ([]figure, error) {
	name := fmt.Sprintf("restore of a party of %d messages: folder to team:ready, ", n)
	p50 := figure{name: name + "p50", unit: seconds, bare: "reading all its rows' texts from a file, p50"}
	p99 := figure{name: name + "p99", unit: seconds, bare: "reading all its rows' texts from a file, p99", aim: aim{below, 100e-3}}
	alone := figure{name: fmt.Sprintf("of it team:set in the open realm (%d rows read, its events durable), p99", n), unit: seconds, bare: "the whole restore, p99"}
	home, texts, err := b.longParty(ctx, n)
	if err != nil {
		return nil, err
	}
	if err := b.restores(ctx, times, texts, &p50, &p99, &alone, func() (time.Duration, time.Duration, error) { return restoreParty(ctx, home, n) }); err != nil {
		return nil, err
	}
	return []figure{p50, p99, alone}, os.RemoveAll(filepath.Dir(home))
}

// longParty makes a realm with one paused session of n messages, and a file with their
// texts.
func (b *bench) longParty(ctx context.Context, n int) (home, texts string, err error) {
	return b.longRealm(ctx, n, func(t *talk) []world.Body {
		return []world.Body{&world.ConversationStarted{Conversation: world.Conversation{
			ConversationID: longTalkID, Kind: world.KindParty, Title: "Cast", Status: world.ConversationPaused, CreatedAt: t.at, UpdatedAt: t.at, Team: partyTeam,
		}}}
	}, func(ask, answer []world.Body) []world.Body {
		if started, ok := ask[0].(*world.ChatStarted); ok {
			started.Message.MemberID = "person"
		}
		return answer
	})
}

func restoreParty(ctx context.Context, home string, n int) (took, set time.Duration, err error) {
	begin := time.Now()
	t, err := openTalk(ctx, home)
	if err != nil {
		return 0, 0, err
	}
	r := realm.Start(realm.Config{
		Saved: t.o.Saved, Journal: t.o.Journal, Files: t.o.Files, Templates: noTemplates{}, Teams: oneTeam{}, Drivers: noDrivers{},
		Log: zerolog.Nop(), Summary: func(wire.RealmInfo) {},
	})
	defer func() {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), startTime)
		defer cancel()
		_, stopErr := r.Stop(stop)
		err = errors.Join(err, stopErr)
	}()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	v, err := r.Attach(ctx, realm.Position{})
	if err != nil {
		return 0, 0, err
	}
	defer v.Close()
	if _, err := takeUntil(ctx, v, `{"type":"world:state",`); err != nil {
		return 0, 0, err
	}
	asked := time.Now()
	in := realm.Input{From: realm.Person{SpectatorID: "s", Name: "person", Color: "#aabbcc", Role: wire.RoleHost}, To: v,
		RequestID: fmt.Sprintf("set-%d", begin.UnixNano()), Command: &wire.TeamSet{TeamID: partyTeam.ID, ResumeSessionID: longTalkID}}
	if e := r.Submit(in); e != nil {
		return 0, 0, e
	}
	frame, err := takeUntil(ctx, v, `{"type":"session:restored",`)
	if err != nil {
		return 0, 0, err
	}
	var restored world.SessionRestored
	if err := json.Unmarshal(frame, &restored); err != nil {
		return 0, 0, err
	}
	if restored.MessageCount != n {
		return 0, 0, fmt.Errorf("a session of %d messages was restored, not of %d", restored.MessageCount, n)
	}
	return time.Since(begin), time.Since(asked), nil
}
