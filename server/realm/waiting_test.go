package realm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/command"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// librarian is a relay that reads from the tables before it continues. To conversation.resume it adds a row at once,
// and a second row with the data that was read. While a conversation is paused, its plan also reads, once after each
// opening.
type librarian struct {
	kind.Kind
	name string
	away *bool  // set while nothing can be read
	told string // the data that the plan has read, or the error
}

// newestRow is the librarian's need: the newest row in the tables.
type newestRow struct {
	talk, who string
	away      *bool
}

func (n newestRow) Key() string { return n.who + "/" + n.talk }

func (n newestRow) Read(ctx context.Context, from kind.Sources) (any, error) {
	saved, err := from.Conversation(ctx, n.talk)
	if *n.away {
		err = errors.New("the disk is away")
	}
	if err != nil {
		return nil, err
	}
	return saved.Messages[len(saved.Messages)-1].Content, nil
}

func (k *librarian) Control(r *kind.Realm, t *kind.Talk, c kind.Control) (kind.Decision, *wire.Error) {
	id := t.Head.ConversationID
	need := newestRow{id, "person", k.away}
	row := func(text string) []world.Body { return []world.Body{r.SystemRow(id, text)} }
	got, ok := r.Met[need.Key()]
	switch {
	case c.Verb != kind.Resume:
		return k.Kind.Control(r, t, c)
	case ok:
		return kind.Decision{Bodies: row(fmt.Sprintf("read %q", got)), Text: "Here it is."}, nil
	case r.Here.Reads(need.Key()):
		return kind.Decision{}, wire.Errorf(wire.Conflict, "somebody reads")
	}
	return kind.Decision{Bodies: row("wanted"), Needs: need}, nil
}

func (k *librarian) Next(r *kind.Realm) kind.Steps {
	return func(yield func(kind.Step) bool) {
		for _, t := range r.TalksOf(k.name) {
			need := newestRow{t.Head.ConversationID, "plan", k.away}
			if t.Head.Status == world.ConversationPaused && k.told == "" && !r.Here.Reads(need.Key()) {
				yield(kind.Step{Needs: need})
			}
		}
	}
}

func (k *librarian) Found(_ *kind.Realm, _ kind.Need, got any, err error) kind.Steps {
	k.told = fmt.Sprint(got, err)
	return kind.None
}

// inLibrary runs f with a librarian's conversation that has one row.
func inLibrary(t *testing.T, f func(b *bench, c *tab, lib *librarian, id string)) {
	synctest.Test(t, func(t *testing.T) {
		lib := &librarian{name: "library", away: new(bool)}
		b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, drivers: says, extra: []*world.Template{actors()}}
		b.kinds = []kind.Registration{{Name: lib.name, New: func(name string) kind.Kind {
			lib.Kind = newRelay(name)
			return lib
		}}}
		b.start(false)
		c := b.tab()
		id := begun(t, c.send(ada, "n", &wire.ConversationStart{Kind: lib.name, MemberIDs: []string{"sage"}, TemplateID: "actors"}))
		f(b, c, lib, id)
		b.kill()
	})
}

// A command whose kind needs data is answered once: the first events are committed before the read, and the same
// command sent again meanwhile gets the same answer. P6.2.
func TestACommandWaitsForWhatItsKindNeeds(t *testing.T) {
	inLibrary(t, func(b *bench, c *tab, _ *librarian, id string) {
		gate := make(chan struct{})
		b.journal.set(nil, gate) // nothing is committed, so nothing is read
		resume := &wire.ConversationResume{ConversationID: id}
		for _, who := range []Person{ada, ada, ben} {
			if f := find(c.send(who, "r", resume), "command:reply"); f != nil {
				t.Errorf("it is answered before what it leads to is committed: %v", f)
			}
		}
		b.journal.set(nil, nil)
		close(gate)
		frames := c.pull()
		if got := b.script(id); !slices.Equal(got, []string{"system::wanted", `system::read "wanted"`}) {
			t.Errorf("the rows are %q", got)
		}
		var seqs []any
		for _, f := range frames {
			if f["type"] == "command:reply" {
				seqs = append(seqs, f["seq"])
			}
		}
		first := find(frames, "message.added")
		if len(seqs) != 2 || seqs[0] != first["seq"] || seqs[1] != first["seq"] || first["requestId"] != "r" {
			t.Errorf("the answers name %v, the first event is %v", seqs, first)
		}
		if e := find(frames, "error"); e == nil || e["message"] != "somebody reads" {
			t.Errorf("somebody else hears %v", e)
		}
	})
}

// A failed read is answered once. If the command is sent again, the read is tried again. P6.2.
func TestANeedThatCannotBeMet(t *testing.T) {
	inLibrary(t, func(b *bench, c *tab, lib *librarian, id string) {
		*lib.away = true
		resume := &wire.ConversationResume{ConversationID: id}
		if f := c.send(ada, "r", resume); count(f, "error") != 1 || find(f, "error")["code"] != string(wire.NotReady) {
			t.Fatalf("it is answered by %v", f)
		}
		*lib.away = false
		if f := find(c.send(ada, "r", resume), "command:reply"); f == nil {
			t.Error("it is not taken again")
		}
		b.journal.set(fmt.Errorf("%w: a disk of somebody else", world.ErrBroken), nil)
		if f := find(c.send(ada, "s", resume), "error"); f == nil || f["message"] != command.ReadOnly.Message {
			t.Errorf("a realm that broke meanwhile answers %v", f)
		}
	})
}

// If a step of a plan has a need, the plan gets the data after the step's events are committed, or the error of the
// read.
func TestAPlanReads(t *testing.T) {
	for away, want := range map[bool]string{false: "said<nil>", true: "<nil> the disk is away"} {
		inLibrary(t, func(b *bench, c *tab, lib *librarian, id string) {
			*lib.away = away
			c.send(ada, "w", &wire.ChatSend{ConversationID: id, Content: "said"})
			c.send(ada, "p", &wire.ConversationPause{ConversationID: id})
			if lib.told != want {
				t.Errorf("the plan is given %q, not %q", lib.told, want)
			}
		})
	}
}
