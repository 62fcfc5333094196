package facts

import (
	"path"
	"slices"
	"strings"

	"agentdungeon/shared/world"
)

// Found is a finding in an answer.
type Found struct {
	ID       string `json:"id"`
	Severity string `json:"severity"`
	// Confidence is "" if the finding's author gave none.
	Confidence string `json:"confidence,omitempty" jsonschema:"how sure it is that the finding is true"`
	State      string `json:"state,omitempty" jsonschema:"suspected, proved, accepted or withdrawn; nobody doubts others"`
	Title      string `json:"title"`
	File       string `json:"file,omitempty"`
	Line       int    `json:"line,omitempty"`
	By         string `json:"by" jsonschema:"the scout or agent that found it"`
	At         string `json:"at"`
	Check      string `json:"check,omitempty"`
	Evidence   string `json:"evidence,omitempty" jsonschema:"the line as it was then"`
	Why        string `json:"why,omitempty"`
	Advice     string `json:"advice,omitempty"`
	Text       string `json:"text,omitempty"`
	Proof      string `json:"proof,omitempty" jsonschema:"the quoted path by which a suspected finding was proved"`
	// Withdrawn says why the finding is no longer valid.
	Withdrawn string `json:"withdrawn,omitempty" jsonschema:"why it does not stand any more"`
}

// Placed is a place in the repository.
type Placed struct {
	Path string `json:"path,omitempty" jsonschema:"a file or folder, relative to the repository; without it all"`
}

// holds reports whether a path of the world is this place or below it.
func (p Placed) holds(at string) bool {
	place := strings.Trim(path.Clean("/"+p.Path), "/")
	at = raw(at)
	return place == "" || at == place || strings.HasPrefix(at, place+"/")
}

// findingsIn is the input of the tool findings.
type findingsIn struct {
	Asked
	Placed
	Limited
	Severity  string `json:"severity,omitempty" jsonschema:"the lowest severity to answer"`
	Words     string `json:"words,omitempty" jsonschema:"only findings whose title or text has this"`
	Suspected bool   `json:"suspected,omitempty" jsonschema:"also those of low confidence, which nobody has proved yet"`
	Withdrawn bool   `json:"withdrawn,omitempty" jsonschema:"also those that do not stand any more"`
}

// wants reports whether the input asks for findings of a state.
func (in *findingsIn) wants(state string) bool {
	switch state {
	case world.StateSuspected:
		return in.Suspected
	case world.StateWithdrawn:
		return in.Withdrawn
	}
	return true
}

// findingsOut is the answer of the tool findings.
type findingsOut struct {
	Of
	Findings []Found `json:"findings"`
	LeftOut  int     `json:"leftOut,omitempty" jsonschema:"how many more there are: narrow it or raise limit"`
}

// findings lists findings, the most severe first; among equally severe ones the newest first.
func (q *question) findings(in findingsIn) (out findingsOut, err error) {
	w, err := q.world()
	if err != nil {
		return out, err
	}
	least := slices.Index(world.Severities, in.Severity)
	var all []Found
	for _, f := range slices.Backward(w.Findings) {
		switch {
		case !in.wants(f.State()), slices.Index(world.Severities, f.Severity) < least, !in.holds(f.Path),
			!has(in.Words, f.Title, f.Text):
			continue
		}
		all = append(all, found(&f))
	}
	slices.SortStableFunc(all, moreSevere)
	out.Of = q.of
	n := in.first(len(all))
	out.Findings, out.LeftOut = fit(&q.room, all[:n])
	out.LeftOut += len(all) - n
	return out, nil
}

func moreSevere(a, b Found) int {
	return slices.Index(world.Severities, b.Severity) - slices.Index(world.Severities, a.Severity)
}

func found(f *world.Finding) Found {
	out := Found{
		ID: f.ID, Severity: f.Severity, Confidence: f.Confidence, State: f.State(), Title: short(f.Title),
		File: raw(f.Path), Line: f.Line, By: f.AgentID,
		At: f.At.String(), Check: f.Check, Evidence: short(f.Evidence), Why: cut(f.Why, maxText),
		Advice: cut(f.Advice, maxText), Withdrawn: short(f.Withdrawn),
		Proof: cut(f.Proof, maxText),
	}
	if f.Accepted() {
		out.State = "accepted"
	}
	if f.Why == "" && f.Advice == "" { // give the text only if reason and advice are missing, because it repeats them
		out.Text = cut(f.Text, maxText)
	}
	return out
}

