package files_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/spf13/afero"

	"agentdungeon/server/store/files"
	"agentdungeon/shared/world"
)

// strange holds texts that wrong decoders of JSON read differently.
var strange = []string{
	"", "plain", "quote \" backslash \\ slash / tab \t line \n nul \x00 delete \x7f", "<b>&amp;</b>", "\u2028\u2029", "\U0001F409",
	"e\u0301", `\u0041 is no escape`, "\uFFFD",
}

// filler sets every field of a value. All texts and numbers differ from each other.
type filler struct{ n int }

func (f *filler) fill(v reflect.Value, depth int) {
	f.n++
	switch v.Kind() {
	case reflect.String:
		v.SetString(strange[f.n%len(strange)])
	case reflect.Bool:
		v.SetBool(f.n%2 == 0)
	case reflect.Int, reflect.Int64:
		numbers := []int64{0, -1, 7, math.MaxInt32, 1 << 52}
		if v.Type() == reflect.TypeFor[world.Time]() {
			numbers = []int64{0, 1, 1_700_000_000_003}
		}
		v.SetInt(numbers[f.n%len(numbers)])
	case reflect.Uint, reflect.Uint8, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(f.n % 200))
	case reflect.Float64:
		v.SetFloat(float64(f.n) / 7)
	case reflect.Pointer:
		if f.n%5 != 0 && depth < 9 {
			v.Set(reflect.New(v.Type().Elem()))
			f.fill(v.Elem(), depth+1)
		}
	case reflect.Slice:
		if f.n%7 != 0 && depth < 9 {
			v.Set(reflect.MakeSlice(v.Type(), f.n%3, f.n%3))
		}
		for i := range v.Len() {
			f.fill(v.Index(i), depth+1)
		}
	case reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i), depth+1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range f.n % 3 {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			f.fill(key, depth+1)
			f.fill(value, depth+1)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				f.fill(v.Field(i), depth+1)
			}
		}
	}
}

// The decoder of checkpoints reads a world as encoding/json does, whatever its fields hold.
func TestCheckpointDecoderReadsAsEncodingJSON(t *testing.T) {
	for start := range 200 {
		saved := new(world.World)
		(&filler{n: start}).fill(reflect.ValueOf(saved).Elem(), 0)
		raw, err := json.Marshal(saved)
		if err != nil {
			t.Fatal(err)
		}
		want, got := new(world.World), new(world.World)
		if err := json.Unmarshal(raw, want); err != nil {
			t.Fatal(err)
		}
		if err := files.Unmarshal(raw, got); err != nil {
			t.Fatalf("world %d: %v\n%s", start, err, raw)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("world %d: read %+v, encoding/json reads %+v\n%s", start, got, want, raw)
		}
	}
}

// Recorded checkpoints decode as encoding/json decodes them.
func TestRecordedCheckpointsDecodeAsEncodingJSON(t *testing.T) {
	for _, name := range []string{"realm-v1", "realm-v2", "realm-v3"} {
		dir := filepath.Join("..", "storetest", "testdata", name)
		data, err := os.ReadFile(filepath.Join(dir, files.StateFile))
		if err != nil {
			t.Fatal(err)
		}
		var file struct{ World *world.World }
		if err := json.Unmarshal(data, &file); err != nil {
			t.Fatal(err)
		}
		file.World.Fill()
		got, err := files.OpenRealm(afero.NewReadOnlyFs(afero.NewOsFs()), dir).LoadCheckpoint(files.StateFile)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.World, file.World) {
			t.Errorf("%s: read %+v, encoding/json reads %+v", name, got.World, file.World)
		}
	}
}

// A checkpoint's file keeps its format, byte for byte, because people and older versions read it.
func TestCheckpointKeepsItsForm(t *testing.T) {
	for _, name := range []string{"realm-v2", "realm-v3"} {
		data, err := os.ReadFile(filepath.Join("..", "storetest", "testdata", name, files.StateFile))
		if err != nil {
			t.Fatal(err)
		}
		var file struct {
			Epoch    string
			Seq      int64
			SavedAt  world.Time
			Messages int64
			World    json.RawMessage
		}
		if err := json.Unmarshal(data, &file); err != nil {
			t.Fatal(err)
		}
		again, err := files.EncodeCheckpoint(world.Checkpoint{
			Epoch: file.Epoch, Seq: file.Seq, SavedAt: file.SavedAt, World: file.World,
		}, file.Messages)
		if err != nil || string(again) != string(data) {
			t.Errorf("%s: written again it is another file: %v\n%.400s", name, err, again)
		}
	}
}
