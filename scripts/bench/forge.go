package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/forge"
	"agentdungeon/server/realm"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// forgeRestore is from a realm's folder to a forge of n messages and a SKILL.md of 500
// lines as a page draws it, and then one exchange in it, durable (S1-04). As talkRestore,
// in this process.
func (b *bench) forgeRestore(ctx context.Context, times, n int) ([]figure, error) {
	name := fmt.Sprintf("restore of a forge of %d messages with 500 lines written: folder to world:state, ", n)
	p50 := figure{name: name + "p50", unit: seconds, bare: "reading all its rows' texts from a file, p50"}
	p99 := figure{name: name + "p99", unit: seconds, bare: "reading all its rows' texts from a file, p99", aim: aim{below, 500e-3}}
	step := figure{name: "one exchange in it: words to the smith's answer, durable, p99", unit: seconds, bare: "the whole restore, p99", aim: aim{below, 100e-3}}
	home, texts, err := b.longForge(ctx, n)
	if err != nil {
		return nil, err
	}
	if err := b.restores(ctx, times, texts, &p50, &p99, &step, func() (time.Duration, time.Duration, error) { return restoreForge(ctx, home, n) }); err != nil {
		return nil, err
	}
	return []figure{p50, p99, step}, os.RemoveAll(filepath.Dir(home))
}

// longForge makes a realm with one forge, and a file with the texts of its rows.
func (b *bench) longForge(ctx context.Context, n int) (home, texts string, err error) {
	c := forge.New(longTalkID)
	c.State, c.SkillPurpose, c.WorkflowSteps = forge.GatheringDetails, "Count the sheep in the meadow.", []string{"Count them"}
	c.GeneratedContent = "---\nname: count-sheep\ndescription: \"Counts sheep.\"\n---\n" + strings.Repeat("Count the next of them, and write its number down.\n", 500)
	c.Plan.Asking = &forge.Question{Topic: "triggers", Text: "When?", Words: true}
	blob, err := c.Save()
	if err != nil {
		return "", "", err
	}
	step := &world.ForgeStepped{ConversationID: longTalkID, Forge: forge.Shown(c, ""), Moves: []world.ForgeMove{}, Context: blob}
	return b.longRealm(ctx, n, func(t *talk) []world.Body {
		begun := t.begin(longTalkID)
		begun.(*world.ConversationStarted).Conversation.Kind = world.KindForge
		return []world.Body{begun, step}
	}, func(_, answer []world.Body) []world.Body { return append(answer, step) })
}

func restoreForge(ctx context.Context, home string, n int) (took, said time.Duration, err error) {
	begin := time.Now()
	t, err := openTalk(ctx, home)
	if err != nil {
		return 0, 0, err
	}
	r := realm.Start(realm.Config{
		Saved: t.o.Saved, Journal: t.o.Journal, Files: t.o.Files, Templates: noTemplates{}, Drivers: noDrivers{},
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
	state, err := takeUntil(ctx, v, `{"type":"world:state",`)
	if err != nil {
		return 0, 0, err
	}
	took = time.Since(begin)
	if !bytes.Contains(state, []byte(`"forge":{"state":"`)) {
		return 0, 0, errors.New("the forge is not in world:state")
	}
	asked := time.Now()
	in := realm.Input{From: realm.Person{SpectatorID: "s", Name: "person", Color: "#aabbcc", Role: wire.RoleHost}, To: v,
		RequestID: fmt.Sprintf("say-%d", begin.UnixNano()), Command: &wire.ChatSend{ConversationID: longTalkID, Content: "name: count-sheep-" + fmt.Sprint(n)}}
	if e := r.Submit(in); e != nil {
		return 0, 0, e
	}
	if _, err := takeUntil(ctx, v, `{"type":"chat.done",`); err != nil {
		return 0, 0, err
	}
	return took, time.Since(asked), nil
}
