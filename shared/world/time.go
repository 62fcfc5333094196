package world

import (
	"encoding/json"
	"fmt"
	"time"
)

// Time is a moment in milliseconds since 1970 UTC. On the wire and on disk it is
// RFC 3339 with exactly three fraction digits; zero is null ("never").
type Time int64

const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// TimeOf cuts t to a millisecond.
func TimeOf(t time.Time) Time { return Time(t.UnixMilli()) }

// Go is the same moment as a time.Time in UTC.
func (t Time) Go() time.Time { return time.UnixMilli(int64(t)).UTC() }

// String is the wire form without quotes, or "" for never.
func (t Time) String() string {
	if t == 0 {
		return ""
	}
	return t.Go().Format(timeLayout)
}

// MarshalJSON writes the wire form.
func (t Time) MarshalJSON() ([]byte, error) {
	if t == 0 {
		return []byte("null"), nil
	}
	return []byte(`"` + t.String() + `"`), nil
}

// UnmarshalJSON reads any RFC 3339 moment, or null.
func (t *Time) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*t = 0
		return nil
	}
	parsed, err := parseQuoted(b)
	if err != nil {
		return fmt.Errorf("time: %w", err)
	}
	*t = TimeOf(parsed)
	return nil
}

// parseQuoted reads a JSON string. The form that we write has nothing to unescape: a world
// has thousands of them, and taking each apart as JSON takes ten times as long.
func parseQuoted(b []byte) (time.Time, error) {
	if n := len(b) - 1; n > 0 && b[0] == '"' && b[n] == '"' {
		if t, err := time.Parse(time.RFC3339Nano, string(b[1:n])); err == nil {
			return t, nil
		}
	}
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return time.Time{}, err
	}
	return time.Parse(time.RFC3339Nano, s)
}

// ParseSince reads a moment in RFC 3339, a day (which begins in UTC), or a duration back
// from now; "" is 0.
func ParseSince(s string, now time.Time) (Time, error) {
	if s == "" {
		return 0, nil
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return TimeOf(now.Add(-d)), nil
	}
	for _, form := range []string{time.RFC3339Nano, time.DateOnly} {
		if t, err := time.Parse(form, s); err == nil {
			return TimeOf(t), nil
		}
	}
	return 0, fmt.Errorf("%q is neither a time like 2026-01-31 or 2026-01-31T10:00:00Z nor a duration like 24h", s)
}
