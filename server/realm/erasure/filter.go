package erasure

import (
	"agentdungeon/server/driver"
	"agentdungeon/shared/world"
)

// Filter removes from a driver's output the words that were erased since its run began. The driver may have
// got the words in its prompt, and after history:erased no redaction would remove them. A Filter has one
// redactor for each erasure since the run began.
type Filter []*world.Redactor

// Text returns text without the erased words.
func (f Filter) Text(text string) string {
	for _, red := range f {
		text = red.WithoutQuotes(text)
	}
	return text
}

// Chunk returns c, a chunk of a member's driver, without the erased words. left reports whether the chunk
// still has any content. Chunk does not change streamed words; conversation.Segment.RedactAtClose removes
// erased words from them.
func (f Filter) Chunk(member string, c driver.Chunk) (_ driver.Chunk, left bool) {
	for _, red := range f {
		switch {
		case c.Finding != nil:
			left = !red.Quotes(c.Finding.Words()...)
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
			c.Artifact = &driver.NamedText{Name: n.Name, Text: red.WithoutWords(n.Text), Coverage: n.Coverage}
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
