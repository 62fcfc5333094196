package erasure_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"agentdungeon/server/realm/erasure"
	"agentdungeon/shared/world"
)

// While tables are redacted nothing of them is given, by whichever question.
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
