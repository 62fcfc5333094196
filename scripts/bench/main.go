// Bench measures the product and, in the same run, the limit that the machine sets ("make
// bench"). It prints both side by side.
//
// It builds the real server, runs it on a new worlds folder on loopback and
// measures from outside. Clients run in this process; the server and the bare servers,
// whose figures are the limits (package bare), run in processes of their own. The journal's
// commit, the actor's step, a scan and the like cannot be seen from outside: they are measured
// in this process with the product's packages. No measurement is a test: none asserts a time.
//
//	go run ./scripts/bench [-run REGEXP] [-runs N] [-out FILE] [-note TEXT] [-calm TIME] [-quick]
//	go run ./scripts/bench -against SERVER [-against-bench BENCH] [-run REGEXP] [-runs N]
//
// Each subject has one file, which declares its rows, measures, and adds the values. The
// harness (main.go, against.go) repeats measurements, reports errors, ends processes and
// removes folders. A run ends after at most limitTime.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// limitTime is the longest time of a run, so that a run that hangs ends.
const limitTime = 45 * time.Minute

type options struct {
	only, out, note       string
	against, againstBench string
	runs                  int
	quick, list           bool
	calm                  time.Duration
}

func main() {
	o := options{}
	flag.StringVar(&o.only, "run", ".", "take the measurements whose name matches this `regexp`")
	flag.IntVar(&o.runs, "runs", 5, "repetitions of each measurement, with -against turns of each binary")
	flag.StringVar(&o.out, "out", "", "write the table to this `file` too (text above the table's mark is kept)")
	flag.StringVar(&o.note, "note", "", "what else a reader must know of this run")
	flag.DurationVar(&o.calm, "calm", 0, "wait for an idle machine before each repetition, `long` in all")
	flag.BoolVar(&o.quick, "quick", false, "small numbers, to see that everything still runs")
	flag.BoolVar(&o.list, "list", false, "print the names of the measurements")
	flag.StringVar(&o.against, "against", "", "alternate the server with this older `binary` and compare the rows")
	flag.StringVar(&o.againstBench, "against-bench", "",
		"with -against: an older `build` of this program, for the rows that are measured in its process")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, limitTime)
	defer cancel()
	if err := run(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench is one run of all measurements.
type bench struct {
	ctx    context.Context
	runs   int
	quick  bool
	during time.Duration // length of a paced measurement
	dir    string        // holds all files of the run
	server string        // the built server
	bare   string        // the built package bare
	repo   string        // a small folder to link
	n      int           // folders made so far
	books  *library      // nil until a measurement needs it

	figures []*figure // rows of the running measurement
	warming bool      // figure.add drops its values
	ends    []func()  // to be called at the end of the scope, the last first

	calmLeft time.Duration
	hurried  int // repetitions that began on a busy machine
}

type measurement struct {
	name   string
	inside bool // whether it measures the product's packages in this process, not the binary
	do     func(b *bench)
}

var measurements = []measurement{
	{"fanout-100", false, func(b *bench) { b.fanout(b.size(100, 20), b.size(5000, 100)) }},
	{"fanout-1000", false, func(b *bench) { b.fanout(b.size(1000, 30), b.size(1000, 100)) }},
	{"fanout-5000", false, func(b *bench) { b.fanout(b.size(5000, 40), b.size(200, 100)) }},
	{"flood", false, func(b *bench) { b.flood(b.size(100, 20), b.size(15_000, 500)) }},
	{"latency", false, func(b *bench) { b.latency(b.size(1000, 20), 50) }},
	{"append", true, (*bench).durable}, {"command", false, (*bench).commands},
	{"pause", true, (*bench).pause}, {"checkpoint", true, (*bench).checkpoint},
	{"start", false, (*bench).accepting}, {"restart", false, (*bench).restart},
	{"joins-1000", false, func(b *bench) { b.joins(b.size(1000, 20)) }},
	{"joins-5000", false, func(b *bench) { b.joins(b.size(5000, 30)) }},
	{"catchup", false, func(b *bench) { b.catchUp(b.size(1000, 100), b.size(10_000, 200)) }},
	{"idle", false, func(b *bench) { b.idle(1, b.size(20, 3)) }},
	{"scan", true, (*bench).scan},
	{"land", false, func(b *bench) { b.land(2_000, b.size(20_000, 100), b.size(100_000, 200)) }},
	{"review", false, func(b *bench) { b.review(b.size(2_000, 100), b.size(20_000, 200)) }},
	{"talk-search", true, func(b *bench) { b.talkSearch(b.size(100_000, 2_000), b.size(100, 20)) }},
	{"talk-append", true, func(b *bench) { b.talkAppend(b.size(100_000, 2_000)) }},
	{"talk-restore", true, func(b *bench) { b.talkRestore(b.size(50, 5), 1_000, b.size(10_000, 500)) }},
	{"party-restore", true, func(b *bench) { b.partyRestore(b.size(50, 5), 1_000) }},
	{"forge-restore", true, func(b *bench) { b.forgeRestore(b.size(50, 5), 1_000) }},
	{"erase", true, func(b *bench) { b.erase(b.size(150_000, 2_000)) }},
	{"talk-disk", true, func(b *bench) { b.talkDisk(b.size(8_000, 500)) }},
	{"year", true, func(b *bench) { b.year(b.size(2_000, 20)) }},
	{"talk-tokens", false, (*bench).tokens},
	{"board", true, func(b *bench) { b.board(b.size(5_000, 500)) }},
	{"retention", true, func(b *bench) { b.retain(b.size(10_000, 200)) }},
	{"frames", true, (*bench).frames}, {"refresh", true, (*bench).refresh},
}

// size returns whole, or quick in a run with -quick.
func (b *bench) size(whole, quick int) int {
	if b.quick {
		return quick
	}
	return whole
}

// few is the number of repetitions of a measurement that takes long and varies little.
func (b *bench) few() int { return min(b.runs, 3) }

// failure is the value that must passes to panic.
type failure struct{ err error }

// must ends the measurement under way with an error, as testing.T's Fatal ends a test.
// Only the goroutine of the measurement calls it.
func must(errs ...error) {
	if err := errors.Join(errs...); err != nil {
		panic(failure{err})
	}
}

// get returns v, or ends the measurement if err is not nil.
func get[T any](v T, err error) T {
	must(err)
	return v
}

// scope runs do and then calls the functions that do has registered with after, even if do
// fails.
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

// after registers a function for the end of the scope.
func (b *bench) after(end func()) { b.ends = append(b.ends, end) }

// times runs do n times, each time in a scope of its own. With -calm it first waits for an idle
// machine.
func (b *bench) times(n int, do func()) {
	for range n {
		must(b.breathe())
		b.scope(do)
	}
}

// warmTimes is times with one more repetition before, whose values are dropped.
func (b *bench) warmTimes(n int, do func()) {
	b.warming = true
	b.times(1, do)
	b.warming = false
	b.times(n, do)
}

// take runs one measurement and returns its rows.
func (b *bench) take(m measurement) (figures []*figure, err error) {
	defer runtime.GC()
	defer func() {
		b.warming = false
		switch f := recover().(type) {
		case nil:
		case failure:
			figures = []*figure{{name: m.name, note: f.err.Error()}}
			err = fmt.Errorf("%s: %w", m.name, f.err)
		default:
			panic(f)
		}
	}()
	b.figures = nil
	b.scope(func() { m.do(b) })
	return b.figures, nil
}

func run(ctx context.Context, o options, stdout io.Writer) (err error) {
	only, err := regexp.Compile(o.only)
	if err != nil {
		return fmt.Errorf("-run: %w", err)
	}
	if o.runs < 1 || o.runs > 100 {
		return errors.New("-runs: the number must be from 1 to 100")
	}
	var chosen []measurement
	for _, m := range measurements {
		if only.MatchString(m.name) {
			chosen = append(chosen, m)
		}
	}
	if o.list {
		for _, m := range chosen {
			fmt.Fprintln(stdout, m.name)
		}
		return nil
	}
	b := &bench{ctx: ctx, runs: o.runs, quick: o.quick, during: 5 * time.Second, calmLeft: o.calm}
	if o.quick {
		b.runs, b.during = 1, time.Second
	}
	if b.dir, err = os.MkdirTemp("", "agentdungeon-bench-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	if err := b.build(); err != nil {
		return err
	}
	began, before := time.Now(), load()
	rows := b.all
	if o.against != "" {
		rows = func(chosen []measurement, began time.Time) (string, error) { return b.compare(o, chosen, began) }
	}
	text, failed := rows(chosen, began)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	text = b.machine(o, began, before) + "\n" + text
	fmt.Fprintln(stdout, text)
	if o.out != "" {
		failed = errors.Join(failed, keep(o.out, text))
	}
	return failed
}

// all runs the chosen measurements and returns the table of their rows. A failed measurement does
// not stop the others.
func (b *bench) all(chosen []measurement, began time.Time) (string, error) {
	var figures []*figure
	var failed error
	for _, m := range chosen {
		fmt.Fprintf(os.Stderr, "%s  %s\n", time.Since(began).Round(time.Second), m.name)
		got, err := b.take(m)
		if b.ctx.Err() != nil {
			break
		}
		for _, f := range got {
			fmt.Fprint(os.Stderr, "    ", f.row())
		}
		figures, failed = append(figures, got...), errors.Join(failed, err)
	}
	return table(figures), failed
}

// tableMark begins the part of a file that -out replaces.
const tableMark = "<!-- make bench writes below this line -->\n"

// keep replaces the text below tableMark in a file. The text above, which a person wrote, stays.
func keep(file, text string) error {
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	above, _, found := strings.Cut(string(old), tableMark)
	if !found && len(old) > 0 {
		return fmt.Errorf("-out: %s lacks the line %q, below which the table belongs", file, strings.TrimSpace(tableMark))
	}
	return os.WriteFile(file, []byte(above+tableMark+"\n"+text), 0o644)
}

// build makes the product as "make build" does, and the bare servers.
func (b *bench) build() error {
	b.server, b.bare, b.repo = b.file("agentdungeon"), b.file("bare"), b.file("repo")
	for _, args := range [][]string{
		{"build", "-trimpath", "-ldflags", "-s -w", "-o", b.server, "./server"},
		{"build", "-trimpath", "-o", b.bare, "./scripts/bench/bare"},
	} {
		cmd := exec.CommandContext(b.ctx, "go", args...)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
		}
	}
	if err := os.Mkdir(b.repo, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(b.repo, "notes.md"), []byte("a small folder to link"), 0o644)
}

