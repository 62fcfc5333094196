// Bench measures the product and, in the same run, the limit that the machine sets ("make bench"), side by side.
//
// It runs the real server on loopback and measures from outside, with clients in this process; the bare servers of the
// limits (package bare) are processes, too. What cannot be seen from outside, such as a commit or a scan, is measured in
// this process with the product's packages. No measurement is a test: none asserts a time.
//
//	go run ./scripts/bench [-run REGEXP] [-runs N] [-out FILE] [-quick] [-against SERVER]
//
// The table subjects lists what is measured. A subject prepares, declares its rows (figure.go), and measures in
// repetitions, each of which adds a value to each row. All share harness.go, child.go and proc.go (processes),
// socket.go and crowd.go (clients), realm.go and talk.go (realms in this process), and against.go (an old and a new
// binary). The other files hold the subjects.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
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

// limitTime is the longest time of the whole benchmark, so that one that hangs ends.
const limitTime = 45 * time.Minute

type options struct {
	only, out, against string
	runs               int
	quick              bool
}

func main() {
	o := options{}
	flag.StringVar(&o.only, "run", ".", "measure the subjects whose name in main.go matches this `regexp`")
	flag.IntVar(&o.runs, "runs", 5, "repetitions of each subject, with -against turns of each binary")
	flag.StringVar(&o.out, "out", "", "write the table to this `file` too (text above the table's mark is kept)")
	flag.BoolVar(&o.quick, "quick", false, "small numbers, to see that everything still runs")
	flag.StringVar(&o.against, "against", "", "alternate the server with this older `binary` and compare the rows")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, limitTime)
	defer cancel()
	if err := try(func() { run(ctx, o) }); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type subject struct {
	name   string
	inside bool // whether it measures the product's packages in this process, not the binary
	do     func(b *bench)
}

var subjects = []subject{
	{"fanout-100", false, func(b *bench) { b.fanout(b.size(100, 20), b.size(5000, 100), 3.2) }},
	{"fanout-1000", false, func(b *bench) { b.fanout(b.size(1000, 30), b.size(1000, 100), 2.5) }},
	{"fanout-5000", false, func(b *bench) { b.fanout(b.size(5000, 40), b.size(200, 100), 2) }},
	{"flood", false, func(b *bench) { b.flood(b.size(100, 20), b.size(15_000, 500)) }},
	{"latency", false, func(b *bench) { b.latency(b.size(1000, 20), 50) }},
	{"append", true, (*bench).durable},
	{"command", false, (*bench).commands},
	{"pause", true, (*bench).pause},
	{"start", false, (*bench).accepting},
	{"restart", false, (*bench).restart},
	{"joins-1000", false, func(b *bench) { b.joins(b.size(1000, 20)) }},
	{"joins-5000", false, func(b *bench) { b.joins(b.size(5000, 30)) }},
	{"catchup", false, func(b *bench) { b.catchUp(b.size(1000, 100), b.size(10_000, 200)) }},
	{"idle", false, func(b *bench) { b.idle(1, b.size(20, 3)) }},
	{"agents-line", false, func(b *bench) { b.agentLines(3, 21) }},
	{"agents-load", false, func(b *bench) { b.agentLoad(b.size(50, 5), 20, b.size(5_000, 50)) }},
	{"agents-idle", false, func(b *bench) { b.agentIdle(b.size(20, 3)) }},
	{"scan", true, (*bench).scan},
	{"land", false, func(b *bench) { b.land(2_000, b.size(20_000, 100), b.size(100_000, 200)) }},
	{"review", false, func(b *bench) { b.review(b.size(2_000, 100), b.size(20_000, 200)) }},
	{"review-command", false, (*bench).command},
	{"talk-search", true, func(b *bench) { b.talkSearch(b.size(100_000, 2_000), b.size(100, 20)) }},
	{"talk-append", true, func(b *bench) { b.talkAppend(b.size(100_000, 2_000)) }},
	{"talk-restore", true, func(b *bench) { b.talkRestore(b.size(50, 5), 1_000, b.size(10_000, 500)) }},
	{"party-restore", true, func(b *bench) { b.partyRestore(b.size(50, 5), 1_000) }},
	{"forge-restore", true, func(b *bench) { b.forgeRestore(b.size(50, 5), 1_000) }},
	{"erase", true, func(b *bench) { b.erase(b.size(150_000, 2_000)) }},
	{"talk-disk", true, func(b *bench) { b.talkDisk(b.size(8_000, 500)) }},
	{"refresh", true, (*bench).refresh},
	{"frame", true, (*bench).frame},
}

