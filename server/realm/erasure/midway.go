package erasure

import (
	"agentdungeon/server/driver"
	"agentdungeon/shared/world"
)

// Filter is what was erased since a run began, in the order of the erasures. Its driver was told
// of it before and may quote it in what it still makes: that is removed as it comes, because the
// tables are redacted up to history:erased and not after it. A run that begins later is told
// nothing of it. The zero value removes nothing. It grows by one with each erasure and goes with
// its run.
type Filter []*world.Redactor

// Text is a text of an agent or a tool without what was erased.
func (f Filter) Text(text string) string {
	for _, red := range f {
		text = red.WithoutQuotes(text)
	}
	return text
}

// Chunk is what the driver of a member makes without what was erased; false where nothing is left
// of it. Words that stream are looked at when their row closes: see conversation.Segment.Forget.
func (f Filter) Chunk(member string, c driver.Chunk) (_ driver.Chunk, left bool) {
	for _, red := range f {
		switch {
		case c.Finding != nil:
			f := c.Finding
			left = !red.Quotes(f.Title, f.Text, f.Evidence, f.Why, f.Advice)
		case c.Quest != nil:
			left = !red.Quotes(c.Quest.Title, c.Quest.Note)
		case c.Insight != nil:
			left = !red.Insight(member, *c.Insight)
		default:
			left = true
		}
		if !left {
			return c, false
		}
		c.Thought = red.WithoutQuotes(c.Thought)
		if w := c.Withdraw; w != nil {
			c.Withdraw = &driver.Withdraw{FindingID: w.FindingID, Reason: red.WithoutQuotes(w.Reason), Into: w.Into}
		}
		if n := c.Artifact; n != nil {
			c.Artifact = &driver.NamedText{Name: n.Name, Text: red.WithoutWords(n.Text)}
		}
		if s := c.Seal; s != nil {
			c.Seal = &driver.Seal{Summary: red.WithoutWords(s.Summary)}
		}
		if t := c.Tool; t != nil {
			tool := *t
			tool.Input = red.WithoutQuotes(t.Input)
			c.Tool = &tool
		}
		if o := c.ToolOutput; o != nil {
			c.ToolOutput = &driver.ToolOutput{CallID: o.CallID, Text: red.WithoutQuotes(o.Text)}
		}
		if e := c.ToolEnd; e != nil {
			end := *e
			end.Output = red.WithoutQuotes(e.Output)
			c.ToolEnd = &end
		}
	}
	return c, true
}