// has reports whether one of the texts contains the words. Upper and lower case count as equal.
func has(words string, texts ...string) bool {
	words = strings.ToLower(strings.TrimSpace(words))
	return words == "" || slices.ContainsFunc(texts, func(t string) bool {
		return strings.Contains(strings.ToLower(t), words)
	})
}

// Quest is a quest in an answer.
type Quest struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Status   string `json:"status"`
	Priority string `json:"priority"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Finding  string `json:"finding,omitempty" jsonschema:"id of its finding"`
	By       string `json:"by,omitempty" jsonschema:"the agent that found it"`
	Owner    string `json:"owner,omitempty" jsonschema:"the person who has taken it"`
	Note     string `json:"note,omitempty"`
}

// questsIn is the input of the tool quests.
type questsIn struct {
	Asked
	Placed
	Limited
	Status string `json:"status,omitempty" jsonschema:"only quests with this status; without it all but the done ones"`
}

// questsOut is the answer of the tool quests.
type questsOut struct {
	Of
	Quests  []Quest `json:"quests"`
	LeftOut int     `json:"leftOut,omitempty" jsonschema:"how many more there are: narrow it or raise limit"`
}

// quests lists quests, those of the highest priority first.
func (q *question) quests(in questsIn) (out questsOut, err error) {
	w, err := q.world()
	if err != nil {
		return out, err
	}
	all := in.of(w)
	out.Of = q.of
	n := in.first(len(all))
	out.Quests, out.LeftOut = fit(&q.room, all[:n])
	out.LeftOut += len(all) - n
	return out, nil
}

// of returns those quests of a world that the input selects, the highest priority first.
func (in questsIn) of(w *world.World) []Quest {
	var all []Quest
	for i := range w.Quests {
		quest := &w.Quests[i]
		if in.Status == "" && quest.Status == world.QuestDone || in.Status != "" && quest.Status != in.Status ||
			!in.holds(quest.Path) {
			continue
		}
		all = append(all, questOf(quest))
	}
	slices.SortStableFunc(all, func(a, b Quest) int {
		return slices.Index(world.Severities, b.Priority) - slices.Index(world.Severities, a.Priority)
	})
	return all
}

func questOf(q *world.Quest) Quest {
	return Quest{
		ID: q.ID, Title: short(q.Title), Status: q.Status, Priority: q.Priority, File: raw(q.Path), Line: q.Line,
		Finding: q.FindingID, By: q.AgentID, Owner: short(q.Owner), Note: short(q.Note),
	}
}

// Insight is a sentence that a member has learned.
type Insight struct {
	Agent string `json:"agent" jsonschema:"id of the agent that learned it"`
	Area  string `json:"area"`
	Text  string `json:"text"`
	At    string `json:"at"`
}

// vaultIn is the input of the tool vault.
type vaultIn struct {
	Asked
	Limited
	Agent string `json:"agent,omitempty" jsonschema:"only what this agent learned, by id; without it all"`
	Words string `json:"words,omitempty" jsonschema:"only insights whose area or text has this"`
}

// vaultOut is the answer of the tool vault.
type vaultOut struct {
	Of
	Insights []Insight `json:"insights"`
	LeftOut  int       `json:"leftOut,omitempty" jsonschema:"how many more there are: narrow it or raise limit"`
}

// vault lists insights, the newest first.
func (q *question) vault(in vaultIn) (out vaultOut, err error) {
	vaults, err := q.realm.Vaults(q.ctx)
	if err != nil {
		return out, err
	}
	type dated struct {
		Insight
		at world.Time
	}
	var all []dated
	for _, v := range vaults {
		if in.Agent != "" && v.AgentID != in.Agent {
			continue
		}
		for _, i := range slices.Backward(v.Insights) {
			if has(in.Words, i.Area, i.Text) {
				all = append(all, dated{Insight{v.AgentID, short(i.Area), cut(i.Text, maxText), i.At.String()}, i.At})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b dated) int { return int(b.at.Sub(a.at)) })
	n := in.first(len(all))
	var list []Insight
	for _, i := range all[:n] {
		list = append(list, i.Insight)
	}
	out.Of = q.of
	out.Insights, out.LeftOut = fit(&q.room, list)
	out.LeftOut += len(all) - n
	return out, nil
}
