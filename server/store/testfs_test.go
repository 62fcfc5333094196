package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"sync"
	"testing"

	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/server/store/crashfs"
	"agentdungeon/shared/world"
)

// onEach runs a test in memory, on the simulated disk and in a real folder: they
// differ where it hurts.
func onEach(t *testing.T, test func(t *testing.T, fsys afero.Fs, dir string)) {
	t.Run("memory", func(t *testing.T) { test(t, afero.NewMemMapFs(), "/worlds") })
	t.Run("disk", func(t *testing.T) { test(t, crashfs.NewDisk(), "/worlds") })
	t.Run("real", func(t *testing.T) { test(t, afero.NewOsFs(), filepath.Join(t.TempDir(), "worlds")) })
}

// logBuffer is a log that a test reads.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// open opens a store that is closed with the test.
func open(t *testing.T, fsys afero.Fs, dir string) (*Store, *logBuffer) {
	t.Helper()
	log := new(logBuffer)
	s, err := Open(fsys, dir, zerolog.New(log))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil && !errors.Is(err, crashfs.ErrCut) {
			t.Error(err)
		}
	})
	return s, log
}

// reopen closes s and opens its folder again.
func reopen(t *testing.T, s *Store) (*Store, *logBuffer) {
	t.Helper()
	must(t, s.Close())
	return open(t, s.root.fs, s.root.dir)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func mustBe(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error is %v, want %v", err, want)
	}
}

func writeFile(t *testing.T, fsys afero.Fs, path, text string) {
	t.Helper()
	must(t, fsys.MkdirAll(filepath.Dir(path), 0o700))
	must(t, afero.WriteFile(fsys, path, []byte(text), 0o600))
}

func readFile(t *testing.T, fsys afero.Fs, path string) string {
	t.Helper()
	b, err := afero.ReadFile(fsys, path)
	must(t, err)
	return string(b)
}

// names are the entries of a folder.
func names(t *testing.T, fsys afero.Fs, dir string) []string {
	t.Helper()
	infos, err := afero.ReadDir(fsys, dir)
	must(t, err)
	out := []string{}
	for _, i := range infos {
		out = append(out, i.Name())
	}
	return out
}

// worldAt is a world whose last event was seq.
func worldAt(id string, seq int64) *world.World {
	w := world.New(world.Realm{ID: id, Name: "The Cellar <1>", Path: "/repo/" + id, Tenant: "default"})
	w.Tick = seq
	w.Map.Files = int(seq)
	for i := range seq {
		w.Findings = append(w.Findings, world.Finding{
			ID: "f" + string(rune('a'+i)), AgentID: "scout", Severity: "low", Title: "a > b && \u2028", Text: "x", At: 1_700_000_000_123,
		})
	}
	w.Fill() // with what follows from the findings
	return w
}

func checkpointOf(t testing.TB, epoch string, w *world.World) world.Checkpoint {
	t.Helper()
	raw, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	return world.Checkpoint{Epoch: epoch, Seq: w.Tick, SavedAt: world.Time(1_700_000_000_000 + w.Tick), World: raw}
}
