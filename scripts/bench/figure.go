package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// figure is one row of the table: the values of the product and the values of the limit, one for
// each repetition. The limit is what the machine can do; the same run measures both.
type figure struct {
	b     *bench
	name  string
	unit  unit
	ours  []float64
	limit []float64 // empty for a row without a limit
	bare  string    // describes the limit
	aim   aim
	note  string // why the row was left out, or a remark
}

// row adds a row to the running measurement.
func (b *bench) row(u unit, aim aim, bare, name string, args ...any) *figure {
	f := &figure{b: b, unit: u, aim: aim, bare: bare, name: fmt.Sprintf(name, args...)}
	b.figures = append(b.figures, f)
	return f
}

// percentiles adds two rows, the 50th and the 99th percentile of durations. The aim is for the
// 99th. If bare ends in ", ", the percentile is appended to it.
func (b *bench) percentiles(aim aim, bare, name string, args ...any) (add func(ours, limit []time.Duration)) {
	name = fmt.Sprintf(name, args...)
	bare50, bare99 := bare, bare
	if strings.HasSuffix(bare, ", ") {
		bare50, bare99 = bare+"p50", bare+"p99"
	}
	p50 := b.row(seconds, noAim, bare50, "%s", name+"p50")
	p99 := b.row(seconds, aim, bare99, "%s", name+"p99")
	return func(ours, limit []time.Duration) {
		p50.add(percentile(ours, 50), percentile(limit, 50))
		p99.add(percentile(ours, 99), percentile(limit, 99))
	}
}

// add records one repetition: our value and, if the row has one, the limit measured beside it.
func (f *figure) add(ours float64, limit ...float64) {
	if !f.b.warming {
		f.ours, f.limit = append(f.ours, ours), append(f.limit, limit...)
	}
}

// addTook records one repetition like add, for values that are durations.
func (f *figure) addTook(ours time.Duration, limit ...time.Duration) {
	var limits []float64
	for _, d := range limit {
		limits = append(limits, d.Seconds())
	}
	f.add(ours.Seconds(), limits...)
}

// unit selects how a value is written.
type unit int

const (
	seconds unit = iota // written as µs, ms or s
	perSecond
	octets
	count
)

// aim is the value that a figure should reach.
type aim struct {
	kind  aimKind
	value float64
}

type aimKind int

const (
	none     aimKind = iota
	below            // ours is below value
	ratioMin         // ours divided by the limit is at least value
	ratioMax         // ours divided by the limit is at most value
)

var noAim = aim{}

func (a aim) text(u unit) string {
	switch a.kind {
	case below:
		return "< " + u.text(a.value)
	case ratioMin:
		return fmt.Sprintf("≥ %gx", a.value)
	case ratioMax:
		return fmt.Sprintf("≤ %gx", a.value)
	}
	return ""
}

func (u unit) text(v float64) string {
	switch {
	case u == seconds:
		return duration(v)
	case u == perSecond:
		return short(v) + "/s"
	case u == count:
		return short(v)
	case v >= 1<<20:
		return fmt.Sprintf("%.1f MB", v/(1<<20))
	case v >= 1<<10:
		return fmt.Sprintf("%.1f KB", v/(1<<10))
	}
	return fmt.Sprintf("%.0f B", v)
}

func duration(s float64) string {
	switch {
	case s < 10e-6:
		return fmt.Sprintf("%.2f µs", s*1e6)
	case s < 1e-3:
		return fmt.Sprintf("%.0f µs", s*1e6)
	case s < 10e-3:
		return fmt.Sprintf("%.2f ms", s*1e3)
	case s < 1:
		return fmt.Sprintf("%.1f ms", s*1e3)
	}
	return fmt.Sprintf("%.2f s", s)
}

func short(v float64) string {
	switch {
	case v >= 1e6:
		return fmt.Sprintf("%.2f M", v/1e6)
	case v >= 1e3:
		return fmt.Sprintf("%.1f k", v/1e3)
	}
	return fmt.Sprintf("%.0f", v)
}

func (f *figure) ratio() float64 { return median(f.ours) / median(f.limit) }

// met compares the medians with the aim: "yes", "missed", or "" for a row without an aim.
func (f *figure) met() string {
	if len(f.ours) == 0 || f.aim == noAim || f.aim.kind != below && len(f.limit) == 0 {
		return ""
	}
	good := false
	switch f.aim.kind {
	case below:
		good = median(f.ours) < f.aim.value
	case ratioMin:
		good = f.ratio() >= f.aim.value
	case ratioMax:
		good = f.ratio() <= f.aim.value
	}
	if good {
		return "yes"
	}
	return "**missed**"
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

func (f *figure) row() string {
	ours, ratio, name := f.unit.spread(f.ours), "", f.name
	if len(f.ours) == 0 {
		ours = "left out"
	}
	if len(f.ours) > 0 && len(f.limit) > 0 {
		ratio = ratioText(f.ratio())
	}
	limit := f.unit.spread(f.limit)
	if f.bare != "" && limit != "" {
		limit += " " + f.bare
	}
	if f.note != "" {
		name += " (" + f.note + ")"
	}
	return "| " + strings.Join([]string{name, ours, limit, ratio, f.aim.text(f.unit), f.met()}, " | ") + " |\n"
}

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

func table(figures []*figure) string {
	var b strings.Builder
	b.WriteString("| figure | ours | limit | ratio | aim | met |\n|---|---|---|---|---|---|\n")
	for _, f := range figures {
		b.WriteString(f.row())
	}
	return b.String()
}

func median(vs []float64) float64 { return percentile(vs, 50) }

// percentile returns the p-th percentile of vs by the nearest rank; the median of an even number
// of values is the mean of the middle two. Without values it returns NaN; of durations it returns
// seconds.
func percentile[T cmp.Ordered](vs []T, p float64) float64 {
	if len(vs) == 0 {
		return math.NaN()
	}
	sorted := slices.Clone(vs)
	slices.Sort(sorted)
	rank := int(math.Ceil(p / 100 * float64(len(sorted))))
	at := sorted[min(max(rank-1, 0), len(sorted)-1)]
	if p == 50 && len(sorted)%2 == 0 {
		return (number(at) + number(sorted[len(sorted)/2])) / 2
	}
	return number(at)
}

func number[T cmp.Ordered](v T) float64 {
	switch x := any(v).(type) {
	case float64:
		return x
	case time.Duration:
		return x.Seconds()
	}
	return math.NaN()
}
