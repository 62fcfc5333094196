package scout

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/realm"
	"agentdungeon/shared/world"
)

// compare is the cross-reference: a hero takes back what another says better about
// the same place, and what does not stand there any more.
func (t *teller) compare() error {
	me := t.turn.Role.ID
	var mine []world.Finding
	for _, f := range t.turn.Findings {
		if f.AgentID == me && f.Check != "" {
			mine = append(mine, f)
		}
	}
	if len(mine) == 0 {
		return t.say("I posted nothing, so there is nothing of mine to compare.")
	}
	joined := 0
	for _, f := range mine {
		o := better(f, t.turn.Findings)
		if o == nil {
			continue
		}
		joined++
		reason := fmt.Sprintf("%s names the same place: %s", upper(name(o.AgentID)), o.Title)
		if err := t.emit(realm.Chunk{Withdraw: &realm.Withdraw{FindingID: f.ID, Reason: reason, Into: o.ID}}); err != nil {
			return err
		}
		if joined <= spokenInFull {
			if err := t.sayf("%s: I fold my finding into that of %s, who says of it: %s.", where(f.Path, f.Line), name(o.AgentID), o.Title); err != nil {
				return err
			}
		}
	}
	if joined > spokenInFull {
		if err := t.sayf("%d more of mine go the same way.", joined-spokenInFull); err != nil {
			return err
		}
	}
	if joined == 0 {
		return t.sayf("My %s share no place with another's: they stand as they are.", countOf(len(mine), "finding"))
	}
	return t.sayf("%d of my %s stand on their own.", len(mine)-joined, countOf(len(mine), "finding"))
}

// better gives another hero's finding on the same place that outweighs f, the
// heaviest of them: the same line, or both about a file as a whole. Of equal ones the
// hero's stands who comes first in the template.
func better(f world.Finding, all []world.Finding) *world.Finding {
	if f.Path == "" {
		return nil
	}
	var best *world.Finding
	for i := range all {
		o := &all[i]
		if o.AgentID == f.AgentID || o.Check == "" || o.Path != f.Path || o.Line != f.Line || !outweighs(o, &f) {
			continue
		}
		if best == nil || outweighs(o, best) {
			best = o
		}
	}
	return best
}

func outweighs(a, b *world.Finding) bool { return weigh(a, b) < 0 }

// weigh orders findings: the most severe first, then by the hero's place, then by id.
func weigh(a, b *world.Finding) int {
	return cmp.Or(
		slices.Index(world.Severities, b.Severity)-slices.Index(world.Severities, a.Severity),
		place(a.AgentID)-place(b.AgentID),
		cmp.Compare(a.Path, b.Path), a.Line-b.Line, cmp.Compare(a.ID, b.ID),
	)
}

// name is how a member is spoken of.
func name(role string) string {
	if role == "" {
		return "somebody"
	}
	return "the " + upper(role)
}

// upper begins a sentence.
func upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
