// Bench prints what the product does beside what the machine can do, both
// measured in the same run ("make bench").
//
// It builds the real server, runs it on a new worlds folder on loopback and
// measures from outside; clients live in this process, the server and the bare
// servers that are the limits (package bare) in processes of their own. What only
// shows inside (the journal's commit, the actor's turn, a scan) is measured on the
// product's packages in this process. It asserts nothing: a timing is no test.
//
//	go run ./scripts/bench [-run REGEXP] [-runs N] [-out FILE] [-note TEXT] [-calm TIME] [-quick]
//
// It stops by itself after about a quarter of an hour, ends every process it started, and
// deletes its folders.
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
	"strings"
	"syscall"
	"time"
)

// limitTime is when a run that hangs is ended.
const limitTime = 45 * time.Minute

func main() {
	o := options{}
	flag.StringVar(&o.only, "run", ".", "take the measurements whose name matches this `regexp`")
	flag.IntVar(&o.runs, "runs", 5, "repetitions of each measurement")
	flag.StringVar(&o.out, "out", "", "write the table to this `file` too (text of it above the table's mark is kept)")
	flag.StringVar(&o.note, "note", "", "what else a reader must know of this run")
	flag.DurationVar(&o.calm, "calm", 0, "wait, all in all at most so `long`, for a machine that does nothing else before each repetition")
	flag.BoolVar(&o.quick, "quick", false, "small numbers, to see that everything still runs")
	flag.BoolVar(&o.list, "list", false, "print the names of the measurements")
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

type options struct {
	only, out, note string
	runs            int
	quick, list     bool
	calm            time.Duration
}

// bench is one run of all measurements.
type bench struct {
	runs   int
	during time.Duration // of a paced measurement
	dir    string        // of everything
	server string        // the built product
	bare   string        // the built limits
	repo   string        // a small folder to link
	n      int           // folders made so far
	books  *library      // nil until something needs it

	calmLeft time.Duration
	hurried  int // repetitions that began on a busy machine
}

type measurement struct {
	name string
	do   func(ctx context.Context) ([]figure, error)
}

func (b *bench) measurements(quick bool) []measurement {
	if quick {
		return []measurement{
			{"fanout", func(ctx context.Context) ([]figure, error) { return b.fanout(ctx, 20, 100) }},
			{"latency", func(ctx context.Context) ([]figure, error) { return b.latency(ctx, 20, 50, b.during) }},
			{"append", b.durable}, {"pause", b.pause}, {"checkpoint", b.checkpoint},
			{"start", b.accepting}, {"restart", b.restart},
			{"joins", func(ctx context.Context) ([]figure, error) { return b.joins(ctx, 20) }},
			{"catchup", func(ctx context.Context) ([]figure, error) { return b.catchUp(ctx, 100) }},
			{"scan", b.scan},
			{"land", func(ctx context.Context) ([]figure, error) { return b.land(ctx, 2_000) }},
			{"review", func(ctx context.Context) ([]figure, error) { return b.review(ctx, 200) }},
			{"talk-search", func(ctx context.Context) ([]figure, error) { return b.talkSearch(ctx, 2_000, 20) }},
			{"talk-append", func(ctx context.Context) ([]figure, error) { return b.talkAppend(ctx, 2_000) }},
			{"talk-restore", func(ctx context.Context) ([]figure, error) { return b.talkRestore(ctx, 5, 1_000) }},
			{"party-restore", func(ctx context.Context) ([]figure, error) { return b.partyRestore(ctx, 5, 1_000) }},
			{"forge-restore", func(ctx context.Context) ([]figure, error) { return b.forgeRestore(ctx, 5, 1_000) }},
			{"erase", func(ctx context.Context) ([]figure, error) { return b.erase(ctx, 2_000) }},
			{"talk-disk", func(ctx context.Context) ([]figure, error) { return b.talkDisk(ctx, 500) }},
			{"year", func(ctx context.Context) ([]figure, error) { return b.year(ctx, 20) }},
			{"talk-tokens", b.tokens},
			{"board", func(ctx context.Context) ([]figure, error) { return b.board(ctx, 500) }},
			{"retention", func(ctx context.Context) ([]figure, error) { return b.retain(ctx, 200) }},
		}
	}
	return []measurement{
		{"fanout-100", func(ctx context.Context) ([]figure, error) { return b.fanout(ctx, 100, 5000) }},
		{"fanout-1000", func(ctx context.Context) ([]figure, error) { return b.fanout(ctx, 1000, 1000) }},
		{"fanout-5000", func(ctx context.Context) ([]figure, error) { return b.fanout(ctx, 5000, 200) }},
		{"latency", func(ctx context.Context) ([]figure, error) { return b.latency(ctx, 1000, 50, b.during) }},
		{"append", b.durable}, {"pause", b.pause}, {"checkpoint", b.checkpoint},
		{"start", b.accepting}, {"restart", b.restart},
		{"joins-1000", func(ctx context.Context) ([]figure, error) { return b.joins(ctx, 1000) }},
		{"joins-5000", func(ctx context.Context) ([]figure, error) { return b.joins(ctx, 5000) }},
		{"catchup", func(ctx context.Context) ([]figure, error) { return b.catchUp(ctx, 1000, 10000) }},
		{"scan", b.scan},
		{"land", func(ctx context.Context) ([]figure, error) { return b.land(ctx, 2_000, 20_000, 100_000) }},
		{"review", func(ctx context.Context) ([]figure, error) { return b.review(ctx, 2_000, 20_000) }},
		{"talk-search", func(ctx context.Context) ([]figure, error) { return b.talkSearch(ctx, 100_000, 100) }},
		{"talk-append", func(ctx context.Context) ([]figure, error) { return b.talkAppend(ctx, 100_000) }},
		{"talk-restore", func(ctx context.Context) ([]figure, error) { return b.talkRestore(ctx, 50, 1_000, 10_000) }},
		{"party-restore", func(ctx context.Context) ([]figure, error) { return b.partyRestore(ctx, 50, 1_000) }},
		{"forge-restore", func(ctx context.Context) ([]figure, error) { return b.forgeRestore(ctx, 50, 1_000) }},
		{"erase", func(ctx context.Context) ([]figure, error) { return b.erase(ctx, 150_000) }},
		{"talk-disk", func(ctx context.Context) ([]figure, error) { return b.talkDisk(ctx, 8_000) }},
		{"year", func(ctx context.Context) ([]figure, error) { return b.year(ctx, 2_000) }},
		{"talk-tokens", b.tokens},
		{"board", func(ctx context.Context) ([]figure, error) { return b.board(ctx, 5_000) }},
		{"retention", func(ctx context.Context) ([]figure, error) { return b.retain(ctx, 10_000) }},
		{"frames", b.frames}, {"refresh", b.refresh},
	}
}

// fewRuns is for what takes long and varies little.
func (b *bench) fewRuns() int { return min(b.runs, 3) }

func run(ctx context.Context, o options, stdout io.Writer) (err error) {
	only, err := regexp.Compile(o.only)
	if err != nil {
		return fmt.Errorf("-run: %w", err)
	}
	if o.runs < 1 || o.runs > 100 {
		return errors.New("-runs: from 1 to 100")
	}
	b := &bench{runs: o.runs, during: 5 * time.Second, calmLeft: o.calm}
	if o.quick {
		b.runs, b.during = 1, time.Second
	}
	if o.list {
		for _, m := range b.measurements(o.quick) {
			fmt.Fprintln(stdout, m.name)
		}
		return nil
	}
	if b.dir, err = os.MkdirTemp("", "agentdungeon-bench-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	if err := b.build(ctx); err != nil {
		return err
	}
	began, before := time.Now(), load()
	var figures []figure
	var failed error
	for _, m := range b.measurements(o.quick) {
		if !only.MatchString(m.name) {
			continue
		}
		fmt.Fprintf(os.Stderr, "%s  %s\n", time.Since(began).Round(time.Second), m.name)
		got, err := m.do(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil { // the others are worth having
			failed = errors.Join(failed, fmt.Errorf("%s: %w", m.name, err))
			got = []figure{{name: m.name, note: err.Error()}}
		}
		for i := range got {
			fmt.Fprint(os.Stderr, "    ", got[i].row())
		}
		figures = append(figures, got...)
		runtime.GC()
	}
	text := b.machine(ctx, o, began, before) + "\n" + table(figures)
	fmt.Fprintln(stdout, text)
	if o.out != "" {
		failed = errors.Join(failed, keep(o.out, text))
	}
	return failed
}

// tableMark begins the part of a file that -out replaces.
const tableMark = "<!-- make bench writes below this line -->\n"

// keep puts the table into a file, behind the words of a person that may stand
// above the mark.
func keep(file, text string) error {
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	above, _, found := strings.Cut(string(old), tableMark)
	if !found && len(old) > 0 {
		return fmt.Errorf("%s has no line %q: it is left alone", file, strings.TrimSpace(tableMark))
	}
	return os.WriteFile(file, []byte(above+tableMark+"\n"+text), 0o644)
}

// build makes the product as "make build" does, and the bare servers.
func (b *bench) build(ctx context.Context) error {
	b.server, b.bare, b.repo = b.file("agentdungeon"), b.file("bare"), b.file("repo")
	for _, args := range [][]string{
		{"build", "-trimpath", "-ldflags", "-s -w", "-o", b.server, "./server"},
		{"build", "-trimpath", "-o", b.bare, "./scripts/bench/bare"},
	} {
		cmd := exec.CommandContext(ctx, "go", args...)
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

// breathe waits until the machine has done next to nothing for half a second: on
// one that others use, too, the figures are then less theirs. What is measured
// does nothing between its repetitions.
func (b *bench) breathe(ctx context.Context) error {
	const look, idle = 500 * time.Millisecond, 0.15
	for b.calmLeft > 0 {
		used, total := busy()
		select {
		case <-time.After(look):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		usedNow, totalNow := busy()
		if usedNow-used <= idle*(totalNow-total) {
			return nil
		}
		if b.calmLeft -= look; b.calmLeft <= 0 {
			fmt.Fprintln(os.Stderr, "    the machine is busy; -calm is used up")
		}
	}
	b.hurried++
	return nil
}

func (b *bench) file(name string) string { return filepath.Join(b.dir, name) }

// folder is a new one.
func (b *bench) folder() (string, error) {
	b.n++
	dir := b.file(fmt.Sprintf("folder%d", b.n))
	return dir, os.Mkdir(dir, 0o755)
}

// serve starts the product on a worlds folder, with a small folder linked.
func (b *bench) serve(ctx context.Context, worlds string) (*child, error) {
	return start(ctx, b.dir, b.server, "-worlds", worlds, "-addr", "127.0.0.1:0", "-log-level", "error", "-repo", b.repo)
}

// serveAgain starts it with what the worlds folder has.
func (b *bench) serveAgain(ctx context.Context, worlds string) (*child, error) {
	return start(ctx, b.dir, b.server, "-worlds", worlds, "-addr", "127.0.0.1:0", "-log-level", "error")
}

// enoughFiles says why n connections cannot be had.
func (b *bench) enoughFiles(n int) error {
	have, err := files()
	if err != nil {
		return err
	}
	if have < n {
		return fmt.Errorf("needs %d open files, ulimit -n allows %d", n, have)
	}
	return nil
}

// machine says where and when the figures were taken.
func (b *bench) machine(ctx context.Context, o options, began time.Time, before string) string {
	commit := "unknown"
	if out, err := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty").Output(); err == nil {
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
		lines = append(lines, fmt.Sprintf("each repetition waited until the machine did nothing else; %d could not", b.hurried))
	}
	if o.note != "" {
		lines = append(lines, o.note)
	}
	return "- " + strings.Join(lines, "\n- ") + "\n"
}
