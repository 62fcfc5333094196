package review

import (
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/driver"
	"agentdungeon/server/inspect"
	"agentdungeon/server/report"
)

// survey plays the stage reconnaissance. In the first turn the hero says what the repository has for it to examine, in
// the second turn which places need a closer look.
func (t *speaker) survey() error {
	if t.turn.N > 1 {
		return t.leads()
	}
	words, paths := look(t.turn.Role.ID, t.review.repo, t.scouts.of(t.turn.Role.ID))
	for _, p := range paths {
		t.walk(p)
	}
	t.say(words)
	return nil
}

// look returns the words of a hero that sees the repository for the first time, with figures, and the paths of the
// places to which the hero walks. checks are those of the hero.
func look(hero string, r *inspect.Repo, checks []*inspect.Check) (words string, paths []string) {
	c := count(r)
	switch hero {
	case "architect":
		words = fmt.Sprintf("%s in %s, %s. ", countOf(len(r.Files), "file"), countOf(c.dirs, "folder"), c.languages())
		if len(c.tops) > 0 {
			words += fmt.Sprintf("Most files lie below %s.", list(amounts(heaviestOf(c.tops, 3), "file")))
		}
		paths = heaviestNames(c.tops, 2)
	case "sentinel":
		words = fmt.Sprintf("%s of source, %s of settings and shell scripts: secrets and insecure defaults would be there. ",
			countOf(c.sources, "file"), countOf(len(c.settings), "file"))
		if len(c.settings) > 0 {
			words += "I begin with " + list(first(c.settings, 3)) + "."
		}
		paths = first(c.settings, 2)
	case "archaeologist":
		if r.History == nil {
			words = "There is no git history here, so I can only read what lies on top."
			break
		}
		n, whole := r.History.Commits()
		words = fmt.Sprintf("%s of history", countOf(n, "commit"))
		if !whole {
			words += ", and older ones that I did not read"
		}
		words += "."
		if p, past, ok := c.mostChanged(r); ok {
			words += " No source file was changed by more of them than " + p + ": " + ofName(past)
			paths = []string{p}
		}
	case "cartographer":
		words = fmt.Sprintf("I draw %s in %s. ", countOf(len(r.Files), "file"), countOf(c.dirs, "folder"))
		if len(c.tops) > 0 {
			words += "Most files lie below " + list(amounts(heaviestOf(c.tops, 5), "file")) + "."
		}
		paths = heaviestNames(c.tops, 3)
	case "alchemist":
		words = "Weight first: the largest source files are " + list(c.largest(3)) + "."
		if len(c.byLines) > 0 {
			paths = []string{c.byLines[0].path}
		}
	case "healer":
		words = healerWords(c.seen(checks))
		paths = first(c.sourcePaths, 1)
	case "sage":
		words = fmt.Sprintf("%s beside %s of source.", countOf(c.tests, "test file"), countOf(c.sources, "file"))
		if c.tests == 0 {
			words = fmt.Sprintf("%s of source and not one test that I recognise.", countOf(c.sources, "file"))
		}
		paths = first(c.testPaths, 2)
	case "warden":
		words = "What others may build on: " + c.packages() + "."
		paths = first(c.manifests, 1)
	case "scout":
		words = "This repository names no dependencies in a file that I can read."
		if len(c.manifests) > 0 {
			words = fmt.Sprintf("%s that can name dependencies: %s.", countOf(len(c.manifests), "file"),
				some(c.manifests, 5))
		}
		paths = first(c.manifests, 2)
	case "bard":
		words = "There is no README at the root: a stranger stands before a closed door."
		if c.readme != "" {
			data, _ := r.Text(c.readme)
			words = fmt.Sprintf("%s has %s; the repository has %s.", c.readme,
				countOf(strings.Count(string(data), "\n"), "line"), countOf(c.docs, "Markdown file"))
			paths = []string{c.readme}
		}
	default:
		words = fmt.Sprintf("%s in %s.", countOf(len(r.Files), "file"), countOf(c.dirs, "folder"))
	}
	return strings.TrimSpace(words), paths
}

