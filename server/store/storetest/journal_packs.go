package storetest

import (
	"context"
	"testing"

	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
)

func BlocksOf(t testing.TB, q sqlite.Queryer) []tables.Span {
	t.Helper()
	spans, err := sqlite.Collect(context.Background(), q, tables.ScanSpan,
		"SELECT "+tables.SpanColumns+" FROM journal_packs ORDER BY from_seq")
	Must(t, err)
	return spans
}
