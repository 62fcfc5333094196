package world

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

const planted = "planted words of a person"

// Every registered event type says which of its fields are personal, and the redactor changes exactly these (S1-19).
// A golden file lists the other fields. So a new field needs a decision; the flag -update writes the file.
func TestEveryEventSaysWhatIsPersonal(t *testing.T) {
	var kept bytes.Buffer
	for _, b := range Bodies() {
		name := b.EventType()
		p := FactsOf(name).Personal
		if (p.None == "") == (p.redact == nil) {
			t.Errorf("%s must say what is personal or why nothing is", name)
		}
		talk := Scope{Conversations: []string{"c1"}, Process: "c1", Processes: []Span{{From: 1}}, Runs: map[string][]Span{"x1": {{From: 1}}}, Bare: true}
		person := Scope{Person: "p1", Names: []string{planted}, Words: []string{planted}, Begun: []string{"c1"}}
		told := &HistoryErased{Artifacts: []ErasedText{{ID: "x1"}}, Findings: []string{"x1"}, Quests: []string{"x1"}, Forts: []string{"x1"}}
		if got := changedBy(t, b, talk, told); !slices.Equal(got, sorted(p.Conversation)) {
			t.Errorf("%s: with its conversation these go: %q, the table says %q", name, got, sorted(p.Conversation))
		}
		if got := changedBy(t, b, person, told); !slices.Equal(got, sorted(p.Person)) {
			t.Errorf("%s: with a person these go: %q, the table says %q", name, got, sorted(p.Person))
		}
		for _, path := range sorted(leaves(t, filled(b))) {
			if !slices.Contains(p.Conversation, path) && !slices.Contains(p.Person, path) {
				fmt.Fprintf(&kept, "%s %s\n", name, path)
			}
		}
	}
	golden := "testdata/kept.txt"
	if *update {
		if err := os.WriteFile(golden, kept.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || !bytes.Equal(want, kept.Bytes()) {
		t.Errorf("other text fields than in %s would stay after an erasure (%v); they are\n%s", golden, err, kept.String())
	}
}

func sorted[T any](in T) []string {
	var out []string
	switch in := any(in).(type) {
	case []string:
		out = slices.Clone(in)
	case map[string]string:
		for k := range in {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// changedBy returns the JSON paths of the fields that redacting changes.
func changedBy(t *testing.T, b Body, s Scope, told *HistoryErased) []string {
	t.Helper()
	body := filled(b)
	before := leaves(t, body)
	r := NewRedactor(s, told)
	changed := r.Event(&Event{Seq: 1, At: 5, V: 1, Body: body})
	after := leaves(t, body)
	var out []string
	for path, v := range before {
		if after[path] != v {
			out = append(out, path)
			if strings.Contains(after[path], planted) {
				t.Errorf("%s: %s still says %q", b.EventType(), path, after[path])
			}
		}
	}
	if changed != (len(out) > 0) {
		t.Errorf("%s: it says that it changed something: %v; it changed %q", b.EventType(), changed, out)
	}
	if r.Event(&Event{Seq: 1, At: 5, V: 1, Body: body}) {
		t.Errorf("%s: redacting twice is not redacting once", b.EventType())
	}
	return sorted(out)
}

// filled returns a body of b's type in which every text is a planted one, and every id is one that an erasure names.
func filled(b Body) Body {
	v := reflect.New(reflect.TypeOf(b).Elem())
	fill(v.Elem(), "")
	return v.Interface().(Body)
}

func fill(v reflect.Value, name string) {
	switch v.Kind() {
	case reflect.String:
		switch {
		case name == "ConversationID":
			v.SetString("c1")
		case name == "SpectatorID", name == "By":
			v.SetString("p1")
		case name == "ID" || strings.HasSuffix(name, "ID"):
			v.SetString("x1")
		case name == "Role":
			v.SetString(RoleUser)
		case name == "Kind", name == "Type":
			v.SetString(KindHuman)
		default:
			v.SetString(planted)
		}
	case reflect.Int, reflect.Int64:
		v.SetInt(5)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), name)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), name)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Tag.Get("json") != "-" {
				fill(v.Field(i), f.Name)
			}
		}
	}
}

