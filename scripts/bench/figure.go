package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// figure is one row of the table: what the product does and what the machine can
// do, both measured in this run, one value for each repetition.
type figure struct {
	name  string
	unit  unit
	ours  []float64
	limit []float64 // empty where there is none
	bare  string    // what limit is
	aim   aim
	note  string // why it was left out, or what else to know
}

// unit says how a value is written.
type unit int

const (
	seconds unit = iota // written as µs, ms or s
	perSecond
	octets
	count
)

// aim is what a figure should reach; the zero value is none.
type aim struct {
	kind  aimKind
	value float64
}

type aimKind int

const (
	noAim    aimKind = iota
	below            // ours is below value
	ratioMin         // ours divided by the limit is at least value
	ratioMax         // ours divided by the limit is at most value
)

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
	switch u {
	case seconds:
		return duration(v)
	case perSecond:
		return short(v) + "/s"
	case octets:
		switch {
		case v >= 1<<20:
			return fmt.Sprintf("%.1f MB", v/(1<<20))
		case v >= 1<<10:
			return fmt.Sprintf("%.1f KB", v/(1<<10))
		}
		return fmt.Sprintf("%.0f B", v)
	}
	return short(v)
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

// met says whether the aim is reached by the medians: "yes", "missed" or "" for none.
func (f *figure) met() string {
	if len(f.ours) == 0 || f.aim.kind == noAim || f.aim.kind != below && len(f.limit) == 0 {
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

// spread is "median (min–max)".
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
	ours, ratio := f.unit.spread(f.ours), ""
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
	name := f.name
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

func table(figures []figure) string {
	var b strings.Builder
	b.WriteString("| figure | ours | limit | ratio | aim | met |\n|---|---|---|---|---|---|\n")
	for i := range figures {
		b.WriteString(figures[i].row())
	}
	return b.String()
}

func median(vs []float64) float64 { return percentile(vs, 50) }

// percentile by the nearest rank; the middle of two for an even median. NaN for
// no values.
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
