package agenthook

import (
	"bytes"
	"encoding/json"

	"agentdungeon/server/inspect/secrets"
	"agentdungeon/server/shadow"
	"agentdungeon/server/withheld"
	"agentdungeon/shared/world"
)

// told has the fields that this package uses of the payload of a hook. Claude Code and Codex send the same fields.
type told struct {
	Session     string            `json:"session_id"`
	Dir         string            `json:"cwd"`
	Event       string            `json:"hook_event_name"`
	Tool        string            `json:"tool_name"`
	Input       json.RawMessage   `json:"tool_input"`
	Agent       string            `json:"agent_id"` // id of the sub-agent, "" for the main agent
	About       string            `json:"notification_type"`
	Tasks       []json.RawMessage `json:"background_tasks"`
	Suggestions []json.RawMessage `json:"permission_suggestions"`
}

// events maps the names of the programs' events to what a hook call reports about the session. Other events report
// nothing that the session's files do not contain too.
var events = map[string]shadow.Told{
	"PermissionRequest": shadow.Asks,
	"PostToolUse":       shadow.Did, "PostToolUseFailure": shadow.Fails, "PermissionDenied": shadow.Fails,
	"UserPromptSubmit": shadow.Over, "Stop": shadow.Over, "StopFailure": shadow.Over, "SessionStart": shadow.Over,
	"SessionEnd": shadow.Over, "SubagentStop": shadow.Over, "Notification": shadow.Says,
}

// state returns what the session does after this event, "" if the event does not show it. It returns "" for tools,
// sub-agents and the end of a session too, because the session's files say more about these. A session that has stopped
// is Waiting for a person only if none of its tasks still runs in the background.
func (p *told) state() string {
	switch {
	case p.Agent != "":
	case p.Event == "UserPromptSubmit":
		return shadow.Working
	case p.Event == "Stop" && len(p.Tasks) == 0, p.Event == "Notification" && p.About == "idle_prompt":
		return shadow.Waiting
	}
	return ""
}

// hook translates the payload into a shadow.Hook, without the content of files that git ignores (P17.9). ok is
// false if the payload reports nothing that the server uses.
func (p *told) hook(program string, ignored func(path string) bool) (h shadow.Hook, ok bool) {
	about, ok := events[p.Event]
	if !ok || p.Session == "" {
		return h, false
	}
	h = shadow.Hook{Program: program, SessionID: p.Session, Told: about, Tool: p.Tool, State: p.state()}
	if p.Agent != "" && program == "claude" {
		h.SessionID += "/agent-" + p.Agent
	}
	var input bytes.Buffer
	if json.Compact(&input, p.Input) == nil {
		h.Input = secrets.Mask(input.String())
	}
	h.Brief, h.Always = secrets.Mask(brief(p.Input)), secrets.Mask(always(p.Suggestions))
	if v := withheld.Call(p.Dir, string(p.Input), nil, ignored); v.Input {
		h.Input, h.Brief, h.Always = v.Kept(), v.Names(), "" // a suggestion can repeat the input
	}
	if about == shadow.Asks {
		h.Hold, h.Choices = hold[program], []string{world.ChoiceAllow, world.ChoiceDeny}
		switch {
		case p.Tool == shadow.Asking:
			// To allow the call would answer nothing: the program goes on asking in its terminal.
			h.Choices = []string{world.ChoiceAnswer, world.ChoiceDeny}
			if len(shadow.Questions(h.Tool, h.Input)) == 0 {
				h.Choices = nil
			}
		case len(p.Suggestions) > 0:
			h.Choices = []string{world.ChoiceAllow, world.ChoiceAlways, world.ChoiceDeny}
		}
	}
	return h, true
}

// Messages that the agent gets if a person refuses a call, or does not answer its questions.
const (
	refused    = "A person refused this."
	unanswered = "A person does not answer this. Go on without an answer, or ask in your own words."
)

// decision is the answer to a question in the form that the programs read.
type decision struct {
	Behavior string            `json:"behavior"`
	Message  string            `json:"message,omitempty"`
	Updated  []json.RawMessage `json:"updatedPermissions,omitempty"`
	Input    json.RawMessage   `json:"updatedInput,omitempty"`
}

// answer returns the output of the hook for the outcome of its door (a question that a person answered); nil if the
// hook prints nothing.
func (p *told) answer(closed *world.DoorClosed) (text []byte, err error) {
	d := decision{Behavior: "allow"}
	switch closed.Outcome {
	case world.DoorAllowed:
	case world.DoorAlways:
		d.Updated = p.Suggestions
	case world.DoorDenied:
		d.Behavior, d.Message = "deny", refused
		if p.Tool == shadow.Asking {
			d.Message = unanswered
		}
	case world.DoorAnswered:
		if d.Input, err = p.answered(closed.Answers); err != nil {
			return nil, err
		}
	default:
		return nil, nil
	}
	var out struct {
		Hook struct {
			Event    string   `json:"hookEventName"`
			Decision decision `json:"decision"`
		} `json:"hookSpecificOutput"`
	}
	out.Hook.Event, out.Hook.Decision = p.Event, d
	return json.Marshal(out)
}

// answered returns the input of the call with the answers of a person to its questions, from which Claude Code then
// takes them.
func (p *told) answered(answers []string) (json.RawMessage, error) {
	input := map[string]any{}
	if err := json.Unmarshal(p.Input, &input); err != nil {
		return nil, err
	}
	questions, by := shadow.Questions(p.Tool, string(p.Input)), map[string]string{}
	for i, q := range questions[:min(len(questions), len(answers))] {
		by[q] = answers[i]
	}
	input["answers"] = by
	return json.Marshal(input)
}
