package storetest

import (
	"bytes"
	"errors"
	"sync"
	"testing"

	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/server/store/crashfs"
	"agentdungeon/server/store/files"
	"agentdungeon/shared/world"
)

// LogBuffer holds log lines for a test to read.
type LogBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *LogBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *LogBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// Open opens a store and closes it at the end of the test.
func Open(t *testing.T, fsys afero.Fs, dir string) (*files.Worlds, *LogBuffer) {
	t.Helper()
	log := new(LogBuffer)
	s, err := files.Open(fsys, dir, zerolog.New(log))
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

func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func MustBe(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error is %v, want %v", err, want)
	}
}

// Names returns the names of the entries of a folder.
func Names(t *testing.T, fsys afero.Fs, dir string) []string {
	t.Helper()
	infos, err := afero.ReadDir(fsys, dir)
	Must(t, err)
	out := []string{}
	for _, i := range infos {
		out = append(out, i.Name())
	}
	return out
}

// WorldAt returns a world whose last event has the number seq.
func WorldAt(id string, seq int64) *world.World {
	w := world.New(world.Realm{ID: id, Name: "The Cellar <1>", Path: "/repo/" + id, Tenant: "default"})
	w.Tick = seq
	for i := range seq {
		w.Findings = append(w.Findings, world.Finding{
			ID: "f" + string(rune('a'+i)), AgentID: "scout", Severity: "low", Title: "a > b && \u2028", Text: "x", At: 1_700_000_000_123,
		})
	}
	w.Fill() // sets what follows from the findings
	return w
}

func CheckpointOf(t testing.TB, epoch string, w *world.World) world.Checkpoint {
	t.Helper()
	raw, err := world.EncodeState(w, &world.Land{Map: world.Map{Files: int(w.Tick), Source: "none"}})
	if err != nil {
		t.Fatal(err)
	}
	return world.Checkpoint{Epoch: epoch, Seq: w.Tick, SavedAt: world.Time(1_700_000_000_000 + w.Tick), World: raw}
}
