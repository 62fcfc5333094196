package world

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the worlds of the recorded journals")

// This test folds the recorded journals of shared/testdata, and so do the page's reducers. Both must get the world
// beside the journal, in one canonical form. The journals also represent every released version: what was written once
// can always be read. P4.5.
func TestRecordedJournalsFoldToTheirWorlds(t *testing.T) {
	journals, err := filepath.Glob("../testdata/*.jsonl")
	if err != nil || len(journals) == 0 {
		t.Fatalf("no recorded journals: %v", err)
	}
	for _, path := range journals {
		t.Run(filepath.Base(path), func(t *testing.T) {
			w := fold(t, path)
			if err := w.Validate(); err != nil {
				t.Fatal(err)
			}
			got, err := json.MarshalIndent(canonical(t, w), "", " ")
			if err != nil {
				t.Fatal(err)
			}
			golden := path[:len(path)-len(".jsonl")] + ".world.json"
			if *update {
				if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(bytes.TrimSpace(want), got) {
				t.Fatalf("the world of %s is not the recorded one; it is now\n%s", path, got)
			}
		})
	}
}

func fold(t *testing.T, path string) *World {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	w := New(Realm{})
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		ev, err := DecodeEvent(lines.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if ev.Seq != w.Tick+1 {
			t.Fatalf("seq %d after %d", ev.Seq, w.Tick)
		}
		rec, err := ev.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(rec.Frame, lines.Bytes()) {
			t.Fatalf("decoded and encoded again it is another frame:\n%s\n%s", lines.Bytes(), rec.Frame)
		}
		back, err := WithText(rec.WithoutText(), rec.TextAt, rec.Text)
		if err != nil || !bytes.Equal(back, rec.Frame) {
			t.Fatalf("taken out and put back the text gives\n%s\n%v", back, err)
		}
		Apply(w, ev)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return w
}

// canonical drops what Go's encoder may leave out or not: null, "", 0, false and
// empty lists and objects mean the same as absent.
func canonical(t *testing.T, w *World) any {
	t.Helper()
	b, err := EncodeState(w, NewLand())
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return strip(v)
}

func strip(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, e := range v {
			if e = strip(e); e != nil {
				out[k] = e
			}
		}
		if len(out) == 0 {
			return nil
		}
		return out
	case []any:
		if len(v) == 0 {
			return nil
		}
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = strip(e)
		}
		return out
	case string:
		if v == "" {
			return nil
		}
	case float64:
		if v == 0 {
			return nil
		}
	case bool:
		if !v {
			return nil
		}
	}
	return v
}
