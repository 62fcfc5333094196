package nav

import (
	"slices"

	"agentdungeon/shared/world"
)

// Enter is what it takes for a person to be in a room, or nil where they are in it
// already. Where they were is the way back; the oldest of more than
// world.MaxNavStack rooms is forgotten. Of more than world.MaxWalkers people the
// one who walked least lately is forgotten. (S3-03, B29)
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

// Came are the rooms that lead back for a hero that goes into the room of a folder, the
// nearest last: those that it came through since it left the overworld, at most
// world.MaxHeroStack. A hero that is in the room already came as it did. (S3-03)
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

// Back is what it takes for a person to be in the room before: the nearest that is
// still there. It is nil where there is none.
func Back(n *world.NavigationState, spectatorID string, there func(path string) bool) *world.NavigationChanged {
	stack := n.AgentNavStacks[spectatorID]
	for last := len(stack) - 1; last >= 0; last-- {
		if there(stack[last]) {
			return &world.NavigationChanged{SpectatorID: spectatorID, Path: stack[last], Stack: slices.Clone(stack[:last])}
		}
	}
	return nil
}