// leaves returns the texts of a body or a world by their JSON path.
func leaves(t *testing.T, of any) map[string]string {
	t.Helper()
	raw, err := json.Marshal(of)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	walk(v, "", out)
	return out
}

func walk(v any, path string, out map[string]string) {
	switch v := v.(type) {
	case string:
		out[path] = v
	case map[string]any:
		for k, e := range v {
			walk(e, strings.TrimPrefix(path+"."+k, "."), out)
		}
	case []any:
		for _, e := range v {
			walk(e, path+"[]", out)
		}
	}
}

// Redacted events and history:erased fold to the same world as the original events and history:erased, for every
// conversation and every person of the recorded journals. P16.5.
func TestErasedWorldsAreEqual(t *testing.T) {
	journals, err := filepath.Glob("../testdata/*.jsonl")
	if err != nil || len(journals) == 0 {
		t.Fatalf("no recorded journals: %v", err)
	}
	erased := 0
	for _, path := range journals {
		for _, s := range scopesOf(t, path) {
			erased++
			before := events(t, path)
			whole, left := New(Realm{}), New(Realm{})
			for _, ev := range before {
				Apply(whole, ev)
			}
			told := &HistoryErased{ErasureID: "e1", Conversations: s.Conversations, SpectatorID: s.Person, Reason: ErasedOnRequest}
			NewRedactor(s, nil).Outcome(whole, told)
			r := NewRedactor(s, told)
			for _, ev := range events(t, path) {
				r.Event(&ev)
				rec, err := ev.Encode()
				if err != nil {
					t.Fatal(err)
				}
				back, err := DecodeEvent(rec.Frame)
				if err != nil {
					t.Fatal(err)
				}
				for _, words := range s.Words {
					if len(words) >= MinQuote && bytes.Contains(rec.Frame, quoted(t, words)) {
						t.Errorf("%s: %q is still in %s", path, words, rec.Frame)
					}
				}
				Apply(left, back)
			}
			last := Event{Seq: whole.Tick + 1, At: before[len(before)-1].At, V: 1, Body: told}
			Apply(whole, last)
			Apply(left, last)
			a, b := canonical(t, whole), canonical(t, left)
			if !reflect.DeepEqual(a, b) {
				t.Errorf("%s without %q %q: the worlds differ in %s", path, s.Conversations, s.Person, difference(a, b))
			}
			if err := whole.Validate(); err != nil {
				t.Error(err)
			}
			if s.Person != "" && !whole.IsErased(s.Person) {
				t.Error("the world does not know whom it forgot")
			}
		}
	}
	if erased < 10 {
		t.Fatalf("only %d erasures were tried", erased)
	}
}

// difference returns the fields in which two worlds differ.
func difference(a, b any) string {
	var out []string
	one, two := a.(map[string]any), b.(map[string]any)
	for k := range one {
		if !reflect.DeepEqual(one[k], two[k]) {
			out = append(out, fmt.Sprintf("%s:\n%v\n%v", k, one[k], two[k]))
		}
	}
	return strings.Join(out, "\n")
}

func quoted(t *testing.T, s string) []byte {
	t.Helper()
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return raw[1 : len(raw)-1]
}

func events(t *testing.T, path string) []Event {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []Event
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		ev, err := DecodeEvent(lines.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, ev)
	}
	return out
}

