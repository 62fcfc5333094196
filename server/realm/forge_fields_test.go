package realm

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"agentdungeon/server/forge"
	"agentdungeon/shared/world"
)

// anyValue sets v to a random value of its type, for any type that a field of a forge's context has.
func anyValue(r *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(strings.Repeat([]string{"x", "\"", "日", "\n", "\u2028"}[r.IntN(5)], 1+r.IntN(5)))
	case reflect.Int:
		v.SetInt(int64(r.IntN(100)))
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1+r.IntN(3), 4))
		for i := range v.Len() {
			anyValue(r, v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		anyValue(r, k)
		anyValue(r, e)
		v.SetMapIndex(k, e)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		anyValue(r, v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			anyValue(r, v.Field(i))
		}
	}
}

// S1-06: every field of a forge's context passes through the actor unchanged: it is restored, marked as interrupted,
// written again and restored again. The words that were said come from the rows.
func TestEveryFieldThroughTheActor_S1_06(t *testing.T) {
	states := []forge.State{}
	for s := range forge.Moves {
		if s != forge.Completed && s != forge.Idle {
			states = append(states, s)
		}
	}
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 21))
		inForge(t, nil, func(b *bench, c *tab) {
			id := c.forge("f")
			c.say(id, "q", wish)
			b.kill()
			var want forge.Context
			anyValue(r, reflect.ValueOf(&want).Elem())
			want.SessionID, want.State, want.Plan.Schema = id, states[r.IntN(len(states))], 1
			want.MessageHistory = forge.History(fold(b.journal.events).state[id].Said)
			blob, err := want.Save()
			if err != nil {
				t.Fatal(err)
			}
			for i := range b.journal.events { // as if the server was killed while the model was at work
				if f, ok := b.journal.events[i].Body.(*world.ForgeStepped); ok {
					f.Context, f.Forge.Working = blob, "model"
				}
			}
			b.start(true)
			c.again()
			b.stop()
			b.start(false)
			c.again()
			st := fold(b.journal.events).state[id]
			if !bytes.Equal(st.ForgeContext, blob) || st.Forge.Working != "" || !reflect.DeepEqual(*st.Forge, forge.Shown(want, "")) {
				t.Errorf("seed %d: the actor has written another context", seed)
			}
			got, err := forge.Load(st.ForgeContext, forge.History(st.Said))
			if err != nil {
				t.Fatal(err)
			}
			a, g := reflect.ValueOf(want), reflect.ValueOf(got)
			for f := range a.NumField() {
				if !reflect.DeepEqual(a.Field(f).Interface(), g.Field(f).Interface()) {
					t.Errorf("seed %d: %s was %#v and is %#v", seed, a.Type().Field(f).Name, a.Field(f), g.Field(f))
				}
			}
		})
	}
}
