package review

import (
	"fmt"

	"agentdungeon/server/driver"
	"agentdungeon/shared/world"
)

// compare is the cross-reference: a hero withdraws each of its findings that another finding covers better,
// because both have one cause or are about the same place. A finding with a known cause is merged only by
// that cause: the weightiest finding of a cause replaces all others, whoever found them. A finding without
// a cause is merged into a remaining finding of another hero about the same line.
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

// compared returns the findings of checks that are not withdrawn.
func (v *view) compared() []compared {
	var out []compared
	for _, f := range v.turn.Findings {
		if f.Check != "" {
			out = append(out, compared{f, v.causeOf(&f)})
		}
	}
	return out
}

// better returns the finding into which f is merged, nil for none: the weightiest finding of its cause or
// its line. Of equal ones it is that of the hero who comes first in the template.
func better(f *compared, all []compared) *compared {
	var best *compared
	for i := range all {
		o := &all[i]
		if !f.joins(o) || !outweighs(&o.Finding, &f.Finding) {
			continue
		}
		if f.kind == "" && o.kind != "" && better(o, all) != nil {
			continue // it is merged itself, into a finding that is not about this line
		}
		if best == nil || outweighs(&o.Finding, &best.Finding) {
			best = o
		}
	}
	return best
}

// joins reports whether f may be merged into o.
func (f *compared) joins(o *compared) bool {
	if f.kind != "" {
		return f.kind == o.kind && f.of == o.of
	}
	return f.AgentID != o.AgentID && f.Line > 0 && f.Path == o.Path && f.Line == o.Line
}
