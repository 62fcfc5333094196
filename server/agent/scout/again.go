package scout

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	"agentdungeon/server/dungeon"
	"agentdungeon/server/inspect"
	"agentdungeon/shared/world"
)

// last is what a hero knows of the review before this one: which commit that looked
// at, which files have changed since, and what it found then.
type last struct {
	commit  string
	changed []string
	found   map[string][]inspect.Finding // by check
}

// areaReview is the vault's entry of a review.
const areaReview = "review"

var reviewedAt = regexp.MustCompile(`at commit ([0-9a-f]{6,64}) by rules ([0-9a-f]{8})(?: with changes (\[.*\]))?\.$`)

// maxMark is how long the list of files that were not committed may be in a vault's
// entry, in bytes; with more the next review looks at everything.
const maxMark = 3_000

// rulesOf names a set of checks.
func rulesOf(checks []inspect.Check, version string) string {
	sum := sha256.New()
	fmt.Fprintln(sum, version)
	for i := range checks {
		fmt.Fprintln(sum, checks[i].ID, checks[i].Rule)
	}
	return hex.EncodeToString(sum.Sum(nil))[:8]
}

// mark ends a vault's entry so that the next review can go on from it: the commit, and
// the files that differed from it when they were looked at. It is "" where the next
// review cannot.
func (t *teller) mark() string {
	h := t.review.repo.History
	if h == nil || h.Head() == "" {
		return ""
	}
	dirty, ok := h.Since(t.ctx, h.Head())
	if !ok {
		return ""
	}
	mark := fmt.Sprintf("at commit %s by rules %s", h.Head(), t.scouts.rules)
	if len(dirty) > 0 {
		list, err := json.Marshal(dirty)
		if err != nil || len(list) > maxMark {
			return ""
		}
		mark += " with changes " + string(list)
	}
	return mark
}

// before gives what the hero knows of the last review, nil where it has to look at
// everything: there was none, other rules, no history, a commit that is gone.
func (t *teller) before() *last {
	h := t.review.repo.History
	if h == nil {
		return nil
	}
	for _, in := range slices.Backward(t.turn.Insights) {
		if in.Area != areaReview {
			continue
		}
		m := reviewedAt.FindStringSubmatch(in.Text)
		if m == nil || m[2] != t.scouts.rules {
			return nil
		}
		changed, ok := h.Since(t.ctx, m[1])
		if !ok {
			return nil
		}
		if m[3] != "" { // they may be by now what the commit has
			var dirty []string
			if err := json.Unmarshal([]byte(m[3]), &dirty); err != nil {
				return nil
			}
			changed = slices.Compact(slices.Sorted(slices.Values(append(dirty, changed...))))
		}
		return &last{commit: m[1], changed: changed, found: foundBefore(t.turn.Earlier, t.turn.Role.ID)}
	}
	return nil
}

// foundBefore takes a hero's earlier findings as its checks gave them. Those that
// were folded into another's are among them: they are compared again.
func foundBefore(earlier []world.Finding, hero string) map[string][]inspect.Finding {
	out := map[string][]inspect.Finding{}
	for _, f := range earlier {
		path, err := dungeon.DecodePath(f.Path)
		if err != nil || f.AgentID != hero || f.Check == "" || f.Withdrawn != "" && f.Into == "" {
			continue
		}
		out[f.Check] = append(out[f.Check], inspect.Finding{
			Check: f.Check, Hero: f.AgentID, Severity: f.Severity, Title: f.Title, Path: path, Line: f.Line,
			Evidence: f.Evidence, Why: f.Why, Advice: f.Advice, Known: f.ID,
		})
	}
	return out
}
