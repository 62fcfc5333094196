package e2e

import (
	"encoding/json"
	"testing"

	"agentdungeon/shared/wire"
)

// Commands about a member accept the agent of a session, whose id has a colon. Its details are answered. A command that
// only its own program can carry out is refused with a sentence, and the agent stays on the map (P17.1).
func TestCommandsAboutACodingAgent_P17_1(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	pid, _ := process(t)
	s := d.claude("5d3c1a00-0000-4000-8000-0000000working", pid)
	s.append(s.next())
	l := d.home.Start()
	tab := NewTab(t, NewLedger(t), "Ada")
	d.joins(l, tab)
	are(tab, "0working working")
	asked := tab.Do("details", &wire.GetAgentDetails{AgentID: s.agent})
	var told wire.AgentDetails
	if err := json.Unmarshal(asked.Answer, &told); err != nil || asked.Code != "" || told.Agent == nil ||
		told.AgentID != s.agent || told.Agent.State == nil {
		t.Errorf("its details are %s %s (%v)", asked.Code, asked.Answer, err)
	}
	for name, cmd := range map[string]wire.Command{
		"dismiss":       &wire.DismissAgent{AgentID: s.agent},
		"slash-dismiss": &wire.PlayerCommand{Text: "/dismiss " + s.agent},
		"word":          &wire.PlayerCommand{Text: "Hello.", AgentID: s.agent},
		"ask":           &wire.PlayerCommand{Text: "/ask " + s.agent + " what do you do?"},
	} {
		if c := tab.Do(name, cmd); c.Code != wire.Conflict {
			t.Errorf("%s is answered %q %s", name, c.Code, c.Answer)
		}
	}
	are(tab, "0working working")
	tab.Close()
	l.Stop()
}
