package facts

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/flows"
	"agentdungeon/shared/world"
)

// reviewer is the role in a code review that has the checks which follow values.
const reviewer = "sentinel"

// sinks returns the kinds of places that flows_to knows: "sql-injection" and so on.
func sinks() (out []string) {
	for _, c := range flows.Checks(reviewer) {
		out = append(out, sinkOf(c.ID))
	}
	return out
}

// sinkOf returns the part of a check's id after the slash, which names the kind of sink.
func sinkOf(id string) string { return id[strings.IndexByte(id, '/')+1:] }

// flowsIn is the input of the tool flows_to.
type flowsIn struct {
	Asked
	Placed
	Limited
	Into string `json:"into,omitempty" jsonschema:"the harm that the flow does; without it all"`
}

// FlowStep is one place on the path of a value.
type FlowStep struct {
	Cited
	Note string `json:"note,omitempty"`
}

// Flow is the path of a value from its source to the place where it can do harm.
type Flow struct {
	Into       string     `json:"into"`
	CWE        []int      `json:"cwe"`
	Title      string     `json:"title"`
	Severity   string     `json:"severity"`
	Confidence string     `json:"confidence"`
	Steps      []FlowStep `json:"steps"`
	// Below says why reviews do not report the flow as harm.
	Below string `json:"below,omitempty" jsonschema:"why a review does not report it, or as low only"`
}

// flowsOut is the answer of the tool flows_to.
type flowsOut struct {
	Of
	Flows   []Flow   `json:"flows" jsonschema:"those that reviews report first, the most severe first"`
	LeftOut int      `json:"leftOut,omitempty" jsonschema:"how many more there are: narrow it or raise limit"`
	Unread  []string `json:"unread,omitempty" jsonschema:"what was not followed, so that more may be there"`
}

// flows lists the flows of values into dangerous places.
func (q *question) flows(in flowsIn) (out flowsOut, err error) {
	err = q.view(func(r *inspect.Repo, _ []inspect.Check) error {
		at := ""
		if in.Path != "" {
			f, dir, err := q.target(r, in.Path)
			if err != nil {
				return err
			}
			if at = dir; f != nil {
				at = f.Path
			}
		}
		var all []Flow
		unread := map[string]bool{}
		for _, c := range flows.Checks(reviewer) {
			if in.Into != "" && sinkOf(c.ID) != in.Into {
				continue
			}
			found, _, err := inspect.Collect(q.ctx, r, &c)
			if q.ctx.Err() != nil {
				return q.ctx.Err()
			}
			if err != nil {
				unread[err.Error()] = true
			}
			excuses, _ := r.Excuses().Among(found)
			for i := range found {
				in := func(s inspect.Step) bool { return s.Path == at || strings.HasPrefix(s.Path, at+"/") }
				if at == "" || slices.ContainsFunc(found[i].Steps, in) {
					all = append(all, flowOf(r, &c, &found[i], excuses))
				}
			}
		}
		slices.SortStableFunc(all, worseFlow)
		out.Of, out.Unread = q.of, slices.Sorted(maps.Keys(unread))
		fit(&q.room, out.Unread)
		n := in.first(len(all))
		out.Flows, out.LeftOut = fit(&q.room, all[:n])
		out.LeftOut += len(all) - n
		return nil
	})
	return out, err
}

// worseFlow compares two flows for sorting: those that a review reports as harm come first, then the most severe.
func worseFlow(a, b Flow) int {
	below := func(f Flow) int { return min(len(f.Below), 1) }
	last := func(f Flow) Cited { return f.Steps[len(f.Steps)-1].Cited }
	return cmp.Or(below(a)-below(b),
		slices.Index(world.Severities, b.Severity)-slices.Index(world.Severities, a.Severity),
		strings.Compare(last(a).File, last(b).File), last(a).Line-last(b).Line)
}

