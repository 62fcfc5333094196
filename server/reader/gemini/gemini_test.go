package gemini_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentdungeon/server/reader/gemini"
	"agentdungeon/server/reader/readertest"
	"agentdungeon/server/shadow"
)

var update = flag.Bool("update", false, "write the golden files")

var recordings = []string{"day", "resume", "killed"}

func open(_ testing.TB, home string, limit int64) shadow.Reader {
	return gemini.New(gemini.Config{Homes: []string{home}, Proc: filepath.Join(home, "proc"), Limit: limit})
}

// TestConform: the reader passes the conformance suite over each recording.
func TestConform(t *testing.T) {
	for _, name := range recordings {
		t.Run(name, func(t *testing.T) {
			readertest.Conform(t, readertest.Recording{Dir: filepath.Join("testdata", name), New: open})
		})
	}
}

// TestGolden: the sessions and entries of each recording equal the golden file.
func TestGolden(t *testing.T) {
	for _, name := range recordings {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join("testdata", name)
			r := open(t, dir, 0)
			var entries, sessions strings.Builder
			for _, s := range readertest.Sessions(t, r) {
				list, last := readertest.ReadAll(t, r, s, "", 1<<20)
				if len(last.Counts.Unknown) > 0 || last.Counts.Broken+last.Counts.TooLong+last.Counts.Hidden > 0 {
					t.Errorf("%s: counts %+v", s.ID, last.Counts)
				}
				s.File, s.Changed = "", time.Time{}
				sessions.WriteString(encode(t, s) + "\n")
				for _, e := range list {
					entries.WriteString(s.ID + " " + encode(t, e) + "\n")
				}
			}
			golden(t, filepath.Join(dir, "entries.txt"), entries.String())
			golden(t, filepath.Join(dir, "sessions.txt"), sessions.String())
		})
	}
}

func encode(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	have, wanted := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range max(len(have), len(wanted)) {
		if i >= len(have) || i >= len(wanted) || have[i] != wanted[i] {
			t.Fatalf("%s differs from line %d on (%d lines, want %d)", file, i+1, len(have), len(wanted))
		}
	}
}

// TestNothingIsRepeated: after a person has denied a call, the program writes the whole history again under new ids.
// The reader returns each prompt, answer and call once.
func TestNothingIsRepeated(t *testing.T) {
	r := open(t, filepath.Join("testdata", "day"), 0)
	seen := map[string]int{}
	kinds := map[shadow.Kind]int{}
	for _, s := range readertest.Sessions(t, r) {
		entries, _ := readertest.ReadAll(t, r, s, "", 1<<20)
		for _, e := range entries {
			kinds[e.Kind]++
			if e.Kind == shadow.Prompt || e.Kind == shadow.Call {
				seen[e.Text+e.CallID]++
			}
		}
	}
	for what, n := range seen {
		if n != 1 {
			t.Errorf("%q came %d times", what, n)
		}
	}
	if got := fmt.Sprint(kinds[shadow.Prompt], kinds[shadow.Call], kinds[shadow.Stopped], kinds[shadow.Compacted]); got != "6 8 3 1" {
		t.Errorf("prompts, calls, stops, compactions: %s", got)
	}
}
