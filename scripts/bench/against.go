package main

import (
	"fmt"
	"os"
	"slices"
)

// pair is a row of the table that compares an old binary with the new one: a figure of each, with a value for each
// repetition.
type pair struct{ old, now figure }

// pairHead is the head of the table of pairs.
const pairHead = "| figure | old (spread) | new (spread) | new to old | to the limit: old to new | |\n" +
	"|---|---|---|---|---|---|\n"

// worse reports whether the median of the new binary is worse than the worst value of the old one by more than a
// tenth.
func (p *pair) worse() bool {
	switch {
	case len(p.old.Ours) == 0:
		return false
	case p.now.Unit == perSecond:
		return median(p.now.Ours) < 0.9*slices.Min(p.old.Ours)
	}
	return median(p.now.Ours) > 1.1*slices.Max(p.old.Ours)
}

// row returns the text of the row. It includes the ratios of the values to the machine's limit, which vary less
// than the values on a busy machine.
func (p *pair) row() string {
	ratios, mark := "", ""
	if len(p.old.Limit) > 0 && len(p.now.Limit) > 0 {
		ratios = ratioText(p.old.ratio()) + " to " + ratioText(p.now.ratio())
	}
	if p.worse() {
		mark = "**worse**"
	}
	change := ratioText(median(p.now.Ours) / median(p.old.Ours))
	return tableRow(p.now.Name, p.now.Unit.spread(p.old.Ours), p.now.Unit.spread(p.now.Ours), change, ratios, mark)
}

// compare measures a subject alternately with the old and the new binary, and returns the rows of the pairs.
func (b *bench) compare(s subject) (rows string, err error) {
	if s.inside {
		fmt.Fprintf(os.Stderr, "%s: skipped: it measures no binary\n", s.name)
		return "", nil
	}
	rounds, ours := b.runs, b.server
	defer func() { b.runs, b.server = rounds, ours }()
	b.runs = 1
	var pairs []*pair
	for turn := range 2 * rounds {
		// The order old, new, new, old favours neither binary on a machine that slows down.
		old := turn%4 == 0 || turn%4 == 3
		if b.server = ours; old {
			b.server = b.against
		}
		var figures []*figure
		if figures, err = b.take(s); err != nil {
			break
		}
		for _, f := range figures {
			at := slices.IndexFunc(pairs, func(p *pair) bool { return p.now.Name == f.Name })
			if at < 0 {
				at = len(pairs)
				pairs = append(pairs, &pair{now: figure{Name: f.Name, Unit: f.Unit}})
			}
			to := &pairs[at].now
			if old {
				to = &pairs[at].old
			}
			to.Ours = append(to.Ours, median(f.Ours))
			if len(f.Limit) > 0 {
				to.Limit = append(to.Limit, median(f.Limit))
			}
		}
	}
	for _, p := range pairs {
		rows += p.row()
	}
	return rows, err
}
