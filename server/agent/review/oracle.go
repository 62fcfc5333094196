package review

import (
	"fmt"
	"strings"

	"agentdungeon/server/driver"
	"agentdungeon/server/quests"
	"agentdungeon/shared/world"
)

// judge plays the turn in which the Oracle reviews the findings. First a model, if there is one, judges the
// candidates. Then the Oracle, who has a new view of the folder, checks every serious finding again and every other
// finding whose place has changed. It withdraws the findings that it cannot confirm. The serious findings that
// remain become quests; candidates do not.
func (t *speaker) judge() error {
	t.prove()
	all := t.ranked()
	var notes strings.Builder
	confirmed, gone, suspected := 0, 0, 0
	for i := range all {
		f := &all[i]
		if !f.Stands() {
			suspected++
		}
		if (!serious(f.Severity) || !f.Stands()) && !t.moved(f) {
			continue
		}
		ok, why, err := t.again(f)
		if err != nil {
			return err
		}
		if !ok {
			gone++
			if !f.Stands() {
				suspected--
			}
			t.post(driver.Chunk{Withdraw: &driver.Withdraw{FindingID: f.ID, Reason: why}})
			fmt.Fprintf(&notes, "- withdrawn: %s (%s): %s\n", f.Title, where(f.Path, f.Line), why)
			if gone <= spokenInFull {
				t.sayf("I looked again at %s, and %s. I take that finding of %s back.", where(f.Path, f.Line), why, name(f.AgentID))
			}
			continue
		}
		if !serious(f.Severity) || !f.Stands() {
			continue
		}
		confirmed++
		fmt.Fprintf(&notes, "- %s: %s (%s), by %s\n", why, f.Title, where(f.Path, f.Line), name(f.AgentID))
		if confirmed <= spokenInFull {
			t.walkTo(f)
			t.sayf("%s, %s: %s.", where(f.Path, f.Line), why, f.Title)
		}
		t.post(driver.Chunk{Quest: new(quests.Of(f))})
	}
	mended, accepted, quests, err := t.withdrawMended()
	if err != nil {
		return err
	}
	summary := fmt.Sprintf("%s, %d of them high or critical.", countOf(len(all)-gone-suspected, "finding"), confirmed)
	if suspected > 0 {
		summary += fmt.Sprintf(" %s only suspected.", are(suspected, "more finding"))
	}
	if gone > 0 {
		summary += fmt.Sprintf(" %s withdrawn after a second look.", plural(gone, "1 was", "%d were"))
	}
	if mended > 0 {
		summary += fmt.Sprintf(" %s of the review before cannot be found any more.", countOf(mended, "finding"))
	}
	if accepted > 0 {
		summary += fmt.Sprintf(" %s of the review before accepted by the repository.", are(accepted, "finding"))
	}
	summary += quests
	t.say(summary)
	t.handOver("oracle_review_notes", summary+"\n\n"+notes.String(), summary)
	return nil
}

// order writes the artifact synthesis_report with the remaining findings, grouped by folder and with the weightiest
// first, and says which folders need work first.
func (t *speaker) order() {
	all := t.standing(subject{})
	groups := map[string][]world.Finding{}
	var names []string
	for _, f := range all {
		dir := topOf(f.Path)
		if groups[dir] == nil {
			names = append(names, dir) // the weightiest finding decides the position of its group
		}
		groups[dir] = append(groups[dir], f)
	}
	var text strings.Builder
	for _, dir := range names {
		fmt.Fprintf(&text, "## %s\n\n", label(dir))
		for _, f := range groups[dir] {
			fmt.Fprintf(&text, "- %s: %s (%s)\n", f.Severity, f.Title, where(f.Path, f.Line))
		}
		text.WriteString("\n")
	}
	if len(names) == 0 {
		t.say("There is nothing to put in order: no finding is left.")
		t.handOver("synthesis_report", "No finding is left.", "No finding is left.")
		return
	}
	var said []string
	for _, dir := range first(names, 4) {
		said = append(said, fmt.Sprintf("%s (%s, the worst %s)", label(dir), countOf(len(groups[dir]), "finding"),
			groups[dir][0].Severity))
	}
	words := "The work in order: " + list(said) + "."
	if more := len(names) - 4; more > 0 {
		words += fmt.Sprintf(" %s after that.", countOf(more, "folder"))
	}
	t.say(words)
	t.handOver("synthesis_report", text.String(), words)
}
