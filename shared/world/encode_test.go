package world_test

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"agentdungeon/shared/world"
)

// EncodeState returns the bytes of encoding/json, whatever a world contains: frames of worlds and the checksums of
// checkpoints would differ between versions otherwise.
func TestEncodeStateEqualsEncodingJSON(t *testing.T) {
	for seed := range uint64(300) {
		r := random{rand.New(rand.NewPCG(seed, 7))}
		w, land := new(world.World), new(world.Land)
		r.fill(reflect.ValueOf(w).Elem(), 6)
		r.fill(reflect.ValueOf(land).Elem(), 6)
		got, err := world.EncodeState(w, land)
		want, wantErr := json.Marshal(world.State{Realm: w.Realm, Agents: w.Agents, Land: *land, World: *w})
		if (err == nil) != (wantErr == nil) || !bytes.Equal(got, want) {
			t.Fatalf("seed %d: %v, %v\n got %s\nwant %s", seed, err, wantErr, got, want)
		}
	}
}

type random struct{ *rand.Rand }

// strange are texts that encoders of JSON escape or replace.
var strange = []string{"", "a", "<script>&amp;</script>", "\"quoted\\\"", "line\nbreak\ttab\r", "\x00\x1f\x7f", "\u2028\u2029",
	"ä漢🐉", "\xff\xfe", "half \xf0\x9f\x90", "\ufffd", "/slash"}

// fill sets every field of v to a random value, nil and empty ones too. Lists below depth stay nil.
func (r random) fill(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(strange[r.IntN(len(strange))] + strange[r.IntN(len(strange))])
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int, reflect.Int64:
		v.SetInt([]int64{0, 1, -1, math.MaxInt64, math.MinInt64, r.Int64N(4e12)}[r.IntN(6)])
	case reflect.Float64:
		v.SetFloat([]float64{0, 1, -1.5, 1e21, 1e-7, r.Float64()}[r.IntN(6)])
	case reflect.Pointer:
		if depth > 0 && r.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			r.fill(v.Elem(), depth-1)
		}
	case reflect.Slice:
		if n := r.IntN(4); depth > 0 && n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n-1, n-1))
			for i := range v.Len() {
				r.fill(v.Index(i), depth-1)
			}
		}
	case reflect.Map:
		if n := r.IntN(4); depth > 0 && n > 0 {
			v.Set(reflect.MakeMap(v.Type()))
			for range n - 1 {
				key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
				r.fill(key, depth-1)
				r.fill(value, depth-1)
				v.SetMapIndex(key, value)
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			r.fill(v.Index(i), depth-1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				r.fill(v.Field(i), depth-1)
			}
		}
	case reflect.Uint8:
		v.SetUint(uint64(r.IntN(256)))
	default:
		panic("a world has a field of the new kind " + v.Kind().String())
	}
}
