package storetest

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentdungeon/server/store/journal"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// BeginErasure commits the history:erased event of a person.
func (r *Rig) BeginErasure(id, person string) world.Erasure {
	r.T.Helper()
	e := world.Erasure{ErasureID: id, SpectatorID: person, Reason: world.ErasedOnRequest, Who: "test", At: r.At}
	Must(r.T, r.O.Eraser.IntendErasure(e))
	s, err := r.O.Eraser.ScopeErasure(context.Background(), e, nil, false)
	Must(r.T, err)
	told := &world.HistoryErased{ErasureID: id, SpectatorID: person, Reason: e.Reason, Conversations: s.Conversations}
	world.NewRedactor(s, nil).Outcome(r.W, told)
	r.Commit(told)
	return e
}

func BytesOf(t testing.TB, dir, word string) (n int) {
	t.Helper()
	Must(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		n += bytes.Count(raw, []byte(word))
		return err
	}))
	return n
}

// UnpackedOf counts a word in all frames and rows of the database, unpacked.
func UnpackedOf(t *testing.T, j *journal.Journal, word string) (n int) {
	t.Helper()
	blocks, err := sqlite.Collect(context.Background(), Inside{J: j},
		func(rows *sql.Rows) (from int64, err error) { err = rows.Scan(&from); return from, err },
		"SELECT from_seq FROM journal_packs")
	Must(t, err)
	for _, from := range blocks {
		events, err := tables.ReadPack(context.Background(), Inside{J: j}, from)
		if errors.Is(err, tables.ErrGap) {
			continue
		}
		Must(t, err)
		for _, e := range events {
			n += bytes.Count(e.Frame, []byte(word))
		}
	}
	rows, err := sqlite.Collect(context.Background(), Inside{J: j}, tables.ScanMessage,
		"SELECT "+tables.MessageColumns+" FROM messages m")
	Must(t, err)
	for _, m := range rows {
		n += strings.Count(m.Content, word)
	}
	return n
}
