package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// pair is one row of the table, measured with both binaries: one value for each round.
type pair struct {
	name     string
	unit     unit
	old, now []float64
	// The values of old and now divided by the limit of the same round; empty if the row has no
	// limit. On a busy machine the ratios vary less than the values.
	oldRatio, nowRatio []float64
}

// worse reports whether the new median is worse than the old binary's worst value by more than
// a tenth.
func (p *pair) worse() bool {
	if len(p.old) == 0 || len(p.now) == 0 {
		return false
	}
	if p.unit == perSecond {
		return median(p.now) < 0.9*slices.Min(p.old)
	}
	return median(p.now) > 1.1*slices.Max(p.old)
}

func (p *pair) row() string {
	ratios, mark := "", ""
	if len(p.oldRatio) > 0 && len(p.nowRatio) > 0 {
		ratios = ratioText(median(p.oldRatio)) + " to " + ratioText(median(p.nowRatio))
	}
	if p.worse() {
		mark = "**worse**"
	}
	change := ratioText(median(p.now) / median(p.old))
	cells := []string{p.name, p.unit.spread(p.old), p.unit.spread(p.now), change, ratios, mark}
	return "| " + strings.Join(cells, " | ") + " |\n"
}

// compare takes each measurement alternately with the old and the new binary, and returns the
// table of the pairs.
func (b *bench) compare(o options, chosen []measurement, began time.Time) (string, error) {
	turns, ours := b.runs, b.server
	b.runs = 1
	var rows strings.Builder
	rows.WriteString("| figure | old (spread) | new (spread) | new to old | to the limit: old to new | |\n" +
		"|---|---|---|---|---|---|\n")
	var failed error
	for _, m := range chosen {
		if m.inside && o.againstBench == "" {
			fmt.Fprintf(os.Stderr, "%s: skipped: the measurement needs -against-bench\n", m.name)
			continue
		}
		fmt.Fprintf(os.Stderr, "%s  %s\n", time.Since(began).Round(time.Second), m.name)
		var pairs []*pair
		for turn := range 2 * turns {
			// old, new, new, old, ...: a machine that slows down favours neither.
			old := turn%4 == 0 || turn%4 == 3
			got, err := b.turn(m, o, old, ours)
			if b.ctx.Err() != nil {
				return rows.String(), b.ctx.Err()
			}
			if err != nil {
				failed = errors.Join(failed, err)
				break
			}
			pairs = collect(pairs, got, old)
		}
		for _, p := range pairs {
			fmt.Fprint(os.Stderr, "    ", p.row())
			rows.WriteString(p.row())
		}
	}
	b.runs = turns
	return rows.String(), failed
}

// turn takes a measurement once, with the old binary or the new one.
func (b *bench) turn(m measurement, o options, old bool, ours string) ([]*figure, error) {
	if old && m.inside {
		return b.oldBench(o, m.name)
	}
	if b.server = ours; old {
		b.server = o.against
	}
	return b.take(m)
}

// oldBench runs an older build of this program for one repetition of a measurement.
func (b *bench) oldBench(o options, name string) ([]*figure, error) {
	table := b.file("old-table")
	cmd := exec.CommandContext(b.ctx, o.againstBench, "-run", "^"+name+"$", "-runs", "1", "-out", table)
	if o.quick {
		cmd.Args = append(cmd.Args, "-quick")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %s: %w\n%s", o.againstBench, name, err, out)
	}
	text, err := os.ReadFile(table)
	if err != nil {
		return nil, err
	}
	return readTable(string(text)), os.Remove(table)
}

// collect adds the rows of one round to the pairs of the same name.
func collect(pairs []*pair, figures []*figure, old bool) []*pair {
	for _, f := range figures {
		if len(f.ours) == 0 {
			continue
		}
		at := slices.IndexFunc(pairs, func(p *pair) bool { return p.name == f.name })
		if at < 0 {
			at = len(pairs)
			pairs = append(pairs, &pair{name: f.name, unit: f.unit})
		}
		values, ratios := &pairs[at].now, &pairs[at].nowRatio
		if old {
			values, ratios = &pairs[at].old, &pairs[at].oldRatio
		}
		*values = append(*values, median(f.ours))
		if len(f.limit) > 0 {
			*ratios = append(*ratios, f.ratio())
		}
	}
	return pairs
}

// readTable parses the output of table: the name of each row, its median and the limit's.
func readTable(text string) (figures []*figure) {
	for line := range strings.Lines(text) {
		cells := strings.Split(line, "|")
		if len(cells) != 8 {
			continue
		}
		f := &figure{name: strings.TrimSpace(cells[1])}
		var ok bool
		var v float64
		if v, f.unit, ok = readValue(cells[2]); !ok {
			continue
		}
		f.ours = []float64{v}
		if v, _, ok = readValue(cells[3]); ok {
			f.limit = []float64{v}
		}
		figures = append(figures, f)
	}
	return figures
}

// units lists the suffixes of a written value, each with its unit and its factor.
var units = map[string]struct {
	unit unit
	of   float64
}{
	"µs": {seconds, 1e-6}, "ms": {seconds, 1e-3}, "s": {seconds, 1}, "B": {octets, 1}, "KB": {octets, 1 << 10}, "MB": {octets, 1 << 20},
	"/s": {perSecond, 1}, "k/s": {perSecond, 1e3}, "M/s": {perSecond, 1e6}, "": {count, 1}, "k": {count, 1e3}, "M": {count, 1e6},
}

// readValue reads "12.3 ms (...) ..." as seconds, "7 k/s" as a rate, and so on.
func readValue(cell string) (float64, unit, bool) {
	number, rest, _ := strings.Cut(strings.TrimSpace(cell), " ")
	if bare, ok := strings.CutSuffix(number, "/s"); ok {
		number, rest = bare, "/s"
	}
	v, err := strconv.ParseFloat(number, 64)
	name, _, _ := strings.Cut(rest, " ")
	if strings.HasPrefix(name, "(") {
		name = ""
	}
	u, known := units[name]
	return v * u.of, u.unit, err == nil && known && !math.IsNaN(v)
}
