package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// figure is a row of the table, with two values for each repetition: the product's, and the limit, which is what
// the machine can do.
type figure struct {
	Name  string
	Unit  unit
	Ours  []float64
	Limit []float64 // empty for a row without a limit

	b    *bench
	bare string // describes the limit
	aim  aim
	note string // why the row was left out, or a remark
}

// row adds a row to the table of the measurement that runs.
func (b *bench) row(u unit, aim aim, bare, name string, args ...any) *figure {
	f := &figure{b: b, Unit: u, aim: aim, bare: bare, Name: fmt.Sprintf(name, args...)}
	b.figures = append(b.figures, f)
	return f
}

// percentiles adds two rows for the 50th and the 99th percentile; the aim is for the 99th. If bare, the name of the
// limit, ends in ", ", percentiles appends the percentile to it.
func (b *bench) percentiles(aim aim, bare, name string, args ...any) (add func(ours, limit []time.Duration)) {
	bare50, bare99 := bare, bare
	if strings.HasSuffix(bare, ", ") {
		bare50, bare99 = bare+"p50", bare+"p99"
	}
	p50, p99 := b.row(seconds, noAim, bare50, name+"p50", args...), b.row(seconds, aim, bare99, name+"p99", args...)
	return func(ours, limit []time.Duration) {
		p50.addPercentile(50, ours, limit)
		p99.addPercentile(99, ours, limit)
	}
}

// add records one repetition: our value and, if the row has one, the limit measured beside it.
func (f *figure) add(ours float64, limit ...float64) {
	if !f.b.warming {
		f.Ours, f.Limit = append(f.Ours, ours), append(f.Limit, limit...)
	}
}

// addTook records one repetition whose values are durations.
func (f *figure) addTook(ours, limit time.Duration) { f.add(ours.Seconds(), limit.Seconds()) }

// time records one repetition, whose values are the durations of the two functions.
func (f *figure) time(ours, limit func()) { f.addTook(timed(ours), timed(limit)) }

// addPercentile records one repetition whose values are the p-th percentiles of durations.
func (f *figure) addPercentile(p float64, ours, limit []time.Duration) {
	if len(limit) == 0 { // a row without a limit
		f.add(percentile(ours, p))
		return
	}
	f.add(percentile(ours, p), percentile(limit, p))
}

// aim is the value that a figure should reach.
type aim struct {
	kind  string
	value float64
}

// The kinds of aims.
const (
	below    = "<" // ours is below value
	ratioMin = "≥" // ours divided by the limit is at least value
	ratioMax = "≤" // ours divided by the limit is at most value
)

var noAim = aim{}

func (a aim) text(u unit) string {
	switch a.kind {
	case "":
		return ""
	case below:
		return "< " + u.text(a.value)
	}
	return fmt.Sprintf("%s %gx", a.kind, a.value)
}

// unit selects how a value is written.
type unit int

const (
	seconds unit = iota
	perSecond
	octets
	part // of a whole
)

// scales lists, for each unit, how values below a bound are written: multiplied by a factor.
var scales = [...][]struct {
	below, factor float64
	format        string
}{
	seconds: {{10e-6, 1e6, "%.2f µs"}, {1e-3, 1e6, "%.0f µs"}, {10e-3, 1e3, "%.2f ms"}, {1, 1e3, "%.1f ms"},
		{math.Inf(1), 1, "%.2f s"}},
	perSecond: {{1e3, 1, "%.0f/s"}, {1e6, 1e-3, "%.1f k/s"}, {math.Inf(1), 1e-6, "%.2f M/s"}},
	octets:    {{1 << 10, 1, "%.0f B"}, {1 << 20, 1.0 / (1 << 10), "%.1f KB"}, {math.Inf(1), 1.0 / (1 << 20), "%.1f MB"}},
	part:      {{math.Inf(1), 100, "%.2f %%"}},
}

func (u unit) text(v float64) string {
	for _, s := range scales[u] {
		if v < s.below {
			return fmt.Sprintf(s.format, v*s.factor)
		}
	}
	return fmt.Sprint(v) // infinite or no number
}

// spread formats values as "median (min–max)".
func (u unit) spread(vs []float64) string {
	switch len(vs) {
	case 0:
		return ""
	case 1:
		return u.text(vs[0])
	}
	return fmt.Sprintf("%s (%s–%s)", u.text(median(vs)), u.text(slices.Min(vs)), u.text(slices.Max(vs)))
}

// ratio divides the median of our values by the limit's. It is NaN for a row without values or limit.
func (f *figure) ratio() float64 { return median(f.Ours) / median(f.Limit) }

// met compares the ratio, or our median if the aim is an upper limit, with the aim: "yes", "missed", or "" for a row without an aim.
func (f *figure) met() string {
	value := f.ratio()
	if f.aim.kind == below {
		value = median(f.Ours)
	}
	switch {
	case f.aim == noAim || math.IsNaN(value):
		return ""
	case f.aim.kind == below && value < f.aim.value,
		f.aim.kind == ratioMin && value >= f.aim.value,
		f.aim.kind == ratioMax && value <= f.aim.value:
		return "yes"
	}
	return "**missed**"
}

// figureHead is the head of the table of figures.
const figureHead = "| figure | ours | limit | ratio | aim | met |\n|---|---|---|---|---|---|\n"

func (f *figure) row() string {
	name, ours, limit := f.Name, f.Unit.spread(f.Ours), f.Unit.spread(f.Limit)
	if ours == "" {
		ours = "left out"
	}
	if f.bare != "" && limit != "" {
		limit += " " + f.bare
	}
	if f.note != "" {
		name += " (" + f.note + ")"
	}
	return tableRow(name, ours, limit, ratioText(f.ratio()), f.aim.text(f.Unit), f.met())
}

func tableRow(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

func ratioText(r float64) string {
	switch {
	case math.IsNaN(r) || math.IsInf(r, 0):
		return ""
	case r >= 20:
		return fmt.Sprintf("%.0fx", r)
	case r >= 2:
		return fmt.Sprintf("%.1fx", r)
	}
	return fmt.Sprintf("%.2fx", r)
}

// percentile returns the p-th percentile of durations in seconds.
func percentile(took []time.Duration, p float64) float64 {
	vs := make([]float64, len(took))
	for i, d := range took {
		vs[i] = d.Seconds()
	}
	return nearest(vs, p)
}

func median(vs []float64) float64 { return nearest(vs, 50) }

// nearest returns the p-th percentile of vs by the nearest-rank method, and NaN if vs is empty. As the median (p = 50)
// of an even number of values it returns the mean of the two in the middle.
func nearest(vs []float64, p float64) float64 {
	if len(vs) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(vs))
	rank := max(1, int(math.Ceil(p/100*float64(len(sorted)))))
	if p == 50 && len(sorted)%2 == 0 {
		return (sorted[rank-1] + sorted[rank]) / 2
	}
	return sorted[rank-1]
}
