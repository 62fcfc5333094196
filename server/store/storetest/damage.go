package storetest

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"agentdungeon/server/store/files"
	"agentdungeon/server/store/sqlite"
)

// corruptions holds the ways to damage a file of a closed realm, by name.
var corruptions = map[string]func(rnd *rand.Rand, raw []byte) []byte{
	"bits": func(rnd *rand.Rand, raw []byte) []byte {
		for range 1 + rnd.IntN(12) {
			raw[rnd.IntN(len(raw))] ^= 1 << rnd.IntN(8)
		}
		return raw
	},
	"cut": func(rnd *rand.Rand, raw []byte) []byte { return raw[:rnd.IntN(len(raw))] },
	"zeroed pages": func(rnd *rand.Rand, raw []byte) []byte {
		for range 1 + rnd.IntN(4) {
			clear(pageOf(rnd, raw))
		}
		return raw
	},
	"garbage pages": func(rnd *rand.Rand, raw []byte) []byte {
		for range 1 + rnd.IntN(4) {
			for page := pageOf(rnd, raw); len(page) > 0; page = page[1:] {
				page[0] = byte(rnd.Uint32())
			}
		}
		return raw
	},
	"a stretch of zeros": func(rnd *rand.Rand, raw []byte) []byte {
		at := rnd.IntN(len(raw))
		clear(raw[at:min(at+1+rnd.IntN(300), len(raw))])
		return raw
	},
}

// pageOf returns a random page of a file, or the whole file if it is shorter than a page.
func pageOf(rnd *rand.Rand, raw []byte) []byte {
	const size = 4096
	at := rnd.IntN((len(raw)+size-1)/size) * size
	return raw[at:min(at+size, len(raw))]
}

// Corrupt damages one or two files of a realm and describes the damage.
func (k *KilledRig) Corrupt(t testing.TB, rnd *rand.Rand) string {
	t.Helper()
	var done []string
	for range 1 + rnd.IntN(2) {
		name := []string{sqlite.JournalFile, sqlite.JournalFile, sqlite.JournalFile, sqlite.JournalFile + "-wal",
			sqlite.JournalFile + "-wal", files.StateFile, files.PreviousFile}[rnd.IntN(7)]
		raw, err := os.ReadFile(k.Path(name))
		if err != nil || len(raw) == 0 {
			continue // the log is empty, because TakeLog has moved it into the database
		}
		version := slices.Clone(raw[:min(64, len(raw))])
		how := slices.Sorted(maps.Keys(corruptions))[rnd.IntN(len(corruptions))]
		raw = corruptions[how](rnd, raw)
		if name == sqlite.JournalFile && len(raw) >= 64 {
			copy(raw[60:64], version[60:64]) // the version stays as it was, because another test covers a changed version
		}
		k.Write(t, name, raw)
		done = append(done, name+": "+how)
	}
	return strings.Join(done, ", ")
}

// Garble changes the byte in the middle of a file.
func (k *KilledRig) Garble(t testing.TB, name string) {
	t.Helper()
	raw, err := os.ReadFile(k.Path(name))
	if err != nil {
		t.Fatal(err)
	}
	raw[len(raw)/2] ^= 0x55
	k.Write(t, name, raw)
}

// GarbleAtRandom damages the database or its log in one of several ways: flipped bits, a cleared or repeated range of
// bytes, a shorter or longer file, or two swapped pages. It returns the name of the file and the kind of damage.
func (k *KilledRig) GarbleAtRandom(t testing.TB, rnd *rand.Rand) string {
	t.Helper()
	name := sqlite.JournalFile
	if info, err := os.Stat(k.Path(sqlite.JournalFile + "-wal")); err == nil && info.Size() > 0 && rnd.IntN(2) == 0 {
		name = sqlite.JournalFile + "-wal"
	}
	raw, err := os.ReadFile(k.Path(name))
	if err != nil {
		t.Fatal(err)
	}
	what := []string{"turned", "cleared", "repeated", "cut", "lengthened", "swapped"}[rnd.IntN(6)]
	at, n := rnd.IntN(len(raw)), 1+rnd.IntN(5000)
	end := min(at+n, len(raw))
	version := slices.Clone(raw[60:64])
	switch what {
	case "turned":
		for range 1 + rnd.IntN(8) {
			raw[rnd.IntN(len(raw))] ^= 1 << rnd.IntN(8)
		}
	case "cleared":
		clear(raw[at:end])
	case "repeated":
		copy(raw[rnd.IntN(len(raw)):], raw[at:end])
	case "cut":
		raw = raw[:at]
	case "lengthened":
		raw = append(raw, raw[at:end]...)
	case "swapped": // two pages of the file change places
		const page = 4096
		a, b := rnd.IntN(max(len(raw)/page, 1))*page, rnd.IntN(max(len(raw)/page, 1))*page
		if len(raw) >= page {
			one := slices.Clone(raw[a : a+page])
			copy(raw[a:a+page], raw[b:b+page])
			copy(raw[b:b+page], one)
		}
	}
	if name == sqlite.JournalFile && len(raw) >= 64 && !slices.Equal(raw[60:64], version) {
		copy(raw[60:64], version) // the version stays as it was, because another test covers a changed version
	}
	k.Write(t, name, raw)
	return name + " " + what
}

// Page changes the first page of a table in a database with an empty log.
func (k *KilledRig) Page(t testing.TB, table string, change func([]byte)) {
	t.Helper()
	k.SQL(t) // an SQL call without statements moves the log into the database
	at := int(k.Root(t, table)-1) * 4096
	raw, err := os.ReadFile(k.Path(sqlite.JournalFile))
	Must(t, err)
	change(raw[at : at+4096])
	k.Write(t, sqlite.JournalFile, raw)
}

// SwapPages swaps the first pages of two tables or indexes in a database with an empty log. Each
// page stays valid by itself.
func (k *KilledRig) SwapPages(t testing.TB, one, other string) {
	t.Helper()
	k.SQL(t) // an SQL call without statements moves the log into the database
	raw, err := os.ReadFile(k.Path(sqlite.JournalFile))
	Must(t, err)
	page := func(name string) []byte {
		at := int(k.Root(t, name)-1) * 4096
		return raw[at : at+4096]
	}
	kept := slices.Clone(page(one))
	copy(page(one), page(other))
	copy(page(other), kept)
	k.Write(t, sqlite.JournalFile, raw)
}

// flipIn flips one bit of a file, in the middle of the byte sequence bytesThere, which must occur in the file
// exactly once.
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

// Unindexed runs the statement change, which changes the table messages. The given index of the table stays as it
// was, so that index and table differ afterwards.
func (k *KilledRig) Unindexed(t testing.TB, index, change string) {
	t.Helper()
	const put = `PRAGMA writable_schema = 1; INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) SELECT type, name, tbl_name, rootpage, sql FROM kept; DROP TABLE kept`
	k.SQL(t, fmt.Sprintf(`CREATE TABLE kept AS SELECT * FROM sqlite_schema WHERE name = '%s'; PRAGMA writable_schema = 1; DELETE FROM sqlite_schema WHERE name = '%s'`, index, index))
	k.SQL(t, change)
	k.SQL(t, put)
}
