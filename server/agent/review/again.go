package review

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/driver"
	"agentdungeon/server/dungeon"
	"agentdungeon/server/inspect"
	"agentdungeon/server/report"
	"agentdungeon/shared/world"
)

// last describes the hero's last review of the repository.
type last struct {
	commit  string
	changed []string                     // the files that changed after that review
	found   map[string][]inspect.Finding // findings by check, as the check returned them, but without causes
}

// areaReview is the area (world.Insight.Area) of the insights that a review stores for its hero. An insight is a
// sentence that a hero has learned; the hero's insights are called its vault.
const areaReview = "review"

// maxChanges is the maximum size of the list of uncommitted files in a checkpoint, in bytes of JSON. If the list is
// longer, there is no checkpoint, and the next review looks at everything.
const maxChanges = 3_000

// checkpoint describes the state of the folder at this review, so that the next review looks only at what has
// changed since. It returns nil if the next review must look at everything.
func (v *view) checkpoint() *world.Reviewed {
	h := v.review.repo.History
	if h == nil || h.Head() == "" {
		return nil
	}
	dirty, ok := h.Since(v.ctx, h.Head())
	if !ok {
		return nil
	}
	if list, err := json.Marshal(dirty); err != nil || len(list) > maxChanges {
		return nil
	}
	out := &world.Reviewed{Commit: h.Head(), Rules: v.scouts.rules, Changes: dirty}
	for _, p := range dirty {
		out.Sums = append(out.Sums, sumOf(v.review.repo, p))
	}
	return out
}

