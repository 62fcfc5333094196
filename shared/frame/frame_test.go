package frame_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"runtime"
	"testing"

	"agentdungeon/shared/frame"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

var texts = []string{"", "plain words", `"quoted" \ <b>&amp;</b>`, "line\nline\ttab\x01", "größer 龍 \u2028 \U0001f409", "\xff broken"}

// vary fills every field of v, with another choice for each value of n; n 0 leaves all of
// them empty.
func vary(v reflect.Value, n, depth int) {
	if n == 0 || depth > 6 {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(texts[(n+depth)%len(texts)])
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(n*1000 - 2500))
	case reflect.Bool:
		v.SetBool(n%2 == 0)
	case reflect.Float64:
		v.SetFloat(float64(n) / 3)
	case reflect.Pointer:
		if n%3 != 0 {
			v.Set(reflect.New(v.Type().Elem()))
			vary(v.Elem(), n, depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				vary(v.Field(i), n+i, depth+1)
			}
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte(`{"a":[1,"b"]}`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), n%3, n%3))
		for i := range v.Len() {
			vary(v.Index(i), n+i, depth+1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		if v.Type().Key().Kind() != reflect.String {
			return
		}
		x := reflect.New(v.Type().Elem()).Elem()
		vary(x, n, depth+1)
		v.SetMapIndex(reflect.ValueOf("key").Convert(v.Type().Key()), x)
	}
}

// Every frame of the contract, full and empty, has the members that encoding/json gives, in
// its order and its bytes.
func TestEncodeIsEncodingJSON(t *testing.T) {
	parts := []any{}
	for _, f := range wire.Frames() {
		parts = append(parts, f)
	}
	for _, b := range world.Bodies() {
		parts = append(parts, b)
	}
	for _, part := range parts {
		for n := range 8 {
			v := reflect.New(reflect.TypeOf(part).Elem())
			vary(v.Elem(), n, 0)
			want, err := json.Marshal(v.Interface())
			if err != nil {
				t.Fatalf("%T: %v", part, err)
			}
			got, err := frame.Encode("t", v.Interface())
			if err != nil {
				t.Fatalf("%T: %v", part, err)
			}
			got = bytes.Replace(bytes.Replace(got, []byte(`{"type":"t",`), []byte("{"), 1), []byte(`{"type":"t"}`), []byte("{}"), 1)
			if !bytes.Equal(got, want) {
				t.Errorf("%T, %d:\n%s\nwant\n%s", part, n, got, want)
			}
		}
	}
}

// EncodeWith reports the position of the JSON string of the text, even if an earlier field has the same text.
func TestEncodeNotesAText(t *testing.T) {
	for _, text := range texts {
		b := &world.SegmentClosed{ConversationID: text, Message: world.Message{Name: text, Content: text}}
		out, span, err := frame.EncodeWith(&b.Message.Content, "t", b)
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := out[span.At : span.At+span.Len]; !bytes.Equal(got, want) || !bytes.HasSuffix(out[:span.At], []byte(`"content":`)) {
			t.Errorf("%q: %q after %q", text, got, out[:span.At])
		}
	}
	if _, span, err := frame.EncodeWith(new(string), "t", &world.SegmentClosed{}); err != nil || span != (frame.Span{}) {
		t.Errorf("a text that is in no part: %v, %v", span, err)
	}
}

// Encode copies a value that is already JSON unchanged, without parsing it.
func TestEncodeCopiesRaw(t *testing.T) {
	raw := json.RawMessage(`{"a" : 1}`)
	out, err := frame.Encode("t", &struct {
		A json.RawMessage `json:"a"`
		B json.RawMessage `json:"b"`
	}{A: raw})
	if err != nil || string(out) != `{"type":"t","a":{"a" : 1},"b":null}` {
		t.Errorf("%s, %v", out, err)
	}
}

func TestEncodeRefusesWhatIsNoFrame(t *testing.T) {
	for _, part := range []any{nil, 3, struct{}{}, (*world.SegmentClosed)(nil), &struct{ F func() }{}} {
		if out, err := frame.Encode("t", part); err == nil {
			t.Errorf("%T: %s", part, out)
		}
	}
}

// Object encodes lists of any length as encoding/json does, and long lists in little more memory than they need.
func TestObjectOfLongLists(t *testing.T) {
	type element struct {
		Name  string   `json:"name"`
		Words []string `json:"words,omitempty"`
	}
	type object struct {
		Title string            `json:"title"`
		List  []element         `json:"list"`
		Some  []*element        `json:"some,omitempty"`
		Times []world.Time      `json:"times"`
		Bytes []byte            `json:"bytes"`
		More  map[string]string `json:"more"`
	}
	for _, n := range []int{0, 1, 63, 64, 65, 128, 100_000} {
		v := object{Title: "<t>", Some: make([]*element, min(n, 200)), Times: make([]world.Time, min(n, 200)), Bytes: make([]byte, 9)}
		if n > 0 {
			v.List = []element{}
		}
		for i := range n {
			v.List = append(v.List, element{Name: texts[i%len(texts)], Words: texts[:min(i/100, len(texts))]})
		}
		want, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, err := frame.Object(&v)
		runtime.ReadMemStats(&after)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d elements: %v, %.300s, want %.300s", n, err, got, want)
		}
		if used := after.TotalAlloc - before.TotalAlloc; n == 100_000 && used > uint64(3*len(got)) {
			t.Errorf("%d elements: %d bytes of memory for %d", n, used, len(got))
		}
	}
	for _, v := range []any{nil, object{}, (*object)(nil), new(int), &struct{ F []func() }{make([]func(), 1)}} {
		if got, err := frame.Object(v); err == nil {
			t.Errorf("%T was encoded: %s", v, got)
		}
	}
}

// Field reads a frame only up to the end of the field. It does not take a field of the same name inside another field
// for it.
func TestAFieldOfAFrame(t *testing.T) {
	for raw, want := range map[string]string{
		`{"type":"t","seq":7,"id":"a\"b","text":"x"}`:            `a"b`,
		`{"type":"t","of":{"id":"inner"},"l":["id"],"id":"a"}`:   "a",
		`{"type":"t","of":{"id":"inner"},"text":"\"id\":\"b\""}`: "",
		`{"type":"t","id":"a", and no JSON`:                      "a",
		`{"type":"t","id":7}`:                                    "",
		`{"type":`:                                               "",
		``:                                                       "",
	} {
		if got := frame.Field([]byte(raw), "id"); got != want {
			t.Errorf("%s has %q, not %q", raw, got, want)
		}
	}
}
