package review

import (
	"fmt"

	"agentdungeon/server/driver"
	"agentdungeon/shared/world"
)

// compare is the cross-reference: a hero takes back what another finding says better,
// because both are about the same place or have one cause. A finding with a known cause
// is joined by that alone: the weightiest of a cause stands for all of them, whoever
// found it. One without is joined by its line with another hero's that stands.
func (t *teller) compare() {
	me := t.turn.Role.ID
	known := t.compared()
	var mine []*compared
	for i := range known {
		if f := &known[i]; f.AgentID == me {
			mine = append(mine, f)
		}
	}
	if len(mine) == 0 {
		t.say("I posted nothing, so there is nothing of mine to compare.")
		return
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
		if f.kind != "" {
			reason = fmt.Sprintf("One cause, %s, with what %s found at %s: %s", f.says, name(o.AgentID), where(o.Path, o.Line),
				o.Title)
			words = fmt.Sprintf("%s: this has one cause with %s, %s. I fold it into that one.", where(f.Path, f.Line),
				where(o.Path, o.Line), f.says)
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
			return
		}
		t.sayf("My %s share no place and no cause with another: they stand as they are.", countOf(len(mine), "finding"))
		return
	}
	t.sayf("%d of my %s stand on their own.", len(mine)-joined, countOf(len(mine), "finding"))
}

// compared is a finding with its cause.
type compared struct {
	world.Finding
	cause
}

// compared are the findings of checks that stand.
func (v *view) compared() []compared {
	var out []compared
	for _, f := range v.turn.Findings {
		if f.Check != "" {
			out = append(out, compared{f, v.causeOf(&f)})
		}
	}
	return out
}

// better gives the finding that f is folded into, nil for none: the weightiest of its
// cause, or of its line. Of equal ones the hero's stands who comes first in the template.
func better(f *compared, all []compared) *compared {
	var best *compared
	for i := range all {
		o := &all[i]
		if !f.joins(o) || !outweighs(&o.Finding, &f.Finding) {
			continue
		}
		if f.kind == "" && o.kind != "" && better(o, all) != nil {
			continue // it will be folded itself, into one that says nothing of this line
		}
		if best == nil || outweighs(&o.Finding, &best.Finding) {
			best = o
		}
	}
	return best
}

// joins says whether f may be folded into o.
func (f *compared) joins(o *compared) bool {
	if f.kind != "" {
		return f.kind == o.kind && f.of == o.of
	}
	return f.AgentID != o.AgentID && f.Line > 0 && f.Path == o.Path && f.Line == o.Line
}
