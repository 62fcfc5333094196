package opencode

import "encoding/json"

// glance has the fields of an event about a part from which its place in the transcript follows.
type glance struct {
	Part struct {
		ID, MessageID, Type string
		Time                *span
		State               struct{ Status string }
	}
}

// ordered returns the events so that a text of an agent is complete before the tool calls that it announces: OpenCode
// writes the end of a text after the tool has begun. open is the id of the text that has begun and not ended, "" for
// none; ordered sets it anew. held is set if events are missing at the end, because a tool begins in them while it is
// not known whether its text ends.
func ordered(events []event, open *string) (out []event, held bool) {
	for i, e := range events {
		var g glance
		if e.kind != "message.part.updated.1" || e.data == nil || json.Unmarshal(e.data, &g) != nil {
			out = append(out, e)
			continue
		}
		switch p := g.Part; {
		case p.Type == "text" && p.Time != nil:
			if p.Time.End == 0 {
				*open = p.ID
			} else if p.ID == *open {
				*open = ""
			}
		case p.Type == "tool" && p.State.Status == "running" && *open != "":
			end, known := ending(events[i+1:], *open, &g)
			if !known {
				return out, true
			}
			if end != nil {
				out = append(out, *end) // its entry is not added again at its own place
			}
			*open = ""
		}
		out = append(out, e)
	}
	return out, false
}

// ending returns the event among events with which a text ends, nil if it does not end before the tool call or its
// message. known is false if the events do not show that.
func ending(events []event, text string, tool *glance) (end *event, known bool) {
	for i := range events {
		var g glance
		e := &events[i]
		if e.kind != "message.part.updated.1" || e.data == nil || json.Unmarshal(e.data, &g) != nil {
			continue
		}
		p := g.Part
		switch {
		case p.ID == text && p.Time != nil && p.Time.End > 0:
			return e, true
		case p.MessageID != tool.Part.MessageID,
			p.ID == tool.Part.ID && p.State.Status != "running" && p.State.Status != "pending":
			return nil, true
		}
	}
	return nil, false
}
