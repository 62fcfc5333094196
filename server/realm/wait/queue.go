// Package wait holds the messages of a realm's inbox that cannot be handled yet, in one bounded
// queue: commands and steps of plans that need something from the disk (kind.Need), and messages
// that have to wait for the end of an erasure. It also runs the goroutines that read.
//
// It decides nothing and sends no answers. The realm's actor adds a message under a key, receives
// a Result in its inbox once the need was read, and then takes the messages of that key out.
package wait

import (
	"context"
	"fmt"
	"sync"

	"agentdungeon/server/kind"
	"agentdungeon/shared/wire"
)

// MaxReads limits the number of reads under way in a Queue, MaxWaiting the number of messages that wait in it.
// If a limit is reached, a further message gets the error TooMany.
const (
	MaxReads   = 16
	MaxWaiting = 256
)

// TooMany is the error for a message if the queue has no room for it.
var TooMany = wire.Errorf(wire.RateLimited, "too many requests are being read from the disk; try again in a moment")

// Queue holds the messages that wait. Only the realm's actor uses it.
type Queue struct {
	life    context.Context
	from    Sources
	inbox   chan<- any
	work    sync.WaitGroup
	lines   map[string]*line // by key
	waiting int              // number of messages in all lines
	reads   int              // number of reads that are under way
	unnamed int              // the number of needs without a key so far
}

// line has the messages that wait under one key, in the order in which they came.
type line struct {
	need     kind.Need // nil if nothing has to be read
	messages []any
	begun    bool // set once Read was called for this line
}

// Sources is everything from which needs read data: tables, skills, session files and the linked folder.
type Sources interface {
	kind.Sources
	// Era returns a number that each erasure changes. Data that was read in an earlier era may contain erased
	// words.
	Era() int64
}

// New returns an empty queue. It reads from the sources in the parameter from, and sends Results to the channel inbox
// until the context life ends.
func New(life context.Context, from Sources, inbox chan<- any) *Queue {
	return &Queue{life: life, from: from, inbox: inbox, lines: map[string]*line{}}
}

// Wait adds a message that waits for a need (data that has to be read). It starts the reading, unless an earlier
// message waits for the same need. It returns false if the queue has no room.
func (q *Queue) Wait(need kind.Need, message any) bool {
	key := q.key(need)
	if q.lines[key] == nil && q.reads >= MaxReads || !q.add(key, need, message) {
		return false
	}
	q.Read(key)
	return true
}

// Hold adds a message that waits for a need, but does not start to read what the need asks for. Read with the
// returned key starts that. ok is false if the queue has no room.
func (q *Queue) Hold(need kind.Need, message any) (key string, ok bool) {
	key = q.key(need)
	return key, q.add(key, need, message)
}

// Join adds a message under a key; the message waits until Take takes it. Join returns false if the queue has
// no room.
func (q *Queue) Join(key string, message any) bool { return q.add(key, nil, message) }

// key returns the key of a need. A need whose result no other message may share gets a new key.
func (q *Queue) key(need kind.Need) string {
	key := need.Key()
	if key == "" {
		q.unnamed++
		key = fmt.Sprint("#", q.unnamed)
	}
	return key
}

func (q *Queue) add(key string, need kind.Need, message any) bool {
	if q.waiting >= MaxWaiting {
		return false
	}
	if q.lines[key] == nil {
		q.lines[key] = &line{need: need}
	}
	q.lines[key].messages = append(q.lines[key].messages, message)
	q.waiting++
	return true
}

// Read starts to read the data for the need that Hold has added under key. It does so even if MaxReads reads are under
// way.
func (q *Queue) Read(key string) {
	if l := q.lines[key]; l != nil && !l.begun {
		l.begun = true
		q.read(Result{key: key, Need: l.need})
	}
}

func (q *Queue) read(res Result) {
	q.reads++
	res.era = q.from.Era()
	q.work.Go(func() {
		res.Got, res.Err = res.Need.Read(q.life, q.from)
		select {
		case q.inbox <- res:
		case <-q.life.Done():
		}
	})
}

// Finish removes and returns the messages that waited for a result. If an erasure happened during the reading,
// the result may contain erased words; Finish then starts to read again and returns ok = false.
func (q *Queue) Finish(r Result) (waited []any, ok bool) {
	q.reads--
	if r.era != q.from.Era() {
		q.read(Result{key: r.key, Need: r.Need})
		return nil, false
	}
	return q.Take(r.key), true
}

// Take removes and returns the messages under a key.
func (q *Queue) Take(key string) []any {
	l := q.lines[key]
	if l == nil {
		return nil
	}
	delete(q.lines, key)
	q.waiting -= len(l.messages)
	return l.messages
}

// Reads reports whether a message waits under a key.
func (q *Queue) Reads(key string) bool { return q.lines[key] != nil }

// Find returns the key of a waiting message for which same returns true.
func (q *Queue) Find(same func(message any) bool) (key string, found bool) {
	for key, l := range q.lines {
		for _, m := range l.messages {
			if same(m) {
				return key, true
			}
		}
	}
	return "", false
}

// Close waits until all reads have returned. The context life must have ended.
func (q *Queue) Close() { q.work.Wait() }

// Result is the data that was read for a need, or the error of the reading.
type Result struct {
	Need kind.Need
	Got  any
	Err  error
	key  string
	era  int64 // the Era of the sources when the read began
}
