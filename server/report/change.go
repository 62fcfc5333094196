package report

import (
	"fmt"

	"agentdungeon/server/inspect"
	"agentdungeon/shared/world"
)

// Change describes a review of a change: its base, and what differs from it.
type Change struct {
	Rev    string // the base as a person named it
	Commit string // hash of the base, in hex
	Files  int    // files that differ or are gone
	// Marks says of each finding, by its ID, whether it is new or was in the base, and where it is in the change.
	Marks map[string]inspect.Mark
	// Mended is the number of findings of the base that do not exist any more. Shown has the worst of these; their
	// paths and lines are those in the base.
	Mended int
	Shown  []world.Finding
}

// base returns a text that names the base: "main (3b004124f1)".
func (c *Change) base() string { return fmt.Sprintf("%s (%.10s)", c.Rev, c.Commit) }

// Counts reports whether a finding counts for the result of a review. In a review of everything all findings count, in
// a review of a change only new ones.
func (c *Change) Counts(id string) bool { return c == nil || c.Marks[id].State == inspect.StateNew }

// mark returns the mark of a finding as a phrase, "" if there is none: "new, in the changed function f".
func (c *Change) mark(id string) string {
	if c == nil || c.Marks[id].State == "" {
		return ""
	}
	m := c.Marks[id]
	return m.State + ", " + m.Place
}

// summary returns the sentence that a report begins with: the base, and how much differs.
func (c *Change) summary() string {
	return fmt.Sprintf("Since %s: %s.", c.base(), plural(c.Files, "file differs", "files differ"))
}

// counted returns a sentence with the numbers of new, old and mended findings.
func (c *Change) counted(found []world.Finding) string {
	fresh := 0
	for i := range found {
		if c.Counts(found[i].ID) {
			fresh++
		}
	}
	return fmt.Sprintf("Since %s: %s, %d older in changed code, %d mended. Older findings elsewhere are not shown.",
		c.base(), plural(fresh, "new finding", "new findings"), len(found)-fresh, c.Mended)
}

// plural returns n with the phrase one if n is 1, otherwise with the phrase more.
func plural(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// since is the part of a JSON report that describes the Change.
type since struct {
	Rev    string          `json:"rev"`
	Commit string          `json:"commit"`
	Files  int             `json:"files"`
	Mended int             `json:"mended"`
	Shown  []world.Finding `json:"mendedFindings"` // at most 50, with their places in the base
}

func (c *Change) since() *since {
	if c == nil {
		return nil
	}
	return &since{c.Rev, c.Commit, c.Files, c.Mended, world.NotNil(c.Shown)}
}

// finding is a finding in JSON. In a review of a change, it also says whether the finding is new (the mark).
type finding struct {
	world.Finding
	State string `json:"baselineState,omitempty"`
	Place string `json:"change,omitempty"`
}

func (c *Change) marked(all []world.Finding) []finding {
	out := make([]finding, 0, len(all))
	for _, f := range all {
		one := finding{Finding: f}
		if c != nil {
			one.State, one.Place = c.Marks[f.ID].State, c.Marks[f.ID].Place
		}
		out = append(out, one)
	}
	return out
}
