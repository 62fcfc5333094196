package model

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/spf13/afero"

	"agentdungeon/server/agent/modeltest"
)

func TestReadKey(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode fs.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil { // whatever the umask
			t.Fatal(err)
		}
		return path
	}
	file := write("key", "  from-the-file\n", 0o600)
	for _, c := range []struct {
		name      string
		env       map[string]string
		path      string
		key, from string
		err       string
	}{
		{"nothing", nil, "", "", "", ""},
		{"the own variable first", map[string]string{KeyVariable: "own", OpenAIKeyVariable: "theirs"}, file, "own", KeyVariable, ""},
		{"then OpenAI's", map[string]string{OpenAIKeyVariable: "theirs", KeyVariable: " "}, file, "theirs", OpenAIKeyVariable, ""},
		{"then the file", nil, file, "from-the-file", file, ""},
		{"a stricter file", nil, write("strict", "x", 0o400), "x", filepath.Join(dir, "strict"), ""},
		{"a file for others", nil, write("open", "not-told", 0o644), "", "", "(mode 0644): make it yours alone with chmod 600"},
		{"a file for the group", nil, write("group", "not-told", 0o640), "", "", "(mode 0640)"},
		{"no file", nil, filepath.Join(dir, "none"), "", "", "open the model's key file"},
		{"a folder", nil, dir, "", "", "is not a regular file"},
		{"an empty file", nil, write("empty", "\n", 0o600), "", "", "is empty"},
		{"a long file", nil, write("long", strings.Repeat("not-told", 1000), 0o600), "", "", "over 4096 bytes"},
		{"two lines", nil, write("two", "not-told\nnot-told", 0o600), "", "", "line breaks"},
		{"a bad variable", map[string]string{KeyVariable: "not-told\nX-Evil: 1"}, "", "", "", KeyVariable + ": the model's key holds"},
	} {
		t.Run(c.name, func(t *testing.T) {
			key, from, err := ReadKey(func(name string) string { return c.env[name] }, afero.NewOsFs(), c.path)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "not-told") || !key.IsZero() {
					t.Errorf("%v, want %q", err, c.err)
				}
				return
			}
			if err != nil || key.secret != c.key || from != c.from {
				t.Errorf("key %q from %q, %v", key.secret, from, err)
			}
		})
	}
}

func TestKeyIsNotPrinted(t *testing.T) {
	key, err := NewKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(map[string]any{"key": key})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{fmt.Sprint(key), fmt.Sprintf("%v %+v %#v %s %q", key, key, key, key, key), fmt.Sprintf("%+v", Config{Key: key}), fmt.Sprintf("%#v", Config{Key: key}), string(data)} {
		if strings.Contains(text, secret) {
			t.Errorf("printed: %s", text)
		}
	}
}

// A server repeats the key in every place that it can. No chunk and no error contains the key, not even in parts that
// would join to it.
func TestKeyIsNeverTold(t *testing.T) {
	echo := "your key is " + secret + ", is it not?"
	bytewise := func(say func(string)) {
		for i := range len(echo) {
			say(echo[i : i+1])
		}
	}
	folder := &shelf{files: map[string]string{".env": "KEY=" + secret + "\n"}}
	for name, plays := range map[string][]modeltest.Play{
		"in an error":             {func(r *modeltest.Reply) { r.Refuse(401, "Bad header "+r.Request.Header.Get("Authorization")) }},
		"at the border of a cut":  {modeltest.Refuses(401, strings.Repeat("x", maxShown-8)+secret)},
		"in an error's headers":   {modeltest.Refuses(401, "no", "Retry-After", secret, "Location", secret)},
		"in a redirect":           {func(r *modeltest.Reply) { r.Header("Location", "http://elsewhere/"+secret); r.Status(307, echo) }},
		"in a content type":       {func(r *modeltest.Reply) { r.Header("Content-Type", "text/"+secret); r.Raw(echo) }},
		"in an error of a stream": {func(r *modeltest.Reply) { r.Frame(map[string]any{"error": echo}) }},
		"in a whole answer":       {modeltest.Says(echo, "  ", echo)},
		"in pieces":               {func(r *modeltest.Reply) { bytewise(r.Say); r.End("stop") }},
		"at the end":              {modeltest.Says("it is ", secret)},
		"cut":                     {func(r *modeltest.Reply) { r.Say("it is " + secret[:len(secret)-1]); r.Cut() }},
		"in thoughts":             {func(r *modeltest.Reply) { bytewise(r.Think); r.Say("well"); r.End("stop") }},
		"in tools":                {modeltest.Calls("", "1", "remember", `{"area":"`+secret+`","insight":"`+echo+`"}`), modeltest.Says("well")},
		"in a tool's name":        {modeltest.Calls("", secret, secret, secret), modeltest.Says("well")},
		"in the repository":       {modeltest.Calls("", "1", "read_file", `{"path":".env"}`), modeltest.Says("well")},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := listen(t.Context(), agents(t, modeltest.New(plays...), withFolder(folder)), linked(request()))
				data, err := json.Marshal(h.chunks)
				if err != nil {
					t.Fatal(err)
				}
				all := string(data) + h.text + fmt.Sprint(h.err) + strings.Join(h.thoughts(), "")
				if strings.Contains(all, secret) || strings.Contains(all, secret[:len(secret)-1]) {
					t.Errorf("told: %s", all)
				}
			})
		})
	}
	// A short key is not hidden, because texts may contain it as a word.
	h, _ := bubble(t, modeltest.New(modeltest.Says("ollama is a llama")), request(), func(c *Config) { c.Key = Key{"ollama"} })
	if h.text != "ollama is a llama" {
		t.Errorf("%q", h.text)
	}
}

// Words that only begin like the key are emitted unchanged.
func TestVeilLetsWordsThrough(t *testing.T) {
	for _, text := range []string{"sk-", "sk-test", "a sk-test-01 b", "ssk-sk-test-sk-", strings.Repeat("sk-", 100)} {
		v := keyFilter{key: Key{secret}}
		got := ""
		for i := range len(text) {
			got += v.push(text[i : i+1])
		}
		if got += v.rest(); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}
