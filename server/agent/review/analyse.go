package review

import (
	"fmt"
	"slices"

	"agentdungeon/server/driver"
	"agentdungeon/server/inspect"
	"agentdungeon/server/report"
	"agentdungeon/shared/world"
)

// turnsOfAnalysis is the number of turns that the template gives each hero in the stage analysis. Each turn runs
// its share of the hero's checks.
const turnsOfAnalysis = 3

// spokenInFull is the number of findings of a check that a turn says one by one. The turn posts the further findings
// too, but says only their number.
const spokenInFull = 4

// analyse runs the turn's share of the hero's checks and posts their findings. The hero walks to the place of each
// finding that it says.
func (t *speaker) analyse() error {
	mine, last := t.scouts.of(t.turn.Role.ID), t.lastReview()
	var clean []*inspect.Check
	for i, c := range mine {
		if i%turnsOfAnalysis != (t.turn.N-1)%turnsOfAnalysis {
			continue
		}
		res, err := t.run(c, last)
		if err != nil {
			return err
		}
		_, ok := c.Ground(t.ctx, t.review.repo)
		switch {
		case len(res.Findings) > 0 || ok && res.Err != nil:
			t.report(res)
		case ok: // the hero has said of the others that they have nothing to look at
			clean = append(clean, c)
		}
	}
	if len(clean) > 0 {
		t.say(t.foundNone(clean))
	}
	if len(mine) == 0 && t.turn.N == 1 {
		text, ok, err := figure(t)
		if err != nil {
			return err
		}
		if ok {
			t.say(text)
		}
	}
	if !t.spoken {
		t.post(driver.Chunk{Pass: true})
	}
	if t.turn.N == turnsOfAnalysis {
		return t.learn(mine, last)
	}
	return nil
}

// foundNone says for what some checks have looked without a finding, and in how many files.
func (t *speaker) foundNone(clean []*inspect.Check) string {
	repo, n := t.review.repo, 0
	for i := range repo.Files {
		if slices.ContainsFunc(clean, func(c *inspect.Check) bool { return c.Reads(repo, &repo.Files[i]) }) {
			n++
		}
	}
	var names []string
	for _, c := range clean {
		names = append(names, short(c))
	}
	return fmt.Sprintf("I looked in %s for these and found none: %s.", countOf(n, "file"), list(names))
}

// figure returns what a hero without checks measures in every repository. ok is false if there is nothing to say.
func figure(t *speaker) (text string, ok bool, err error) {
	switch t.turn.Role.ID {
	case "architect":
		return guide{t}.mostImported()
	case "archaeologist":
		return t.churn("")
	case "cartographer":
		c := count(t.review.repo)
		return c.largestText(), c.sources > 0, nil
	}
	return "", false, nil
}

// report says and posts the findings of one check, or the error that has stopped it. Of candidates (findings that are
// not proved) it says only the number.
func (t *speaker) report(res *inspect.Result) {
	stand, candidates := res.Told()
	n := len(stand)
	if len(res.Findings) == 0 {
		t.sayf("I could not check for %s: %v.", res.Check.Looks, res.Err)
		return
	}
	found := countOf(n+res.Left, "finding")
	if len(candidates) > 0 {
		found += fmt.Sprintf(", and %d that I only suspect", len(candidates))
	}
	t.sayf("I checked for %s: %s.", res.Check.Looks, found)
	for i := range stand {
		f := &stand[i]
		if i < spokenInFull {
			if f.Path != "" {
				t.walk(f.Path)
			}
			t.sayf("%s, %s: %s. %s", upper(f.Severity), where(f.Path, f.Line), f.Title, f.Why)
		}
		t.post(driver.Chunk{Finding: report.Found(f)})
	}
	for i := range candidates {
		t.post(driver.Chunk{Finding: report.Found(&candidates[i])})
	}
	if n > spokenInFull {
		t.sayf("The other %d are in the list of findings.", n-spokenInFull)
	}
	if res.Left > 0 {
		t.sayf("I left out %d more of the same kind. Fix these first, then review again.", res.Left)
	}
	if res.Err != nil {
		t.sayf("That is not all: %v.", res.Err)
	}
}

// learn stores what this review found as an insight of the hero, so that the hero's next review can use it.
func (t *speaker) learn(mine []*inspect.Check, last *last) error {
	found, severe := 0, 0
	for _, c := range mine {
		res, err := t.run(c, last)
		if err != nil {
			return err
		}
		stand, _ := res.Told()
		found += len(stand)
		for _, f := range stand {
			if serious(f.Severity) {
				severe++
			}
		}
	}
	text := fmt.Sprintf("%s, %s, %d of them high or critical", countOf(len(t.review.repo.Files), "file"),
		countOf(found, "finding"), severe)
	at := t.checkpoint()
	if at != nil {
		text += ", " + sentence(at)
	}
	t.post(driver.Chunk{Insight: &world.Insight{Area: areaReview, Text: text + ".", Review: at}})
	return nil
}
