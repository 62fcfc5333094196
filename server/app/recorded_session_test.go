package app_test

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"agentdungeon/shared/world"
)

// session plays a file of steps, one per line, and records every frame of each client:
//
//	join NAME ROLE       connect a client with the token of host or spectator
//	leave NAME           disconnect the client
//	NAME {...}           send a frame of the client; $ada, $realm, $council, ... stand for ids
//	switch NAME {...}    switch the client to a realm that opens meanwhile. The frames and their order
//	                     vary, so only the fields of the frames that always arrive are recorded
//	wait DURATION        advance the bubble's clock
//	until NAME TYPE      wait for a frame of this type to the client
//	ended NAME           wait until the process of the client's new realm has ended
//	get host PATH        send a request to /api
//	remember NAME ID     let $NAME stand for that id from here on
//	name TEXT            let the id of the next new realm end with TEXT
//	kill NAME            copy the worlds folder as a kill at this moment leaves it
//	open-all NAME        open every conversation that the client has seen
//	board                record the findings, the quests and the report of the realm
//	mend                 correct a file of the linked folder
//	stop, start          stop the server, or start it again
type session struct {
	t      *testing.T
	worlds string
	cast   string
	dir    string // its name is replaced in the log
	repo   string // the linked folder
	random *named
	pace   string // the pace of a session outside of a bubble, "" in a bubble
	record string // the folder for the copies that kill makes, "" for none
	epoch  string // the epoch of the folder before it is opened
	life   *life
	talks  []string // conversations, as they began
	seats  map[string]*seat
	names  []string // names of the connected clients, in the order of their connections
	ids    map[string]string
	realms []string
	log    bytes.Buffer
}

// seat has a client's identity and position.
type seat struct {
	*socket
	id, secret, epoch string
	seq               int64
	world             json.RawMessage // from the last world:state
	completed         bool            // a process
}

// over reports whether the process of the client's realm has ended.
func (s *seat) over() bool {
	var w world.World
	if err := json.Unmarshal(s.world, &w); err != nil {
		s.t.Fatal(err)
	}
	return w.ProcessState.Status == world.StatusCompleted || s.completed
}

// board returns the results of a review: a line for each finding and quest, and the report.
func (s *session) board() string {
	s.t.Helper()
	status, text := s.life.ask("GET", s.filled("", "/api/realms/$realm/export?format=json"), "")
	var e struct {
		Findings, Withdrawn []world.Finding
		Quests              []world.Quest
		Artifacts           []world.Artifact
	}
	if err := json.Unmarshal([]byte(text), &e); err != nil || status != 200 {
		s.t.Fatalf("%d %s: %v", status, text, err)
	}
	var out []string
	for _, f := range slices.Concat(e.Findings, e.Withdrawn) {
		out = append(out, fmt.Sprintf("%s %s %s %s:%d %q withdrawn %q into %q",
			f.ID, f.Severity, f.Check, f.Path, f.Line, f.Title, f.Withdrawn, f.Into))
	}
	for _, q := range e.Quests {
		out = append(out, fmt.Sprintf("%s %s %s %q note %q", q.ID, q.Status, q.Priority, q.Title, q.Note))
	}
	slices.Sort(out)
	for _, a := range e.Artifacts {
		if a.Name == "final_report" {
			out = append(out, a.Text)
		}
	}
	return strings.Join(out, "\n") + "\n"
}

func (s *session) play(script string) {
	s.t.Helper()
	s.seats, s.ids = map[string]*seat{}, map[string]string{"repo": s.repo, "old-epoch": s.epoch}
	s.start()
	for line := range strings.Lines(script) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		if text, ok := strings.CutPrefix(line, "name "); ok {
			s.random.name(text)
			continue
		}
		fmt.Fprintf(&s.log, "= %s\n", line)
		line, switches := strings.CutPrefix(line, "switch ")
		s.step(line)
		if s.pace != "" {
			continue // the order of these frames varies
		}
		pass(moment)
		for _, name := range s.names {
			s.take(name, switches)
		}
		s.names = slices.DeleteFunc(s.names, func(n string) bool { return s.seats[n].socket == nil })
	}
}

// named is a random source whose next value a test can choose. A realm's id has a random part, and its land depends
// on its id.
type named struct {
	io.Reader
	next atomic.Pointer[string] // the first characters of the next result of rand.Text
}

func (n *named) Read(b []byte) (int, error) {
	const letters, long = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 26
	if len(b) != long {
		return n.Reader.Read(b)
	}
	next := n.next.Swap(nil)
	if next == nil {
		return n.Reader.Read(b)
	}
	for i := range b {
		b[i] = byte(max(0, strings.IndexByte(letters, (*next + letters)[i])))
	}
	return len(b), nil
}

