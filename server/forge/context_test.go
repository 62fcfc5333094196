package forge

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"agentdungeon/shared/world"
)

// fields lists the fields of document 001.
var fields = strings.Fields(`session_id state skill_name skill_description skill_purpose skill_capabilities examples workflow_steps triggers
	references_topics scripts_needed allowed_tools storage_layer generated_content generated_resources validation_attempts validation_errors
	validation_progress message_history asked_questions inference_attempts`)

// nasty has texts that break careless concatenation.
var nasty = []string{
	"", "plain words", "---", "--- \n---\n", "a: b", "- x", "# y", "*alias", "&anchor", "!!binary x", "{a: b}", "[x", "\"", "'", "\\", "yes", "null", "~", "1e5", "0x1F",
	"2020-01-01", "%YAML 1.1", "a\nb", "a\r\nb", "tab\tin", " leading", "trailing ", "\u2028", "\u0085x", "\uFEFFbom", "日本語のスキル", "é", "👩‍🚀", "`", "``` x", "[l](references/none.md)",
	"<script>alert(1)</script>", "../../etc/passwd", "name: other\ndescription: other", "allowed-tools: Bash", "=== SKILL.md ===", "$(rm -rf .)", "|", ">", "? k", ": v", "\n---\nname: evil\n---\n",
}

func text(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(3) {
		b.WriteString(nasty[r.IntN(len(nasty))])
	}
	return b.String()
}