// scopesOf returns a scope for the erasure of each conversation and of each person of a journal.
func scopesOf(t *testing.T, path string) []Scope {
	t.Helper()
	talks, people := map[string]*Scope{}, map[string]*Scope{}
	person := func(id, name, words string) {
		if id == "" {
			return
		}
		if people[id] == nil {
			people[id] = &Scope{Person: id}
		}
		if name != "" && !slices.Contains(people[id].Names, name) {
			people[id].Names = append(people[id].Names, name)
		}
		people[id].Words = append(people[id].Words, words)
	}
	for _, ev := range events(t, path) {
		switch b := ev.Body.(type) {
		case *ConversationStarted:
			talks[b.Conversation.ConversationID] = &Scope{Conversations: []string{b.Conversation.ConversationID}, Runs: map[string][]Span{}, Bare: true}
			if b.Conversation.Kind == KindProcess {
				talks[b.Conversation.ConversationID].Processes = []Span{{From: b.Conversation.CreatedAt}}
			}
		case *SpectatorCommand:
			person(b.SpectatorID, b.Name, b.Text)
		case *ProcessCast:
			person(b.Casting.SpectatorID, b.Casting.Name, "")
		case *ChatStarted:
			talks[b.ConversationID].Runs[b.MemberID] = append(talks[b.ConversationID].Runs[b.MemberID], Span{From: ev.At})
		case *QuestUpdate:
			person(b.Quest.SpectatorID, b.Quest.Owner, "")
		case *NavigationChanged:
			person(b.SpectatorID, "", "")
		}
		if row := ev.Row(); row != nil {
			person(row.SpectatorID, row.Name, row.Content)
		}
	}
	var out []Scope
	for _, s := range talks {
		out = append(out, *s)
	}
	for _, s := range people {
		out = append(out, *s)
	}
	return out
}

// P16.8.
func TestQuotesAreFound(t *testing.T) {
	r := NewRedactor(Scope{Person: "p1", Names: []string{"Ada", "Ada Lovelace"}, Words: []string{"the boat leaves at nine\nand it is blue today", "short"}}, nil)
	for in, want := range map[string]string{
		"sage heard: the boat leaves at nine":            "sage heard: erased",
		"the boat leaves at nine\nand it is blue today!": "erased!",
		"the boat leaves":                                "the boat leaves",
		"short":                                          "short",
	} {
		if got := r.WithoutQuotes(in); got != want {
			t.Errorf("%q became %q", in, got)
		}
	}
	if got := r.withoutLines("# notes\n\n short\nshorter\n"); got != "# notes\n\nerased\nshorter\n" {
		t.Errorf("of rows it left %q", got)
	}
	for in, want := range map[string]string{
		"Ada ended it.": "erased ended it.", "Ada Lovelace ended it, Ada.": "erased ended it, erased.",
		"Adam ended it.": "Adam ended it.", "Adam and Ada": "Adam and erased", "AdaAda Ada": "AdaAda erased",
	} {
		if got := r.withoutNames(in); got != want {
			t.Errorf("%q became %q", in, got)
		}
	}
}

// The recorded journals erased-*.jsonl are copies of others with history:erased at their end. Go and the page fold
// them like every recorded journal. The flag -update writes them.
func TestErasedJournalsAreRecorded(t *testing.T) {
	for from, to := range map[string]string{"people": "erased-person", "talks": "erased-talk", "scripted": "erased-process"} {
		path := "../testdata/" + to + ".jsonl"
		if *update {
			all := events(t, "../testdata/"+from+".jsonl")
			w := New(Realm{})
			var out bytes.Buffer
			for _, ev := range all {
				Apply(w, ev)
				write(t, &out, ev)
			}
			scopes := scopesOf(t, "../testdata/"+from+".jsonl")
			slices.SortFunc(scopes, func(a, b Scope) int {
				return strings.Compare(fmt.Sprint(a.Person, a.Conversations), fmt.Sprint(b.Person, b.Conversations))
			})
			for _, s := range scopes {
				if (s.Person != "") != (to == "erased-person") {
					continue
				}
				told := &HistoryErased{ErasureID: fmt.Sprint("e", w.Tick+1), Conversations: s.Conversations, SpectatorID: s.Person, Reason: ErasedOnRequest}
				if told.Conversations == nil {
					told.Conversations = []string{}
				}
				if len(s.Conversations) == 1 {
					told.ConversationID = s.Conversations[0]
				}
				NewRedactor(s, nil).Outcome(w, told)
				ev := Event{Seq: w.Tick + 1, At: all[len(all)-1].At, V: 1, Body: told}
				Apply(w, ev)
				write(t, &out, ev)
				break
			}
			if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if all := events(t, path); all[len(all)-1].Body.EventType() != "history:erased" {
			t.Errorf("%s does not end with an erasure", path)
		}
	}
}

func write(t *testing.T, out *bytes.Buffer, ev Event) {
	t.Helper()
	rec, err := ev.Encode()
	if err != nil {
		t.Fatal(err)
	}
	out.Write(append(rec.Frame, '\n'))
}
