package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentdungeon/server/price"
	"agentdungeon/shared/world"
)

// S2-B7: a session can be named by flags in all usual forms and by variables. The command line takes
// precedence.
func TestResumeFlags_S2_B7(t *testing.T) {
	for _, tc := range []struct{ args, env, want string }{
		{"", "", "new"},
		{"-resume", "", "latest"},
		{"--resume", "", "latest"},
		{"-resume=abc", "", "abc"},
		{"--resume=abc", "", "abc"},
		{"-resume abc", "", "abc"},
		{"--resume abc", "", "abc"},
		{"--resume abc -team crew", "", "abc of crew"},
		{"-team crew --resume", "", "latest of crew"},
		{"--resume -team crew", "", "latest of crew"},
		{"-resume=-abc", "", "-abc"}, // an id may begin with a dash
		{"-resume=false", "", "new"},
		{"-resume=", "", "new"},
		{"-resume 1", "", "1"}, // after a space any value is an id
		{"-resume true", "", "true"},
		{"-no-resume", "", "none"},
		{"--no-resume", "", "none"},
		{"-no-resume=false", "", "new"},
		{"-resume -no-resume", "", "latest none"}, // app refuses it with a text of its own
		{"", "RESUME=1", "latest"},
		{"", "RESUME=true", "latest"},
		{"", "RESUME=abc", "abc"},
		{"", "RESUME=0", "new"},
		{"", "RESUME=", "new"},
		{"", "NO_RESUME=1", "none"},
		{"", "NO_RESUME=", "new"}, // compose files write an unset variable like this
		{"", "TEAM=crew RESUME=abc", "abc of crew"},
		{"", "RESUME=abc NO_RESUME=1", "abc none"},
		{"-resume", "RESUME=abc", "latest"},
		{"-resume=false", "RESUME=abc", "new"},
		{"-resume def", "RESUME=abc", "def"},
		{"-no-resume", "RESUME=abc", "none"}, // a flag takes precedence over the variable of a unit file
		{"-resume", "NO_RESUME=1", "latest"},
		{"-no-resume=false", "RESUME=abc", "abc"},
		{"-team other", "TEAM=crew", "new of other"},
		{"", "NO_RESUME=perhaps", "usage: AGENTDUNGEON_NO_RESUME: "},
		{"-no-resume", "NO_RESUME=perhaps", "none"},
		{"abc", "", `usage: serve takes no arguments besides flags: "abc"`},
	} {
		t.Run(tc.args+" "+tc.env, func(t *testing.T) {
			for _, name := range []string{"RESUME", "NO_RESUME", "TEAM"} {
				t.Setenv("AGENTDUNGEON_"+name, "") // so that the test's end restores the variable
				if err := os.Unsetenv("AGENTDUNGEON_" + name); err != nil {
					t.Fatal(err)
				}
			}
			for v := range strings.FieldsSeq(tc.env) {
				name, value, _ := strings.Cut(v, "=")
				t.Setenv("AGENTDUNGEON_"+name, value)
			}
			p, o := &program{stdout: io.Discard, stderr: io.Discard}, &serveFlags{}
			c := p.command("serve", "", func() error { return nil })
			o.define(c)
			c.SilenceErrors, c.SilenceUsage = true, true
			c.SetArgs(spelled(c.Flags(), strings.Fields(tc.args)))
			err := c.Execute()
			if !p.began {
				if got := fmt.Sprint("usage: ", err); !strings.HasPrefix(got, tc.want) || !strings.HasPrefix(tc.want, "usage: ") {
					t.Errorf("%s, want %s", got, tc.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			cfg, err := o.config()
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			switch r := cfg.Resume; {
			case r.Session != "" && r.Wanted:
				got = append(got, r.Session)
			case r.Wanted:
				got = append(got, "latest")
			case !r.None:
				got = append(got, "new")
			}
			if cfg.Resume.None {
				got = append(got, "none")
			}
			if cfg.Resume.Team != "" {
				got = append(got, "of", cfg.Resume.Team)
			}
			if text := strings.Join(got, " "); text != tc.want {
				t.Errorf("%s, want %s", text, tc.want)
			}
		})
	}
}

// The prices of a file take precedence over the built-in ones. If the file is missing, too long or invalid, the error
// names the file, and the server does not start (P17.12).
func TestPricesFlag_P17_12(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	list, err := readPrices(write("own.json", `{"models": [{"model": "claude-opus-5-5", "input": 1, "output": 2}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if micros, known := list.Of("claude-opus-5-5", world.Tokens{Input: 3, Output: 4}); !known || micros != 11 {
		t.Errorf("the price is %d (%t)", micros, known)
	}
	if _, known := list.Of("claude-haiku-4-5", world.Tokens{Input: 1}); !known {
		t.Error("the built-in prices are gone")
	}
	if list, err = readPrices(""); err != nil || list.Date() == "" {
		t.Errorf("without a file: %v", err)
	}
	for _, file := range []string{filepath.Join(dir, "none.json"), write("bad.json", `{"models": [{"model": "m"}]}`),
		write("long.json", `{"models": [`+strings.Repeat(" ", price.MaxFile)+`]}`)} {
		if _, err := readPrices(file); err == nil || !strings.Contains(err.Error(), filepath.Base(file)) {
			t.Errorf("%s: %v", filepath.Base(file), err)
		}
	}
}
