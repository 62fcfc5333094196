// Package wait owns what waits for the disk: messages of the realm's inbox that need something
// read before they can be decided (kind.Need), in one bounded queue, and the goroutines that
// read.
//
// It decides nothing and answers nobody: the realm's actor puts a message in, hears of a Result
// in its inbox, and takes out those that waited for it. What was read before an erasure and
// arrives after it is read again, so that nobody gets what was erased.
package wait

import (
	"context"
	"fmt"
	"sync"

	"agentdungeon/server/kind"
	"agentdungeon/shared/wire"
)

// Bounds of a Queue: so many reads are under way at once, and so many messages wait in all.
// More are refused with TooMany.
const (
	MaxReads   = 16
	MaxWaiting = 256
)

// TooMany is the answer where the queue is full.
var TooMany = wire.Errorf(wire.RateLimited, "too much is being looked up at once; try again in a moment")

// Queue is what waits. Only the realm's actor uses it.
type Queue struct {
	reader  *reader
	lines   map[string]*line // by key
	waiting int              // messages in all lines
	reads   int
	unnamed int // needs without a key so far
}

// line are the messages that wait for one need, in their order.
type line struct {
	need     kind.Need
	messages []any
	begun    bool // to be read
}

// New queue. Results go to inbox, as messages like any other, until life ends.
func New(life context.Context, from Sources, inbox chan<- any) *Queue {
	return &Queue{reader: &reader{life: life, from: from, inbox: inbox}, lines: map[string]*line{}}
}

// Wait has a message wait for a need, and begins to read it unless that is under way. It
// reports whether there was room.
func (q *Queue) Wait(need kind.Need, message any) bool {
	key := q.key(need)
	if q.lines[key] == nil && q.reads >= MaxReads || !q.add(key, need, message) {
		return false
	}
	q.Read(key)
	return true
}

// Hold has a message wait for a need that nobody reads until Read is called with the key.
func (q *Queue) Hold(need kind.Need, message any) (key string, ok bool) {
	key = q.key(need)
	return key, q.add(key, need, message)
}

// Join has a message wait with others. It reports whether there was room.
func (q *Queue) Join(key string, message any) bool { return q.add(key, nil, message) }

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

// Read begins to read what Hold has held. It is not refused for MaxReads.
func (q *Queue) Read(key string) {
	if l := q.lines[key]; l != nil && !l.begun {
		l.begun = true
		q.read(key, l.need)
	}
}

func (q *Queue) read(key string, need kind.Need) {
	q.reads++
	q.reader.begin(Result{key: key, Need: need})
}

// Met takes out the messages that waited for what was read. ok is false where it has to be
// read again, because something was erased meanwhile.
func (q *Queue) Met(r Result) (waited []any, ok bool) {
	q.reads--
	if r.era != q.reader.from.Era() {
		q.read(r.key, r.Need)
		return nil, false
	}
	return q.Drop(r.key), true
}

// Drop takes out the messages that wait for a need that will not be read.
func (q *Queue) Drop(key string) []any {
	l := q.lines[key]
	if l == nil {
		return nil
	}
	delete(q.lines, key)
	q.waiting -= len(l.messages)
	return l.messages
}

// Reads says whether somebody waits for a need of that key.
func (q *Queue) Reads(key string) bool { return q.lines[key] != nil }

// Find gives the key under which a message waits that is the same.
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

// Close waits for the reads under way, once the queue's life is over.
func (q *Queue) Close() { q.reader.work.Wait() }

// Result is a message that says that something was read, or that it could not be.
type Result struct {
	Need kind.Need
	Got  any
	Err  error
	key  string
	era  int64 // when it was read
}

// Sources are where it is read.
type Sources interface {
	kind.Sources
	// Era changes whenever something was erased: what was read before may hold it.
	Era() int64
}

// reader reads, each need in a goroutine of its own.
type reader struct {
	life  context.Context
	from  Sources
	inbox chan<- any
	work  sync.WaitGroup
}

func (r *reader) begin(res Result) {
	res.era = r.from.Era()
	r.work.Go(func() {
		res.Got, res.Err = res.Need.Read(r.life, r.from)
		select {
		case r.inbox <- res:
		case <-r.life.Done():
		}
	})
}
