package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"agentdungeon/server/agent/local"
	"agentdungeon/server/agent/reuse"
	repository "agentdungeon/server/folder"
	"agentdungeon/server/golib"
	"agentdungeon/server/inspect/change"
	"agentdungeon/server/inspect/heroes"
	"agentdungeon/server/report"
	"agentdungeon/shared/world"
)

// formatText is the format of a review for a terminal. All other formats are those of reports.
const formatText = "text"

// failNever is the value of -fail-on with which findings do not change the exit code.
const failNever = "none"

var reviewFormats = []string{formatText, report.FormatMarkdown, report.FormatJSON, report.FormatSARIF}

// reviewFlags has the flags of review.
type reviewFlags struct {
	dir, format, failOn string
	since               string // "" for a review of everything
	requireCoverage     bool
	fresh               bool
}

// reviewCommand returns the command review, which runs the checks of a code review over a folder without a server. The
// exit code is 1 if there are findings of the severity of -fail-on or higher, or if -require-coverage is set and a
// language or, without -since, any source at all was not read. It is 2 if the review itself has failed.
func reviewCommand(p *program) *cobra.Command {
	o := &reviewFlags{dir: "."}
	c := p.command("review", "review a folder without a server", func() error { return p.review(o) })
	c.Use = "review [flags] [FOLDER]"
	c.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 1 {
			return fmt.Errorf("review takes one folder: %q", args[1])
		}
		if len(args) == 1 {
			o.dir = args[0]
		}
		return nil
	}
	c.Flags().StringVar(&o.format, "format", formatText, "`text`, markdown, json or sarif")
	c.Flags().StringVar(&o.failOn, "fail-on", "high",
		"the exit code is 1 if there is a finding of this `severity` or a higher one: info, low, medium, high or critical; "+
			"none: findings do not change the exit code")
	c.Flags().BoolVar(&o.requireCoverage, "require-coverage", false,
		"the exit code is 1 if no check knows a language of the source, or if none of its files was read")
	c.Flags().StringVar(&o.since, "since", "",
		"review what has changed since the merge base of HEAD and this `revision`: a branch, a tag or a commit; with HEAD, "+
			"what is not committed. Only new findings make the exit code 1")
	c.Flags().BoolVar(&o.fresh, "fresh", false,
		"review even if the result of a review of the same files, commits and program is kept in the user's cache folder")
	offer(c, "format", reviewFormats...)
	offer(c, "fail-on", append(slices.Clone(world.Severities), failNever)...)
	return c
}

func (p *program) review(o *reviewFlags) error {
	switch {
	case !slices.Contains(reviewFormats, o.format):
		return usageError{fmt.Errorf("-format %s: it must be one of %s", o.format, strings.Join(reviewFormats, ", "))}
	case o.failOn != failNever && !slices.Contains(world.Severities, o.failOn):
		return usageError{fmt.Errorf("-fail-on %s: it must be one of %s or %s", o.failOn,
			strings.Join(world.Severities, ", "), failNever)}
	}
	if info, err := os.Stat(o.dir); err == nil && !info.IsDir() {
		return usageError{fmt.Errorf("review takes a folder, and %s is a file", o.dir)}
	}
	// Collect garbage twice as often: at its peak a review then needs a third less memory, and in all a fifth more
	// processor time.
	defer debug.SetGCPercent(debug.SetGCPercent(50))
	// A signal ends the process at once, even during a check, because a review has nothing to save.
	out, err := p.reviewed(context.Background(), o)
	if err != nil {
		return failure{fmt.Errorf("review: %w", err)}
	}
	if err := p.writeReview(out, o.format); err != nil {
		return failure{fmt.Errorf("review: %w", err)}
	}
	return o.verdict(out)
}

