package world

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"

	"agentdungeon/shared/pattern"
)

// Time is a time in milliseconds since 1970 UTC; 0 means never. On the wire and on disk it is RFC
// 3339 with exactly three fraction digits, or null for 0.
type Time int64

const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// MinTime and MaxTime are the bounds of RFC 3339: the beginning of year 0 and the end of year
// 9999, UTC. TimeOf returns no Time outside of them.
const (
	MinTime Time = -62167219200000
	MaxTime Time = 253402300799999
)

// TimeOf truncates t to a millisecond and clamps it to MinTime and MaxTime.
func TimeOf(t time.Time) Time {
	switch sec := t.Unix(); { // compare seconds first, because UnixMilli overflows for distant times
	case sec < int64(MinTime)/1000:
		return MinTime
	case sec > int64(MaxTime)/1000:
		return MaxTime
	}
	return Time(t.UnixMilli())
}

// MaxHold limits how far the clock can be behind the last event while a new event still gets the time of the last
// event. See After.
const MaxHold = 5 * time.Minute

// After returns the time of a new event. now is the clock's time, last the time of the last event. After returns now,
// or last if the clock is less than MaxHold behind it. If the clock is further behind, it was set back; After then
// returns now, because either time may be wrong and only the clock can be corrected (P4.1).
func After(last, now Time) Time {
	if now < last && last-now < Time(MaxHold.Milliseconds()) {
		return last
	}
	return now
}

// Sub returns t-u, clamped to what a time.Duration holds (292 years).
func (t Time) Sub(u Time) time.Duration {
	const most = Time(math.MaxInt64 / int64(time.Millisecond))
	return time.Duration(min(max(t-u, -most), most)) * time.Millisecond
}

// Go converts t to a time.Time in UTC.
func (t Time) Go() time.Time { return time.UnixMilli(int64(t)).UTC() }

// String returns the wire form without quotes, or "" for 0.
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

// UnmarshalJSON reads any RFC 3339 time, or null. It also accepts years with more or fewer than
// four digits, which older versions wrote when the clock was wrong.
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

// parseQuoted reads a JSON string. It first tries to parse the string without unescaping it. This is ten times as fast
// as json.Unmarshal, and always works for times that this program has written; a world has thousands of them.
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

// farYear matches a time whose year RFC 3339 cannot express. Its groups are the year and all that follows the year.
var farYear = pattern.New(`^(-\d{1,9}|\d{5,9})(-.+)$`)

// parseFar parses a time that farYear matches. It relies on the calendar's period of 400 years.
func parseFar(s string) (Time, bool) {
	parts := farYear.FindStringSubmatch(s)
	if parts == nil {
		return 0, false
	}
	year, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return 0, false
	}
	const days = 146097 // number of days in 400 years
	like := ((year % 400) + 400) % 400
	t, err := time.Parse(time.RFC3339Nano, fmt.Sprintf("%04d%s", 2000+like, parts[2]))
	if err != nil {
		return 0, false
	}
	return Time(t.UnixMilli() + (year-like-2000)/400*days*24*time.Hour.Milliseconds()), true
}

// ParseSince parses an RFC 3339 time, a day in UTC, or a duration before now. It returns 0 for "".
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
