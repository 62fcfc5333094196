package facts

import (
	"errors"
	"slices"

	"agentdungeon/server/inspect"
	"agentdungeon/shared/wire"
)

// fileIn is the input of the tool about_file.
type fileIn struct {
	Asked
	Path string `json:"path" jsonschema:"relative to the repository, absolute, or the end of one file's path"`
}

// Import is a file or package that a line of the file imports.
type Import struct {
	Name string `json:"name"`
	Line int    `json:"line"`
}

// Importer is a line that imports the file or, for Go, its package.
type Importer struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// TestFile is a file with tests.
type TestFile struct {
	File  string `json:"file"`
	Tests int    `json:"tests" jsonschema:"functions and calls that begin a test"`
}

// Touch sums up consecutive reads and edits of the file by one coding agent.
type Touch struct {
	Agent    string `json:"agent" jsonschema:"id of the agent"`
	Name     string `json:"name"`
	Worktree string `json:"worktree,omitempty" jsonschema:"the other worktree in which it did so"`
	Reads    int    `json:"reads,omitempty"`
	Edits    int    `json:"edits,omitempty"`
	Since    string `json:"since"`
	Last     string `json:"last"`
}

// History summarizes the commits of a file.
type History struct {
	Commits  int    `json:"commits"`
	Authors  int    `json:"authors"`
	First    string `json:"first" jsonschema:"day of its oldest commit under this name"`
	Last     string `json:"last"`
	NewestBy string `json:"newestBy,omitempty" jsonschema:"who wrote the line that was changed last"`
	NewestAt int    `json:"newestLine,omitempty"`
	// Read is the number of commits that were read, if these are not all commits of the history.
	Read int `json:"commitsRead,omitempty" jsonschema:"only the newest commits were read, this many"`
}

// Owner is a person who wrote lines of the file's present content.
type Owner struct {
	Name  string `json:"name"`
	Lines int    `json:"lines"`
}

// fileOut is the answer of the tool about_file.
type fileOut struct {
	Of
	File      string `json:"file"`
	Language  string `json:"language,omitempty"`
	Bytes     int64  `json:"bytes"`
	Lines     int    `json:"lines,omitempty"`
	Test      bool   `json:"test,omitempty" jsonschema:"it is a test or read by tests"`
	Vendored  bool   `json:"vendored,omitempty" jsonschema:"it is third-party code"`
	Generated bool   `json:"generated,omitempty"`
	Says      string `json:"says,omitempty" jsonschema:"what its package comment says"`

	Here       []Hero     `json:"here,omitempty" jsonschema:"who is at this file now"`
	Collision  *Collision `json:"collision,omitempty" jsonschema:"coding agents are in each other's way here"`
	Touches    []Touch    `json:"touches,omitempty" jsonschema:"which coding agents read and edited it, the newest first"`
	Findings   []Found    `json:"findings,omitempty"`
	Quests     []Quest    `json:"quests,omitempty" jsonschema:"quests that are not done"`
	Imports    []Import   `json:"imports,omitempty"`
	ImportedBy []Importer `json:"importedBy,omitempty"`
	Tests      []TestFile `json:"tests,omitempty" jsonschema:"test files that belong to it, the nearest first"`
	History    *History   `json:"history,omitempty"`
	Owners     []Owner    `json:"owners,omitempty" jsonschema:"who wrote the lines that stand in it today"`
	NoAuthor   int        `json:"linesWithoutAuthor,omitempty" jsonschema:"mostly because they are not committed"`

	LeftOut map[string]int `json:"leftOut,omitempty" jsonschema:"how many more there are of each list"`
	Unknown []string       `json:"unknown,omitempty" jsonschema:"what could not be measured, and why"`
}

// day is the layout of a date without a time.
const day = "2006-01-02"

// maxEach is the maximum number of items in each list of an about_file answer.
const maxEach = 30

