package nav

import (
	"slices"

	"agentdungeon/shared/world"
)

// Enter returns the event for a person who enters a room, or nil if they are in it already. The event pushes the
// room that they leave onto their stack. It drops the oldest rooms of a stack with more than world.MaxNavStack
// rooms. If the person is new and there are already world.MaxWalkers people with a stack, it drops the person who
// walked least recently (S3-03, B29).
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

// HeroStack returns the rooms that a hero who enters a room has passed since it left the overworld, the most recent
// last, at most world.MaxHeroStack (S3-03).
func HeroStack(n *world.NavigationState, hero *world.Agent, path string) []string {
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

// Back returns the event for a person who goes back to the most recent room of their stack that still exists, or nil
// if the stack has no such room.
func Back(n *world.NavigationState, spectatorID string, exists func(path string) bool) *world.NavigationChanged {
	stack := n.AgentNavStacks[spectatorID]
	for last := len(stack) - 1; last >= 0; last-- {
		if exists(stack[last]) {
			return &world.NavigationChanged{SpectatorID: spectatorID, Path: stack[last], Stack: slices.Clone(stack[:last])}
		}
	}
	return nil
}