// name lets the id of the next new realm end with text.
func (n *named) name(text string) { n.next.Store(&text) }

// newNamed replaces the program's random source until the test ends.
func newNamed(t *testing.T) *named {
	was := rand.Reader
	n := &named{Reader: was}
	rand.Reader = n
	t.Cleanup(func() { rand.Reader = was })
	return n
}

func (s *session) start() {
	s.t.Helper()
	s.life = begin(s.t, s.worlds, s.cast, s.pace)
	s.pass(0)
}

// pass advances the bubble's clock. A session with a pace of its own does not need it, because its steps wait
// for frames.
func (s *session) pass(d time.Duration) {
	if s.pace == "" {
		pass(d)
	}
}

func (s *session) step(line string) {
	s.t.Helper()
	verb, rest, _ := strings.Cut(line, " ")
	name, last, _ := strings.Cut(rest, " ")
	switch verb {
	case "join":
		if s.seats[name] == nil {
			s.seats[name] = &seat{}
		}
		token := hostToken
		if last == "spectator" {
			token = s.life.spectatorToken()
		}
		s.seats[name].socket = s.life.socket(token)
		s.names = append(s.names, name)
	case "leave":
		if err := s.seats[name].conn.CloseNow(); err != nil {
			s.t.Fatal(err)
		}
	case "wait":
		d, err := time.ParseDuration(rest)
		if err != nil {
			s.t.Fatal(err)
		}
		s.pass(d)
	case "until":
		s.until(name, last)
	case "ended":
		s.until(rest, "world:state")
		if !s.seats[rest].over() {
			s.until(rest, "process:completed")
		}
	case "get":
		status, text := s.life.ask("GET", s.filled("", last), "")
		if status >= 400 {
			text = refusal.ReplaceAllString(text, `$1(words)$2`)
		}
		fmt.Fprintf(&s.log, "%d %s\n", status, strings.ReplaceAll(text, "\n", "\n  "))
	case "remember":
		s.ids[name] = s.filled("", last)
	case "kill":
		if s.record != "" {
			if err := os.CopyFS(filepath.Join(s.record, rest), os.DirFS(s.worlds)); err != nil {
				s.t.Fatal(err)
			}
		}
	case "open-all":
		for i, id := range s.talks {
			open := `{"type":"conversation.open","conversationId":%q,"limit":200,"requestId":"open-%d"}`
			s.seats[rest].send(fmt.Sprintf(open, id, i))
			s.pass(moment)
		}
	case "board":
		fmt.Fprint(&s.log, s.board())
	case "mend":
		lay(s.t, s.repo, map[string]string{"src/Old.go.orig": "", "notes.txt": "one\nother\n"})
	case "stop":
		s.life.end()
	case "start":
		s.start()
	default:
		s.seats[verb].send(s.filled(verb, rest))
	}
}

var placeholder = regexp.MustCompile(`\$[a-z]+(-[a-z]+|\.seat)?`)

func (s *session) until(name, kind string) {
	s.t.Helper()
	s.seats[name].until(kind)
	s.take(name, true)
}

// filled replaces placeholders such as $ada by ids and values: the sender's position, people, and the newest
// conversation of a kind.
func (s *session) filled(sender, text string) string {
	own := s.seats[sender]
	return placeholder.ReplaceAllStringFunc(text, func(name string) string {
		name = name[1:]
		who, isSeat := strings.CutSuffix(name, ".seat")
		switch {
		case isSeat:
			return s.seats[who].secret
		case name == "epoch":
			return own.epoch
		case name == "seq":
			return fmt.Sprint(own.seq)
		case s.seats[name] != nil:
			return s.seats[name].id
		case s.ids[name] == "":
			s.t.Fatalf("%s: nobody knows %s yet", text, name)
		}
		return s.ids[name]
	})
}

// rests matches the frame that ends the activity of a member. The timers of several members can end at the same
// moment, and then these frames arrive in any order.
var rests = regexp.MustCompile(`^(\{"type":"agent:activity","seq":[0-9]+,"at":"([^"]*)","agentId":")([^"]*)(","activity":""\})$`)

// Clients depend on the code of an error, not on its sentence.
var (
	errorText = regexp.MustCompile(`^(\{"type":"error",.*"message":").*("\})$`)
	refusal   = regexp.MustCompile(`("message": ?").*("\})`)
)

