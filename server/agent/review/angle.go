package review

import (
	"fmt"
	"slices"

	"agentdungeon/server/driver"
	"agentdungeon/server/dungeon"
	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/xref"
	"agentdungeon/shared/world"
)

// helped is the number of findings of others to which a hero without a finding of its own adds a fact.
const helped = 2

// shownFiles is the number of files that one fact names.
const shownFiles = 3

// help plays the turn of a hero that has no finding to compare. The hero goes to the weightiest findings of the others
// and says what it knows of their places. A hero that knows nothing there passes.
func (t *speaker) help() error {
	all := t.standing(subject{})
	if len(all) == 0 {
		if t.turn.Role.ID == heroes[0] { // one hero says it for all
			t.say("No finding is left, so there is nothing to compare.")
			return nil
		}
		t.post(driver.Chunk{Pass: true})
		return nil
	}
	seen := map[string]bool{}
	for i := range all {
		f := &all[i]
		p, err := dungeon.DecodePath(f.Path)
		if f.AgentID == t.turn.Role.ID || err != nil || seen[p] || len(seen) == helped {
			continue
		}
		seen[p] = true
		text, ok, err := t.knows(f, p)
		if err != nil {
			return err
		}
		if ok {
			t.walkTo(f)
			t.sayf("On the finding of %s: %s", name(f.AgentID), text)
		}
	}
	if !t.spoken {
		t.post(driver.Chunk{Pass: true})
	}
	return nil
}

// knows returns what the hero can say of the place of a finding from what it examines in every repository: importers
// (Architect), history (Archaeologist) or tests (Sage). ok is false if the hero knows nothing there.
func (t *speaker) knows(f *world.Finding, path string) (text string, ok bool, err error) {
	s := subject{file: t.review.repo.File(path), line: f.Line}
	if s.file == nil {
		return "", false, t.ctx.Err()
	}
	switch t.turn.Role.ID {
	case "architect":
		return t.dependents(s.file)
	case "archaeologist":
		if t.review.repo.History != nil {
			return t.changed(s)
		}
	case "sage":
		return t.testsOf(s.file)
	}
	return "", false, t.ctx.Err()
}

// dependents says which files import a file, without tests. ok is false if no file does.
func (v *view) dependents(f *inspect.File) (text string, ok bool, err error) {
	places, _, err := v.importing(subject{file: f}, f.Path)
	if err != nil || len(places) == 0 {
		return "", false, err
	}
	var files []string
	for _, p := range places {
		files = append(files, p.Path)
	}
	slices.Sort(files)
	files = slices.Compact(files)
	verb := plural(len(files), "1 file imports", "%d files import")
	return fmt.Sprintf("%s %s: %s.", verb, importedAs(f), some(files, shownFiles)), true, nil
}

// testsOf says which files test a file. A Go test of another folder that only imports the package may test
// another file of it, so such tests are named apart, and only if there are no others. ok is false for a test file, and
// in a language in which the scouts find no tests.
func (v *view) testsOf(f *inspect.File) (text string, ok bool, err error) {
	found, err := xref.TestsOf(v.ctx, v.review.repo, f)
	if err != nil || f.Test || !inspect.Parses(f.Lang) {
		return "", false, err
	}
	var own, importing []string
	for _, r := range found.Refs {
		switch {
		case r.Confidence == inspect.Doubtful:
		case f.Lang == "Go" && r.How == "imports":
			importing = append(importing, r.Path)
		default:
			own = append(own, r.Path)
		}
	}
	switch {
	case len(own) > 0:
		return fmt.Sprintf("%s is tested in %s.", f.Path, some(own, shownFiles)), true, nil
	case len(importing) > 0:
		return fmt.Sprintf("I find no test of %s itself. Tests that import %s: %s.", f.Path, importedAs(f),
			some(importing, shownFiles)), true, nil
	}
	return fmt.Sprintf("I find no test of %s.", f.Path), true, nil
}
