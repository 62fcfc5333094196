package review

import (
	"fmt"
	"slices"

	"agentdungeon/server/driver"
	"agentdungeon/server/inspect"
	"agentdungeon/shared/world"
)

// compare plays a turn of the stage cross-reference. The hero withdraws each of its findings that another finding
// covers, because both have one cause or are about the same line. Of the findings of one cause only the weightiest
// remains, whichever hero found it. A finding without a known cause is merged into a remaining finding of another hero
// about the same line, but not one that stands with one that is only suspected.
func (t *speaker) compare() error {
	own := func(f world.Finding) bool { return f.Check != "" && f.AgentID == t.turn.Role.ID }
	if !slices.ContainsFunc(t.turn.Findings, own) {
		t.say("I posted nothing, so there is nothing of mine to compare.")
		return nil
	}
	known, err := t.compared()
	if err != nil {
		return err
	}
	var mine []*compared
	for i := range known {
		if f := &known[i]; own(f.Finding) {
			mine = append(mine, f)
		}
	}
	joined := 0
	for _, f := range mine {
		o := better(f, known)
		if o == nil {
			continue
		}
		joined++
		reason := fmt.Sprintf("%s names the same place: %s", upper(name(o.AgentID)), o.Title)
		words := fmt.Sprintf("%s: I fold my finding into that of %s, who says of it: %s.", where(f.Path, f.Line),
			name(o.AgentID), o.Title)
		if f.cause.Key != "" {
			reason = fmt.Sprintf("One cause, %s, with what %s found at %s: %s", f.cause.Text, name(o.AgentID),
				where(o.Path, o.Line), o.Title)
			words = fmt.Sprintf("%s: this has one cause with %s, %s. I fold it into that one.", where(f.Path, f.Line),
				where(o.Path, o.Line), f.cause.Text)
		}
		t.post(driver.Chunk{Withdraw: &driver.Withdraw{FindingID: f.ID, Reason: reason, Into: o.ID}})
		if joined <= spokenInFull {
			t.say(words)
		}
	}
	if joined > spokenInFull {
		t.sayf("%d more of mine go the same way.", joined-spokenInFull)
	}
	if joined == 0 {
		if len(mine) == 1 {
			t.say("My finding shares no place and no cause with another: it stands as it is.")
			return nil
		}
		t.sayf("My %s share no place and no cause with another: they stand as they are.", countOf(len(mine), "finding"))
		return nil
	}
	t.sayf("%d of my %s stand on their own.", len(mine)-joined, countOf(len(mine), "finding"))
	return nil
}

// compared is a finding with its cause.
type compared struct {
	world.Finding
	cause inspect.Cause
}

// compared returns the posted findings of checks with their causes. The causes come from the results of the
// checks, which run again after a restart of the server.
func (v *view) compared() ([]compared, error) {
	var out []compared
	for _, f := range v.turn.Findings {
		if f.Check == "" {
			continue
		}
		c := compared{Finding: f}
		res, found, err := v.recheck(&f)
		if err != nil {
			return nil, err
		}
		if found != nil && found.Known != "" { // kept from the last review, without its cause
			found = findingOf(inspect.Run(v.ctx, v.review.repo.Only([]string{found.Path}), res.Check), f.ID)
		}
		if found != nil {
			c.cause = found.Cause
		}
		out = append(out, c)
	}
	return out, nil
}

// better returns the finding into which f is merged, nil for none: the weightiest of the other findings with
// the same cause or on the same line.
func better(f *compared, all []compared) *compared {
	var best *compared
	for i := range all {
		o := &all[i]
		if !f.joins(o) || !outweighs(&o.Finding, &f.Finding) {
			continue
		}
		if f.cause.Key == "" && o.cause.Key != "" && better(o, all) != nil {
			continue // o itself is merged, into a finding that may be about another line
		}
		if best == nil || outweighs(&o.Finding, &best.Finding) {
			best = o
		}
	}
	return best
}

// joins reports whether f may be merged into o.
func (f *compared) joins(o *compared) bool {
	if f.cause.Key != "" {
		return f.cause.Key == o.cause.Key
	}
	return f.AgentID != o.AgentID && f.Stands() == o.Stands() && f.Line > 0 && f.Path == o.Path && f.Line == o.Line
}