// sumOf identifies the content of a file, "" if it cannot be read.
func sumOf(r *inspect.Repo, path string) string {
	if r.File(path) == nil {
		return "gone"
	}
	data, ok := r.Text(path)
	if !ok {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// sentence formats a checkpoint for people. It becomes the last sentence of an insight.
func sentence(c *world.Reviewed) string {
	text := fmt.Sprintf("at commit %s by rules %s", c.Commit, c.Rules)
	if len(c.Changes) > 0 {
		list, _ := json.Marshal(c.Changes) // strings can always be encoded
		text += " with changes " + string(list)
	}
	return text
}

var oldSentence = inspect.Pattern(`at commit ([0-9a-f]{6,64}) by rules ([0-9a-f]{8})(?: with changes (\[.*\]))?\.$`)

// checkpointOf returns the checkpoint that an insight about a review contains, nil if there is none. Insights of
// versions without the field world.Insight.Review have the checkpoint only in their text; checkpointOf parses that
// text.
func checkpointOf(in *world.Insight) *world.Reviewed {
	if in.Review != nil {
		return in.Review
	}
	m := oldSentence.FindStringSubmatch(in.Text)
	if m == nil {
		return nil
	}
	c := &world.Reviewed{Commit: m[1], Rules: m[2]}
	if m[3] != "" && json.Unmarshal([]byte(m[3]), &c.Changes) != nil {
		return nil
	}
	return c
}

// lastReview returns the hero's last review. It returns nil if the hero has to look at everything: there was no
// review, the review had other checks, the repository has no history, or the commit of the review does not exist
// any more.
func (v *view) lastReview() *last {
	h := v.review.repo.History
	if h == nil {
		return nil
	}
	for _, in := range slices.Backward(v.turn.Insights) {
		if in.Area != areaReview {
			continue
		}
		was := checkpointOf(&in)
		if was == nil || was.Rules != v.scouts.rules {
			return nil
		}
		changed, ok := h.Since(v.ctx, was.Commit)
		if !ok {
			return nil
		}
		if len(was.Changes) > 0 { // files that were uncommitted then may be committed now
			changed = slices.Compact(slices.Sorted(slices.Values(slices.Concat(was.Changes, changed))))
			changed = slices.DeleteFunc(changed, func(p string) bool { // read as it is now
				i := slices.Index(was.Changes, p)
				return i >= 0 && i < len(was.Sums) && was.Sums[i] != "" && was.Sums[i] == sumOf(v.review.repo, p)
			})
		}
		found := map[string][]inspect.Finding{}
		for _, f := range v.turn.Earlier {
			// Include findings that were merged into another one, because this review compares the two again.
			if f.AgentID == v.turn.Role.ID && f.Check != "" && (f.Withdrawn == "" || f.Into != "") {
				found[f.Check] = append(found[f.Check], report.Posted(&f))
			}
		}
		return &last{commit: was.Commit, changed: changed, found: found}
	}
	return nil
}

// withdrawMended withdraws the findings of earlier reviews that this review did not find again, and returns their
// number. accepted is the number of those that the repository accepts now, which it withdraws too. quests is a sentence
// about the quests of these findings, "" if they have none. The realm itself updates the quests when a finding is
// withdrawn.
func (t *speaker) withdrawMended() (mended, accepted int, quests string, err error) {
	open, taken := 0, 0
	by := ""
	for i := range t.turn.Earlier {
		f := &t.turn.Earlier[i]
		if f.Check == "" {
			continue
		}
		o, k := t.questsOf(f.ID)
		if f.Withdrawn != "" {
			// A version of the server that did not update quests withdrew this finding. Withdraw it again, so that
			// the realm updates its open quests.
			if o > 0 {
				open += o
				t.post(driver.Chunk{Withdraw: &driver.Withdraw{FindingID: f.ID, Reason: f.Withdrawn, Into: f.Into}})
			}
			continue
		}
		ok, why, err := t.again(f)
		if err != nil {
			return mended, accepted, "", err
		}
		if ok {
			continue
		}
		open, taken = open+o, taken+k
		if by == "" {
			by = t.thisReview()
		}
		reason := why + ": " + by + " no longer finds it"
		if why == acceptedNow {
			accepted++
			reason = why + ": " + by + " leaves it out" // its code has not changed
		} else {
			mended++
		}
		t.post(driver.Chunk{Withdraw: &driver.Withdraw{FindingID: f.ID, Reason: reason}})
	}
	if open > 0 {
		quests += fmt.Sprintf(" %s done by that.", are(open, "open quest"))
	}
	if taken > 0 {
		quests += plural(taken, " 1 quest is taken: the person who took it is told.",
			" %d quests are taken: the people who took them are told.")
	}
	return mended, accepted, quests, nil
}

// questsOf returns the number of open quests and the number of taken quests of a finding. It does not count quests
// that already record that their finding is gone.
func (v *view) questsOf(findingID string) (open, taken int) {
	for _, q := range v.turn.Quests {
		switch {
		case q.FindingID != findingID || q.Note != "":
		case q.Status == world.QuestOpen:
			open++
		case q.Status != world.QuestDone:
			taken++
		}
	}
	return open, taken
}

// thisReview returns a name for this review: "the review of commit ..." if the repository has a history.
func (v *view) thisReview() string {
	h := v.review.repo.History
	if h == nil || h.Head() == "" {
		return "this review"
	}
	by := fmt.Sprintf("the review of commit %.10s", h.Head())
	if dirty, ok := h.Since(v.ctx, h.Head()); ok && len(dirty) > 0 {
		by += " and of what is not committed"
	}
	return by
}

// moved reports whether the place of a finding has changed: its path is gone, or it has a line and its file does not
// contain the evidence any more. Evidence that is no quotation (figures, a list) is never in the file, so the check
// runs again.
func (v *view) moved(f *world.Finding) bool {
	path, err := dungeon.DecodePath(f.Path)
	if err != nil || path == "" {
		return false
	}
	if v.gone(path) {
		return true
	}
	if f.Line == 0 || v.review.repo.File(path) == nil {
		return false
	}
	data, _ := v.review.repo.Text(path)
	line, _, _ := strings.Cut(f.Evidence, "\n")
	return !bytes.Contains(data, []byte(strings.TrimSpace(line)))
}

// recheck runs the check that posted a finding over this view again. It returns the result of the check, and the
// finding in that result, nil if the check does not find it any more. If no check posted f, recheck returns nil for
// both.
func (v *view) recheck(f *world.Finding) (*inspect.Result, *inspect.Finding, error) {
	i := slices.IndexFunc(v.scouts.checks, func(c inspect.Check) bool { return c.ID == f.Check })
	if i < 0 {
		return nil, nil, nil
	}
	res, err := v.scouts.run(v.ctx, v.review, &v.scouts.checks[i], nil)
	if err != nil {
		return nil, nil, err
	}
	return res, findingOf(res, f.ID), nil
}

// findingOf returns the finding of a result that has the id, or nil.
func findingOf(res *inspect.Result, id string) *inspect.Finding {
	i := slices.IndexFunc(res.Findings, func(f inspect.Finding) bool { return f.ID() == id })
	if i < 0 {
		return nil
	}
	return &res.Findings[i]
}

// acceptedNow is the reason of again for a finding that a line of the repository accepts since an earlier review.
const acceptedNow = "the repository accepts it in " + inspect.ExcusesFile

// again reports whether a finding is still true, and why. It returns true for the findings of people and of other
// drivers, because no check of the scouts can test them.
func (v *view) again(f *world.Finding) (ok bool, why string, err error) {
	res, found, err := v.recheck(f)
	switch {
	case err != nil:
		return false, "", err
	case res == nil && rank(f.AgentID) < len(heroes) && strings.HasPrefix(f.Check, f.AgentID+"/"):
		return false, "no check looks for it any more", nil // the check belongs to an older version of the program
	case res == nil:
		return true, "not checked by me", nil
	case found != nil:
		return true, "confirmed", nil
	}
	path, err := dungeon.DecodePath(f.Path)
	switch {
	case err == nil && v.gone(path):
		return false, "its file is not there any more", nil
	case res.Err != nil:
		return true, "not confirmed, because I could not look to the end", nil
	case slices.ContainsFunc(res.Excused, func(e inspect.Excused) bool { return e.Finding.ID() == f.ID }):
		return false, acceptedNow, nil
	case res.Left > 0:
		return true, "not confirmed, there are too many of its kind", nil
	}
	return false, "it does not stand there any more", nil
}

// gone reports whether the repository, as this turn sees it, has neither a file nor a folder at path.
func (v *view) gone(path string) bool {
	return path != "" && v.review.repo.File(path) == nil && !v.review.repo.HasDir(path)
}
