package world

import (
	"testing"
	"time"
)

func TestParseSince(t *testing.T) {
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	for s, want := range map[string]string{"24h": "2026-03-03T12:00:00.000Z", "2026-01-31": "2026-01-31T00:00:00.000Z", "2026-01-31T10:00:00+01:00": "2026-01-31T09:00:00.000Z"} {
		if got, err := ParseSince(s, now); err != nil || got.String() != want {
			t.Errorf("%q: %s, %v", s, got, err)
		}
	}
	for _, s := range []string{"yesterday", "-1h", "2026-13-01", "24"} {
		if _, err := ParseSince(s, now); err == nil {
			t.Errorf("%q is a time", s)
		}
	}
	if got, err := ParseSince("", now); got != 0 || err != nil {
		t.Errorf("%s, %v", got, err)
	}
}
