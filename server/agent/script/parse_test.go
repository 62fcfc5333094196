package script

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/afero"

	"agentdungeon/shared/world"
)

// one returns a script with one rule of these steps.
func one(steps string) string {
	return `{"version":1,"turns":[{"match":{"role":"r"},"steps":[` + steps + `]}]}`
}

func TestParseNamesFileAndField(t *testing.T) {
	long := strings.Repeat("x", 5000)
	for _, c := range []struct{ name, in, want string }{
		{"empty file", ``, "demo.json: line 1: the file ends too early"},
		{"syntax", "{\n\"version\": 1,\n]", "demo.json: line 3: invalid character"},
		{"more than one value", `{"version":1,"otherwise":[{"empty":true}]} {}`, "demo.json: line 1: something follows after the end of the object"},
		{"not an object", `[]`, "demo.json: must be an object"},
		{"not UTF-8", "{\"version\":1,\"about\":\"\xff\"}", "demo.json: is not UTF-8"},
		{"too large", `{"version":1,"about":"` + strings.Repeat("x", MaxFile) + `"}`,
			"demo.json: the script is larger than 1048576 bytes"},
		{"too deep", `{"about":` + strings.Repeat("[", 30) + strings.Repeat("]", 30) + `}`, "is nested too deep"},
		{"no version", `{"otherwise":[{"say":"a"}]}`, "demo.json: version: is missing"},
		{"newer version", `{"version":2,"turns":{},"new":1}`, "demo.json: version: is 2; this server plays version 1"},
		{"version as text", `{"version":"1"}`, "demo.json: version: must be an integer"},
		{"nobody speaks", `{"version":1}`, `has neither "turns" nor "otherwise"`},
		{"unknown field", `{"version":1,"truns":[],"otherwise":[{"say":"a"}]}`, "demo.json: truns: is not a field here; there are version"},
		{"other case", `{"Version":1}`, "demo.json: Version: is not a field here"},
		{"twice", `{"version":1,"turns":[{"steps":[{"say":"a","say":"b"}]}]}`, "demo.json: turns[0].steps[0].say: stands twice"},
		{"odd key", `{"version":1,"a.b\n":1,"otherwise":[{"say":"a"}]}`, "demo.json: a.b?: is not a field here"},
		{"about", `{"version":1,"about":1,"otherwise":[{"say":"a"}]}`, "about: must be a string"},
		{"turns not a list", `{"version":1,"turns":{}}`, "demo.json: turns: must be a list"},
		{"turns empty", `{"version":1,"turns":[]}`, "demo.json: turns: has 0 entries; it must have 1 to 1000"},
		{"defaults", `{"version":1,"defaults":{"chunkMs":-1},"otherwise":[{"say":"a"}]}`, "defaults.chunkMs: is -1; it must be 0 to 60000"},
		{"fraction", `{"version":1,"defaults":{"chunkWords":1.5},"otherwise":[{"say":"a"}]}`, "defaults.chunkWords: must be an integer"},
		{"number out of every range", one(`{"delayMs":1e99}`), "turns[0].steps[0].delayMs: must be an integer"},
		{"rule without steps", `{"version":1,"turns":[{"match":{}}]}`, "turns[0].steps: is missing"},
		{"steps empty", `{"version":1,"turns":[{"steps":[]}]}`, "turns[0].steps: has 0 entries; it must have 1 to 1000"},
		{"otherwise empty", `{"version":1,"otherwise":[]}`, "otherwise: has 0 entries; it must have 1 to 1000"},
		{"match role", `{"version":1,"turns":[{"match":{"role":"the fool"},"steps":[{"say":"a"}]}]}`, "turns[0].match.role: must be 1 to 64 characters of A-Z a-z 0-9 _ -"},
		{"match stage null", `{"version":1,"turns":[{"match":{"stage":null},"steps":[{"say":"a"}]}]}`, "turns[0].match.stage: is missing"},
		{"match completion", `{"version":1,"turns":[{"match":{"completion":"never"},"steps":[{"say":"a"}]}]}`, "turns[0].match.completion: must be one of turn_count, explicit_signal"},
		{"match turn", `{"version":1,"turns":[{"match":{"turn":0},"steps":[{"say":"a"}]}]}`, "turns[0].match.turn: is 0; it must be 1 or more"},
		{"match attempt", `{"version":1,"turns":[{"match":{"attempt":true},"steps":[{"say":"a"}]}]}`, "turns[0].match.attempt: must be an integer"},
		{"match run", `{"version":1,"turns":[{"match":{"run":-1},"steps":[{"say":"a"}]}]}`, "turns[0].match.run: is -1; it must be 1 or more"},
		{"match unknown", `{"version":1,"turns":[{"match":{"roles":"a"},"steps":[{"say":"a"}]}]}`, "turns[0].match.roles: is not a field here"},
		{"times", `{"version":1,"turns":[{"times":0,"steps":[{"say":"a"}]}]}`, "turns[0].times: is 0; it must be 1 or more"},
		{"step not an object", one(`"a"`), "turns[0].steps[0]: must be an object"},
		{"no step", one(`{"tell":"a"}`), "turns[0].steps[0]: is no step; a step has one of say, chunks, bytes, delayMs, finding"},
		{"two steps in one", one(`{"say":"a","delayMs":1}`), "turns[0].steps[0]: is one step, not say and delayMs at once"},
		{"option of another step", one(`{"thought":"a","repeat":2}`), "turns[0].steps[0].repeat: does not belong to a step with thought"},
		{"say nothing", one(`{"say":""}`), "turns[0].steps[0].say: must not be empty"},
		{"say a number", one(`{"say":1}`), "turns[0].steps[0].say: must be a string"},
		{"repeat", one(`{"say":"a","repeat":10000001}`), "turns[0].steps[0].repeat: is 10000001; it must be 1 to 10000000"},
		{"chunkWords", one(`{"say":"a","chunkWords":0}`), "turns[0].steps[0].chunkWords: is 0; it must be 1 to 1000"},
		{"placeholder", one(`{"say":"a {{probelm}}"}`), "turns[0].steps[0].say: there is no placeholder {{probelm}}; there are {{problem}}"},
		{"placeholder with blanks", one(`{"say":"{{ role }}"}`), "there is no placeholder {{ role }}"},
		{"placeholders", one(`{"say":"` + strings.Repeat("{{n}}", 101) + `"}`), "turns[0].steps[0].say: has 101 placeholders, at most 100 fit"},
		{"chunks", one(`{"chunks":"a"}`), "turns[0].steps[0].chunks: must be a list"},
		{"chunk", one(`{"chunks":["a",""]}`), "turns[0].steps[0].chunks[1]: must not be empty"},
		{"bytes", one(`{"bytes":"~"}`), "turns[0].steps[0].bytes: must be base64"},
		{"no bytes", one(`{"bytes":""}`), "turns[0].steps[0].bytes: must not be empty"},
		{"delay", one(`{"delayMs":3600001}`), "turns[0].steps[0].delayMs: is 3600001; it must be 1 to 3600000"},
		{"always", one(`{"delayMs":1,"always":false}`), "turns[0].steps[0].always: can only be true"},
		{"severity", one(`{"finding":{"severity":"awful","title":"a"}}`), "demo.json: turns[0].steps[0].finding.severity: must be one of info, low, medium, high, critical"},
		{"no severity", one(`{"finding":{"title":"a"}}`), "turns[0].steps[0].finding.severity: is missing"},
		{"no title", one(`{"finding":{"severity":"low"}}`), "turns[0].steps[0].finding.title: is missing"},
		{"blank title", one(`{"finding":{"severity":"low","title":" "}}`), "turns[0].steps[0].finding.title: must not be empty"},
		{"long title", one(`{"finding":{"severity":"low","title":"` + long[:201] + `"}}`), "finding.title: is 201 bytes long, at most 200 fit"},
		{"long text", one(`{"finding":{"severity":"low","title":"a","text":"` + long + `"}}`), "finding.text: is 5000 bytes long, at most 4000 fit"},
		{"path up", one(`{"finding":{"severity":"low","title":"a","path":"../a"}}`), "finding.path: must be a path below the root"},
		{"path absolute", one(`{"finding":{"severity":"low","title":"a","path":"/etc"}}`), "finding.path: must be a path below the root"},
		{"path dot", one(`{"finding":{"severity":"low","title":"a","path":"."}}`), "finding.path: must be a path below the root"},
		{"path long", one(`{"finding":{"severity":"low","title":"a","path":"` + long + `"}}`), "finding.path: is 5000 bytes long"},
		{"path control", one(`{"finding":{"severity":"low","title":"a","path":"a\u0007"}}`), "finding.path: must be a path below the root"},
		{"line", one(`{"finding":{"severity":"low","title":"a","path":"a","line":0}}`), "finding.line: is 0; it must be 1 or more"},
		{"line without path", one(`{"finding":{"severity":"low","title":"a","line":1}}`), "finding.line: needs a path"},
		{"finding field", one(`{"finding":{"severity":"low","title":"a","file":"b"}}`), "turns[0].steps[0].finding.file: is not a field here"},
		{"finding list", one(`{"finding":[]}`), "turns[0].steps[0].finding: must be an object"},
		{"artifact", one(`{"artifact":{"text":"a"}}`), "turns[0].steps[0].artifact.name: is missing"},
		{"artifact name", one(`{"artifact":{"name":"a\nb","text":"a"}}`), "artifact.name: holds a control character"},
		{"artifact text", one(`{"artifact":{"name":"a"}}`), "turns[0].steps[0].artifact.text: is missing"},
		{"insight", one(`{"insight":{"area":"a"}}`), "turns[0].steps[0].insight.text: is missing"},
		{"activity", one(`{"activity":""}`), "turns[0].steps[0].activity: must not be empty"},
		{"tool", one(`{"activity":"reading","tool":"` + long[:65] + `"}`), "turns[0].steps[0].tool: is 65 bytes long, at most 64 fit"},
		{"tool without a name", one(`{"tool":{"output":"a"}}`), "turns[0].steps[0].tool.name: is missing"},
		{"tool field", one(`{"tool":{"name":"a","text":"b"}}`), "turns[0].steps[0].tool.text: is not a field here"},
		{"tool ok", one(`{"tool":{"name":"a","ok":1}}`), "tool.ok: must be true or false"},
		{"tool delay", one(`{"tool":{"name":"a","delayMs":-1}}`), "tool.delayMs: is -1; it must be 1 to 3600000"},
		{"tool chunk", one(`{"tool":{"name":"a","chunks":[1]}}`), "tool.chunks[0]: must be a string"},
		{"tool input", one(`{"tool":{"name":"a","input":"` + strings.Repeat("x", world.MaxToolInput+1) + `"}}`), "tool.input: is 16385 bytes long, at most 16384 fit"},
		{"tool output", one(`{"tool":{"name":"a","output":"aaaaa","repeat":1000000}}`), "tool.repeat: makes an output of more than 4194304 bytes"},
		{"tool without an end", one(`{"tool":{"name":"a","end":false,"output":"b"}}`), "tool.output: has no effect"},
		{"after a tool without an end", one(`{"tool":{"name":"a","end":false}},{"say":"a"}`), "turns[0].steps[1]: is never played"},
		{"tool twice", one(`{"tool":{"name":"a"},"say":"b"}`), "is one step, not say and tool at once"},
		{"match kind", `{"version":1,"turns":[{"match":{"kind":"talk"},"steps":[{"say":"a"}]}]}`, "turns[0].match.kind: must be one of process, council, chat"},
		{"match member", `{"version":1,"turns":[{"match":{"member":"a b"},"steps":[{"say":"a"}]}]}`, "turns[0].match.member: must be 1 to 64 characters of A-Z a-z 0-9 _ -"},
		{"match words", `{"version":1,"turns":[{"match":{"words":" "},"steps":[{"say":"a"}]}]}`, "turns[0].match.words: must not be empty"},
		{"thought", one(`{"thought":""}`), "turns[0].steps[0].thought: must not be empty"},
		{"seal", one(`{"seal":true}`), "turns[0].steps[0].seal: must be a string"},
		{"error code", one(`{"error":{"code":"Too Bad","message":"a"}}`), "turns[0].steps[0].error.code: must be a code"},
		{"error message", one(`{"error":{"code":"model"}}`), "turns[0].steps[0].error.message: is missing"},
		{"stall", one(`{"stall":1}`), "turns[0].steps[0].stall: can only be true"},
		{"empty", one(`{"empty":"yes"}`), "turns[0].steps[0].empty: can only be true"},
		{"empty after words", one(`{"say":"a"},{"empty":true}`), "turns[0].steps[1]: a turn with text cannot have the step empty"},
		{"after the end", one(`{"stall":true},{"say":"a"}`), "turns[0].steps[1]: is never played"},
		{"otherwise", `{"version":1,"otherwise":[{"say":"a"},{"say":""}]}`, "demo.json: otherwise[1].say: must not be empty"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Parse("demo.json", []byte(c.in))
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "demo.json: ") {
				t.Fatalf("got %v, want %q", err, c.want)
			}
			if s != nil {
				t.Fatal("a script came with the error")
			}
		})
	}
}

