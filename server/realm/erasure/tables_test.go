package erasure_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"agentdungeon/server/kind"
	"agentdungeon/server/realm/erasure"
	"agentdungeon/shared/world"
)

// While tables are redacted, every kind of read returns nothing of them.
func TestTablesAreClosedToEveryQuestion(t *testing.T) {
	tables := erasure.NewTables(nil)
	erasure.New(tables, []world.Erasure{{ErasureID: "e1"}}, erasure.Config{}).Resume()
	of := reflect.TypeFor[erasure.Transcripts]()
	for i := range of.NumMethod() {
		m := reflect.ValueOf(tables).MethodByName(of.Method(i).Name)
		in := []reflect.Value{reflect.ValueOf(context.Background())}
		for n := 1; n < m.Type().NumIn(); n++ {
			in = append(in, reflect.Zero(m.Type().In(n)))
		}
		out := m.Call(in)
		if err, _ := out[len(out)-1].Interface().(error); !errors.Is(err, erasure.ErrRedacting) {
			t.Errorf("%s: %v", of.Method(i).Name, err)
		}
	}
}

// disk implements the eraser and the tables; methods that the tests do not use are missing.
type disk struct {
	erasure.Eraser
	erasure.Transcripts
}

func (disk) Search(context.Context, world.SearchQuery) ([]world.SearchHit, error) { return nil, nil }

// If two erasures were recorded before the opening, the tables stay closed until the second one has redacted: nobody
// can read words that are to be erased (P16.3).
func TestTablesStayClosedBetweenTwoErasures(t *testing.T) {
	tables := erasure.NewTables(disk{})
	x := erasure.New(tables, []world.Erasure{
		{ErasureID: "e1", Conversations: []string{"c1"}}, {ErasureID: "e2", Conversations: []string{"c2"}},
	}, erasure.Config{Eraser: disk{}})
	realm := &kind.Realm{World: &world.World{}}
	closed := func(when string, want bool) {
		t.Helper()
		_, err := tables.Search(t.Context(), world.SearchQuery{})
		if errors.Is(err, erasure.ErrRedacting) != want {
			t.Errorf("%s: %v", when, err)
		}
	}
	resume := func(id string) {
		t.Helper()
		m, ok := x.Resume()
		if !ok {
			t.Fatalf("%s is not resumed", id)
		}
		if job, err := x.Ask(realm, m, erasure.State{}); err != nil || job.Erasure.ErasureID != id {
			t.Fatalf("%s begins with %v, %v", id, job, err)
		}
	}
	resume("e1")
	if _, ok := x.Resume(); ok {
		t.Error("the second is resumed beside the first")
	}
	if _, err := x.Ask(realm, erasure.Request{Erasure: world.Erasure{SpectatorID: "ada"}}, erasure.State{}); !errors.Is(err, erasure.ErrBusy) {
		t.Errorf("a third does not wait: %v", err)
	}
	closed("while the first is redacted", true)
	x.Redacted()
	closed("between the two", true)
	x.End(erasure.Ended{Receipt: world.Receipt{ErasureID: "e1"}})
	resume("e2")
	if !x.Resuming() {
		t.Error("somebody is let in before it is erased")
	}
	x.Redacted()
	closed("once both are redacted", false)
	x.End(erasure.Ended{Receipt: world.Receipt{ErasureID: "e2"}})
	if _, ok := x.Resume(); ok || x.Resuming() {
		t.Error("nobody is let in")
	}
}