// reviewed runs the checks over a folder, or takes the result of a review of the same state. If o.since is not "", it
// reviews only what has changed since that revision. If standard error is a terminal, it shows there how many checks
// have ended, or when the result was made.
func (p *program) reviewed(ctx context.Context, o *reviewFlags) (out *local.Outcome, err error) {
	abs, err := filepath.Abs(o.dir)
	if err != nil {
		return nil, err
	}
	repo, closer, err := repository.Inspect(ctx, abs, repository.Options{}, time.Now())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closer.Close()) }()
	repo.Library = golib.Find(os.Getenv)
	checks := heroes.Checks()
	if o.since != "" {
		if err := repository.Base(ctx, repo, o.since); err != nil {
			return nil, fmt.Errorf("-since: %w", err)
		}
		checks = append(checks, change.Checks()...)
	}
	var progress func(int)
	if isTerminal(p.stderr) {
		progress = bar(p.stderr, local.Runs(repo, checks))
	}
	results := resultsOf()
	if o.fresh || results == nil {
		return local.Review(ctx, repo, checks, version, progress)
	}
	out, at, err := results.Review(ctx, repo, checks, version, progress)
	if err == nil && !at.IsZero() && isTerminal(p.stderr) {
		_, err = fmt.Fprintf(p.stderr, "nothing has changed since the review of %s (-fresh reviews anew)\n",
			at.Local().Format("2006-01-02 15:04:05"))
	}
	return out, err
}

// resultsOf returns the store of earlier results of reviews; nil if this user has no cache folder or the program's
// file cannot be read.
func resultsOf() *reuse.Store {
	dir, err := os.UserCacheDir()
	if err != nil {
		return nil
	}
	hash, err := reuse.Program()
	if err != nil {
		return nil
	}
	return reuse.Open(filepath.Join(dir, "agentdungeon", "reviews"), hash)
}

// writeReview writes a review to standard output.
func (p *program) writeReview(out *local.Outcome, format string) error {
	if format == formatText {
		return asText(p.stdout, false, func(w io.Writer) error {
			_, err := io.WriteString(w, report.Text(out.Source))
			return err
		})
	}
	f, err := report.Make(out.Source, report.Want{Format: format})
	if err != nil {
		return err
	}
	return asText(p.stdout, format != report.FormatMarkdown, func(w io.Writer) error {
		_, err := w.Write(f.Data)
		return err
	})
}

// verdict returns an error that lists the reasons for exit code 1, nil if there are none.
func (o *reviewFlags) verdict(out *local.Outcome) error {
	var why []string
	kind := ""
	if out.Source.Change != nil {
		kind = "new "
	}
	switch n := o.counted(out); {
	case n == 1:
		why = append(why, fmt.Sprintf("1 %sfinding is %s or higher", kind, o.failOn))
	case n > 1:
		why = append(why, fmt.Sprintf("%d %sfindings are %s or higher", n, kind, o.failOn))
	}
	if langs := out.Coverage.Unknown(); o.requireCoverage && len(langs) > 0 {
		why = append(why, "what the code in "+strings.Join(langs, ", ")+" does is unknown")
	}
	if o.requireCoverage && out.Source.Change == nil && !readAny(out) { // a change may be one of documents
		why = append(why, "no source was read")
	}
	if len(why) == 0 {
		return nil
	}
	return errors.New("review: " + strings.Join(why, "; "))
}

// counted returns the number of findings because of which the exit code is 1.
func (o *reviewFlags) counted(out *local.Outcome) int {
	if o.failOn == failNever {
		return 0
	}
	return out.From(o.failOn)
}

// readAny reports whether a file of source code was read.
func readAny(out *local.Outcome) bool {
	return slices.ContainsFunc(out.Coverage.Languages, func(l world.Covered) bool {
		return l.Code && l.Parsed.Files+l.Matched.Files > 0
	})
}

// bar returns a function that shows on w how many of the checks have ended; all is their number. After the last
// check the function clears the line.
func bar(w io.Writer, all int) func(done int) {
	const width = 30
	return func(done int) {
		full := width * done / all
		text := fmt.Sprintf("\r[%s%s] %d of %d checks", strings.Repeat("=", full), strings.Repeat(" ", width-full), done, all)
		if done == all {
			text = "\r\x1b[K"
		}
		_, _ = io.WriteString(w, text) // a progress bar that cannot be written is not worth an error
	}
}