// canonical returns a frame with the fields of a snapshot in a fixed order and without the sentence of an
// error. Everything else stays as it was received.
func canonical(frame []byte) string {
	if bytes.HasPrefix(frame, []byte(`{"type":"world:state"`)) {
		var fields map[string]any
		d := json.NewDecoder(bytes.NewReader(frame))
		d.UseNumber()
		if err := d.Decode(&fields); err != nil {
			return err.Error()
		}
		if text, err := json.Marshal(fields); err == nil {
			return string(text)
		}
	}
	return errorText.ReplaceAllString(string(frame), "$1(words)$2")
}

// ordered sorts the frames that may arrive in any order.
func ordered(frames [][]byte) []string {
	out := make([]string, len(frames))
	for i, frame := range frames {
		out[i] = canonical(frame)
		for j := i; j > 0; j-- {
			a, b := rests.FindStringSubmatch(out[j-1]), rests.FindStringSubmatch(out[j])
			if a == nil || b == nil || a[2] != b[2] || a[3] <= b[3] {
				break
			}
			out[j-1], out[j] = a[1]+b[3]+a[4], b[1]+a[3]+b[4]
		}
	}
	return out
}

// always has the types of the frames that every switch to another realm sends.
var always = []string{"server:info", "welcome", "realm:progress", "overlays", "spectator:list"}

// shapes returns the field names of the frames that always arrive.
func (s *session) shapes(frames [][]byte) []string {
	s.t.Helper()
	var out []string
	for _, frame := range frames {
		fields := map[string]any{}
		if err := json.Unmarshal(frame, &fields); err != nil {
			s.t.Fatal(err)
		}
		if kind := fields["type"].(string); slices.Contains(always, kind) {
			out = append(out, fmt.Sprint(kind, " ", slices.Sorted(maps.Keys(fields))))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// take records the frames of a client, and the ids in them.
func (s *session) take(name string, switches bool) {
	s.t.Helper()
	own := s.seats[name]
	frames, ended := own.frames()
	shown := ordered(frames)
	if switches {
		shown = s.shapes(frames)
	}
	if s.pace != "" {
		shown = nil
	}
	for _, frame := range shown {
		fmt.Fprintf(&s.log, "%s< %s\n", name, frame)
	}
	for _, frame := range frames {
		var f struct {
			Type, Epoch, Kind, RealmID, SpectatorID, Seat, RequestID, ConversationID string
			Seq                                                                      int64
			At                                                                       string
			Conversation                                                             struct{ Kind, ConversationID string }
			World                                                                    json.RawMessage
		}
		if err := json.Unmarshal(frame, &f); err != nil {
			s.t.Fatalf("%s: %v", frame, err)
		}
		if f.At != "" || f.Type == "world:state" {
			own.seq = max(own.seq, f.Seq)
		}
		switch f.Type {
		case "welcome":
			own.epoch, s.ids["realm"] = f.Epoch, f.RealmID
			s.realms = append(s.realms, f.RealmID)
			s.ids["first"] = cmp.Or(s.ids["first"], f.RealmID)
		case "spectator:welcome":
			own.id, own.secret = f.SpectatorID, f.Seat
		case "world:state":
			own.world = f.World
		case "process:completed":
			own.completed = true
		case "chat.started":
			s.ids["run"] = cmp.Or(f.RequestID, s.ids["run"])
		case "conversation.started":
			s.ids[f.Conversation.Kind] = f.Conversation.ConversationID
			s.ids[f.Kind] = f.ConversationID
			if id := cmp.Or(f.ConversationID, f.Conversation.ConversationID); !slices.Contains(s.talks, id) {
				s.talks = append(s.talks, id)
			}
		}
	}
	if ended {
		fmt.Fprintf(&s.log, "%s! %d\n", name, own.code)
		own.socket = nil
	}
}

var (
	randomID  = regexp.MustCompile(`[A-Z2-7]{26}`)
	realmID   = regexp.MustCompile(`^([a-z-]+)-[a-z2-7]{6}$`)
	seatToken = regexp.MustCompile(`"seat":"[^"]*"`)
)

// normal replaces the values that differ between runs: the temporary folder, the secret of a seat, and
// random ids, which become numbers in the order of their appearance. Times are those of the bubble's clock
// and stay.
func (s *session) normal(text string) string {
	text = strings.ReplaceAll(text, s.dir, "/recorded")
	text = seatToken.ReplaceAllString(text, `"seat":"SEAT"`)
	n := map[string]string{}
	for _, id := range s.realms {
		if m := realmID.FindStringSubmatch(id); m != nil {
			text = strings.ReplaceAll(text, id, m[1]+"-REALM")
		}
	}
	return randomID.ReplaceAllStringFunc(text, func(id string) string {
		if n[id] == "" {
			n[id] = fmt.Sprint("ID", len(n)+1)
		}
		return n[id]
	})
}
