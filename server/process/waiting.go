package process

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"agentdungeon/shared/world"
)

// waiting explains why the stage does not continue and what a person can do, with one sentence for each cause. If there
// are several causes, Code is that of the first, and RoleIDs has the roles of all causes in the order of the stage.
func waiting(p *world.ProcessState, s world.Settings, pl *plan, now time.Time) *world.Waiting {
	w := &world.Waiting{RoleIDs: []string{}}
	var texts []string
	add := func(code, text string) {
		if w.Code == "" {
			w.Code = code
		}
		texts = append(texts, text)
	}
	for _, sl := range pl.in(spent) {
		add(world.WaitTurnFailed, spentText(p, sl))
	}
	free := pl.in(ready)
	if pl.gate == "" {
		free = nil
	} else if s.AutonomyMode == world.ModeManual {
		free = free[:1]
	}
	if len(free) > 0 {
		add(world.WaitApproval, gateText(p, s, free[0].turn.RoleID))
	}
	vacant := pl.in(open)
	if len(vacant) > 0 {
		add(world.WaitRoleOpen, openText(p, vacant))
	}
	if w.Code == "" {
		return nil
	}
	for _, sl := range pl.slots {
		held := sl.state != ready
		for _, g := range free {
			held = held || g.turn == sl.turn
		}
		if held {
			w.RoleIDs = append(w.RoleIDs, sl.turn.RoleID)
		}
	}
	w.Message = strings.Join(texts, " ")
	w.Since = world.TimeOf(now)
	if sameWaiting(p.Waiting, w) {
		w.Since = p.Waiting.Since
	}
	return w
}

func openText(p *world.ProcessState, slots []slot) string {
	names := make([]string, len(slots))
	for i, sl := range slots {
		names[i] = roleName(p, sl.turn.RoleID)
	}
	if len(names) == 1 {
		return "Nobody holds the role " + names[0] + ": take it, or pass its turn with /skip."
	}
	return "Nobody holds the roles " + joinNames(names) + ": take them, or pass their turns with /skip."
}

func spentText(p *world.ProcessState, sl slot) string {
	name, take := roleName(p, sl.turn.RoleID), ""
	if c := p.Casting(sl.turn.RoleID); c != nil && c.Kind == world.KindAgent {
		take = ", who takes over the role gets the turn"
	}
	if sl.fails == 0 {
		return fmt.Sprintf("%s took %d turns without saying that this stage is done: /resume lets it go on%s, /skip "+
			"ends its part, /restart begins the stage again.", name, sl.unsealed, take)
	}
	return fmt.Sprintf("%s failed %d times in a row (last: %s): /resume tries again%s, /skip passes the turn, /restart "+
		"begins the stage again.", name, sl.fails, sl.code, take)
}

func gateText(p *world.ProcessState, s world.Settings, roleID string) string {
	st := p.Stage()
	stage := fmt.Sprintf("stage %d of %d, %s", p.CurrentStageIndex+1, len(p.Template.Stages), st.Name)
	if s.AutonomyMode == world.ModeManual {
		return fmt.Sprintf("The next turn is %s's (%s): /resume lets it begin.", roleName(p, roleID), stage)
	}
	return fmt.Sprintf("Next is %s: /resume lets it begin.", stage)
}

// roleName returns a role's name, or its id if the template lacks it.
func roleName(p *world.ProcessState, id string) string {
	if r := p.Role(id); r != nil {
		return r.Name
	}
	return id
}

// joinNames joins a list as in a sentence: "a", "a and b", "a, b and c".
func joinNames(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

func sameWaiting(a, b *world.Waiting) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return a.Code == b.Code && a.Message == b.Message && slices.Equal(a.RoleIDs, b.RoleIDs)
}
