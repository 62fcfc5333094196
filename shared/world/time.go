package world

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"time"
)

// Time is a moment in milliseconds since 1970 UTC. On the wire and on disk it is
// RFC 3339 with exactly three fraction digits; zero is null ("never").
type Time int64

const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// The first and the last moment that RFC 3339 can say: the beginning of year 0 and the end
// of year 9999, UTC. No Time that arises is before or behind them.
const (
	MinTime Time = -62167219200000
	MaxTime Time = 253402300799999
)

// TimeOf cuts t to a millisecond; a moment before MinTime or behind MaxTime becomes that one.
func TimeOf(t time.Time) Time {
	switch sec := t.Unix(); { // milliseconds of a time far away overflow
	case sec < int64(MinTime)/1000:
		return MinTime
	case sec > int64(MaxTime)/1000:
		return MaxTime
	}
	return Time(t.UnixMilli())
}

// MaxHold bounds how long the times of events stand still after the clock was set back.
const MaxHold = 5 * time.Minute

// After is the time of an event that follows one of last, where the clock says now: now, but
// last while the clock is less than MaxHold behind it. Where it is further behind, it was
// set back, and the event follows it: last was wrong, or now is, and only the clock can be
// mended (P4.1).
func After(last, now Time) Time {
	if now < last && last-now < Time(MaxHold.Milliseconds()) {
		return last
	}
	return now
}

// Sub is the time from u to t, at most what a time.Duration holds (292 years).
func (t Time) Sub(u Time) time.Duration {
	const most = Time(math.MaxInt64 / int64(time.Millisecond))
	return time.Duration(min(max(t-u, -most), most)) * time.Millisecond
}

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

// UnmarshalJSON reads any RFC 3339 moment, or null. Years of more or fewer than four digits,
// which earlier versions wrote when their clock was that wrong, are read too.
func (t *Time) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*t = 0
		return nil
	}
	parsed, err := parseQuoted(b)
	if err != nil {
		return fmt.Errorf("time: %w", err)
	}
	*t = parsed
	return nil
}

// parseQuoted reads a JSON string. The form that we write has nothing to unescape: a world
// has thousands of them, and taking each apart as JSON takes ten times as long.
func parseQuoted(b []byte) (Time, error) {
	if n := len(b) - 1; n > 0 && b[0] == '"' && b[n] == '"' {
		if t, err := time.Parse(time.RFC3339Nano, string(b[1:n])); err == nil {
			return TimeOf(t), nil
		}
	}
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return 0, err
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err == nil {
		return TimeOf(t), nil
	}
	if far, ok := parseFar(s); ok {
		return far, nil
	}
	return 0, err
}

// farYear is a year that RFC 3339 cannot say, and the rest of the moment.
var farYear = regexp.MustCompile(`^(-\d{1,9}|\d{5,9})(-.+)$`)

// parseFar reads a moment of such a year as it was written. The calendar repeats itself
// every 400 years.
func parseFar(s string) (Time, bool) {
	parts := farYear.FindStringSubmatch(s)
	if parts == nil {
		return 0, false
	}
	year, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return 0, false
	}
	const days = 146097 // in 400 years
	like := ((year % 400) + 400) % 400
	t, err := time.Parse(time.RFC3339Nano, fmt.Sprintf("%04d%s", 2000+like, parts[2]))
	if err != nil {
		return 0, false
	}
	return Time(t.UnixMilli() + (year-like-2000)/400*days*24*time.Hour.Milliseconds()), true
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