// breathe waits until the machine has been almost idle for half a second, so that other
// programs disturb the figures less.
func (b *bench) breathe() error {
	const look, idle = 500 * time.Millisecond, 0.15
	for b.calmLeft > 0 {
		used, total := busy()
		select {
		case <-time.After(look):
		case <-b.ctx.Done():
		}
		if usedNow, totalNow := busy(); usedNow-used <= idle*(totalNow-total) || b.ctx.Err() != nil {
			return b.ctx.Err()
		}
		if b.calmLeft -= look; b.calmLeft <= 0 {
			fmt.Fprintln(os.Stderr, "    the machine is still busy after the time of -calm; measuring all the same")
		}
	}
	b.hurried++
	return b.ctx.Err()
}

func (b *bench) file(name string) string { return filepath.Join(b.dir, name) }

// folder makes a new folder. The scope's end removes it.
func (b *bench) folder() string {
	b.n++
	dir := b.file(fmt.Sprintf("folder%d", b.n))
	must(os.Mkdir(dir, 0o755))
	b.after(func() { must(os.RemoveAll(dir)) })
	return dir
}

// serve starts the server on a worlds folder. The scope's end kills it.
func (b *bench) serve(worlds string, more ...string) *child {
	args := append([]string{"-worlds", worlds, "-addr", "127.0.0.1:0", "-log-level", "error"}, more...)
	return b.start(b.server, args...)
}

