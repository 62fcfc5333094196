package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// patience is the longest time that a measurement waits for what it expects: deliveries, a frame or a checkpoint.
const patience = 60 * time.Second

// bench has the options of this program and the state of the measurement under way.
type bench struct {
	options
	ctx    context.Context         // the context of the subject under measurement, if there is one
	fail   context.CancelCauseFunc // ends ctx with the error of a reader
	during time.Duration           // length of a paced measurement
	dir    string                  // holds all files of the run
	server string                  // the built server
	bare   string                  // the built package bare
	repo   string                  // a small folder to link
	home   string                  // home folder of the children
	n      int                     // number of folders made so far
	books  *library                // the last one that fillLibrary made, or nil

	figures []*figure // rows of the subject under measurement
	warming bool      // figure.add drops its values

	mu   sync.Mutex // guards ends
	ends []func()   // functions that the current call of scope calls at its end, the last first
}

// size returns whole, or quick if the flag -quick is set.
func (b *bench) size(whole, quick int) int {
	if b.quick {
		return quick
	}
	return whole
}

// few returns the number of repetitions of a measurement that takes long and whose values vary little.
func (b *bench) few() int { return min(b.runs, 3) }

// failure is the value with which must panics.
type failure struct{ err error }

// must ends the measurement with the first error that is not nil. Only the measurement's goroutine and functions that
// are passed to try, parallel or together may call it.
func must(errs ...error) {
	for _, err := range errs {
		if err != nil {
			panic(failure{err})
		}
	}
}

func failf(format string, args ...any) { must(fmt.Errorf(format, args...)) }

// get returns v, or ends the measurement if err is not nil.
func get[T any](v T, err error) T {
	must(err)
	return v
}

// try runs do and returns the error with which must ended it.
func try(do func()) (err error) {
	defer func() {
		switch f := recover().(type) {
		case nil:
		case failure:
			err = f.err
		default:
			panic(f)
		}
	}()
	do()
	return nil
}

// parallel calls do n times at once and waits for all calls. It fails if one of them fails.
func parallel(n int, do func(i int)) {
	failed := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { failed[i] = try(func() { do(i) }) })
	}
	all.Wait()
	must(failed...)
}

// together calls all functions at once, as parallel does.
func together(do ...func()) { parallel(len(do), func(i int) { do[i]() }) }

// timed returns how long do takes.
func timed(do func()) time.Duration {
	begin := time.Now()
	do()
	return time.Since(begin)
}

// meanwhile calls again at least once, one call after the other, until do has returned.
func meanwhile(do, again func()) {
	var done atomic.Bool
	together(func() {
		defer done.Store(true)
		do()
	}, func() {
		for over := false; !over; over = done.Load() {
			again()
		}
	})
}

// patient returns a context that ends after the time patience, or when a reader fails. what names the awaited thing
// in the error of the timeout.
func (b *bench) patient(what string) context.Context {
	ctx, cancel := context.WithTimeoutCause(b.ctx, patience, fmt.Errorf("%s did not come within %s", what, patience))
	b.after(cancel)
	return ctx
}

// await returns the next value of c. It ends the measurement if ctx ends first.
func await[T any](ctx context.Context, c <-chan T) (v T) {
	select {
	case v = <-c:
	case <-ctx.Done():
		must(context.Cause(ctx))
	}
	return v
}

// pace calls do perSecond times a second, or less often if the calls take longer, and returns how long each took.
// The durations do not include the time for which a call waits for the previous one, because in the product the
// events of both calls would share a commit.
func pace(perSecond int, during time.Duration, do func(i int)) (took []time.Duration) {
	base := time.Now()
	for i := range perSecond * int(during.Seconds()) {
		time.Sleep(time.Until(base.Add(time.Duration(i) * time.Second / time.Duration(perSecond))))
		took = append(took, timed(func() { do(i) }))
	}
	return took
}

// scope runs do and then calls the functions that do has registered with after, even if do panics.
func (b *bench) scope(do func()) {
	outer := b.ends
	b.ends = nil
	defer func() {
		ends := b.ends
		b.ends = outer
		for _, end := range slices.Backward(ends) {
			end()
		}
	}()
	do()
}

// after registers a function that the enclosing call of scope calls at its end. Any goroutine may call after.
func (b *bench) after(end func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ends = append(b.ends, end)
}

// times runs do n times, each time in a separate call of scope.
func (b *bench) times(n int, do func()) {
	for range n {
		b.scope(do)
	}
}

// warmTimes runs do once without recording its values, and then n times as times does.
func (b *bench) warmTimes(n int, do func()) {
	b.warming = true
	b.times(1, do)
	b.warming = false
	b.times(n, do)
}

// take measures one subject and returns its rows.
func (b *bench) take(s subject) ([]*figure, error) {
	defer runtime.GC()
	run := b.ctx
	b.ctx, b.fail = context.WithCancelCause(run)
	defer func() {
		b.fail(nil)
		b.ctx = run
	}()
	b.figures, b.warming = nil, false
	if err := try(func() { b.scope(func() { s.do(b) }) }); err != nil {
		return []*figure{{Name: s.name, note: err.Error()}}, fmt.Errorf("%s: %w", s.name, err)
	}
	return b.figures, nil
}

// measure measures one subject and returns its rows as text.
func (b *bench) measure(s subject) (rows string, err error) {
	figures, err := b.take(s)
	for _, f := range figures {
		rows += f.row()
	}
	return rows, err
}

func (b *bench) file(name string) string { return filepath.Join(b.dir, name) }

// folder makes a new folder. The folder is removed when the enclosing call of scope ends.
func (b *bench) folder() string {
	b.n++
	dir := b.file(fmt.Sprintf("folder%d", b.n))
	must(os.Mkdir(dir, 0o755))
	b.after(func() { must(os.RemoveAll(dir)) })
	return dir
}

// write writes a file and makes the folders above it.
func write(path, text string) {
	must(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644))
}

// walk calls visit, which may be nil, for each file and folder below dir, and returns their number.
func walk(dir string, visit func(path string, d fs.DirEntry)) (n int) {
	must(filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		n++
		if err == nil && visit != nil {
			visit(path, d)
		}
		return err
	}))
	return n
}

// copyFolder copies a worlds folder. If a realm is open in it, the copy is what a SIGKILL would leave.
func copyFolder(from, to string) { must(os.CopyFS(to, os.DirFS(from))) }
