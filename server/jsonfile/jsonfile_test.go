package jsonfile_test

import (
	"strings"
	"testing"

	"agentdungeon/server/jsonfile"
)

// parse reads a sample format: {"id", "name", "color", "sort", "text", "list": [{"n"}]}.
func parse(r *jsonfile.Reader, data string) error {
	f := r.Object(r.Read([]byte(data)), "", "id", "name", "color", "sort", "text", "list")
	r.ID(f["id"], "id")
	r.Name(f["name"], "name")
	r.Color(f["color"], "color")
	r.OneOf(f["sort"], "sort", "a", "b")
	r.Text(f["text"], "text", 8, true)
	for i, item := range r.List(f["list"], "list", 1, 2) {
		at := jsonfile.Index("list", i)
		g := r.Object(item, at, "n")
		r.Integer(g["n"], at+".n", 0, 9)
	}
	return r.Err()
}

const good = `{
  "id": "x", "name": "Ü", "color": "#112233",
  "sort": "a", "text": "a\nb c",
  "list": [{"n": 1}, {"n": 2}]
}`

// Each mistake yields an error with the file, the field, and the line and column.
func TestMistakes(t *testing.T) {
	for _, tc := range []struct{ from, to, want string }{
		{``, ``, ``},
		{`a\nb c`, `ninebytes`, `text: is 9 bytes long, at most 8 fit (line 3, column 24)`},
		{`"x"`, `"x y"`, `id: must be 1 to 64 characters of A-Z a-z 0-9 _ - (line 2, column 9)`},
		{`"x"`, `7`, `id: must be a string (line 2, column 9)`},
		{`"id": "x", `, ``, `id: is missing`},
		{`"x"`, `"x", "id": "y"`, `id: stands twice (line 2, column 20)`},
		{`"x"`, `"x", "ID": "y"`, `ID: is not a field here; there are id, name, color, sort, text, list (line 2, column 20)`},
		{`"Ü"`, `" "`, `name: must be 1 to`},
		{`"#112233"`, `"red"`, `color: must be #rrggbb (line 2, column 36)`},
		{`"a"`, `"c"`, `sort: must be one of a, b (line 3, column 11)`},
		{`a\nb c`, `\u0007`, `text: holds a control character`},
		{`a\nb c`, ` `, `text: is empty`},
		{`a\nb c`, `x`, ``},
		{`[{"n": 1}, {"n": 2}]`, `{}`, `list: must be a list (line 4, column 11)`},
		{`[{"n": 1}, {"n": 2}]`, `[]`, `list: has 0 entries; it must have 1 to 2 (line 4, column 11)`},
		{`{"n": 2}`, `2`, `list[1]: must be an object (line 4, column 22)`},
		{`{"n": 2}`, `{"n": 10}`, `list[1].n: is 10; it must be 0 to 9 (line 4, column 28)`},
		{`{"n": 2}`, `{"n": 1.5}`, `list[1].n: must be an integer`},
		{`{"n": 2}`, `{"m": 2}`, `list[1].m: is not a field here`},
		{`"sort"`, `sort`, `line 3: invalid character 's'`},
		{`"sort": "a",`, `"sort": "a" x`, `line 3: invalid character 'x' after object key:value pair (column 15)`},
		{"\n}", ``, `line 4: the file ends too early`},
		{"\n}", "\n} {}", `line 5: something follows after the end of the object (column 3)`},
		{`"x"`, "\"\xff\"", `is not UTF-8`},
		{`"x"`, strings.Repeat("[", 20) + strings.Repeat("]", 20), `line 2: is nested too deeply`},
		{`"x"`, `"` + strings.Repeat("x", 1000) + `"`, `is 1113 bytes long, at most 1000 fit`},
	} {
		err := parse(jsonfile.New("a.json", 1000), strings.Replace(good, tc.from, tc.to, 1))
		switch {
		case tc.want == "" && err != nil:
			t.Errorf("%q: %v", tc.to, err)
		case tc.want != "" && (err == nil || !strings.HasPrefix(err.Error(), "a.json: "+tc.want)):
			t.Errorf("%q -> %q:\n got %v\nwant %s", tc.from, tc.to, err, tc.want)
		}
	}
	long := strings.Replace(good, `a\nb c`, "ninebytes", 1)
	if err := parse(jsonfile.NewPlain("Bad file", 1000), long); err == nil ||
		err.Error() != "Bad file: text: is 9 bytes long, at most 8 fit" {
		t.Errorf("a plain reader: %v", err)
	}
}

// Fields returns raw values, and the rules for a file apply at every depth.
func TestFields(t *testing.T) {
	raw, err := jsonfile.Fields("s.json", []byte(`{"a": {"b": 1}, "c": [2]}`), 100)
	if err != nil || string(raw["a"]) != `{"b": 1}` || string(raw["c"]) != `[2]` {
		t.Errorf("%s, %v", raw, err)
	}
	for _, tc := range []struct{ text, want string }{
		{`{"a": {"b": 1, "b": 2}}`, `s.json: a.b: stands twice (line 1, column 21)`},
		{`[]`, `s.json: must be an object`},
		{`null`, `s.json: is missing`},
		{`{} x`, `s.json: line 1: something follows`},
		{``, `s.json: line 1: the file ends too early`},
	} {
		if _, err := jsonfile.Fields("s.json", []byte(tc.text), 100); err == nil || !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %s", tc.text, err, tc.want)
		}
	}
}

func TestClip(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"short", "short"}, {"two\nlines", "two?lines"}, {"12345678ü", "12345678..."}, {"\xff", "\uFFFD"},
	} {
		if got := jsonfile.Clip(tc.in, 9); got != tc.want {
			t.Errorf("%q: %q, want %q", tc.in, got, tc.want)
		}
	}
}