// random fills a value of any type in a context.
func random(r *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text(r))
	case reflect.Int:
		v.SetInt(int64(r.IntN(1000)))
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1+r.IntN(4), 5))
		for i := range v.Len() {
			random(r, v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 1 + r.IntN(4) {
			k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			random(r, k)
			random(r, e)
			v.SetMapIndex(k, e)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		random(r, v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			random(r, v.Field(i))
		}
	default:
		panic("a context holds a " + v.Kind().String() + ": say here how it is made")
	}
}

func randomContext(r *rand.Rand) Context {
	var c Context
	random(r, reflect.ValueOf(&c).Elem())
	c.State = states()[r.IntN(len(Moves))]
	c.SessionID = "s" + c.SessionID
	c.Plan.Schema = schemaNow
	return c
}

func states() []State {
	var out []State
	for s := range Moves {
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}

func load(t *testing.T, c Context) Context {
	t.Helper()
	blob, err := c.Save()
	if err != nil {
		t.Fatal(err)
	}
	back, err := Load(blob, c.MessageHistory)
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// S1-06: the context has the document's 21 fields, and Save and Load keep each of them.
func TestEveryFieldSurvives_S1_06(t *testing.T) {
	var names []string
	of := reflect.TypeFor[Context]()
	for i := range of.NumField() {
		name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	if want := append(slices.Clone(fields), "plan"); len(fields) != 21 || !slices.Equal(names, want) {
		t.Fatalf("fields %v, want %v", names, want)
	}
	for seed := range uint64(2000) {
		c := randomContext(rand.New(rand.NewPCG(seed, 6)))
		back := load(t, c)
		for i, name := range names {
			if was, is := reflect.ValueOf(c).Field(i).Interface(), reflect.ValueOf(back).Field(i).Interface(); !reflect.DeepEqual(was, is) {
				t.Fatalf("seed %d: %s was %#v and is %#v", seed, name, was, is)
			}
		}
	}
}

// S1-07: one blob stores the context. It omits the messages, which the transcript's rows have.
func TestOneBlobWithoutWhatWasSaid_S1_07(t *testing.T) {
	c := NewContext("s")
	c.MessageHistory = []Line{{world.RoleUser, "planted words"}}
	blob, err := c.Save()
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(blob, []byte("planted")) || len(c.MessageHistory) != 1 {
		t.Fatalf("%s, %v", blob, c.MessageHistory)
	}
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(blob, &whole); err != nil {
		t.Fatal(err)
	}
	for _, f := range fields {
		if _, ok := whole[f]; !ok && f != "message_history" {
			t.Errorf("the blob lacks %s", f)
		}
	}
}

func TestHistoryIsTheRows(t *testing.T) {
	rows := []world.Message{
		{Role: world.RoleSystem, Content: "begins", Status: world.MessageDone}, {Role: world.RoleUser, Content: "hello", Status: world.MessageDone},
		{Role: world.RoleAssistant, Content: "", Status: world.MessageOpen}, {Role: world.RoleAssistant, Content: "half", Status: world.MessageInterrupted},
		{Role: world.RoleTool, Content: "x", Status: world.MessageDone}, {Role: world.RoleAssistant, Content: "yes?", Status: world.MessageDone},
	}
	want := []Line{{"user", "hello"}, {"assistant", "half"}, {"assistant", "yes?"}}
	if got := History(rows); !slices.Equal(got, want) {
		t.Fatalf("%v", got)
	}
}

// S1-13: a megabyte of content is stored completely.
func TestLargeContent_S1_13(t *testing.T) {
	c := NewContext("s")
	c.GeneratedContent = strings.Repeat("a line of a skill, with <marks> & \"quotes\"\n", 1<<20/40)
	c.GeneratedResources["references/a.md"] = strings.Repeat("\u2028\t", 1<<17)
	blob, err := c.Save()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes of content, %d of blob", len(c.GeneratedContent)+len(c.GeneratedResources["references/a.md"]), len(blob))
	if back := load(t, c); !reflect.DeepEqual(back, c) || len(c.GeneratedContent) < 1<<20 {
		t.Fatal("it is another")
	}
	c.GeneratedContent = strings.Repeat("x", maxBlob)
	if _, err := c.Save(); err == nil {
		t.Fatal("a blob has no bound")
	}
}

// Load sets the fields that a blob of an earlier version lacks to their defaults.
func TestOlderBlobsGetDefaults(t *testing.T) {
	c, err := Load([]byte(`{"session_id":"s","examples":null,"unknown":{"x":1}}`), nil)
	if err != nil || !reflect.DeepEqual(c, NewContext("s")) {
		t.Fatalf("%+v, %v", c, err)
	}
	inline := []byte(`{"session_id":"s","state":"gathering_details","message_history":[{"role":"user","content":"as the document stores it"}]}`)
	if c, err = Load(inline, nil); err != nil || len(c.MessageHistory) != 1 || c.State != GatheringDetails {
		t.Fatalf("%+v, %v", c, err)
	}
	if c, err = Load(inline, []Line{{"user", "a"}, {"assistant", "b"}}); err != nil || len(c.MessageHistory) != 2 {
		t.Fatalf("the rows do not count: %+v, %v", c, err)
	}
	if r, err := Step(c, Input{Text: "go on"}, env()); err != nil || r.Question() == nil {
		t.Fatalf("it does not go on: %+v, %v", r, err)
	}
}

// Load returns ErrCorrupt for a blob from which a forge cannot continue, so that the caller sets it aside.
func TestCorruptBlobs(t *testing.T) {
	blob, err := randomContext(rand.New(rand.NewPCG(1, 1))).Save()
	if err != nil {
		t.Fatal(err)
	}
	for n := range blob {
		if _, err := Load(blob[:n], nil); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("cut at %d: %v", n, err)
		}
	}
	for _, s := range []string{"", "null", "[]", "{}", "x", `{"session_id":"s","state":"dreaming"}`, `{"session_id":"s","examples":"one"}`, `{"session_id":"s","validation_attempts":-1}`,
		string(blob) + "{}", string(bytes.Repeat([]byte(" "), maxBlob+1))} {
		if _, err := Load([]byte(s), nil); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%.60q: %v", s, err)
		}
	}
	if _, err := Load([]byte(`{"session_id":"s","state":"later","plan":{"schema":2}}`), nil); !errors.Is(err, ErrNewer) || errors.Is(err, ErrCorrupt) {
		t.Errorf("a newer blob: %v", err)
	}
}

func FuzzLoad(f *testing.F) {
	blob, err := randomContext(rand.New(rand.NewPCG(2, 2))).Save()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(blob)
	f.Add([]byte(`{"session_id":"s","plan":{"asking":{}}}`))
	f.Fuzz(func(t *testing.T, blob []byte) {
		c, err := Load(blob, nil)
		if err != nil {
			return
		}
		if back := load(t, c); !reflect.DeepEqual(back, c) {
			t.Fatalf("%+v\n%+v", c, back)
		}
		for _, in := range []Input{{Text: "go on"}, {Text: "Another thing to do."}, {Failed: "x"}, {Saved: &Saved{}}, {Answer: &Answer{N: c.Plan.Requests, Text: "# x"}}} {
			if _, err := Step(c, in, env()); err != nil {
				t.Fatalf("%+v: %v", in, err)
			}
		}
	})
}

// Question returns the question for the person. It is nil while a model or the disk works, and at the end.
func (r *Result) Question() *Question { return r.Context.Plan.Asking }
