package storetest

import (
	"testing"
)

// TakeLog moves the content of SQLite's log into the database.
func (k *KilledRig) TakeLog(t testing.TB) { k.SQL(t, "PRAGMA wal_checkpoint(TRUNCATE)") }
