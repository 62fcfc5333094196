package review

import (
	"fmt"

	"agentdungeon/server/driver"
	"agentdungeon/server/inspect"
	"agentdungeon/server/report"
)

// compare plays a turn of the stage cross-reference. The hero withdraws each of its findings that another finding
// already covers: both have the same place or the same cause (see inspect.Fold). A hero without findings adds to those
// of others what it knows of their places.
func (t *speaker) compare() error {
	known, err := t.compared()
	if err != nil {
		return err
	}
	mine, suspected, joined := 0, 0, 0
	for i, into := range inspect.Fold(known) {
		f := &known[i]
		if f.Hero != t.turn.Role.ID {
			continue
		}
		mine++
		if f.Confidence == inspect.Doubtful {
			suspected++
		}
		if into < 0 {
			continue
		}
		o := &known[into]
		reason := fmt.Sprintf("%s names the same place: %s", upper(name(o.Hero)), o.Title)
		words := fmt.Sprintf("%s: I fold my finding into that of %s, who says of it: %s.", where(f.Path, f.Line),
			name(o.Hero), o.Title)
		if f.Cause.Key != "" && f.Cause.Key == o.Cause.Key {
			reason = fmt.Sprintf("One cause, %s, with what %s found at %s: %s", f.Cause.Text, name(o.Hero),
				where(o.Path, o.Line), o.Title)
			words = fmt.Sprintf("%s: this has one cause with %s, %s. I fold it into that one.", where(f.Path, f.Line),
				where(o.Path, o.Line), f.Cause.Text)
		}
		t.post(driver.Chunk{Withdraw: &driver.Withdraw{FindingID: f.ID(), Reason: reason, Into: o.ID()}})
		if joined++; joined <= spokenInFull {
			t.say(words)
		}
	}
	switch {
	case mine == 0:
		return t.help()
	case joined > 0:
		if joined > spokenInFull {
			t.sayf("%d more of mine go the same way.", joined-spokenInFull)
		}
		t.sayf("%d of my %s stand on their own.", mine-joined, findings(mine-suspected, suspected))
	case mine == 1 && suspected == 0:
		t.say("My finding overlaps with no other, neither in place nor in cause: it stands as it is.")
	case mine == 1:
		t.say("My suspected finding overlaps with no other, neither in place nor in cause.")
	default:
		t.sayf("My %s overlap with no other finding, neither in place nor in cause.", findings(mine-suspected, suspected))
	}
	return nil
}

// findings counts findings: "3 findings", "2 suspected findings", "1 finding and 2 suspected ones".
func findings(proved, suspected int) string {
	switch {
	case suspected == 0:
		return countOf(proved, "finding")
	case proved == 0:
		return countOf(suspected, "suspected finding")
	}
	return countOf(proved, "finding") + " and " + countOf(suspected, "suspected one")
}

// compared returns the posted findings of checks together with their causes, the weightiest first. Posted findings
// do not contain their causes, so they come from the results of the checks, which run again after a restart of the
// server.
func (v *view) compared() ([]inspect.Finding, error) {
	var out []inspect.Finding
	for _, f := range v.ranked() {
		if f.Check == "" {
			continue
		}
		c := report.Posted(&f)
		res, found, err := v.recheck(&f)
		if err != nil {
			return nil, err
		}
		if found != nil && found.Known != "" { // the finding was copied from the last review, which stored no causes
			found = findingOf(inspect.Run(v.ctx, v.review.repo.Only([]string{found.Path}), res.Check), f.ID)
		}
		if found != nil {
			c.Cause = found.Cause
		}
		if f.Proof != "" {
			c.Confidence = inspect.Sure
		}
		out = append(out, c)
	}
	return out, nil
}
