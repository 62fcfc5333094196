package process

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"agentdungeon/server/brief"
	"agentdungeon/server/driver"
	"agentdungeon/server/kind"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Advance ends a stage that Next reported as complete. Its events first save the stage's artifacts. If there is a
// next stage, they then make agents without a part in it leave, begin it (process:stage_advanced), and make its
// members join. After the last stage they end the process (process:completed) and its conversation, and everybody
// stays. People always keep their roles and stay. The caller commits all events at once, so that a crash cannot
// separate them (S3-22, B12). nextID returns a new artifact id at each call.
func Advance(w *world.World, f Facts, nextID func() string, now time.Time) ([]world.Body, *wire.Error) {
	p := &w.ProcessState
	st := p.Stage()
	if p.Status != world.StatusRunning || st == nil {
		return nil, wire.Errorf(wire.Conflict, "no process is running here")
	}
	if t := tallyOf(p, f); len(t.active) > 0 || !complete(p, st, t) {
		return nil, wire.Errorf(wire.Conflict, "stage %s is not complete", st.Name)
	}
	out, refs := collect(w, f, nextID, now)
	if p.CurrentStageIndex+1 == len(p.Template.Stages) {
		return append(out,
			&world.ProcessCompleted{Artifacts: append(collected(w), refs...)},
			&world.ConversationStatus{ConversationID: p.ConversationID, Status: world.ConversationCompleted},
		), nil
	}
	next := &p.Template.Stages[p.CurrentStageIndex+1]
	stays := map[string]bool{}
	for _, id := range next.Roles {
		stays[id] = true
	}
	for _, a := range w.Agents {
		if a.Kind == world.KindAgent && p.Casting(a.ID) != nil && !stays[a.ID] {
			out = append(out, &world.AgentLeft{AgentID: a.ID, Reason: LeftStage})
		}
	}
	out = append(out, &world.ProcessAdvanced{
		FromStageID: st.ID, ToStageID: next.ID,
		StageIndex: p.CurrentStageIndex + 1, TotalStages: len(p.Template.Stages),
	})
	return append(out, joining(p, next, func(id string) bool { return w.Agent(id) != nil })...), nil
}

// HandOver saves an artifact that a role hands over during its turn. The same name from the same role in the same
// stage replaces the earlier artifact, also across attempts, so a stage keeps at most one of each (B25). A text of
// more than world.MaxArtifactText bytes is cut; a coverage of more bytes is left out.
func HandOver(w *world.World, roleID string, document driver.NamedText, nextID func() string, now time.Time) (
	[]world.Body, *wire.Error,
) {
	name, text := document.Name, document.Text
	p := &w.ProcessState
	if e := requireRunning(p); e != nil {
		return nil, e
	}
	st := p.Stage()
	switch {
	case !slices.Contains(st.Acting(), roleID):
		return nil, wire.Errorf(wire.Conflict, "%s has no turn in stage %s and cannot hand over anything",
			roleName(p, roleID), st.Name)
	case !wire.ValidID(name):
		return nil, wire.Errorf(wire.BadField, "an artifact's name is 1 to 64 characters of A-Z a-z 0-9 _ -")
	case strings.TrimSpace(text) == "":
		return nil, wire.Errorf(wire.BadField, "artifact %s is empty", name)
	}
	a := newArtifact(p, name, now)
	a.AgentID = roleID
	a.Text, a.Cut = brief.Cut(text, world.MaxArtifactText)
	if data, err := json.Marshal(document.Coverage); err == nil && len(data) <= world.MaxArtifactText {
		a.Coverage = document.Coverage
	}
	for _, old := range ofStage(w, st.ID, name) {
		if old.AgentID == roleID {
			a.ID = old.ID
		}
	}
	if a.ID == "" {
		if len(w.Artifacts) >= world.MaxArtifacts {
			return nil, wire.Errorf(wire.TooLarge, "this realm holds %d artifacts and takes no more", world.MaxArtifacts)
		}
		a.ID = nextID()
	}
	return []world.Body{&world.ArtifactSaved{Artifact: a}}, nil
}

// collect makes the artifacts that the stage declares and that no role has handed over. The text of each is what
// the roles that produce it have said.
func collect(w *world.World, f Facts, nextID func() string, now time.Time) (out []world.Body,
	refs []world.ArtifactRef) {
	p := &w.ProcessState
	st := p.Stage()
	room := world.MaxArtifacts - len(w.Artifacts)
	for _, spec := range st.Artifacts {
		producers := st.Acting()
		if spec.Producer != "" {
			producers = []string{spec.Producer}
		}
		given := map[string]bool{}
		var stale string // the id of an artifact from an earlier attempt
		for _, a := range ofStage(w, st.ID, spec.Name) {
			if earlier(p, &a) {
				stale = a.ID
				continue
			}
			given[a.AgentID] = true
		}
		// In a parallel stage members do not see each other's words, so the artifact of one member lacks the words
		// of the others. Add these words.
		if len(given) > 0 && (st.Structure != world.StructParallel || given[""]) {
			continue
		}
		a := newArtifact(p, spec.Name, now)
		a.Text, a.Cut = joined(p, f, producers, given)
		if a.Text == "" {
			continue
		}
		if len(producers) == 1 {
			a.AgentID = producers[0]
		}
		switch {
		case stale != "":
			a.ID = stale
		case room > 0:
			a.ID = nextID()
			room--
			refs = append(refs, world.ArtifactRef{ID: a.ID, Name: a.Name, StageID: a.StageID, AgentID: a.AgentID})
		default:
			out = append(out, &world.ProcessError{StageID: st.ID, Code: "artifacts_full", Message: fmt.Sprintf(
				"this realm holds %d artifacts and takes no more: %s of stage %s is in the transcript only", world.MaxArtifacts,
				a.Name, st.Name)})
			continue
		}
		out = append(out, &world.ArtifactSaved{Artifact: a})
	}
	return out, refs
}

