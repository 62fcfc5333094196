package nav

import (
	"slices"

	"agentdungeon/shared/world"
)

// Enter returns the event for a person who enters a room, or nil if they are in it. Their last
// room becomes the way back. It forgets the oldest of more than world.MaxNavStack rooms, and of
// more than world.MaxWalkers people the one who walked least recently (S3-03, B29).
func Enter(n *world.NavigationState, spectatorID, path string) *world.NavigationChanged {
	at, known := n.AgentCurrentPath[spectatorID]
	if known && at == path {
		return nil
	}
	stack := slices.Clone(n.AgentNavStacks[spectatorID])
	if known {
		stack = append(stack, at)
	}
	if over := len(stack) - world.MaxNavStack; over > 0 {
		stack = stack[over:]
	}
	out := &world.NavigationChanged{SpectatorID: spectatorID, Path: path, Stack: stack}
	if !known && len(n.Walkers) >= world.MaxWalkers {
		out.Forgets = n.Walkers[0]
	}
	return out
}

// Came returns the rooms that lead back for a hero that enters the room of a folder, nearest
// last: the rooms that it came through since it left the overworld, at most world.MaxHeroStack.
// For a hero that is already in the room they do not change (S3-03).
func Came(n *world.NavigationState, hero *world.Agent, path string) []string {
	at, known := n.AgentCurrentPath[hero.ID]
	if !known || !hero.Inside {
		return []string{}
	}
	stack := slices.Clone(n.AgentNavStacks[hero.ID])
	if at != path {
		stack = append(stack, at)
	}
	return stack[max(0, len(stack)-world.MaxHeroStack):]
}

// Back returns the event for a person who goes back to the last room that still exists, or nil if
// there is none.
func Back(n *world.NavigationState, spectatorID string, there func(path string) bool) *world.NavigationChanged {
	stack := n.AgentNavStacks[spectatorID]
	for last := len(stack) - 1; last >= 0; last-- {
		if there(stack[last]) {
			return &world.NavigationChanged{SpectatorID: spectatorID, Path: stack[last], Stack: slices.Clone(stack[:last])}
		}
	}
	return nil
}
