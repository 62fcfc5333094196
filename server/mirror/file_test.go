package mirror

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"agentdungeon/shared/world"
)

// Without REDIS_URL the copy is findings.json, also after the last finding was withdrawn and after the realm has
// closed (S3-15).
func TestFindingsAreInAFile(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	g.start("")
	r := g.open("one")
	g.inFile("one") // also an empty board is one
	for n := range 30 {
		r.post(t, fmt.Sprintf("f%d", n), "title")
	}
	r.withdraw(t, "f3")
	g.inFile("one")
	r.post(t, "last", "title")
	r.taken(t)
	g.close("one")
	data, err := g.folder.LoadBoard(Ref{"default", "one"})
	must(t, err)
	if !strings.Contains(string(data), `"last"`) || strings.Count(string(data), `"withdrawn"`) != 1 {
		t.Errorf("after the end: %s", data)
	}
}

// If a realm closes before its follower has read anything, the last copy still has all findings.
func TestRealmThatEndsUnread(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	g.start("")
	r := g.open("one")
	r.post(t, "f", "title")
	r.taken(t)
	g.close("one")
	must(t, g.folder.RemoveBoard(Ref{"default", "one"}))
	g.m.Follow("default", r.realm)()
	data, err := g.folder.LoadBoard(Ref{"default", "one"})
	if err != nil || !strings.Contains(string(data), `"id":"f"`) && !strings.Contains(string(data), `"id": "f"`) {
		t.Errorf("%s, %v", data, err)
	}
}

// If findings.json cannot be written, people see a message, and the file is written once the disk works. A realm
// whose folder was removed gets no file.
func TestFileThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	g.start("")
	r := g.open("one")
	g.inFile("one")
	bad := func(err error) {
		g.folder.mu.Lock()
		defer g.folder.mu.Unlock()
		g.folder.bad = err
	}
	bad(errors.New("no space left"))
	r.post(t, "f", "title")
	r.told(t, "findings.json cannot be written")
	bad(nil)
	r.told(t, "")
	g.inFile("one")
	if n := strings.Count(g.log.String(), "could not be written"); n != 1 {
		t.Errorf("it is logged %d times", n)
	}
	gone := Ref{"default", "gone"}
	if err := g.folder.SaveBoard(gone, []byte("{}")); err == nil {
		t.Error("a board was written for a realm without a folder")
	}
	if _, err := os.Stat(filepath.Join(g.folder.dir, "gone")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder of a removed realm: %v", err)
	}
}

// The mirror copies a findings.json of an earlier process to Redis only if the file is valid and names the closed
// realm.
func TestBoardOf(t *testing.T) {
	ref := Ref{"default", "one"}
	b := board{ref: ref}
	b.reset("e1", &world.World{Tick: 7, Findings: []world.Finding{{ID: "f", Title: "t"}}})
	good, err := b.file()
	must(t, err)
	back, err := decodeBoard(ref, good)
	if err != nil || back.at() != b.at() || len(back.world.Findings) != 1 || !back.behind() {
		t.Errorf("%+v, %v", back, err)
	}
	for _, bad := range []string{"", "{", "[]", `{"schema":1}`, strings.Replace(string(good), `"one"`, `"two"`, 1), strings.Replace(string(good), `"schema": 1`, `"schema": 2`, 1)} {
		if _, err := decodeBoard(ref, []byte(bad)); err == nil {
			t.Errorf("taken: %s", bad)
		}
	}
}