// linked starts the server on a new worlds folder with a small folder linked.
func (b *bench) linked(more ...string) *child {
	return b.serve(b.folder(), append([]string{"-repo", b.repo}, more...)...)
}

// enoughFiles fails if this process may not open n connections.
func (b *bench) enoughFiles(n int) {
	if have := get(openFiles()); have < n {
		must(fmt.Errorf("the measurement needs %d open files, but ulimit -n allows only %d", n, have))
	}
}

// machine returns a list of the facts about the run: machine, commit, date and load.
func (b *bench) machine(o options, began time.Time, before string) string {
	commit := "unknown"
	if out, err := exec.CommandContext(b.ctx, "git", "describe", "--always", "--dirty").Output(); err == nil {
		commit = strings.TrimSpace(string(out))
	}
	lines := append(machine(b.dir),
		fmt.Sprintf("cores: %d, shared by server and clients", runtime.NumCPU()),
		"Go: "+strings.TrimPrefix(runtime.Version(), "go")+" "+runtime.GOOS+"/"+runtime.GOARCH,
		"commit: "+commit,
		fmt.Sprintf("date: %s, %s long", began.UTC().Format("2006-01-02 15:04 UTC"), time.Since(began).Round(time.Second)),
		fmt.Sprintf("load average before and after: %s, %s", before, load()),
		fmt.Sprintf("runs: %d; median (least–most)", b.runs),
	)
	if o.calm > 0 {
		lines = append(lines, fmt.Sprintf("each repetition waited until the machine was idle; %d could not", b.hurried))
	}
	if o.note != "" {
		lines = append(lines, o.note)
	}
	return "- " + strings.Join(lines, "\n- ") + "\n"
}
