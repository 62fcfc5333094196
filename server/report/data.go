package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"agentdungeon/shared/world"
)

// JSON returns the findings and the quests as JSON. Suspected and withdrawn findings are in lists of their own. A
// report about one process has its format, who took part, its result, the artifacts of its stages and what was said
// there besides; one about the realm has what people said to everybody.
func JSON(s Source) ([]byte, error) {
	w, l := s.World, s.Land
	found := sortedOf(&s)
	var own made
	var words []said
	var took []player
	format := ""
	if s.Process != nil {
		own = madeBy(w)
		words = saidBy(&w.ProcessState, besides(w, s.rows(), own.all))
		s.Remarks = nil
		if w.ProcessState.Template != nil {
			format = w.ProcessState.Template.Name
		}
		took = players(&w.ProcessState, s.Said)
	}
	return json.MarshalIndent(struct {
		Program   string          `json:"program"`
		Version   string          `json:"version"`
		WrittenAt time.Time       `json:"writtenAt"`
		Realm     string          `json:"realm"`
		Files     int             `json:"files"`
		Folders   int             `json:"folders"`
		Format    string          `json:"format,omitempty"`
		Problem   string          `json:"problem,omitempty"`
		Status    string          `json:"status"`
		TookPart  []player        `json:"tookPart,omitempty"`
		Salvage   *world.Salvage  `json:"salvage,omitempty"`
		Coverage  *world.Coverage `json:"coverage,omitempty"`
		Since     *since          `json:"since,omitempty"`
		Overtaken bool            `json:"overtaken,omitempty"`
		Findings  []finding       `json:"findings"`
		Suspected []finding       `json:"suspected,omitempty"`
		Accepted  []finding       `json:"accepted,omitempty"`
		Withdrawn []finding       `json:"withdrawn"`
		Quests    []world.Quest   `json:"quests"`
		Result    string          `json:"result,omitempty"`
		Artifacts []artifact      `json:"artifacts,omitempty"`
		Said      []said          `json:"said,omitempty"`
		Remarks   []world.Remark  `json:"remarks,omitempty"`
	}{
		"agentdungeon", s.Version, s.Now.UTC(), w.Realm.Name, l.Map.Files, l.Map.Folders, format,
		w.ProcessState.ProblemStatement, status(&w.ProcessState), took,
		w.Salvage, coverageOf(w), s.Change.since(), s.overtaken, s.Change.marked(found.stand),
		s.Change.marked(found.suspected), s.Change.marked(found.accepted), s.Change.marked(found.withdrawn),
		world.NotNil(w.Quests), own.final.Text, artifacts(&w.ProcessState, own.steps, s.Said), words, s.Remarks,
	}, "", "  ")
}

// artifact is a step of a process in a report.
type artifact struct {
	Stage string `json:"stage"`
	Name  string `json:"name"`
	By    string `json:"by,omitempty"` // the role, "" for several together
	// People has the names of the people who made it in their roles.
	People []string `json:"people,omitempty"`
	Text   string   `json:"text"`
	Cut    bool     `json:"cut,omitempty"` // Text is only the beginning
}

func artifacts(p *world.ProcessState, steps []world.Artifact, said []world.Message) (out []artifact) {
	for i := range steps {
		a := &steps[i]
		people := peopleOf(authorsOf(p, a, said))
		out = append(out, artifact{stageOf(p, a.StageID), a.Name, roleOf(p, a.AgentID), people, a.Text, a.Cut})
	}
	return out
}

// sorted has the findings of a world in groups: those that the repository accepts, those that are withdrawn for another
// reason (they have gone, are wrong or are merged), suspected ones, and all others, which stand.
type sorted struct {
	stand     []world.Finding // the most severe first
	suspected []world.Finding // the most severe first
	accepted  []world.Finding
	withdrawn []world.Finding
}

// sortedOf sorts the findings of a report into groups. In a review of a change the new ones come before the others.
func sortedOf(s *Source) (out sorted) {
	w := s.World
	all := slices.Clone(w.Findings)
	older := func(f *world.Finding) int {
		if s.Change.Counts(f.ID) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(all, func(a, b world.Finding) int {
		return cmp.Or(older(&a)-older(&b), world.Worse(&a, &b), strings.Compare(a.Path, b.Path), a.Line-b.Line)
	})
	for i := range all {
		switch f := &all[i]; {
		case f.Stands():
			out.stand = append(out.stand, *f)
		case f.State() == world.StateSuspected:
			out.suspected = append(out.suspected, *f)
		}
	}
	for i := range w.Findings {
		switch f := &w.Findings[i]; {
		case f.Accepted():
			out.accepted = append(out.accepted, *f)
		case f.Withdrawn != "":
			out.withdrawn = append(out.withdrawn, *f)
		}
	}
	return out
}

// rows returns the rows of a Markdown table with the numbers of findings.
func (s *sorted) rows() string {
	var b strings.Builder
	for _, severity := range slices.Backward(world.Severities) {
		n := count(s.stand, func(f world.Finding) bool { return f.Severity == severity })
		fmt.Fprintf(&b, "| findings, %s | %d |\n", severity, n)
	}
	if len(s.suspected) > 0 {
		fmt.Fprintf(&b, "| findings suspected | %d |\n", len(s.suspected))
	}
	if len(s.accepted) > 0 {
		fmt.Fprintf(&b, "| findings accepted | %d |\n", len(s.accepted))
	}
	fmt.Fprintf(&b, "| findings withdrawn | %d |\n", len(s.withdrawn))
	return b.String()
}

func count[T any](list []T, match func(T) bool) (n int) {
	for _, v := range list {
		if match(v) {
			n++
		}
	}
	return n
}

// waiting returns a sentence with the number of suspected findings, "" if there are none.
func (s *sorted) waiting() string {
	if len(s.suspected) == 0 {
		return ""
	}
	if len(s.suspected) == 1 {
		return "1 finding of low confidence, only suspected: the report in JSON has it."
	}
	return some(len(s.suspected), "finding") + " of low confidence, only suspected: the report in JSON has them."
}

// salvaged returns a sentence which says that the realm's database was damaged and what could be read of it.
func salvaged(s *world.Salvage) string {
	return fmt.Sprintf("The realm's database was damaged. What could be read on %s is here: %s.",
		s.At.Go().UTC().Format("2006-01-02"), s)
}