// The board folds events to the same findings as world.Apply, and recognizes by a frame's type whether it has to
// decode the event. After an erasure the whole state is read again.
func TestFold(t *testing.T) {
	b := board{}
	b.reset("e1", &world.World{Tick: 1})
	for i, tc := range []struct {
		body   world.Body
		erased bool
		want   string
	}{
		{&world.FindingPosted{Finding: world.Finding{ID: "a", Title: "one"}}, false, "a"},
		{&world.SpectatorCommand{Text: `{"type":"findings:posted"`}, false, "a"},
		{&world.FindingPosted{Finding: world.Finding{ID: "b"}}, false, "a b"},
		{&world.FindingWithdrawn{FindingID: "a", Reason: "no"}, false, "b a"},
		{&world.HistoryErased{ErasureID: "x", SpectatorID: "p", Reason: world.ErasedOnRequest}, true, "b a"},
	} {
		rec, err := world.Event{Seq: int64(i + 2), At: 1, V: 1, Body: tc.body}.Encode()
		must(t, err)
		erased, err := b.fold(world.Frame{Seq: rec.Event.Seq, Type: rec.Event.Body.EventType(), Bytes: rec.Frame})
		if err != nil || erased != tc.erased || strings.Join(b.changedIDs(), " ") != tc.want {
			t.Errorf("%s: %v, %v, %q", tc.body.EventType(), erased, err, b.changedIDs())
		}
	}
	if b.seq != 6 || b.world.Findings[0].Withdrawn != "no" {
		t.Errorf("at %d: %+v", b.seq, b.world.Findings)
	}
	if _, err := b.fold(world.Frame{Seq: 7, Type: "findings:posted", Bytes: []byte(`{"type":"findings:posted","seq":7,"finding":3}`)}); err == nil {
		t.Error("a frame that cannot be read is passed over")
	}
}

// Nothing that is printed, logged or returned as an error has the password of REDIS_URL.
func TestAddressTellsNoPassword(t *testing.T) {
	const secret = "correct-horse-battery"
	a, err := ParseAddress("rediss://user:" + secret + "@redis.example:6380/2")
	must(t, err)
	text, err := a.MarshalText()
	must(t, err)
	for _, s := range []string{a.String(), fmt.Sprintf("%v %+v %#v", a, a, a), string(text), a.reason(errors.New("refused " + secret + "\nx" + strings.Repeat("y", 300)))} {
		if strings.Contains(s, secret) || strings.ContainsAny(s, "\n") || len(s) > 260 {
			t.Errorf("it tells %q", s)
		}
	}
	if a.String() != "redis.example:6380" || a.options.DB != 2 || a.options.TLSConfig == nil {
		t.Errorf("%s: %+v", a, a.options)
	}
	for _, bad := range []string{"http://" + secret, "redis://:" + secret + "@host:x/", secret, "redis://h/" + secret} {
		if _, err := ParseAddress(bad); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if a, err := ParseAddress(" "); err != nil || !a.IsZero() || a.String() != "" {
		t.Errorf("none: %v, %v", a, err)
	}
}

// People see one of a few fixed sentences for each error of Redis.
func TestSentence(t *testing.T) {
	for _, tc := range []struct {
		err  error
		want string
	}{
		{errors.New("dial tcp: refused"), "Redis does not answer."},
		{fmt.Errorf("x: %w", redisError("WRONGPASS invalid username-password pair")), "Redis refuses the password."},
		{redisError("NOAUTH Authentication required."), "Redis refuses the password."},
		{redisError("OOM command not allowed"), "Redis does not take the findings."},
		{errRaced, "Another program writes into the board's keys on Redis."},
	} {
		if got := userMessage(tc.err); got != tc.want {
			t.Errorf("%v: %s", tc.err, got)
		}
	}
}

type redisError string

func (e redisError) Error() string { return string(e) }
func (redisError) RedisError()     {}

var _ redis.Error = redisError("")

// The log has one line when Redis stops answering and one when it answers again, whichever follower notices.
func TestSaidOnce(t *testing.T) {
	l := &log{}
	a, err := ParseAddress("redis://127.0.0.1:1")
	must(t, err)
	m := &Mirror{cfg: Config{Address: a}, failing: map[Ref]bool{}}
	m.log = zerolog.New(l)
	one, two := Ref{"default", "one"}, Ref{"default", "two"}
	m.logState(Ref{}, nil)
	for range 3 {
		m.logState(one, errors.New("gone"))
		m.logState(two, errors.New("gone"))
		m.logState(Ref{}, errors.New("gone"))
	}
	m.logState(one, nil)
	m.logState(Ref{}, nil)
	if text := l.String(); strings.Contains(text, "Redis can be used again") || strings.Count(text, "Redis cannot be used") != 1 {
		t.Errorf("while one is still away: %s", text)
	}
	m.logState(two, nil)
	m.logState(two, nil)
	if text := l.String(); strings.Count(text, "Redis can be used again") != 1 {
		t.Errorf("at the end: %s", text)
	}
}
