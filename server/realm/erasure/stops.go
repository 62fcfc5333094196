package erasure

import (
	"maps"
	"slices"

	"agentdungeon/server/kind"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// NamesOf returns all names of a person: the names that the world has, and the names in the parameter here, which are
// those of the person's connected sockets.
func NamesOf(w *world.World, person string, here []string) []string {
	if person == "" {
		return nil
	}
	names := map[string]bool{}
	for _, name := range here {
		names[name] = true
	}
	for _, ag := range w.Agents {
		if ag.SpectatorID == person {
			names[ag.DisplayName] = true
		}
	}
	for _, c := range w.ProcessState.Cast {
		if c.SpectatorID == person {
			names[c.Name] = true
		}
	}
	for _, q := range w.Quests {
		if q.SpectatorID == person {
			names[q.Owner] = true
		}
	}
	delete(names, "")
	return slices.Sorted(maps.Keys(names))
}

// stops returns the events that stop everything that an erasure covers: the runs in the erased conversations,
// the conversations in which the erased person takes part, and the roles that the person holds.
func stops(r *kind.Realm, person string, erased []string) []world.Body {
	var out []world.Body
	for _, k := range r.Kinds.All {
		if f, ok := k.(kind.Forgetter); ok && person != "" {
			out = append(out, f.Forget(r, person, nil)...)
		}
	}
	for _, id := range r.TalkIDs() {
		t := r.Talks[id]
		left := person != "" && !t.Rules.Staged && t.Head.Member(person) != nil
		if !slices.Contains(erased, id) && !left || t.Head.Ended() && len(t.Active()) == 0 {
			continue
		}
		if q, ok := r.Kinds.Of(t.Head.Kind).(kind.Quitter); ok {
			out = append(out, q.Quits(r, t)...)
		}
		if !t.Head.Ended() {
			out = append(out, &world.ConversationStatus{ConversationID: id, Status: world.ConversationAbandoned})
		}
		out = append(out, kind.Stopping(t, world.CancelPerson)...)
	}
	return out
}

// erasable returns the reason why one of the conversations must not be erased now, or nil if all can be erased. Each
// kind of conversation decides it.
func erasable(r *kind.Realm, conversations []string) *wire.Error {
	for _, k := range r.Kinds.All {
		f, ok := k.(kind.Forgetter)
		if !ok {
			continue
		}
		for _, id := range conversations {
			if e := f.Erasable(r, id); e != nil {
				return e
			}
		}
	}
	return nil
}

// forgets returns the events that must come right before history:erased, because clients only learn from events what
// changes. They name the erased forges that made a skill, remove what the kinds of conversations store about the
// erased conversations, and replace titles that contain erased words.
func forgets(r *kind.Realm, scope world.Scope) []world.Body {
	out := savedMeanwhile(r.World, scope.Saving)
	for _, id := range scope.Conversations {
		if t := r.Talks[id]; t != nil {
			if f, ok := r.Kinds.Of(t.Head.Kind).(kind.Forgetter); ok {
				out = append(out, f.Forget(r, "", t)...)
			}
		}
	}
	// Clients see the titles of conversations in memory, so events must replace these. Redact replaces the
	// other titles, which are only in the tables.
	for _, id := range scope.Titled {
		if t := r.Talks[id]; t != nil && !slices.Contains(scope.Conversations, id) && t.Head.Title != world.ErasedName {
			out = append(out, &world.ConversationRenamed{ConversationID: id, Title: world.ErasedName})
		}
	}
	return out
}

// savedMeanwhile returns an event for each skill that an erased forge has written if the world does not name that
// forge: the server ended after the writing and before the world recorded it. The event names the forge, so that
// the receipt can list the skill. The parameter saving has the ids of the forges, by the names of their skills.
func savedMeanwhile(w *world.World, saving map[string]string) (out []world.Body) {
	for _, name := range slices.Sorted(maps.Keys(saving)) {
		for _, s := range w.Skills {
			if s.Name == name && s.ConversationID == "" {
				s.ConversationID = saving[name]
				out = append(out, &world.SkillUpdated{Skill: s})
			}
		}
	}
	return out
}
