package storetest

import (
	"os"
	"slices"
	"testing"

	"agentdungeon/server/store/sqlite"
)

// SwapPages swaps the first pages of two tables or indexes in a database with an empty log. Each
// page stays valid by itself.
func (k *KilledRig) SwapPages(t testing.TB, one, other string) {
	t.Helper()
	k.SQL(t) // moves the log into the database
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
