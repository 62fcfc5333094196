package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentdungeon/shared/world"
)

// vocabulary is how many words the invented language has.
const vocabulary = 20_000

// language makes texts whose words are as unevenly common as those of a language: the
// n-th word is n times rarer than the first. It says the same in every run.
type language struct {
	rnd *rand.Rand
	sum []float64 // of the words' shares so far, the commonest first
}

func newLanguage() *language {
	l := &language{rnd: rand.New(rand.NewPCG(7, 7))}
	sum := 0.0
	for i := range vocabulary {
		sum += 1 / float64(i+2)
		l.sum = append(l.sum, sum)
	}
	return l
}

// word is the n-th in the order of how common they are.
func (l *language) word(n int) string {
	const consonants, vowels = "bcdfghklmnprstvz", "aeiou"
	var w strings.Builder
	for n += 3; n > 0; {
		w.WriteByte(consonants[n%len(consonants)])
		n /= len(consonants)
		w.WriteByte(vowels[n%len(vowels)])
		n /= len(vowels)
	}
	return w.String()
}

// text has least to most bytes.
func (l *language) text(least, most int) string {
	size := least + l.rnd.IntN(most-least+1)
	var out strings.Builder
	for out.Len() < size {
		at, _ := slices.BinarySearch(l.sum, l.rnd.Float64()*l.sum[len(l.sum)-1])
		out.WriteString(l.word(min(at, vocabulary-1)) + " ")
	}
	return out.String()[:size]
}

// said is what a person says, answered what an agent says then: the sizes of an
// ordinary talk, some 430 bytes on average.
func (l *language) said() string     { return l.text(60, 200) }
func (l *language) answered() string { return l.text(200, 1_300) }

// talk writes conversations into a realm as the actor does: two commits for what a
// person says and the answer.
type talk struct {
	writer
	bytes int64 // of the texts of all rows so far
	n     int   // runs so far
}

var talkRealm = world.Realm{ID: "talk", Name: "Talk", Tenant: "default"}

// newTalk makes a realm in a folder that is not there yet; it closes with the scope.
func (b *bench) newTalk(home string) *talk {
	t := b.openTalk(home)
	must(t.commit(&world.RealmCreated{Realm: talkRealm, Settings: world.DefaultSettings()}))
	return t
}

// openTalk opens a realm that newTalk has made, as the server does.
func (b *bench) openTalk(home string) *talk {
	o := b.open(home, talkRealm)
	return &talk{writer: writer{o: o, w: o.Saved.World, at: o.Saved.LastAt}}
}

func (t *talk) begin(id string) world.Body {
	return &world.ConversationStarted{Conversation: world.Conversation{
		ConversationID: id, Kind: world.KindChat, Title: "About " + id, Status: world.ConversationActive, CreatedAt: t.at, UpdatedAt: t.at,
		Team: world.Team{ID: "cast", Name: "Cast", Members: []world.Member{
			{ID: "person", Name: "Person", DisplayName: "Person", Type: world.KindHuman, Role: "person", Color: "#aabbcc"},
			{ID: "sage", Name: "Sage", DisplayName: "Sage", Type: world.KindAgent, Role: "sage", Color: "#4fb8a3", Order: 1},
		}},
	}}
}

// turns are the events of what a person says and of the answer: the first half is
// committed when it is said, the second when the answer has ended.
func (t *talk) turns(id, said, answered string) (ask, answer []world.Body) {
	t.n++
	t.bytes += int64(len(said) + len(answered))
	run, question, row := fmt.Sprintf("q%d", t.n), fmt.Sprintf("m%da", t.n), fmt.Sprintf("m%db", t.n)
	at := max(t.at, now())
	ask = []world.Body{
		&world.ChatStarted{ConversationID: id, RequestID: run, MemberID: "sage", Instance: "sage#1", Status: world.RunRunning, Model: "some-model-1", Message: &world.Message{
			MessageID: question, ConversationID: id, RequestID: run, Role: world.RoleUser, SpectatorID: "person", Name: "Person",
			Content: said, Status: world.MessageDone, At: at,
		}},
		&world.SegmentStarted{ConversationID: id, RequestID: run, MessageID: row, MemberID: "sage", Name: "Sage"},
	}
	answer = []world.Body{
		&world.SegmentClosed{ConversationID: id, RequestID: run, Reason: world.ClosedByDone, Message: world.Message{
			MessageID: row, ConversationID: id, RequestID: run, Role: world.RoleAssistant, MemberID: "sage", Name: "Sage",
			Content: answered, Status: world.MessageDone, At: at,
		}},
		&world.ChatDone{ConversationID: id, RequestID: run, MemberID: "sage"},
	}
	return ask, answer
}

