package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/driver"
	"agentdungeon/server/dungeon"
	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/secrets"
	"agentdungeon/shared/world"
)

// Limits for the candidates (suspected findings) that a model judges in one turn: their number, the quotations of a
// verdict, the bytes of a verdict's reason, and the minimum bytes of a quotation that is only a part of a line.
const (
	maxCandidates = 8
	maxQuoted     = 8
	maxReasoned   = 600
	leastQuoted   = 10
)

// Verdicts on candidates.
const (
	verdictProved    = "proved"
	verdictWithdrawn = "withdrawn"
)

// candidatesNote asks the model for verdicts. The list of the candidates follows this text.
const candidatesNote = "Checks have found the candidates below and could not prove them. Judge each with the tool " +
	"judge_candidate. Read the code with read_file: where the value comes from, who calls the function, what is checked " +
	"on the way. Answer proved if whoever reads your quotations must agree that the finding is true and does harm, and " +
	"withdrawn if they show that it does not. Each step of a verdict quotes a line as it stands in the file, with path " +
	"and number; a quotation that is not there is refused. Leave what you cannot decide: it stays suspected."

// quoted is a line that a verdict quotes.
type quoted struct {
	Path  string `json:"path"`
	Line  number `json:"line"`
	Quote string `json:"quote"`
}

// candidates returns the suspected findings that the model is asked to judge, the weightiest first. It returns none in
// a turn in which the model cannot read the code.
func (t *turn) candidates() (out []world.Finding) {
	if !t.process || t.agents.repos == nil || t.req.RepoPath == "" {
		return nil
	}
	for i := range t.req.Findings {
		if f := &t.req.Findings[i]; f.State() == world.StateSuspected {
			out = append(out, *f)
		}
	}
	slices.SortStableFunc(out, func(a, b world.Finding) int { return world.Worse(&a, &b) })
	return out[:min(len(out), maxCandidates)]
}

// workList returns the part of the prompt that asks the model to judge the candidates, "" if there are none.
func (t *turn) workList() string {
	candidates := t.candidates()
	if len(candidates) == 0 {
		return ""
	}
	var list lineBuffer
	for _, f := range candidates {
		list.add(fmt.Sprintf("- %s: %s, %s (%s:%d). %s", f.ID, f.Severity, f.Title, f.Path, f.Line, f.Why))
		for line := range strings.Lines(f.Evidence) {
			list.add("    " + strings.TrimRight(line, "\n"))
		}
	}
	return "\n\n" + candidatesNote + "\n\n" + material("Candidates", list.done())
}

// judgeCandidate emits the verdict on a candidate. It refuses a verdict whose quotations are not in the files.
func (t *turn) judgeCandidate(in *args) (string, error) {
	list := t.candidates()
	i := slices.IndexFunc(list, func(f world.Finding) bool { return f.ID == in.Finding })
	reason, _ := world.Cut(strings.TrimSpace(in.Reason), maxReasoned)
	switch {
	case i < 0:
		return "", errors.New("there is no such candidate: the argument finding must be an id in the list")
	case t.judged[in.Finding]:
		return "", errors.New("this candidate has a verdict already")
	case in.Verdict != verdictProved && in.Verdict != verdictWithdrawn:
		return "", fmt.Errorf("verdict must be %s or %s", verdictProved, verdictWithdrawn)
	case reason == "":
		return "", errors.New("a verdict needs a reason")
	case len(in.Steps) == 0 || len(in.Steps) > maxQuoted:
		return "", fmt.Errorf("a verdict quotes 1 to %d lines in steps", maxQuoted)
	}
	repo, err := t.folder()
	if err != nil {
		return "", err
	}
	var steps []string
	inside := false
	for _, q := range in.Steps {
		line, err := verified(repo, q)
		if err != nil {
			return "", err
		}
		name := cleanPath(q.Path)
		inside = inside || dungeon.EncodePath(name) == list[i].Path
		steps = append(steps, fmt.Sprintf("%s:%d: %s", name, int(q.Line), line))
	}
	if in.Verdict == verdictProved && !inside {
		return "", fmt.Errorf("one step must quote %s, where the finding is", list[i].Path)
	}
	text := secrets.Mask(reason + "\n\n" + strings.Join(steps, "\n"))
	c := driver.Chunk{Prove: &driver.Prove{FindingID: in.Finding, Proof: text}}
	if in.Verdict == verdictWithdrawn {
		c = driver.Chunk{Withdraw: &driver.Withdraw{FindingID: in.Finding, Reason: text}}
	}
	if t.judged == nil {
		t.judged = map[string]bool{}
	}
	t.judged[in.Finding] = true
	return "The board shows it as " + in.Verdict + ".", t.send(c)
}

// verified returns the line that a verdict quotes, as evidence for the finding. If the file has other text there,
// the error contains that text.
func verified(repo *inspect.Repo, q quoted) (string, error) {
	name := cleanPath(q.Path)
	if repo.File(name) == nil {
		return "", fmt.Errorf("the repository has no file %s", inspect.Clip(name, maxShownLine))
	}
	data, ok := repo.Text(name)
	if !ok {
		return "", fmt.Errorf("%s cannot be read", name)
	}
	words := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	for n, line := range inspect.Lines(data) {
		if n != int(q.Line) {
			continue
		}
		have, want := words(line), words(q.Quote)
		if want == "" || want != have && (len(want) < leastQuoted || !strings.Contains(have, want)) {
			return "", fmt.Errorf("line %d of %s is not as quoted; it is: %s", n, name, inspect.Clip(have, maxShownLine))
		}
		return inspect.Line(data, n), nil
	}
	return "", fmt.Errorf("%s has no line %d", name, int(q.Line))
}