// healerWords says in which languages the healer looks for lost errors, and in which not.
func healerWords(known, unknown []string) string {
	words := "I look for lost errors in Go, JavaScript, TypeScript and Python, and no source here is in one of them."
	if len(known) > 0 {
		words = fmt.Sprintf("I look for lost errors in the source in %s.", list(known))
	}
	if len(unknown) > 0 {
		words += fmt.Sprintf(" I cannot read %s.", list(unknown))
	}
	return words
}

func ofName(past inspect.Past) string {
	return fmt.Sprintf("%s under this name, the oldest of %s.", countOf(past.Commits, "commit"),
		past.First.Format("January 2006"))
}

// leads runs the hero's checks and says which places the hero will examine in the stage analysis.
func (t *speaker) leads() error {
	last := t.lastReview()
	var results []*inspect.Result
	for _, c := range t.scouts.of(t.turn.Role.ID) {
		res, err := t.run(c, last)
		if err != nil {
			return err
		}
		results = append(results, res)
	}
	if last != nil {
		t.sayf("Since my last review, at commit %.10s, %d of %s changed. "+
			"Checks that read one file at a time read only these; for the rest I keep my earlier findings.",
			last.commit, len(last.changed), countOf(len(t.review.repo.Files), "file"))
	}
	if t.turn.Role.ID == heroes[0] { // first say what the checks can read, then what they found
		seen, err := t.scouts.coverage(t.ctx, t.turn, t.review)
		if err != nil {
			return err
		}
		t.sayf("What we can see here. %s", strings.Join(report.CoverageLines(&seen.Coverage), " "))
		t.handCoverage(&seen.Coverage)
	}
	found, excused := 0, 0
	byDir := map[string]int{}
	var failed []string
	for _, res := range results {
		found += len(res.Findings) + res.Left
		excused += len(res.Excused)
		for _, f := range res.Findings {
			if f.Path != "" {
				byDir[dirOf(f.Path)]++
			}
		}
		if res.Err != nil {
			failed = append(failed, fmt.Sprintf("I could not finish looking for %s: %v.", res.Check.Looks, res.Err))
		}
	}
	able := t.sayChecks(results)
	dirs := heaviestOf(byDir, 3)
	switch {
	case found == 0 && able == 0: // what the hero has said is all that there is to say
	case found == 0:
		t.say("At first sight nothing asks for a closer look.")
	case len(dirs) == 0:
		t.sayf("%s to look at closely.", countOf(found, "place"))
	default:
		t.walk(strings.TrimSuffix(dirs[0].name, "/"))
		t.sayf("%s to look at closely, most in %s.", countOf(found, "place"), list(amounts(dirs, "")))
	}
	if excused > 0 {
		t.sayf("I left out %s, because %s explains it.", countOf(excused, "place"), inspect.ExcusesFile)
	}
	for _, f := range failed {
		t.say(f)
	}
	if !t.spoken {
		t.post(driver.Chunk{Pass: true})
	}
	return nil
}

// sayChecks names the checks that can find something in this repository, and says how many cannot and why. It returns
// the number of those that can.
func (t *speaker) sayChecks(results []*inspect.Result) int {
	var names []string
	var useless [][]string
	for _, res := range results {
		if lacks, ok := res.Check.Ground(t.ctx, t.review.repo); ok {
			names = append(names, short(res.Check))
		} else {
			useless = append(useless, lacks)
		}
	}
	if len(names) > 0 {
		t.sayf("I have %s: %s.", countOf(len(names), "check"), list(names))
	}
	if len(useless) > 0 {
		t.say(uselessWords(useless))
	}
	return len(names)
}

// uselessWords says how many of a hero's checks cannot find anything in this repository. useless has an element for
// each of these checks, at least one: the things of which the check would need one.
func uselessWords(useless [][]string) string {
	var needs []string
	for _, what := range slices.Concat(useless...) {
		if !slices.Contains(needs, what) {
			needs = append(needs, what)
		}
	}
	if n := len(needs); n > 1 {
		needs = []string{strings.Join(needs[:n-1], ", ") + " or " + needs[n-1]}
	}
	have, they := "have", "they need"
	if len(useless) == 1 {
		have, they = "has", "it needs"
	}
	return fmt.Sprintf("%d of my checks %s nothing to look at here: %s %s.", len(useless), have, they, needs[0])
}
