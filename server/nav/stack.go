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
