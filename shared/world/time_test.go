package world

import (
	"encoding/json"
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

// Whatever stands there, it is read as the JSON string that it is.
func FuzzTimeIsReadAsJSON(f *testing.F) {
	for _, s := range []string{
		`null`, `""`, `"`, ``, `"2026-01-31T10:00:00.000Z"`, `"2026-01-31T10:00:00.123456789+02:00"`, `"2026-01-31T10:00:00,5Z"`,
		`"\u0032026-01-31T10:00:00.000Z"`, `"2026-01-31T10:00:00.000\u005a"`, `2026-01-31T10:00:00.000Z`, `"2026-01-31T10:00:00.000Z" `,
		`"2026-01-31T10:00:00.000Z"1"`, `"2026-02-31T10:00:00.000Z"`, "\"2026-01-31T10:00:00.000Z\xff\"", "\"2026-01-31T10:00:00.000\nZ\"", `7`, `{}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var want Time
		var s string
		bad := false
		if string(b) != "null" {
			parsed := time.Time{}
			err := json.Unmarshal(b, &s)
			if err == nil {
				parsed, err = time.Parse(time.RFC3339Nano, s)
			}
			want, bad = TimeOf(parsed), err != nil
		}
		var got Time
		err := got.UnmarshalJSON(b)
		if (err != nil) != bad || !bad && got != want {
			t.Errorf("%q: %s (%v), want %s, refused %t", b, got, err, want, bad)
		}
	})
}
