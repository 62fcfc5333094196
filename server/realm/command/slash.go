package command

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"agentdungeon/server/kind"
	"agentdungeon/server/quests"
	"agentdungeon/server/report"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// help is the text of /help.
const help = `/pause: end the turns under way, then wait
/resume: go on, approve what waits, or try a failed turn again
/skip [role]: pass the turn that is asked for or waited for
/restart: take this stage again from its beginning
/mode autonomous|supervised|manual: when to wait for you
/summon ROLE: let a driver play an open role
/dismiss ROLE: free a role
/ask ROLE QUESTION: ask a member that answers questions, as scouts do
/focus [ROLE]: from now on your words go to that member
/export [markdown|svg|json|sarif]: where the report is to be had
/quest take|start|stop|drop|done ID: take a piece of work and see it through
/quest make FINDING: make a finding a piece of work
/team [deploy ID]: the teams there are; begin a session of one
/help: this list`

// slashes has the slash commands that no kind of conversation decides.
var slashes = map[string]func(s State, in kind.Command, rest string) (Decision, *wire.Error){
	"/help":   func(State, kind.Command, string) (Decision, *wire.Error) { return does(help) },
	"/mode":   mode,
	"/ask":    ask,
	"/focus":  focus,
	"/export": export,
	"/quest":  quest,
}

// isSlash reports whether a line of the input field is a slash command. A first word with a second slash is a path, and
// the line is words.
func isSlash(text string) bool {
	word := text
	if at := strings.IndexFunc(text, unicode.IsSpace); at >= 0 {
		word = text[:at]
	}
	return strings.LastIndexByte(word, '/') == 0
}

func slash(s State, in kind.Command, text string) (Decision, *wire.Error) {
	word, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	rest = strings.TrimSpace(rest)
	if decide := slashes[word]; decide != nil {
		return decide(s, in, rest)
	}
	for _, k := range s.Kinds.All {
		if c, ok := k.(kind.Commander); ok {
			if d, ok, e := c.Slash(s.Realm, in, word, rest); ok {
				return decided(d, e)
			}
		}
	}
	return Decision{}, wire.Errorf(wire.BadField, "there is no command %s; /help lists them", kind.Clip(word, 32))
}

func mode(s State, _ kind.Command, name string) (Decision, *wire.Error) {
	modes := []string{world.ModeAutonomous, world.ModeSupervised, world.ModeManual}
	if name == "" { // without a name, the mode after the present one
		if i := slices.Index(modes, s.World.Settings.AutonomyMode); i >= 0 {
			name = modes[(i+1)%len(modes)]
		}
	}
	raw, err := json.Marshal(name)
	if err != nil {
		return Decision{}, wire.Errorf(wire.BadField, "the mode must be one word")
	}
	d, e := set(s, map[string]json.RawMessage{"autonomyMode": raw})
	if e == nil {
		d.Text = "The mode is " + name + "."
	}
	return d, e
}

// ask decides the line "/ask WHO QUESTION", by which a person asks a member something.
func ask(s State, in kind.Command, rest string) (Decision, *wire.Error) {
	who, text, _ := strings.Cut(rest, " ")
	if strings.TrimSpace(text) == "" {
		return Decision{}, wire.Errorf(wire.BadField, "ask somebody something: /ask ROLE QUESTION")
	}
	return question(s, in, who, strings.TrimSpace(text))
}

// question passes a question to that kind of conversation whose members answer questions (kind.Answerer). The
// parameter who names the member.
func question(s State, in kind.Command, who, text string) (Decision, *wire.Error) {
	if hero := s.World.Agent(strings.TrimPrefix(who, "@")); hero != nil && hero.State != nil {
		return Decision{}, wire.Errorf(wire.Conflict,
			"%s runs in its own program; send it words from its card here, or speak to it there", hero.DisplayName)
	}
	for _, k := range s.Kinds.All {
		if answers, ok := k.(kind.Answerer); ok {
			return decided(answers.Question(s.Realm, in, who, text))
		}
	}
	return Decision{}, wire.Errorf(wire.NotFound, "no member of this realm answers questions")
}

// focus decides /focus: from now on a person's words go to one member. The parameter who names the member; "" ends
// this. The world stores the focus of at most world.MaxFocus people; for more people it drops the focus that was set
// longest ago.
func focus(s State, in kind.Command, who string) (Decision, *wire.Error) {
	if in.From.SpectatorID == "" {
		return Decision{}, kind.RegisterFirst
	}
	now := s.World.FocusOf(in.From.SpectatorID)
	id, text := "", "Your words go to everybody."
	if who != "" {
		t, role, e := s.Answerer(who)
		if e != nil {
			return Decision{}, e
		}
		if _, e := s.AgentMember(t, role, 0); e != nil {
			return Decision{}, e
		}
		id = role
		text = "Your words go to " + kind.RoleOf(t, role).Name + " now. /focus without a name ends that."
	}
	if id == now {
		return does(text)
	}
	changed := &world.FocusChanged{SpectatorID: in.From.SpectatorID, AgentID: id}
	if now == "" && len(s.World.Focus) >= world.MaxFocus {
		changed.Forgets = s.World.Focus[0].SpectatorID
	}
	return does(text, changed)
}

// export answers with the URL of the report, because the socket does not carry files.
func export(s State, _ kind.Command, format string) (Decision, *wire.Error) {
	if format == "" {
		format = report.FormatMarkdown
	}
	if !slices.Contains(report.Formats, format) {
		return Decision{}, wire.Errorf(wire.BadField, "a report is one of %s, not %s",
			strings.Join(report.Formats, ", "), kind.Clip(format, 32))
	}
	return does("The report is at /api/realms/" + s.ID + "/export?format=" + format)
}

func quest(s State, in kind.Command, rest string) (Decision, *wire.Error) {
	if in.From.SpectatorID == "" {
		return Decision{}, kind.RegisterFirst
	}
	verb, id, _ := strings.Cut(rest, " ")
	if verb == quests.FromFinding {
		bodies, e := quests.Make(s.World, strings.TrimSpace(id))
		if e != nil {
			return Decision{}, e
		}
		return does("", bodies...)
	}
	who := quests.Person{SpectatorID: in.From.SpectatorID, Name: in.From.Name}
	bodies, e := quests.Move(s.World, strings.TrimSpace(id), verb, who)
	if e != nil {
		return Decision{}, e
	}
	return does("", bodies...)
}
