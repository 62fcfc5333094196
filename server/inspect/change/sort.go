package change

import (
	"cmp"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

// Sorted has the findings of a check, divided by their relation to the change. New, Old and Mended have one finding for
// each cause, in the order of inspect.Worse, and at most inspect.MaxPerCheck.
type Sorted struct {
	// New has the findings that the base does not have. Old has the findings that the base has too and that are in
	// changed code. The other findings of the base are omitted.
	New, Old []inspect.Finding
	Mended   []inspect.Finding // findings of the base that are gone, with their places in the base
	Excused  []inspect.Excused // accepted findings in changed code
	Left     int               // number of findings of New and Old beyond the limit
}

// Sort divides the findings of a check. now and was are the results of inspect.Look for the present repository and
// for the base; was is nil if the check itself compares with the base. Sort adds a mark for each finding of the
// result to marks, by the finding's ID.
func (c *Code) Sort(now, was *inspect.Result, marks map[string]inspect.Mark) *Sorted {
	out := &Sorted{}
	older, gone := c.before(now, was)
	kept := map[int]bool{} // indexes in gone of the findings that have a twin
	for _, f := range c.places(now, older) {
		id := f.ID()
		switch i, state := c.twin(&f, gone, kept); {
		case older[id] > 0:
			if at := cmp.Or(c.At(f.Path, f.Line), c.uses(&f)); at != "" {
				out.Old = append(out.Old, f)
				marks[id] = inspect.Mark{State: inspect.StateUnchanged, Place: at}
			}
		case i >= 0:
			kept[i] = true
			out.Old = append(out.Old, f)
			marks[id] = inspect.Mark{State: state, Place: c.At(f.Path, f.Line)}
		default:
			out.New = append(out.New, f)
			marks[id] = inspect.Mark{State: inspect.StateNew, Place: c.place(&f, was == nil)}
		}
	}
	for _, e := range now.Excused {
		if at := c.At(e.Finding.Path, e.Finding.Line); at != "" {
			out.Excused = append(out.Excused, e)
			marks[e.Finding.ID()] = inspect.Mark{State: inspect.StateUnchanged, Place: at}
		}
	}
	for i, f := range gone {
		if !kept[i] {
			out.Mended = append(out.Mended, f)
		}
	}
	out.New, out.Old, out.Mended = out.fold(out.New), out.fold(out.Old), (&Sorted{}).fold(out.Mended)
	return out
}

// before compares the IDs of the findings of the base (was) with those of now. It returns how many findings of the base
// have each ID, and those findings of the base whose ID now lacks.
func (c *Code) before(now, was *inspect.Result) (older map[string]int, gone []inspect.Finding) {
	present := map[string]bool{}
	for i := range now.Findings {
		present[now.Findings[i].ID()] = true
	}
	for _, e := range now.Excused {
		present[e.Finding.ID()] = true
	}
	older = map[string]int{}
	if was == nil {
		return older, nil
	}
	for i, f := range slices.Concat(was.Findings, was.Again) {
		moved := f
		moved.Path = c.present(f.Path)
		older[moved.ID()]++
		if i < len(was.Findings) && !present[moved.ID()] {
			gone = append(gone, f)
		}
	}
	return older, gone
}

// places splits the findings that share one ID if now has more of them than the base: those in changed code become
// findings of their own. The ID of such a finding includes the function's name.
func (c *Code) places(now *inspect.Result, older map[string]int) []inspect.Finding {
	all := map[string][]inspect.Finding{}
	for _, f := range slices.Concat(now.Findings, now.Again) {
		all[f.ID()] = append(all[f.ID()], f)
	}
	var out []inspect.Finding
	for i := range now.Findings {
		id := now.Findings[i].ID()
		same := all[id]
		n := older[id]
		if n == 0 || n >= len(same) {
			out = append(out, now.Findings[i])
			continue
		}
		slices.SortStableFunc(same, func(a, b inspect.Finding) int {
			return strings.Compare(c.At(a.Path, a.Line), c.At(b.Path, b.Line)) // "" comes first
		})
		out = append(out, same[0])
		for _, f := range same[n:] {
			f.Marks = append(f.Marks, f.Mark()) // a review of everything does not split them
			f.Same = cmp.Or(f.Same, f.Evidence) + " in " + c.functionAt(f.Path, f.Line)
			out = append(out, f)
		}
	}
	return out
}

// twin returns the index in gone of the older form of a finding, -1 if there is none, and the state of the finding: it
// is unchanged if all lines of its way have the same text, and updated if it has another line in the same function.
// Indexes that are in kept are the older forms of others.
func (c *Code) twin(f *inspect.Finding, gone []inspect.Finding, kept map[int]bool) (at int, state string) {
	at = -1
	same := func(a, b inspect.Step) bool { return a.Quote == b.Quote }
	for i := range gone {
		was := &gone[i]
		file := c.files[c.present(was.Path)]
		if kept[i] || file == nil || was.Title != f.Title || c.present(was.Path) != f.Path {
			continue
		}
		if in := file.was.function(was.Line); in != "" && in == c.functionAt(f.Path, f.Line) {
			return i, inspect.StateUpdated
		}
		if at < 0 && len(f.Steps) > 0 && slices.EqualFunc(was.Steps, f.Steps, same) {
			at = i
		}
	}
	return at, inspect.StateUnchanged
}

func (s *Sorted) fold(all []inspect.Finding) []inspect.Finding {
	res := inspect.Result{Findings: all}
	res.Fold()
	s.Left += res.Left
	return res.Findings
}

// present returns the present path of a file, given its path in the base.
func (c *Code) present(was string) string {
	if now, moved := c.moved[was]; moved {
		return now
	}
	return was
}

func (c *Code) functionAt(p string, line int) string {
	if f := c.files[p]; f != nil {
		return f.now.function(line)
	}
	return ""
}

// place describes the place of a new finding. own is set if the check itself compares with the base.
func (c *Code) place(f *inspect.Finding, own bool) string {
	at := c.At(f.Path, f.Line)
	switch way := c.uses(f); {
	case at != "":
		return at
	case own:
		return "about the change itself"
	case f.Path == "":
		return "about the whole repository"
	case way != "":
		return depends + ": " + way
	}
	return depends
}

const depends = "in code that depends on the change"
