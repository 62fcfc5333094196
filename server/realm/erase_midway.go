package realm

import (
	"strings"

	"agentdungeon/server/driver"
	"agentdungeon/server/kind"
	"agentdungeon/shared/world"
)

// Runs under way while something is erased. Their drivers were told of it before, and may
// quote it in what they still make: that is taken out as it comes, because the tables are
// redacted up to history:erased and not after it. A run that begins later is told nothing
// of it.

// forgetMidway has all runs under way make nothing any more of what an erasure is of. What
// that is stays in memory until they have ended.
func (a *actor) forgetMidway(red *world.Redactor) {
	for _, k := range a.sees.Kinds.All {
		if e, ok := k.(kind.Editor); ok {
			e.Redact(red.Said)
		}
	}
	for _, l := range a.live {
		l.forgets = append(l.forgets, red)
		if l.segment != nil {
			l.segment.Forget(red.Said)
		}
		for _, t := range l.tools {
			for _, text := range []*strings.Builder{&t.shown, &t.pending} {
				left := red.Said(text.String())
				text.Reset()
				text.WriteString(left)
			}
		}
	}
}

// said is a text of an agent or a tool without what was erased since the run began.
func (l *liveRun) said(text string) string {
	for _, red := range l.forgets {
		text = red.Said(text)
	}
	return text
}

// without is what a run makes without what was erased since it began; false where nothing
// is left of it. Words that stream are looked at when their row closes: see Segment.Forget.
func (l *liveRun) without(c driver.Chunk) (_ driver.Chunk, left bool) {
	for _, red := range l.forgets {
		switch {
		case c.Finding != nil:
			f := c.Finding
			left = !red.Quotes(f.Title, f.Text, f.Evidence, f.Why, f.Advice)
		case c.Quest != nil:
			left = !red.Quotes(c.Quest.Title, c.Quest.Note)
		case c.Insight != nil:
			left = !red.Insight(l.member, *c.Insight)
		default:
			left = true
		}
		if !left {
			return c, false
		}
		c.Thought = red.Said(c.Thought)
		if w := c.Withdraw; w != nil {
			c.Withdraw = &driver.Withdraw{FindingID: w.FindingID, Reason: red.Said(w.Reason), Into: w.Into}
		}
		if n := c.Artifact; n != nil {
			c.Artifact = &driver.NamedText{Name: n.Name, Text: red.Written(n.Text)}
		}
		if s := c.Seal; s != nil {
			c.Seal = &driver.Seal{Summary: red.Written(s.Summary)}
		}
		if t := c.Tool; t != nil {
			tool := *t
			tool.Input = red.Said(t.Input)
			c.Tool = &tool
		}
		if o := c.ToolOutput; o != nil {
			c.ToolOutput = &driver.ToolOutput{CallID: o.CallID, Text: red.Said(o.Text)}
		}
		if e := c.ToolEnd; e != nil {
			end := *e
			end.Output = red.Said(e.Output)
			c.ToolEnd = &end
		}
	}
	return c, true
}
