package storetest

import (
	"fmt"
	"testing"
)

// Unindexed changes rows without a change of an index of messages.
func (k *KilledRig) Unindexed(t testing.TB, index, change string) {
	t.Helper()
	const put = `PRAGMA writable_schema = 1; INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) SELECT type, name, tbl_name, rootpage, sql FROM kept; DROP TABLE kept`
	k.SQL(t, fmt.Sprintf(`CREATE TABLE kept AS SELECT * FROM sqlite_schema WHERE name = '%s'; PRAGMA writable_schema = 1; DELETE FROM sqlite_schema WHERE name = '%s'`, index, index))
	k.SQL(t, change)
	k.SQL(t, put)
}
