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

// Every time that can occur can be written in RFC 3339, and is the same when it is read.
func TestTimesCanBeReadBack_P1_8(t *testing.T) {
	at := func(year int) time.Time { return time.Date(year, 6, 1, 12, 0, 0, 0, time.UTC) }
	for _, c := range []struct {
		told time.Time
		want string
	}{
		{at(2026), "2026-06-01T12:00:00.000Z"}, {at(0), "0000-06-01T12:00:00.000Z"}, {at(-1), "0000-01-01T00:00:00.000Z"},
		{at(9999), "9999-06-01T12:00:00.000Z"}, {at(10000), "9999-12-31T23:59:59.999Z"}, {at(1 << 31), "9999-12-31T23:59:59.999Z"},
		{time.Time{}.Add(-1 << 62).Add(-1 << 62), "0000-01-01T00:00:00.000Z"}, {time.Unix(1<<62, 0), "9999-12-31T23:59:59.999Z"}, {time.Unix(-1<<62, 0), "0000-01-01T00:00:00.000Z"},
	} {
		if got := TimeOf(c.told); got.String() != c.want {
			t.Errorf("%s is told as %s, want %s", c.told, got, c.want)
		}
	}
	for _, edge := range []string{`"9999-12-31T23:59:59.999-01:00"`, `"0000-01-01T00:00:00.000+01:00"`} {
		var got Time
		if err := json.Unmarshal([]byte(edge), &got); err != nil || got < MinTime || got > MaxTime {
			t.Errorf("%s: %d (%v)", edge, got, err)
		}
	}
}

// Times of earlier versions, which allowed a wider range, are read unchanged.
func TestFarTimesOfEarlierVersionsAreRead(t *testing.T) {
	for _, year := range []int{10000, 12026, 12028, 99999, 200004, -1, -400, -12025} {
		want := Time(time.Date(year, 2, 28, 23, 59, 58, 7e6, time.UTC).UnixMilli())
		raw, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got Time
		if err := json.Unmarshal(raw, &got); err != nil || got != want {
			t.Errorf("year %d: %s is read as %d (%v), want %d", year, raw, got, err, want)
		}
	}
}

// If the clock is behind by less than MaxHold, an event gets the time of the last event. If the clock was set back
// further, the event gets the clock's time (P4.1).
func TestAfter_P4_1(t *testing.T) {
	const minute = Time(60_000)
	hold := Time(MaxHold.Milliseconds())
	for _, c := range []struct{ last, now, want Time }{
		{0, 5, 5}, {5, 5, 5}, {5, 6, 6}, {9, 5, 9}, {minute * 100, minute*100 - hold + 1, minute * 100}, {minute * 100, minute*100 - hold, minute*100 - hold},
		{MaxTime, minute, minute}, {minute, MaxTime, MaxTime},
	} {
		if got := After(c.last, c.now); got != c.want {
			t.Errorf("after %d, at %d: %d, want %d", c.last, c.now, got, c.want)
		}
	}
}

// UnmarshalJSON accepts exactly the JSON strings that contain a time, for any input.
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
			if far, ok := parseFar(s); bad && ok {
				want, bad = far, false
			}
		}
		var got Time
		err := got.UnmarshalJSON(b)
		if (err != nil) != bad || !bad && got != want {
			t.Errorf("%q: %s (%v), want %s, refused %t", b, got, err, want, bad)
		}
	})
}
