package history_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"agentdungeon/server/store/history"
	"agentdungeon/server/store/storetest"
	"agentdungeon/shared/world"
)

// told returns a realm with two conversations whose rows have the given texts, by row id.
func told(t testing.TB, texts map[string]string) *storetest.Rig {
	t.Helper()
	r := storetest.NewRig(t)
	r.Commit(&world.RealmCreated{Realm: storetest.RigRealm, Settings: world.DefaultSettings()},
		&world.ConversationStarted{Conversation: world.Conversation{ConversationID: "c1", Kind: world.KindChat, Title: "one", Status: world.ConversationActive}},
		&world.ConversationStarted{Conversation: world.Conversation{ConversationID: "C1", Kind: world.KindCouncil, Title: "two", Status: world.ConversationActive}})
	var ids []string
	for id := range texts {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for i, id := range ids {
		r.Commit(&world.MessageAdded{ConversationID: "c1", Message: world.Message{MessageID: id, ConversationID: []string{"c1", "C1"}[i%2], Role: world.RoleSystem, Name: "N", Content: texts[id], Status: world.MessageDone, At: r.At}})
	}
	return r
}

func TestSearchFindsWords(t *testing.T) {
	r := told(t, map[string]string{
		"a": "The Gewölbe below the naïve café keeps a lantern", "b": "a LANTERN, and another lantern: lanterns", "c": "don't foo-bar or AND \"NOT\" near(this)",
		"d": "portcullis", "e": "日本語の文章 and кошка", "f": "content: rowid lantern* ^x", "g": "x\x00hidden", "h": "snake_case and camelCase v2.10", "i": "e\u0301clair",
		"j": "private \ue000marks\ue001( here", "k": strings.Repeat("filler ", 10_000) + "beyond", "l": "not \xff valid \xfe utf",
	})
	j := r.O.Journal
	for words, want := range map[string]string{
		"lantern": "a b f", "LANTERN cafe": "a", "café": "a", "gewolbe": "a", "Gewölb": "a", "lanterns": "b", "lante": "a b f", "ante": "",
		"lantern below": "a", "below lan": "a", "lan below": "", "lantern nowhere": "",
		"don't": "c", "foo-bar": "c", "foo-b": "", "foo-ba": "", "bar-foo": "", "\"foo bar\"": "c", "or": "c", "AND": "b c e h", "NOT": "c l",
		"NEAR(this": "c", "this near": "c", "content: rowid": "f", "content:rowid": "f", "lantern* rowid": "f", "-lantern rowid": "f", "^x": "f g", "x": "f g",
		"por": "d", "po": "", "日本": "e", "日": "e", "кошка": "e", "КОШ": "e", "hidden": "g", "snake_case": "h", "snake case": "h", "v2": "h", "2.10": "", "v2.10": "h",
		"eclair": "i", "éclair": "i", "marks": "", "\ue000marks\ue001": "j", "beyond": "", "filler": "k", "valid": "l", "c1": "", "{conversation} : c1": "",
		"": "", "  ": "", "\"": "", "\"\"": "", "*": "", "-": "", "()": "", "\u0301": "", "\x00": "", "...!?": "", "\xff": "",
	} {
		if got := strings.Join(storetest.Searched(t, j, words), " "); got != want {
			t.Errorf("%q finds %q, want %q", words, got, want)
		}
	}
	hits := must1(t)(j.Search(t.Context(), world.SearchQuery{Words: "lantern", ConversationID: "c1"}))
	if len(hits) != 1 || hits[0].MessageID != "a" || hits[0].Kind != world.KindChat || hits[0].Title != "one" || hits[0].Name != "N" || hits[0].Role != world.RoleSystem || hits[0].At == 0 {
		t.Fatalf("%+v", hits)
	}
	rows, _, err := j.Rows(t.Context(), "c1", "", hits[0].Seq+1, 1)
	if err != nil || len(rows) != 1 || rows[0].MessageID != "a" {
		t.Fatalf("%v: %+v", err, rows)
	}
	for _, none := range []string{"c2", "", "\"", "c1\" OR \"a", "*"} {
		hits := must1(t)(j.Search(t.Context(), world.SearchQuery{Words: "lantern", ConversationID: none}))
		if want := map[bool]int{true: 3}[none == ""]; len(hits) != want || hits == nil {
			t.Errorf("in %q: %+v", none, hits)
		}
	}
	storetest.CheckIndex(t, j)
}

func must1(t testing.TB) func([]world.SearchHit, error) []world.SearchHit {
	return func(hits []world.SearchHit, err error) []world.SearchHit {
		t.Helper()
		storetest.Must(t, err)
		return hits
	}
}

// A search by a spectator finds no row of a private conversation, and its best hits are chosen among the others (P17.5).
func TestSearchOfSpectators(t *testing.T) {
	r := storetest.NewRig(t)
	r.Commit(&world.RealmCreated{Realm: storetest.RigRealm, Settings: world.DefaultSettings()})
	for _, id := range []string{"c1", world.PrivateID("c2")} {
		r.Commit(&world.ConversationStarted{Conversation: world.Conversation{ConversationID: id, Kind: world.KindChat, Status: world.ConversationActive}})
		r.Commit(&world.MessageAdded{ConversationID: id, Message: world.Message{MessageID: "in" + id, ConversationID: id,
			Role: world.RoleUser, Content: "a private lantern", Status: world.MessageDone, At: r.At}})
	}
	for _, words := range []string{"lantern", "private", "lant"} {
		for public, want := range map[bool]int{false: 2, true: 1} {
			hits := must1(t)(r.O.Journal.Search(t.Context(), world.SearchQuery{Words: words, Limit: 2, Public: public}))
			if len(hits) != want || public && hits[0].ConversationID != "c1" {
				t.Errorf("%q, public %v: %+v", words, public, hits)
			}
		}
	}
	private := world.SearchQuery{Words: "lantern", ConversationID: world.PrivateID("c2"), Public: true}
	if hits := must1(t)(r.O.Journal.Search(t.Context(), private)); len(hits) != 0 {
		t.Errorf("in the private conversation: %+v", hits)
	}
}

// The parts of a hit are the text around its words. The matches are marked as data, so nothing in the
// text itself can look like a mark.
func TestSearchParts(t *testing.T) {
	long := strings.Repeat("w", 5000)
	r := told(t, map[string]string{
		"a": "before the <b>lantern</b> & after", "b": strings.Repeat("far ", 200) + "beacon here" + strings.Repeat(" away", 200),
		"c": long + " needle " + long, "d": "\ue000mark\ue001( in it \xff", "e": strings.Repeat("é", 200) + "\xc3 tower",
		"f": "gate far away " + strings.Repeat("x ", 300) + "the gate and the moat " + strings.Repeat("y ", 300) + "moat",
		"g": strings.Repeat("again ", 12_000),
	})
	flat := func(words string) (string, []world.SearchPart) {
		hits := must1(t)(r.O.Journal.Search(t.Context(), world.SearchQuery{Words: words}))
		if len(hits) != 1 {
			t.Fatalf("%q: %d hits", words, len(hits))
		}
		var b strings.Builder
		for _, p := range hits[0].Parts {
			if p.Text == "" || len(p.Text) > history.ShownBytes || !utf8.ValidString(p.Text) {
				t.Fatalf("%q: a part of %d bytes", words, len(p.Text))
			}
			if p.Hit {
				fmt.Fprintf(&b, "[%s]", p.Text)
			} else {
				b.WriteString(p.Text)
			}
		}
		return b.String(), hits[0].Parts
	}
	for words, want := range map[string]string{
		"lantern": "before the <b>[lantern]</b> & after", "lant": "before the <b>[lantern]</b> & after", "the lantern": "before [the] <b>[lantern]</b> & after",
		"it": "\ue000mark\ue001( in [it] \ufffd",
	} {
		if got, _ := flat(words); got != want {
			t.Errorf("%q: %q, want %q", words, got, want)
		}
	}
	for _, words := range []string{"beacon", "needle", "tower"} {
		got, parts := flat(words)
		if !strings.Contains(got, "["+words+"]") || !strings.Contains(got, "…") && words != "tower" || len(got) > history.ShownBytes+10 {
			t.Errorf("%q: %q in %d parts", words, got, len(parts))
		}
	}
	if got, _ := flat("moat gate"); !strings.Contains(got, "the [gate] and the [moat] y") {
		t.Error(got)
	}
	if _, parts := flat("again"); len(parts) < 50 { // many matches, but still only the shown length
		t.Errorf("%d parts", len(parts))
	}
}

// The best hits come first: rare words count more than common ones, whole words more than prefixes,
// and equal hits are ordered from the newest.
func TestSearchOrder(t *testing.T) {
	texts := map[string]string{"z1": "dragons dragons dragons", "z2": "dragon " + strings.Repeat("and so on ", 50), "z3": "dragon"}
	for i := range 30 {
		texts[fmt.Sprintf("e%02d", i)] = "all the same"
	}
	r := told(t, texts)
	ids := func(words string, limit int) string {
		var out []string
		for _, h := range must1(t)(r.O.Journal.Search(t.Context(), world.SearchQuery{Words: words, Limit: limit})) {
			out = append(out, h.MessageID)
		}
		return strings.Join(out, " ")
	}
	if got := ids("dragon", 10); got != "z3 z2 z1" {
		t.Error(got)
	}
	if got := ids("same", 3); got != "e29 e28 e27" {
		t.Error(got)
	}
	for limit, want := range map[int]int{-1: 30, 0: 30, 1: 1, 29: 29, 1000: 30} {
		if got := len(strings.Fields(ids("same", limit))); got != want {
			t.Errorf("limit %d: %d", limit, got)
		}
	}
}

// A row can be found from the moment at which it is closed, and never before.
func TestSearchFollowsTheTranscript(t *testing.T) {
	r := storetest.NewRig(t)
	for _, bodies := range storetest.Tale()[:3] {
		r.Commit(bodies...)
	}
	j := r.O.Journal
	if got := storetest.Searched(t, j, "once"); len(got) != 0 {
		t.Fatal(got)
	}
	r.Commit(storetest.Tale()[3]...)
	if got := storetest.Searched(t, j, "once"); !slices.Equal(got, []string{"m1"}) {
		t.Fatal(got)
	}
	start := &world.ToolStart{ConversationID: "c1", RequestID: "t1", MessageID: "tool", MemberName: "Bard", Name: "look", Input: "inputword"}
	r.Commit(start, &world.ToolOutput{ConversationID: "c1", MessageID: "tool", Text: "partial halfway"})
	if got := storetest.Searched(t, j, "halfway"); len(got) != 0 {
		t.Fatal("an open row is found")
	}
	storetest.CheckIndex(t, j)
	full := "whole " + strings.Repeat("x ", 20_000) + "farther " + strings.Repeat("y ", 20_000) + "unindexed"
	shown, _ := world.Cut(full, world.MaxToolShown)
	end := &world.ToolEnd{ConversationID: "c1", MessageID: "tool", OK: true, Output: shown, Cut: true, Full: full}
	b := r.Batch(end)
	storetest.Must(t, j.Commit(b))
	r.Fold(b)
	for words, want := range map[string]int{"whole": 1, "farther": 1, "halfway": 0, "unindexed": 0, "inputword": 0} {
		if got := storetest.Searched(t, j, words); len(got) != want {
			t.Errorf("%q: %v", words, got)
		}
	}
	rows, _, err := j.Rows(t.Context(), "c1", "", 0, 5)
	storetest.Must(t, err)
	if row := rows[len(rows)-1]; row.Content != shown || !row.Tool.Cut || row.Status != world.MessageDone || row.Name != "Bard" {
		t.Fatalf("%+v", row)
	}
	rows, _, err = j.Rows(t.Context(), "c1", "", rows[len(rows)-1].Seq+1, 1)
	storetest.Must(t, err)
	if row := rows[0]; row.Content != full || row.Tool.Cut || row.Tool.Input != "inputword" {
		t.Fatalf("%d bytes, %+v", len(row.Content), row.Tool)
	}
	// A batch that is not committed is not found.
	storetest.MustBe(t, j.Commit(r.Batch(&world.MessageAdded{ConversationID: "c1", Message: world.Message{MessageID: "late", Content: "phantom", Status: world.MessageDone}}, start)), world.ErrBroken)
	if got := storetest.Searched(t, j, "phantom"); len(got) != 0 {
		t.Fatal(got)
	}
	storetest.CheckIndex(t, j)
}

func TestSearchStopsWithItsContext(t *testing.T) {
	r := told(t, map[string]string{"a": "lantern"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.O.Journal.Search(ctx, world.SearchQuery{Words: "lantern"}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	for range history.Readers + 1 { // no handle is leaked
		must1(t)(r.O.Journal.Search(t.Context(), world.SearchQuery{Words: "lantern"}))
	}
	r.Close()
	if _, err := r.O.Journal.Search(t.Context(), world.SearchQuery{Words: "lantern"}); err == nil {
		t.Fatal("a closed journal is searched")
	}
}

// FuzzSearch: any text works as a query, finds the row that contains the same text, and its parts are
// the text of that row.
func FuzzSearch(f *testing.F) {
	for _, s := range []string{"lantern", "don't \"stop\"", "a AND b OR NOT c", "NEAR(a b, 2)", "x* ^y {z} : w -v +u", "日本語 кошка café e\u0301", "\x00\xff\u0301\ue000", "content:x rowid MATCH", "((((", "''''\"\"\"\"", strings.Repeat("w ", 700), "ﬁ ǅ ß İ", "५ ² ½", "👩‍🚀 🏳️‍🌈", "\u200d\u200b", "ᾳ ͅ"} {
		f.Add(s, s)
	}
	r := storetest.NewRig(f)
	r.Tell()
	n := 0
	f.Fuzz(func(t *testing.T, text, words string) {
		n++
		if len(text) > 1<<16 {
			return
		}
		id := fmt.Sprint("z", n)
		r.T = t
		r.Commit(&world.MessageAdded{ConversationID: "c1", Message: world.Message{MessageID: id, ConversationID: "c1", Content: text, Status: world.MessageDone, At: 1}})
		hits := must1(t)(r.O.Journal.Search(t.Context(), world.SearchQuery{Words: words, Limit: 20}))
		match := ""
		if s := history.ParseQuery(words); len((*s.PhrasesRef())) > 0 {
			match = s.Match(true)
		}
		if strings.IndexFunc(words, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) || unicode.Is(unicode.Co, c) }) < 0 && len(hits) > 0 {
			t.Fatalf("%q finds %+v", words, hits)
		}
		if strings.Count(match, `"`)%2 > 0 || strings.ContainsAny(match, "\x00():{}^+-") || len(match) > 4*history.MaxSearchBytes {
			t.Fatalf("%q makes %q", words, match)
		}
		for _, h := range hits {
			var b strings.Builder
			for _, p := range h.Parts {
				b.WriteString(p.Text)
				if p.Text == "" || !utf8.ValidString(p.Text) {
					t.Fatalf("%q: %+v", words, h.Parts)
				}
			}
			rows, _, err := r.O.Journal.Rows(t.Context(), "c1", "", h.Seq+1, 1)
			storetest.Must(t, err)
			content := strings.ToValidUTF8(rows[0].Content, "\ufffd")
			for piece := range strings.SplitSeq(b.String(), "…") {
				if !strings.Contains(content, piece) {
					t.Fatalf("%q: %q is not of %q", words, piece, content)
				}
			}
		}
		// Every row is found by its own first plain word.
		for word := range strings.FieldsSeq(text) {
			if plain := strings.IndexFunc(word, func(c rune) bool { return c > unicode.MaxASCII || !history.InWord(c) }) < 0; plain && len(word) < history.MaxSearchBytes {
				hits := must1(t)(r.O.Journal.Search(t.Context(), world.SearchQuery{Words: word, Limit: 100}))
				if len(hits) < 100 && !slices.ContainsFunc(hits, func(h world.SearchHit) bool { return h.MessageID == id }) {
					t.Fatalf("%q does not find %q", word, text)
				}
				break
			}
		}
		frames, err := r.O.Journal.Read(t.Context(), r.W.Tick-1, 1)
		if err != nil || len(frames) != 1 || !slices.Equal(frames[0].Bytes, r.Frames[r.W.Tick-1]) {
			t.Fatalf("read back: %v", err)
		}
		if n%50 == 1 {
			storetest.CheckIndex(t, r.O.Journal)
		}
	})
}

func TestSearchTakesOddLetters(t *testing.T) {
	r := told(t, map[string]string{"a": "lantern \U0001E900\U0001E922 word", "b": "x"})
	for _, q := range []string{"\U0001E900", "\U0001E900\U0001E922", "lantern \U0001E922\U0001E923", "\u2188\u218A\u218B", "\u1C80bc", "\U000F0000\U00100000x", "\u0300a\u0301", "\ua7af\u0870\U0001F100", "\u20dd\u20de1", "\U0001D7D8abc", "½⅓x", "㊿㉈"} {
		hits, err := r.O.Journal.Search(t.Context(), world.SearchQuery{Words: q})
		if err != nil {
			t.Errorf("%q: %v", q, err)
		}
		_ = hits
	}
}
