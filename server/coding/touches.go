package coding

import (
	"cmp"
	"slices"

	"agentdungeon/server/kind"
	"agentdungeon/server/shadow"
	"agentdungeon/shared/world"
)

// filesOf returns the files of a tool call that are on the map. It leaves out all others.
func filesOf(tool *shadow.Tool) (out []world.ToolFile) {
	for _, f := range tool.Touches {
		file := world.ToolFile{Path: f.Place, Edits: f.Edit, Worktree: kind.Clip(f.Worktree, world.MaxTitle)}
		if f.Place != "" && len(f.Place) <= world.MaxTouchedPath && len(out) < world.MaxToolFiles &&
			!slices.Contains(out, file) {
			out = append(out, file)
		}
	}
	return out
}

// touches collects which files the calls of a session have read and edited.
type touches struct {
	of  world.FileTouch // the fields that all touches of the session share
	all []world.FileTouch
	// copied reports whether the session from which this session was forked made the touch. A touch is a tool call
	// that reads or edits a file.
	copied func(path string, at world.Time) bool
}

// newTouches returns touches for a session with the conversation talk. The transcript of a forked session begins with a
// copy of the records of another session. The touches in that copy do not count for the fork.
func newTouches(r *kind.Realm, s *shadow.Session, talk string, agent world.Member) *touches {
	t := &touches{of: world.FileTouch{AgentID: agent.ID, ConversationID: talk, Name: agent.DisplayName}}
	origin := agentID(&shadow.Session{Program: s.Program, ID: s.Fork})
	t.copied = func(path string, at world.Time) bool {
		return s.Fork != "" && slices.ContainsFunc(r.World.Touches, func(f world.FileTouch) bool {
			return f.AgentID == origin && f.Path == path && f.Last >= at
		})
	}
	return t
}

// add adds the files of a call that ran at the time at.
func (t *touches) add(files []world.ToolFile, at world.Time) {
	for _, f := range files {
		if t.copied(f.Path, at) {
			continue
		}
		i := slices.IndexFunc(t.all, func(have world.FileTouch) bool {
			return have.Path == f.Path && have.Worktree == f.Worktree
		})
		run := t.of
		run.Path, run.Worktree, run.Since, run.Last = f.Path, f.Worktree, at, at
		if i >= 0 {
			run = t.all[i]
			run.Since, run.Last = min(run.Since, at), max(run.Last, at)
			t.all = slices.Delete(t.all, i, i+1)
		}
		if f.Edits {
			run.Edits++
			run.Edited = max(run.Edited, at)
		} else {
			run.Reads++
		}
		t.all = append(t.all, run)
	}
}

// bodies returns the event with the collected touches; none if there are no touches.
func (t *touches) bodies() []world.Body {
	if len(t.all) == 0 {
		return nil
	}
	slices.SortStableFunc(t.all, func(a, b world.FileTouch) int { return cmp.Compare(a.Last, b.Last) })
	newest := t.all[max(0, len(t.all)-world.MaxTouches):]
	return []world.Body{&world.FilesTouched{Touches: newest}}
}
