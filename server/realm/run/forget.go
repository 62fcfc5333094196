package run

import (
	"strings"

	"agentdungeon/shared/world"
)

// Forget has all runs under way make nothing any more of what an erasure removes. That stays in
// memory until they have ended.
func (s *Runs) Forget(red *world.Redactor) {
	for _, l := range s.live {
		l.erased = append(l.erased, red)
		if l.segment != nil {
			l.segment.Forget(red.WithoutQuotes)
		}
		for _, t := range l.tools {
			for _, text := range []*strings.Builder{&t.shown, &t.pending} {
				left := red.WithoutQuotes(text.String())
				text.Reset()
				text.WriteString(left)
			}
		}
	}
}