// joined joins the contributions of the producers who handed over no artifact. If there is only one producer, text has
// no heading. Otherwise each producer's name is the heading of the producer's words. If text would exceed
// world.MaxArtifactText bytes, joined cuts the longest contributions and sets short. text is "" if nobody said
// anything.
func joined(p *world.ProcessState, f Facts, producers []string, given map[string]bool) (text string, short bool) {
	var names, texts []string
	for _, role := range producers {
		if given[role] {
			continue
		}
		words := strings.ToValidUTF8(contribution(p, f, role), "\uFFFD")
		if words == "" && p.Sealed != nil && p.Sealed.RoleID == role {
			words = p.Sealed.Summary
		}
		if words != "" {
			names = append(names, roleName(p, role))
			texts = append(texts, words)
		}
	}
	if len(producers) == 1 && len(texts) == 1 {
		return brief.Cut(texts[0], world.MaxArtifactText)
	}
	const between = "\n\n"
	room := world.MaxArtifactText
	sizes := make([]int, len(texts))
	for i := range texts {
		sizes[i] = len(texts[i])
		room -= len("## ") + len(names[i]) + 2*len(between)
	}
	var b strings.Builder
	for i, part := range brief.Shares(sizes, room) {
		if i > 0 {
			b.WriteString(between)
		}
		words, cutHere := brief.Cut(texts[i], part)
		short = short || cutHere
		b.WriteString("## " + names[i] + between + words)
	}
	return b.String(), short
}

// contribution returns what a role said in its last successful turn of this attempt. It ignores failed, timed-out and
// interrupted answers (B5). An agent gives the whole result in its last turn, because its prompt says so. A person may
// continue the earlier turns instead, so if a person took the last turn, contribution puts the earlier ones before it,
// except those that the later ones repeat.
func contribution(p *world.ProcessState, f Facts, role string) string {
	t := tallyOf(p, f)
	var turns []said
	for i := range t.runs {
		if r := &t.runs[i]; r.Turn.RoleID == role && r.Status == world.RunDone {
			turns = append(turns, saidIn(r, t.runs, f.Rows))
		}
	}
	if len(turns) == 0 {
		return ""
	}
	last := turns[len(turns)-1]
	text := last.text
	if !last.byPerson {
		return text
	}
	for _, turn := range slices.Backward(turns[:len(turns)-1]) {
		if !world.Tell(text).Has(turn.text) {
			text = turn.text + "\n\n" + text
		}
	}
	return text
}

// said is the text of a turn.
type said struct {
	text     string
	byPerson bool
}

// saidIn returns what was said in the turn of run. If no row has the requestId of a person's turn, it takes the rows
// that the person added during the turn. all are the runs of the stage.
func saidIn(run *world.Run, all []world.Run, rows []world.Message) (out said) {
	known := map[string]bool{}
	for i := range all {
		known[all[i].RequestID] = true
	}
	var own, other []string
	for _, m := range rows {
		words := strings.TrimSpace(m.Content)
		switch {
		case words == "" || m.Status == world.MessageOpen || m.Role != world.RoleAssistant && m.Role != world.RoleUser:
		case m.RequestID == run.RequestID:
			own = append(own, words)
			out.byPerson = out.byPerson || m.Role == world.RoleUser
		case m.Role == world.RoleUser && m.MemberID == run.MemberID && !known[m.RequestID] && m.At >= run.StartedAt &&
			m.At <= run.EndedAt:
			other = append(other, words)
		}
	}
	if len(own) == 0 {
		own, out.byPerson = other, true
	}
	out.text = strings.Join(own, "\n\n")
	return out
}

// earlier reports whether an artifact of the stage belongs to an earlier attempt. Artifacts of older
// versions do not record the attempt; their time decides.
func earlier(p *world.ProcessState, a *world.Artifact) bool {
	if a.Attempt > 0 {
		return a.Attempt < p.StageAttempt
	}
	return a.At < p.StageStartedAt
}

// newArtifact returns an artifact of the current stage and its attempt without id, author and text.
func newArtifact(p *world.ProcessState, name string, now time.Time) world.Artifact {
	return world.Artifact{Name: name, StageID: p.Stage().ID, At: stageTime(p, now), Attempt: p.StageAttempt,
		ProcessID: p.ConversationID}
}

// stageTime returns now, or the stage's start if that is later. If the clock was set back, an artifact would
// otherwise look like one of an earlier attempt.
func stageTime(p *world.ProcessState, now time.Time) world.Time {
	return max(world.TimeOf(now), p.StageStartedAt)
}

func ofStage(w *world.World, stageID, name string) []world.Artifact {
	var out []world.Artifact
	for _, a := range kind.Artifacts(w) {
		if a.StageID == stageID && a.Name == name {
			out = append(out, a)
		}
	}
	return out
}

// collected returns references to the process's artifacts.
func collected(w *world.World) []world.ArtifactRef {
	refs := []world.ArtifactRef{}
	for _, a := range kind.Artifacts(w) {
		refs = append(refs, world.ArtifactRef{ID: a.ID, Name: a.Name, StageID: a.StageID, AgentID: a.AgentID})
	}
	return refs
}
