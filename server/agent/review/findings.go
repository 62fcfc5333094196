package review

import (
	"cmp"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/report"
	"agentdungeon/shared/world"
)

// ranked returns the findings of the request, the weightiest first. The request of a review has no withdrawn findings.
func (v *view) ranked() []world.Finding {
	return slices.SortedStableFunc(slices.Values(v.turn.Findings), func(a, b world.Finding) int { return weigh(&a, &b) })
}

// standing returns the findings that are neither withdrawn, nor only suspected, nor accepted by the repository as it is
// now, the weightiest first. If the subject names a file or a folder, it returns only the findings there.
func (v *view) standing(s subject) []world.Finding {
	accepted := acceptedIn(v.review.repo, v.turn.Findings)
	return slices.DeleteFunc(v.ranked(), func(f world.Finding) bool {
		posted := report.Posted(&f)
		return !f.Stands() || accepted[f.ID] || s.placed() && !s.meets(&posted)
	})
}

// checkable reports whether one of the checks reads a file.
func checkable(s *Scouts, repo *inspect.Repo, f *inspect.File) bool {
	return slices.ContainsFunc(s.checks, func(c inspect.Check) bool { return c.Reads(repo, f) })
}

// acceptedIn returns the ids of those of the findings that a repository accepts as it is now (inspect.ExcusesFile).
func acceptedIn(repo *inspect.Repo, all []world.Finding) map[string]bool {
	return report.Accepted(repo.Excuses(), all)
}

// questLog returns the quests, each with the severity of its finding as priority. It leaves out the open ones whose
// finding the repository accepts.
func (v *view) questLog() (log []world.Quest) {
	accepted := acceptedIn(v.review.repo, v.turn.Findings)
	for _, q := range v.turn.Quests {
		i := slices.IndexFunc(v.turn.Findings, func(f world.Finding) bool { return f.ID == q.FindingID })
		if i >= 0 {
			q.Priority = v.turn.Findings[i].Severity
			if q.Status == world.QuestOpen && accepted[q.FindingID] {
				continue
			}
		}
		log = append(log, q)
	}
	return log
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
		return !s.meets(&f)
	}), nil
}

// foundBy returns the findings of a hero, "" for all, about a subject: of the review or, if there was none,
// of the hero's checks.
func (t *speaker) foundBy(hero string, s subject) (found []inspect.Finding, err error) {
	if !t.reviewed() {
		v := t.view
		v.turn.Role.ID = hero
		return v.ownFindings(subject{file: s.file, dir: s.dir})
	}
	for _, f := range t.standing(s) {
		if hero == "" || f.AgentID == hero {
			found = append(found, report.Posted(&f))
		}
	}
	return found, nil
}

// reviewed reports whether there was a review of the folder: in this conversation, or one whose checks posted
// findings.
func (v *view) reviewed() bool {
	byCheck := func(f world.Finding) bool { return f.Check != "" }
	return v.turn.Reviewed || slices.ContainsFunc(v.turn.Findings, byCheck) || slices.ContainsFunc(v.turn.Earlier, byCheck)
}