// flowOf returns the Flow that a finding of a check for flows describes.
func flowOf(r *inspect.Repo, c *inspect.Check, f *inspect.Finding, excuses inspect.Excuses) Flow {
	out := Flow{Into: sinkOf(c.ID), CWE: c.CWE, Title: short(f.Title), Severity: f.Severity, Confidence: f.Confidence}
	reason, accepted := excuses.For(f)
	switch {
	case accepted:
		out.Below = "accepted in " + inspect.ExcusesFile + ": " + short(reason)
	case f.Confidence == inspect.Doubtful:
		out.Below = "only suspected: " + cmp.Or(f.Doubt, "the check is not sure")
	case f.Severity == inspect.Low || f.Severity == inspect.Info:
		out.Below = "the value comes from the operator of the program and not from a request"
	}
	steps := f.Steps
	if len(steps) == 0 {
		steps = []inspect.Step{{Path: f.Path, Line: f.Line, Quote: f.Evidence}}
	}
	for _, s := range steps[max(0, len(steps)-maxSteps):] {
		at := inspect.Place{Path: s.Path, Line: s.Line}
		out.Steps = append(out.Steps, FlowStep{cited(r.File(s.Path), at, s.Quote), short(s.Note)})
	}
	return out
}

// maxSteps is the maximum number of steps of a flow in an answer. A longer flow has only its last steps.
const maxSteps = 20

// unreadIn is the input of the tool unread.
type unreadIn struct {
	Asked
	Limited
}

// Language says which files in one language a review reads.
type Language struct {
	Language string `json:"language" jsonschema:"empty for files of no known language"`
	// Parsed, Matched and Unread are files of the project itself.
	Parsed  int      `json:"parsed,omitempty" jsonschema:"files that are read as syntax trees"`
	Matched int      `json:"matched,omitempty" jsonschema:"files that are read as text"`
	Unread  int      `json:"unread,omitempty" jsonschema:"files that are not read"`
	Foreign int      `json:"foreign,omitempty" jsonschema:"third-party and generated files, in which nothing is reported"`
	Sees    []string `json:"sees" jsonschema:"the ids of the checks that know the language"`
	Unknown bool     `json:"unknown,omitempty" jsonschema:"programs in it are unknown: no check knows the language"`
}

// NotRead is a file that cannot be read.
type NotRead struct {
	File string `json:"file"`
	Why  string `json:"why"`
}

// unreadOut is the answer of the tool unread.
type unreadOut struct {
	Of
	Languages []Language `json:"languages"`
	Limits    []string   `json:"limits,omitempty" jsonschema:"what limits of a review leave out"`
	Files     []NotRead  `json:"files" jsonschema:"files that cannot be read as text and are not binary"`
	LeftOut   int        `json:"leftOut,omitempty" jsonschema:"how many more files there are: raise limit"`
}

// unread says how many files of each language a review of the folder reads and which checks know the language, and
// lists the files that cannot be read as text.
func (q *question) unread(in unreadIn) (out unreadOut, err error) {
	err = q.view(func(r *inspect.Repo, checks []inspect.Check) error {
		c, err := r.Coverage(q.ctx, checks)
		if err != nil {
			return err
		}
		for i := range c.Languages {
			l := &c.Languages[i]
			out.Languages = append(out.Languages, Language{
				Language: l.Lang, Parsed: l.Parsed.Files, Matched: l.Matched.Files, Unread: l.Unread.Files,
				Foreign: l.Foreign.Files, Sees: world.NotNil(slices.Concat(l.Trees, l.Texts)), Unknown: l.Unknown(),
			})
		}
		out.Of, out.Limits = q.of, c.Limits
		out.Languages, _ = fit(&q.room, out.Languages)
		fit(&q.room, out.Limits)
		var all []NotRead
		gone := r.Unread()
		for _, p := range slices.Sorted(maps.Keys(gone)) {
			all = append(all, NotRead{p, short(gone[p])})
		}
		n := in.first(len(all))
		out.Files, out.LeftOut = fit(&q.room, all[:n])
		out.LeftOut += len(all) - n
		return nil
	})
	return out, err
}
