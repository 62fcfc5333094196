package folder

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/inspect"
)

// limited is a context that ends after its Err was called *asked times.
type limited struct {
	context.Context
	asked *int
}

func (l limited) Err() error {
	if *l.asked--; *l.asked < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// A history that is not read to its end in time is an error: how much of it was read depends on the machine.
func TestChronicleOfCommitsIsLate(t *testing.T) {
	needGit(t)
	alone(t)
	const n = 50
	dir := imported(t, n)
	for _, asked := range []int{10, 20, 100, math.MaxInt} {
		late := asked != math.MaxInt
		synctest.Test(t, func(t *testing.T) {
			r, err := query(context.Background(), look(t, dir).History.(*chronicle), time.Minute, func(o *objects) (*record, error) {
				o.ctx = limited{o.ctx, &asked}
				return readRecord(o)
			})
			if late {
				if !errors.Is(err, context.DeadlineExceeded) || r != nil {
					t.Errorf("after %d questions: %+v, %v", n, r, err)
				}
				return
			}
			must(t, err)
			if p := r.files["n.txt"]; len(r.known) != n || !r.whole || p.Commits != n || p.Last.Unix() != int64(1e9+(n-1)*60) {
				t.Errorf("%d of %d commits, whole: %v, %+v", len(r.known), n, r.whole, p)
			}
		})
	}
}

// A blame that exceeds its time limit leaves the lines without an author and never guesses one.
func TestChronicleBlameIsLate(t *testing.T) {
	needGit(t)
	alone(t)
	c := look(t, imported(t, 5)).History.(*chronicle)
	late, cancel := context.WithDeadline(context.Background(), time.Now().Add(-time.Hour))
	defer cancel()
	lines, err := query(context.Background(), c, time.Minute, func(o *objects) ([]int32, error) {
		head, e, err := o.file(o.head, "log.txt")
		if err != nil {
			return nil, err
		}
		b := &blaming{o: o, people: map[inspect.Author]int32{}, visits: map[string]*visit{}}
		b.lines = []int32{tooLate}
		o.ctx = late
		if _, err := b.same([]byte("a\n"), []byte("a\n")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("lines were compared: %v", err)
		}
		if err := b.step(&visit{commit: head, path: "log.txt", blob: e.Hash, lines: []line{{0, 0}}}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a step was taken: %v", err)
		}
		return b.lines, nil
	})
	if err != nil || !slices.Equal(lines, []int32{tooLate}) {
		t.Errorf("%v, %v", lines, err)
	}
	if a, err := c.Blame(context.Background(), "log.txt", 2); err != nil || a.Name != "A1" {
		t.Errorf("then: %+v, %v", a, err)
	}
}
