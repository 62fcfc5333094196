package history_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/storetest"
	"agentdungeon/shared/world"
)

// babble makes texts with the word frequencies of a natural language: of 20,000 words the n-th
// occurs n times less often than the first.
type babble struct {
	rnd *rand.Rand
	sum []float64
}

func newBabble() *babble {
	b := &babble{rnd: rand.New(rand.NewPCG(7, 7))}
	sum := 0.0
	for i := range 20_000 {
		sum += 1 / float64(i+2)
		b.sum = append(b.sum, sum)
	}
	return b
}

func (b *babble) name(n int) string {
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

func (b *babble) word() string {
	at, _ := slices.BinarySearch(b.sum, b.rnd.Float64()*b.sum[len(b.sum)-1])
	return b.name(min(at, len(b.sum)-1))
}

func (b *babble) text(words int) string {
	out := make([]string, words)
	for i := range out {
		out[i] = b.word()
	}
	return strings.Join(out, " ")
}

// query returns a plausible query: words of a text, sometimes a common word alone, sometimes with the
// last word incomplete.
func (b *babble) query(n int) string {
	switch n % 10 {
	case 0:
		return b.name(b.rnd.IntN(20)) // one of the most common words
	case 1:
		return b.name(b.rnd.IntN(20)) + " " + b.name(b.rnd.IntN(20))
	case 2, 3:
		w := b.name(int(math.Exp(b.rnd.Float64() * 9.5)))
		return w[:min(len(w), 3+b.rnd.IntN(3))]
	case 4:
		w := b.word()
		return b.word() + " " + w[:min(len(w), 3)]
	case 5, 6:
		return b.name(100 + b.rnd.IntN(19_000))
	}
	return b.text(1 + b.rnd.IntN(3))
}

// BenchmarkSearch searches 100,000 messages of 1,000 conversations for 20 hits at a time, every other
// time within one conversation. It reports p50, p99 and the maximum, and the bytes on disk for each byte
// of transcript, with the index and without.
func BenchmarkSearch(b *testing.B) {
	const messages, batch, talks = 100_000, 500, 1000
	r := storetest.NewRig(b)
	r.Commit(&world.RealmCreated{Realm: storetest.RigRealm, Settings: world.DefaultSettings()})
	words := newBabble()
	var heads []world.Body
	for i := range talks {
		id := fmt.Sprint("c", i)
		heads = append(heads, &world.ConversationStarted{Conversation: world.Conversation{ConversationID: id, Kind: world.KindChat, Title: id, Status: world.ConversationActive}})
	}
	r.Commit(heads...)
	said := 0
	for n := 0; n < messages; {
		var bodies []world.Body
		for range batch {
			text := words.text(20 + words.rnd.IntN(120))
			said += len(text)
			c := fmt.Sprint("c", words.rnd.IntN(talks))
			bodies = append(bodies, &world.MessageAdded{ConversationID: c, Message: world.Message{
				MessageID: fmt.Sprint("m", n), ConversationID: c, Role: world.RoleAssistant, MemberID: "bard", Name: "Bard", Content: text, Status: world.MessageDone, At: r.At}})
			n++
		}
		r.Commit(bodies...)
		r.Frames = r.Frames[:0]
	}
	j := r.O.Journal
	storetest.Must(b, j.EmptyLog(b.Context()))
	var all, index int64
	storetest.Must(b, sqlite.One(b.Context(), storetest.Inside{J: j}, []any{&all, &index}, "SELECT sum(pgsize), sum(pgsize) FILTER (WHERE name GLOB 'search*') FROM dbstat('main', 1)"))
	took := make([]time.Duration, 0, b.N)
	for b.Loop() {
		q := world.SearchQuery{Words: words.query(len(took)), Limit: 20}
		if len(took)/10%2 == 1 {
			q.ConversationID = fmt.Sprint("c", words.rnd.IntN(talks))
		}
		begin := time.Now()
		if _, err := j.Search(b.Context(), q); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "max-ms")
	b.ReportMetric(float64(all)/float64(said), "disk-bytes/text-byte")
	b.ReportMetric(float64(all-index)/float64(said), "without-index/text-byte")
}
