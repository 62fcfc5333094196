package storetest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"testing"

	"agentdungeon/server/store/journal"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/shared/world"
)

// flipIn flips one bit of a file in the middle of bytesThere, which must occur exactly once.
func flipIn(t testing.TB, path string, bytesThere []byte) {
	t.Helper()
	raw, err := os.ReadFile(path)
	Must(t, err)
	at := bytes.Index(raw, bytesThere)
	if at < 0 || bytes.Contains(raw[at+1:], bytesThere) {
		t.Fatalf("%q does not occur exactly once in %s", Clipped(bytesThere), path)
	}
	raw[at+len(bytesThere)/2] ^= 4
	Must(t, os.WriteFile(path, raw, 0o600))
}

// FlipEvent flips one bit of an event's row in a closed realm.db, or of the block that holds the
// event.
func (k *KilledRig) FlipEvent(t testing.TB, seq int64) {
	t.Helper()
	k.flipBlob(t, fmt.Sprintf(`SELECT frame FROM journal WHERE seq = %d
		UNION ALL SELECT substr(events, 1, 60) FROM journal_packs WHERE %d BETWEEN from_seq AND to_seq`, seq, seq))
}

func (k *KilledRig) flipBlob(t testing.TB, query string) {
	t.Helper()
	db, err := sqlite.Open(context.Background(), k.Path(sqlite.JournalFile), sqlite.ModePeek, 1)
	Must(t, err)
	var blob []byte
	Must(t, sqlite.One(context.Background(), db, []any{&blob}, query))
	Must(t, db.Close())
	flipIn(t, k.Path(sqlite.JournalFile), blob)
}

// TranscriptOf returns the rows of a conversation by message id.
func TranscriptOf(t testing.TB, j *journal.Journal, conversation string) map[string]world.Message {
	t.Helper()
	rows, more, err := j.Rows(context.Background(), conversation, "", 0, 1000)
	Must(t, err)
	if more {
		t.Fatal("more rows than one page")
	}
	out := map[string]world.Message{}
	for _, m := range rows {
		out[m.MessageID] = m
	}
	return out
}
