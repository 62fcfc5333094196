package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"agentdungeon/server/store/recovery"
	"agentdungeon/shared/world"
)

// vocabulary is the number of words of the invented language.
const vocabulary = 20_000

// language makes texts of invented words, the same in every benchmark. The n-th word is about n times rarer than the
// first.
type language struct {
	rnd  *rand.Rand
	rank *rand.Zipf // draws words, the commonest most often
}

func newLanguage() *language {
	rnd := rand.New(rand.NewPCG(7, 7))
	return &language{rnd: rnd, rank: rand.NewZipf(rnd, 1.0001, 2, vocabulary-1)}
}

// word returns the n-th most common word.
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

// text returns random words with a length of least to most bytes.
func (l *language) text(least, most int) string {
	size := least + l.rnd.IntN(most-least+1)
	var out strings.Builder
	for out.Len() < size {
		out.WriteString(l.word(int(l.rank.Uint64())) + " ")
	}
	return out.String()[:size]
}

// said returns a text with the length of a person's message in a chat. answered returns a text with the length of
// an agent's answer, 440 bytes on average.
func (l *language) said() string     { return l.text(60, 200) }
func (l *language) answered() string { return l.text(200, 1_300) }

// talk commits events as the actor does: a person's text in one commit and the answer in another.
type talk struct {
	o     *recovery.Opened
	w     *world.World
	at    world.Time
	bytes int64 // length of the texts of all rows
	n     int   // number of runs
}

var talkRealm = world.Realm{ID: "talk", Name: "Talk", Tenant: "default"}

// newTalk makes a realm in a new folder. The realm is closed when the enclosing call of bench.scope ends.
func (b *bench) newTalk(home string) *talk {
	t := b.openTalk(home)
	t.commit(&world.RealmCreated{Realm: talkRealm, Settings: world.DefaultSettings()})
	return t
}

// openTalk opens a realm that newTalk made, as the server does.
func (b *bench) openTalk(home string) *talk { return b.talkIn(home, talkRealm) }

func (b *bench) talkIn(home string, realm world.Realm) *talk {
	o := b.handed(home, realm)
	b.after(func() { must(o.Journal.Close()) })
	return &talk{o: o, w: o.Saved.World, at: o.Saved.LastAt}
}

// spoken returns the event of a spectator's text.
func spoken(text string) world.Body {
	return &world.SpectatorCommand{SpectatorID: "s", Name: "person", Color: "#aabbcc", Text: text}
}

// members are a person and agents; a chat has the first two.
var members = []world.Member{
	{ID: "person", Name: "Person", DisplayName: "Person", Type: world.KindHuman, Role: "person", Color: "#aabbcc"},
	{ID: "sage", Name: "Sage", DisplayName: "Sage", Type: world.KindAgent, Role: "sage", Color: "#4fb8a3", Order: 1},
	{ID: "bard", Name: "Bard", DisplayName: "Bard", Type: world.KindAgent, Role: "bard", Color: "#c8a34f", Order: 2},
}

// chat returns the event that begins a chat of a person with an agent.
func chat(id string, at world.Time) *world.ConversationStarted {
	return &world.ConversationStarted{Conversation: world.Conversation{
		ConversationID: id, Kind: world.KindChat, Title: "About " + id, Status: world.ConversationActive, CreatedAt: at, UpdatedAt: at,
		Team: world.Team{ID: "cast", Name: "Cast", Members: members[:2]},
	}}
}

// turns returns the events of a person's text and those of the answer. In the product these are two commits.
func (t *talk) turns(id, said, answered string) (ask, answer []world.Body) {
	t.n++
	t.bytes += int64(len(said) + len(answered))
	run, row := fmt.Sprintf("q%d", t.n), fmt.Sprintf("m%db", t.n)
	question := world.Message{
		MessageID: fmt.Sprintf("m%da", t.n), ConversationID: id, RequestID: run, Role: world.RoleUser, SpectatorID: "person",
		Name: "Person", Content: said, Status: world.MessageDone, At: max(t.at, now()),
	}
	reply := world.Message{
		MessageID: row, ConversationID: id, RequestID: run, Role: world.RoleAssistant, MemberID: "sage", Name: "Sage",
		Content: answered, Status: world.MessageDone, At: question.At,
	}
	ask = []world.Body{
		&world.ChatStarted{ConversationID: id, RequestID: run, MemberID: "sage", Instance: "sage#1", Status: world.RunRunning,
			Model: "some-model-1", Message: &question},
		&world.SegmentStarted{ConversationID: id, RequestID: run, MessageID: row, MemberID: "sage", Name: "Sage"},
	}
	answer = []world.Body{
		&world.SegmentClosed{ConversationID: id, RequestID: run, Reason: world.ClosedByDone, Message: reply},
		&world.ChatDone{ConversationID: id, RequestID: run, MemberID: "sage"},
	}
	return ask, answer
}

// library is a realm of n messages in about n/100 chats. Its folder stays until the program ends.
type library struct {
	home  string
	lines []byte // all texts, one on each line, for searching without an index
	n     int
}

// fillLibrary returns a library of n messages. It returns the previous one if that has n messages, because filling
// one takes half a minute.
func (b *bench) fillLibrary(n int) *library {
	if b.books != nil && b.books.n == n {
		return b.books
	}
	b.n++
	l := &library{home: b.file(fmt.Sprintf("library%d", b.n)), n: n}
	b.scope(func() {
		const perCommit = 250 // exchanges in a commit, so that filling does not take minutes
		t, words, chats := b.newTalk(l.home), newLanguage(), n/100+1
		var bodies []world.Body
		for i := range chats {
			bodies = append(bodies, chat(fmt.Sprintf("c%d", i), t.at))
		}
		t.commit(bodies...)
		for said := 0; said < n/2; said += perCommit {
			bodies = bodies[:0]
			for range min(perCommit, n/2-said) {
				asked, answered := words.said(), words.answered()
				ask, answer := t.turns(fmt.Sprintf("c%d", words.rnd.IntN(chats)), asked, answered)
				bodies = slices.Concat(bodies, ask, answer)
				l.lines = append(l.lines, asked+"\n"+answered+"\n"...)
			}
			t.commit(bodies...)
		}
	})
	b.books = l
	return l
}

// messages begins a conversation and returns the events of its messages, one list for each commit. There are enough
// to commit appendPace lists a second for the time during.
func (t *talk) messages(id, person string, words *language, during time.Duration) (commits [][]world.Body) {
	t.commit(chat(id, t.at))
	for range appendPace * int(during.Seconds()) / 2 {
		ask, answer := t.turns(id, words.said(), words.answered())
		ask[0].(*world.ChatStarted).Message.SpectatorID = person
		commits = append(commits, ask, answer)
	}
	return commits
}
