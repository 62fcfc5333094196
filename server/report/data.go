package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"agentdungeon/server/inspect"
	"agentdungeon/shared/world"
)

// JSON returns the findings and the quests as JSON. It includes withdrawn findings.
func JSON(s Source) ([]byte, error) {
	w, l := s.World, s.Land
	found, withdrawn := standing(w)
	return json.MarshalIndent(struct {
		Program   string            `json:"program"`
		Version   string            `json:"version"`
		WrittenAt time.Time         `json:"writtenAt"`
		Realm     string            `json:"realm"`
		Files     int               `json:"files"`
		Folders   int               `json:"folders"`
		Problem   string            `json:"problem,omitempty"`
		Status    string            `json:"status"`
		Salvage   *world.Salvage    `json:"salvage,omitempty"`
		Coverage  *inspect.Coverage `json:"coverage,omitempty"`
		Findings  []world.Finding   `json:"findings"`
		Withdrawn []world.Finding   `json:"withdrawn"`
		Quests    []world.Quest     `json:"quests"`
	}{
		"agentdungeon", s.Version, s.Now.UTC(), w.Realm.Name, l.Map.Files, l.Map.Folders, w.ProcessState.ProblemStatement,
		w.ProcessState.Status,
		w.Salvage, coverageOf(w), world.NotNil(found), world.NotNil(withdrawn), world.NotNil(w.Quests),
	}, "", "  ")
}

// standing returns the findings that are not withdrawn, the most severe first, and the withdrawn
// ones.
func standing(w *world.World) (out, withdrawn []world.Finding) {
	for _, f := range w.Findings {
		if f.Withdrawn == "" {
			out = append(out, f)
		} else {
			withdrawn = append(withdrawn, f)
		}
	}
	slices.SortStableFunc(out, func(a, b world.Finding) int {
		return cmp.Or(world.Worse(&a, &b), strings.Compare(a.Path, b.Path), a.Line-b.Line)
	})
	return out, withdrawn
}

// salvaged returns a sentence about the damage of the realm's database.
func salvaged(s *world.Salvage) string {
	return fmt.Sprintf("The realm's database was damaged. What could be read on %s is here: %s.",
		s.At.Go().UTC().Format("2006-01-02"), s)
}
