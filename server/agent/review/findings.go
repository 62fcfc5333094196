package review

import (
	"cmp"
	"slices"
	"strings"

	"agentdungeon/server/dungeon"
	"agentdungeon/server/inspect"
	"agentdungeon/server/report"
	"agentdungeon/shared/world"
)

// ranked returns the findings of the request, the weightiest first. The request of a review has no withdrawn findings.
func (v *view) ranked() []world.Finding {
	return slices.SortedStableFunc(slices.Values(v.turn.Findings), func(a, b world.Finding) int { return weigh(&a, &b) })
}

// standing returns the findings that are not withdrawn and not only suspected, the weightiest first. If the subject
// names a file or a folder, it returns only the findings there.
func (v *view) standing(s subject) []world.Finding {
	return slices.DeleteFunc(v.ranked(), func(f world.Finding) bool {
		p, err := dungeon.DecodePath(f.Path)
		return !f.Stands() || s.placed() && (err != nil || !s.holds(p))
	})
}

// suspected returns those of the findings that are only suspected (candidates), in the same order.
func suspected(ranked []world.Finding) []world.Finding {
	return slices.DeleteFunc(slices.Clone(ranked), func(f world.Finding) bool { return f.State() != world.StateSuspected })
}

// serious reports whether the Oracle checks findings of a severity again.
func serious(severity string) bool { return severity == inspect.High || severity == inspect.Critical }

// weigh orders findings: the worse one first (world.Worse), then by the position of the hero in heroes, then by path,
// line and id.
func weigh(a, b *world.Finding) int {
	return cmp.Or(
		world.Worse(a, b),
		rank(a.AgentID)-rank(b.AgentID),
		cmp.Compare(a.Path, b.Path), a.Line-b.Line, cmp.Compare(a.ID, b.ID),
	)
}

// ownFindings returns the current findings of the hero's own checks, the weightiest first. If the subject names a file
// or a folder, it returns only the findings there. The Oracle has no checks; its findings are those of all heroes that
// are neither withdrawn nor only suspected.
func (v *view) ownFindings(s subject) ([]inspect.Finding, error) {
	var out []inspect.Finding
	if v.turn.Role.ID == oracle {
		for _, f := range v.standing(subject{}) {
			out = append(out, report.Posted(&f))
		}
	}
	results, err := v.scouts.all(v.ctx, v.review, v.turn.Role.ID, nil)
	if err != nil {
		return nil, err
	}
	for _, res := range results {
		stand, _ := res.Told()
		out = append(out, stand...)
	}
	slices.SortStableFunc(out, func(a, b inspect.Finding) int {
		return cmp.Or(inspect.Worse(a, b), strings.Compare(a.ID(), b.ID()))
	})
	if s.place() == "" {
		return out, nil
	}
	word := s.name[strings.LastIndexByte(s.name, '.')+1:]
	return slices.DeleteFunc(out, func(f inspect.Finding) bool {
		if !s.placed() {
			return wholeWords(f.Title+"\n"+f.Evidence, word) == 0
		}
		return !s.holds(f.Path)
	}), nil
}

// reviewed reports whether there was a review of the folder: in this conversation, or one whose checks posted
// findings.
func (v *view) reviewed() bool {
	byCheck := func(f world.Finding) bool { return f.Check != "" }
	return v.turn.Reviewed || slices.ContainsFunc(v.turn.Findings, byCheck) || slices.ContainsFunc(v.turn.Earlier, byCheck)
}