func TestParseTellsSeveralFaultsButNotAll(t *testing.T) {
	_, err := Parse("demo.json", []byte(one(strings.Repeat(`{"say":""},`, 24)+`{"say":1}`)))
	if err == nil {
		t.Fatal("no error")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != maxFaults+1 || lines[maxFaults] != "demo.json: and 15 more" {
		t.Fatalf("got %d lines, the last %q", len(lines), lines[len(lines)-1])
	}
}

func TestParseBoundsRulesAndSteps(t *testing.T) {
	rule := `{"steps":[{"empty":true}]}`
	for _, c := range []struct{ in, want string }{
		{`{"version":1,"turns":[` + strings.Repeat(rule+",", maxRules) + rule + `]}`, "turns: has 1001 entries; it must have 1 to 1000"},
		{one(strings.Repeat(`{"say":"a"},`, maxSteps) + `{"say":"a"}`), "turns[0].steps: has 1001 entries"},
	} {
		if _, err := Parse("demo.json", []byte(c.in)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

func TestLoad(t *testing.T) {
	fs := afero.NewMemMapFs()
	write := func(name, text string) {
		t.Helper()
		if err := afero.WriteFile(fs, name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("good.json", one(`{"say":"a"}`))
	write("bad.json", one(`{"say":""}`))
	write("huge.json", strings.Repeat(" ", MaxFile+2))
	if _, err := Load(fs, "good.json"); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"bad.json":  "bad.json: turns[0].steps[0].say: must not be empty",
		"huge.json": "huge.json: the script is larger than 1048576 bytes",
		"none.json": "none.json",
	} {
		if _, err := Load(fs, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
	}
	if _, err := Load(afero.NewOsFs(), t.TempDir()); err == nil {
		t.Error("a folder is no script, but it was read")
	}
}

// document returns FORMAT.md and the example in it.
func document(t *testing.T) (text, example string) {
	t.Helper()
	data, err := os.ReadFile("FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?s)```json\n(.*?)```").FindSubmatch(data)
	if m == nil {
		t.Fatal("FORMAT.md has no example")
	}
	return string(data), string(m[1])
}

// Parse accepts the example of FORMAT.md, and FORMAT.md names each step with its options and each limit.
func TestFormatDocument(t *testing.T) {
	text, example := document(t)
	if _, err := Parse("FORMAT.md", []byte(example)); err != nil {
		t.Error(err)
	}
	for _, kind := range stepKinds {
		row := regexp.MustCompile("(?m)^\\| `\\{\"" + kind.name + "\":.*$").FindString(text)
		if row == "" {
			t.Errorf("FORMAT.md has no row for %s", kind.name)
		}
		for _, option := range kind.options {
			if !strings.Contains(row, "`"+option+"`") && !strings.Contains(row, `"`+option+`"`) {
				t.Errorf("FORMAT.md's row for %s lacks %s", kind.name, option)
			}
		}
	}
	for _, limit := range []int{maxRules, maxSteps, maxRepeat, maxChunkWords, maxGap, maxDelay, maxPlaceholders, maxSlots} {
		if !regexp.MustCompile(`\b` + strconv.Itoa(limit) + `\b`).MatchString(text) {
			t.Errorf("FORMAT.md does not name the limit %d", limit)
		}
	}
	for _, p := range placeholders {
		if !strings.Contains(text, p) {
			t.Errorf("FORMAT.md does not name %s", p)
		}
	}
	for _, field := range []string{"name", "input", "output", "repeat", "ok", "reads", "delayMs", "always", "chunks", "chunkMs", "end"} {
		if !strings.Contains(text, "`"+field+"`") {
			t.Errorf("FORMAT.md does not name the field %s of a tool", field)
		}
	}
	for _, field := range []string{"kind", "role", "member", "stage", "completion", "words", "turn", "attempt", "run"} {
		if !strings.Contains(text, "`"+field+"`") {
			t.Errorf("FORMAT.md does not name the field %s of match", field)
		}
	}
}

// FuzzParse asserts that Parse returns an error with the file's name, or a script that plays turns.
func FuzzParse(f *testing.F) {
	for _, step := range []string{
		`{"say":"a {{n}}","repeat":2,"chunkMs":0,"chunkWords":1}`, `{"chunks":["a"]}`, `{"bytes":"/w=="}`,
		`{"delayMs":1,"always":true}`, `{"finding":{"severity":"low","title":"t","path":"a","line":1}}`,
		`{"artifact":{"name":"a","text":"b"}}`, `{"insight":{"area":"a","text":"b"}}`, `{"activity":"a","tool":"b"}`,
		`{"thought":"a"}`, `{"seal":""}`, `{"tool":{"name":"a","input":"b","output":"c","repeat":2,"ok":false,"reads":true,"delayMs":1,"always":true,"chunks":["d"],"chunkMs":1}}`, `{"tool":{"name":"a","end":false}}`, `{"error":{"code":"model","message":"a"}}`, `{"stall":true}`, `{"empty":true}`,
	} {
		f.Add([]byte(one(step)))
	}
	f.Add([]byte(`{"version":1,"otherwise":[{"say":"a"}]}`))
	f.Add([]byte(`[[[[[[[[[[[]]]]]]]]]]]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse("demo.json", data)
		if err != nil {
			if s != nil || !strings.HasPrefix(err.Error(), "demo.json: ") {
				t.Fatalf("got %v with %v", s, err)
			}
			return
		}
		steps, ok := s.pick(request())
		if ok != (steps != nil) || (ok && len(steps) == 0) {
			t.Fatalf("picked %v, %v", steps, ok)
		}
		if len(s.rules) == 0 && !ok {
			t.Fatal("a script of nobody was taken")
		}
	})
}
