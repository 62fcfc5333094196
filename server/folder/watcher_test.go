package folder

import (
	"errors"
	"testing"
	"time"

	"github.com/rs/zerolog"
)

// fsnotify sends errors while it holds the lock that adding and removing a watch needs. The watcher receives
// any number of errors meanwhile, and then all followers scan again.
func TestErrorsAreTakenWhileAWatchEnds(t *testing.T) {
	w, err := NewWatcher(zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	m := newMailbox()
	w.mu.Lock() // a goroutine that ends a watch holds this lock
	w.all[m] = true
	deadline := time.After(20 * time.Second)
	for n := range 10 {
		select {
		case w.events.Errors <- errors.New("the watch has gone"):
		case <-deadline:
			t.Fatalf("error %d is not taken while a watch ends", n+1)
		}
	}
	w.mu.Unlock()
	select {
	case <-m.kick:
	case <-deadline:
		t.Error("nobody looks again")
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}