// exchange is turns with texts of ordinary lengths, in one piece.
func (t *talk) exchange(id string, words *language) []world.Body {
	ask, answer := t.turns(id, words.said(), words.answered())
	return append(ask, answer...)
}

// library is a realm of many messages in a hundredth as many chats. Its folder stays until
// the program ends.
type library struct {
	home  string
	lines []byte // all texts, a line each, for searching without an index
	n     int
}

// fillLibrary makes it, or gives the one that was made before: filling takes half a
// minute.
func (b *bench) fillLibrary(n int) *library {
	if b.books != nil && b.books.n == n {
		return b.books
	}
	b.n++
	l := &library{home: b.file(fmt.Sprintf("library%d", b.n)), n: n}
	b.scope(func() { l.fill(b.newTalk(l.home)) })
	b.books = l
	return l
}

func (l *library) fill(t *talk) {
	const perCommit = 250 // talks at a time, so that filling does not take minutes
	words := newLanguage()
	chats := l.n/100 + 1
	var bodies []world.Body
	for i := range chats {
		bodies = append(bodies, t.begin(fmt.Sprintf("c%d", i)))
	}
	must(t.commit(bodies...))
	for said := 0; said < l.n/2; said += perCommit {
		bodies = bodies[:0]
		for range min(perCommit, l.n/2-said) {
			asked, answered := words.said(), words.answered()
			ask, answer := t.turns(fmt.Sprintf("c%d", words.rnd.IntN(chats)), asked, answered)
			bodies = append(append(bodies, ask...), answer...)
			l.lines = append(append(append(append(l.lines, asked...), '\n'), answered...), '\n')
		}
		must(t.commit(bodies...))
	}
}

// talkAppend is what is said in a chat at a steady pace, a commit each, in a realm that
// holds much already. The encoding of the events is in it, as in the product.
func (b *bench) talkAppend(held int) {
	add := b.percentiles(aim{below, 20e-3}, "append, fsync",
		"append of a chat's messages at %d/s (row, run, search index; %d rows there before), ", appendPace, held)
	t := b.openTalk(b.fillLibrary(held).home)
	b.books = nil // it has more rows now, and its texts take memory
	t.n = held    // no run or row of before is named again
	appendAlone := b.appender("talk-appended-alone")
	words, run := newLanguage(), 0
	b.times(b.runs, func() {
		run++
		messages := t.messages(fmt.Sprintf("more%d", run), "person", words, b.during)
		took := get(pace(appendPace, b.during, func(i int) error { return t.commit(messages[i]...) }))
		lines := get(logLines(messages))
		add(took, get(pace(appendPace, b.during, func(i int) error { return appendAlone(lines[i]) })))
	})
}

// messages begins a conversation and gives what is said in it at appendPace, commit by commit.
func (t *talk) messages(id, person string, words *language, during time.Duration) (commits [][]world.Body) {
	must(t.commit(t.begin(id)))
	for range appendPace * int(during.Seconds()) / 2 {
		ask, answer := t.turns(id, words.said(), words.answered())
		ask[0].(*world.ChatStarted).Message.SpectatorID = person
		commits = append(commits, ask, answer)
	}
	return commits
}

// logLines are the events of each commit as they would stand in a plain log.
func logLines(commits [][]world.Body) ([][]byte, error) {
	out := make([][]byte, len(commits))
	for i, bodies := range commits {
		for _, body := range bodies {
			rec, err := world.Event{Seq: 1, At: 1, V: 1, Body: body}.Encode()
			if err != nil {
				return nil, err
			}
			out[i] = append(append(out[i], rec.Frame...), '\n')
		}
	}
	return out, nil
}

// sourceTexts are n pieces of the sources of Go's own library, 2 to 4 KB each: words
// about code, and code.
func (b *bench) sourceTexts(n int) (out []string) {
	root := get(exec.CommandContext(b.ctx, "go", "env", "GOROOT").Output())
	rnd := rand.New(rand.NewPCG(7, 7))
	take := func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Ext(path) != ".go" {
			return err
		}
		data, err := os.ReadFile(path)
		for len(data) >= 4<<10 {
			size := 2<<10 + rnd.IntN(2<<10)
			if end := bytes.LastIndexByte(data[:size], '\n') + 1; end >= 2<<10 {
				size = end
			}
			if out = append(out, strings.ToValidUTF8(string(data[:size]), " ")); len(out) == n {
				return filepath.SkipAll
			}
			data = data[size:]
		}
		return err
	}
	for _, part := range []string{"net", "go"} {
		if len(out) < n {
			must(filepath.WalkDir(filepath.Join(strings.TrimSpace(string(root)), "src", part), take))
		}
	}
	if len(out) < n {
		must(fmt.Errorf("the sources of Go give %d texts, %d are needed", len(out), n))
	}
	return out
}