// file returns the known facts about a file.
func (q *question) file(in fileIn) (out fileOut, err error) {
	if q.of.Folder == "" {
		return out, wire.Errorf(wire.Conflict, "no folder is linked to this realm, so it knows no files")
	}
	w, err := q.world()
	if err != nil {
		return out, err
	}
	name := in.Path
	if rel, ok := q.facts.Place(q.of.Folder, name); ok {
		name = rel
	}
	k, err := q.facts.Scouts.Known(q.ctx, q.of.Folder, name)
	switch {
	case errors.Is(err, inspect.ErrNoFile):
		return out, q.noFile(in.Path)
	case err != nil:
		return out, err
	}
	out = fileOut{
		Of: q.of, File: k.Path, Language: k.Lang, Bytes: k.Size, Lines: k.Lines, Test: k.Test, Vendored: k.Vendored,
		Generated: k.Generated, Says: cut(k.Says, maxText), NoAuthor: k.Open, Unknown: k.Unknown,
		LeftOut: map[string]int{},
	}
	fit(&q.room, []any{out.Says, out.Unknown, out.File})
	var here []Hero
	for _, h := range heroes(w) {
		if h.File == k.Path {
			here = append(here, h)
		}
	}
	for i := range w.Collisions {
		if c := &w.Collisions[i]; raw(c.Path) == k.Path {
			out.Collision = new(collisionOf(c))
		}
	}
	var touches []Touch
	for _, t := range slices.Backward(w.Touches) {
		if raw(t.Path) == k.Path {
			touches = append(touches, Touch{Agent: t.AgentID, Name: short(t.Name), Worktree: t.Worktree, Reads: t.Reads,
				Edits: t.Edits, Since: t.Since.String(), Last: t.Last.String()})
		}
	}
	var findings []Found
	for i := range w.Findings {
		if f := &w.Findings[i]; f.Stands() && raw(f.Path) == k.Path {
			findings = append(findings, found(f))
		}
	}
	slices.SortStableFunc(findings, moreSevere)
	out.Here = list(q, &out, "here", here)
	out.Touches = list(q, &out, "touches", touches)
	out.Findings = list(q, &out, "findings", findings)
	out.Quests = list(q, &out, "quests", questsIn{Placed: Placed{k.Path}}.of(w))
	q.measured(&out, k)
	return out, nil
}

// measured adds to an answer what the scouts know of a file: tests, imports, importers, authors and commits.
func (q *question) measured(out *fileOut, k *inspect.Known) {
	var tests []TestFile
	for _, t := range k.Tests {
		tests = append(tests, TestFile{t.Path, t.Count})
	}
	out.Tests = list(q, out, "tests", tests)
	var importers []Importer
	for _, p := range k.Importers {
		importers = append(importers, Importer{p.Path, p.Line})
	}
	out.ImportedBy = list(q, out, "importedBy", importers)
	var imports []Import
	for _, s := range k.Imports {
		imports = append(imports, Import{short(s.Name), s.Line})
	}
	out.Imports = list(q, out, "imports", imports)
	var owners []Owner
	for _, w := range k.Writers {
		owners = append(owners, Owner{w.Name, w.Lines})
	}
	out.Owners = list(q, out, "owners", owners)
	if k.Past == nil {
		return
	}
	out.History = &History{Commits: k.Past.Commits, Authors: k.Past.Authors, First: k.Past.First.Format(day),
		Last: k.Past.Last.Format(day)}
	if k.Newest != nil {
		out.History.NewestBy, out.History.NewestAt = k.Newest.Name, k.Newest.Line
	}
	if !k.Whole {
		out.History.Read = k.Commits
	}
}

// list returns the first items, at most maxEach and as many as fit into the answer. It notes in out how many were left
// out.
func list[T any](q *question, out *fileOut, name string, items []T) []T {
	n := min(len(items), maxEach)
	kept, leftOut := fit(&q.room, items[:n])
	if leftOut += len(items) - n; leftOut > 0 {
		out.LeftOut[name] = leftOut
	}
	return kept
}