// run measures the chosen subjects and prints the table of their rows. A failed subject does not stop the others.
func run(ctx context.Context, o options) {
	only, err := regexp.Compile(o.only)
	if err != nil {
		failf("-run: %w", err)
	}
	if o.runs < 1 || o.runs > 100 {
		failf("-runs: the number must be from 1 to 100")
	}
	b := &bench{options: o, ctx: ctx, during: 5 * time.Second}
	head, measure := figureHead, b.measure
	if o.against != "" {
		head, measure = pairHead, b.compare
	}
	if o.quick {
		b.runs, b.during = 1, time.Second
	}
	b.dir = get(os.MkdirTemp("", "agentdungeon-bench-"))
	defer func() { must(os.RemoveAll(b.dir)) }()
	b.build()
	began, before := time.Now(), load()
	var table strings.Builder
	var failed error
	for _, s := range subjects {
		if ctx.Err() != nil || !only.MatchString(s.name) {
			continue
		}
		fmt.Fprintf(os.Stderr, "%s  %s\n", time.Since(began).Round(time.Second), s.name)
		rows, err := measure(s)
		fmt.Fprint(os.Stderr, rows)
		table.WriteString(rows)
		failed = errors.Join(failed, err)
	}
	if ctx.Err() != nil {
		must(context.Cause(ctx))
	}
	text := b.machine(began, before) + "\n" + head + table.String()
	fmt.Println(text)
	if o.out != "" {
		keep(o.out, text)
	}
	must(failed)
}

// tableMark begins the part of a file that -out replaces.
const tableMark = "<!-- make bench writes below this line -->\n"

// keep replaces the text below tableMark in a file. The text above, which a person wrote, stays.
func keep(file, text string) {
	old, err := os.ReadFile(file)
	if !errors.Is(err, os.ErrNotExist) {
		must(err)
	}
	above, _, found := strings.Cut(string(old), tableMark)
	if !found && len(old) > 0 {
		failf("-out: %s lacks the line %q, below which the table belongs", file, strings.TrimSpace(tableMark))
	}
	must(os.WriteFile(file, []byte(above+tableMark+"\n"+text), 0o644))
}

// build makes the product as "make build" does, and the bare servers.
func (b *bench) build() {
	b.server, b.bare, b.repo = b.file("agentdungeon"), b.file("bare"), b.file("repo")
	b.home = b.file("home")
	for _, args := range [][]string{
		{"build", "-trimpath", "-ldflags", "-s -w", "-o", b.server, "./server"},
		{"build", "-trimpath", "-o", b.bare, "./scripts/bench/bare"},
	} {
		cmd := exec.CommandContext(b.ctx, "go", args...)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			failf("go %s: %w\n%s", strings.Join(args, " "), err, out)
		}
	}
	write(filepath.Join(b.repo, "notes.md"), "a small folder to link")
}

// machine returns a list of the facts about the benchmark: machine, commit, date and load.
func (b *bench) machine(began time.Time, before string) string {
	lines := append(machine(b.dir),
		fmt.Sprintf("cores: %d, shared by server and clients", runtime.NumCPU()),
		"Go: "+strings.TrimPrefix(runtime.Version(), "go")+" "+runtime.GOOS+"/"+runtime.GOARCH,
		"commit: "+output("git", "describe", "--always", "--dirty"),
		fmt.Sprintf("date: %s, %s long", began.UTC().Format("2006-01-02 15:04 UTC"), time.Since(began).Round(time.Second)),
		fmt.Sprintf("load average before and after: %s, %s", before, load()),
		fmt.Sprintf("runs: %d; median (least–most)", b.runs),
	)
	return "- " + strings.Join(lines, "\n- ") + "\n"
}
