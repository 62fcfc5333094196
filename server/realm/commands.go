package realm

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"agentdungeon/server/process"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// decision is what a command leads to: events and a word to the sender. The rules
// that make it only read the state.
type decision struct {
	bodies []world.Body
	text   string
	// chat is the reply of a chat.send: the run as it stands.
	chat *wire.ChatRepeated
	// room is the reply of a navigation, which is not remembered: see seenAgain.
	room *wire.MapChange
	// details are the reply of player:get-agent-details.
	details *wire.AgentDetails
	// beside is a further word to the sender, nil for none.
	beside wire.Frame
	// then is done after the events.
	then func()
}

// commandMemory is how long a command's answer is kept.
const commandMemory = 24 * time.Hour

// command is the turn for a person's command: it is answered always, once what it
// led to is saved.
func (a *actor) command(in Input) {
	switch c := in.Command.(type) { // reading is always possible
	case *wire.ConversationOpen:
		a.open(in, c)
		return
	case *wire.ConversationList:
		a.listTalks(in, c)
		return
	case *wire.TeamList:
		a.listTeams(in)
		return
	case *wire.SkillOpen:
		a.openSkill(in, c)
		return
	}
	name, hash := in.Command.CommandType(), hashOf(in.Command)
	_, cancels := in.Command.(*wire.ChatCancel) // its requestId is the run's, not its own
	if in.RequestID != "" && !cancels {
		// Resending what has been taken is safe (design 3.9).
		if known, ok := a.replies[commandKey(in.From.SpectatorID, in.RequestID)]; ok {
			if known.Hash != hash {
				a.refuse(in, wire.Errorf(wire.Conflict, "requestId %s was used for something else", in.RequestID))
				return
			}
			a.answerAgain(in, known)
			return
		}
	}
	switch {
	case a.broken != nil:
		a.refuse(in, wire.Errorf(wire.Internal, "this realm can only be read; restart the server to recover it"))
		return
	case a.full() && !isErase(in.Command):
		// Not through the outbox, which is what is full.
		a.refuseNow(in, wire.Errorf(wire.Unsaved, "the disk does not take any more; your words are kept here and can be sent again"))
		return
	}
	if c, ok := in.Command.(*wire.HistoryErase); ok {
		a.eraseFor(in, c)
		return
	}
	if e := a.unwelcome(in); e != nil {
		a.refuse(in, e)
		return
	}
	if a.parked(in) {
		return
	}
	if a.lookedUp(&in) || a.gathers(in) {
		return
	}
	if talk := a.talks[target(in.Command)]; talk != nil && !cancels && in.RequestID != "" && talk.Used(in.RequestID) {
		if c, ok := in.Command.(*wire.ChatSend); ok { // by somebody else, or long ago
			a.saidBefore(in, c, nil)
		} else {
			a.refuse(in, wire.Errorf(wire.Conflict, "requestId %s was used for something else", in.RequestID))
		}
		return
	}
	if c, ok := in.Command.(*wire.TeamSet); ok && c.ResumeSessionID != "" {
		a.restore(in, c)
		return
	}
	d, err := a.decide(in)
	if err != nil {
		a.refuse(in, err)
		return
	}
	seq := int64(0)
	if len(d.bodies) > 0 {
		seq = a.world.Tick + 1
		a.by = in.From.SpectatorID
		note(d.bodies, a.by)
		if cancels {
			a.emit("", d.bodies...)
		} else {
			a.emit(in.RequestID, d.bodies...)
		}
		a.by = ""
		if d.then != nil {
			d.then()
		}
	}
	var reply wire.Frame = &wire.CommandReply{RequestID: in.RequestID, Command: name, Text: d.text, Seq: seq}
	if d.chat != nil {
		reply = d.chat
	}
	if d.details != nil {
		reply = d.details
	}
	frame := a.encode(reply)
	if in.RequestID != "" && !cancels && seq > 0 && a.broken == nil {
		row := world.CommandRow{
			SpectatorID: in.From.SpectatorID, RequestID: in.RequestID, Hash: hash, Reply: frame, At: world.TimeOf(a.now),
		}
		a.remember(row)
		a.outbox.lastRecord().command = &row
	}
	if d.room != nil {
		frame = a.encode(d.room)
	}
	if d.chat == nil || seq == 0 {
		a.out(entry{reply: frame, to: in.To})
	} // else chat.started, for everyone, is the answer
	if d.beside != nil {
		a.out(entry{reply: a.encode(d.beside), to: in.To})
	}
}

// note says in events that keep it who led to them.
func note(bodies []world.Body, who string) {
	for _, b := range bodies {
		switch b := b.(type) {
		case *world.ConversationStarted:
			b.SpectatorID = who
		case *world.ConversationRenamed:
			b.SpectatorID = who
		}
	}
}

// isErase: it says itself, past what waits, that the disk does not answer.
func isErase(c wire.Command) bool {
	_, ok := c.(*wire.HistoryErase)
	return ok
}

// answerAgain answers a command that was taken before.
func (a *actor) answerAgain(in Input, known world.CommandRow) {
	switch c := in.Command.(type) {
	case *wire.ChatSend:
		a.saidBefore(in, c, known.Reply)
		return
	case *wire.HistoryErase: // erasing twice is erasing once
		a.eraseFor(in, c)
		return
	case *wire.NavigateEnter, *wire.NavigateBack:
		if room, e := a.seenAgain(in); e == nil {
			a.out(entry{reply: a.encode(room), to: in.To})
			return
		} // the room is gone: that it was entered is still true
	}
	a.out(entry{reply: known.Reply, to: in.To})
}

// lastRecord is the newest durable entry: a command that led to events has one.
func (o *outbox) lastRecord() *entry {
	for i := len(o.entries) - 1; ; i-- {
		if o.entries[i].record != nil {
			return &o.entries[i]
		}
	}
}

func (a *actor) refuse(in Input, e *wire.Error) {
	a.out(entry{reply: a.errorFrame(in, e), to: in.To})
	if in.told != nil {
		in.told <- e
	}
}

func (a *actor) refuseNow(in Input, e *wire.Error) {
	if in.told != nil {
		in.told <- e
	}
	if in.To != nil {
		in.To.send(a.errorFrame(in, e))
	}
}

func (a *actor) errorFrame(in Input, e *wire.Error) []byte {
	return a.encode(&wire.ErrorFrame{RequestID: in.RequestID, Code: e.Code, Message: e.Message})
}

// commandKey cannot mix two people up: ids hold no slash.
func commandKey(spectatorID, requestID string) string { return spectatorID + "/" + requestID }

// hashOf says whether two commands ask for the same: over the type and the fields
// as decoded, so that spacing and the order of keys do not matter.
func hashOf(c wire.Command) string {
	b, err := json.Marshal(c)
	if err != nil {
		b = []byte(fmt.Sprintf("%+v", c)) // no command of wire fails to encode
	}
	sum := sha256.Sum256(append([]byte(c.CommandType()+"\n"), b...))
	return hex.EncodeToString(sum[:])
}

// remember keeps an answer for commandMemory; the oldest go first.
func (a *actor) remember(row world.CommandRow) {
	key := commandKey(row.SpectatorID, row.RequestID)
	a.replies[key] = row
	a.answers = append(a.answers, key)
	old := world.TimeOf(a.now.Add(-commandMemory))
	for len(a.answers) > world.MaxCommandRows || len(a.answers) > 0 && a.replies[a.answers[0]].At < old {
		delete(a.replies, a.answers[0])
		a.answers = a.answers[1:]
	}
}

// decide is the rule for each command. A panic is an error and changes nothing.
func (a *actor) decide(in Input) (d decision, e *wire.Error) {
	defer func() {
		if p := recover(); p != nil {
			a.log.Error().Str("command", in.Command.CommandType()).Msgf("panic while deciding: %v\n%s", p, debug.Stack())
			d, e = decision{}, wire.Errorf(wire.Internal, "the server failed at this command; nothing was changed")
		}
	}()
	switch c := in.Command.(type) {
	case *wire.SpectatorSay:
		return a.decideSay(in, c.Text)
	case *wire.PlayerCommand:
		return a.decideWords(in, c)
	case *wire.ChatSend:
		return a.decideChat(in, c)
	case *wire.ChatCancel:
		return a.decideCancel(in, c)
	case *wire.ConversationStart:
		return a.decideTalk(in, c)
	case *wire.ConversationAbort:
		return a.decideEnd(in, c.ConversationID, world.ConversationAbandoned)
	case *wire.ConversationClose:
		return a.decideEnd(in, c.ConversationID, world.ConversationCompleted)
	case *wire.ConversationResume:
		return a.decideGoOn(in, c.ConversationID)
	case *wire.ConversationPause:
		return a.decideRest(in, c.ConversationID)
	case *wire.ConversationRename:
		return a.decideRename(c.ConversationID, c.Title)
	case *wire.TeamSet:
		return a.decideParty(in, c.TeamID, "")
	case *wire.TeamTakeMember:
		return a.decideSeat(in, c.MemberID)
	case *wire.SkillGive:
		return a.decideGive(c)
	case *wire.UpdateSettings:
		return a.decideSettings(c.Settings)
	case *wire.StartProcess:
		return a.decideStart(c)
	case *wire.TakeRole:
		return a.decideTake(in, c.RoleID)
	case *wire.DismissAgent:
		return a.decideDismiss(c.AgentID)
	case *wire.GetAgentDetails:
		return a.decideDetails(in, c.AgentID)
	case *wire.NavigateEnter:
		return a.decideEnter(in, c.Path, c.Page)
	case *wire.NavigateBack:
		return a.decideBack(in)
	}
	return d, wire.Errorf(wire.UnknownType, "this realm does not know %s", in.Command.CommandType())
}

var registerFirst = wire.Errorf(wire.NotAllowed, "say who you are first (spectator:register)")

func (a *actor) decideSay(in Input, text string) (decision, *wire.Error) {
	if in.From.SpectatorID == "" {
		return decision{}, registerFirst
	}
	return decision{bodies: []world.Body{&world.SpectatorCommand{
		SpectatorID: in.From.SpectatorID, Name: in.From.Name, Color: in.From.Color, Text: text,
	}}}, nil
}

// decideWords: a slash command, or words for the conversation at hand.
func (a *actor) decideWords(in Input, c *wire.PlayerCommand) (decision, *wire.Error) {
	if strings.HasPrefix(c.Text, "/") {
		return a.decideSlash(in, c.Text)
	}
	to := c.AgentID
	if to == "" {
		to = a.world.FocusOf(in.From.SpectatorID)
	}
	if p := &a.world.ProcessState; to != "" && !a.asks(in.From, to) {
		if cast := p.Casting(to); cast == nil || cast.Kind == world.KindAgent {
			return a.decideQuestion(in, to, c.Text)
		}
	}
	if p := &a.world.ProcessState; p.Status == world.StatusRunning || p.Status == world.StatusPaused {
		d, e := a.decideChat(in, &wire.ChatSend{ConversationID: p.ConversationID, Content: c.Text, MemberID: c.AgentID})
		d.chat = nil // a player:command is answered as one
		return d, e
	}
	return a.decideSay(in, c.Text)
}

func (a *actor) decideSettings(raw map[string]json.RawMessage) (decision, *wire.Error) {
	s, err := world.UpdateSettings(a.world.Settings, raw)
	if err != nil {
		return decision{}, wire.Errorf(wire.BadField, "%s", err)
	}
	if s == a.world.Settings {
		return decision{text: "Nothing changed."}, nil
	}
	return decision{bodies: []world.Body{&world.SettingsUpdated{Settings: s}}, text: "Settings saved."}, nil
}

// wordsInProcess: the turn of a role that is asked, else words for the next turn.
func (a *actor) wordsInProcess(in Input, request string, msg *world.Message, memberID string) (decision, *wire.Error) {
	answer, e := a.askedOf(in.From, memberID)
	if e != nil {
		return decision{}, e
	}
	if answer == nil {
		return decision{bodies: takenIn(request, msg)}, nil
	}
	msg.MemberID, msg.StageID = answer.MemberID, answer.Turn.StageID
	msg.RequestID = answer.RequestID // the row is the turn's
	bodies := append(takenIn(request, msg), a.done(runKey{answer.ConversationID, answer.RequestID}))
	if p := &a.world.ProcessState; process.AnswerSeals(p, answer.Turn.RoleID) {
		sealed, e := process.Seal(p, answer.Turn.RoleID, "")
		if e != nil {
			return decision{}, e
		}
		bodies = append(bodies, sealed...)
	}
	return decision{bodies: bodies}, nil
}

// help is what /help says.
const help = `/pause: end the turns under way, then wait
/resume: go on, approve what waits, or try a failed turn again
/skip [role]: pass the turn that is asked for or waited for
/restart: take this stage again from its beginning
/mode autonomous|supervised|manual: when to wait for you
/summon ROLE: let a driver play an open role
/dismiss ROLE: free a role
/ask ROLE QUESTION: ask a member that answers questions, as scouts do
/focus [ROLE]: from now on your words go to that member
/export [markdown|json|sarif]: where the report is to be had
/quest take|start|stop|drop|done ID: take a piece of work and see it through
/team [deploy ID]: the teams there are; begin a session of one
/help: this list`

func (a *actor) decideSlash(in Input, text string) (decision, *wire.Error) {
	word, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	rest = strings.TrimSpace(rest)
	switch word {
	case "/help":
		return decision{text: help}, nil
	case "/pause":
		return a.decidePause()
	case "/resume":
		return a.decideResume()
	case "/skip":
		return a.decideSkip(in, rest)
	case "/restart":
		return a.decideRestart()
	case "/mode":
		return a.decideMode(rest)
	case "/summon":
		return a.decideSummon(rest)
	case "/ask":
		return a.decideAsk(in, rest)
	case "/focus":
		return a.decideFocus(in, rest)
	case "/export":
		return a.decideExport(rest)
	case "/quest":
		return a.decideQuest(in, rest)
	case "/team":
		return a.decideTeamWord(in, rest)
	case "/dismiss":
		return a.decideDismiss(rest)
	}
	return decision{}, wire.Errorf(wire.BadField, "there is no command %s; /help lists them", clip(word, 32))
}

func (a *actor) decideMode(mode string) (decision, *wire.Error) {
	modes := []string{world.ModeAutonomous, world.ModeSupervised, world.ModeManual}
	if mode == "" { // the next one
		for i, m := range modes {
			if m == a.world.Settings.AutonomyMode {
				mode = modes[(i+1)%len(modes)]
			}
		}
	}
	raw, err := json.Marshal(mode)
	if err != nil {
		return decision{}, wire.Errorf(wire.BadField, "the mode must be one word")
	}
	d, e := a.decideSettings(map[string]json.RawMessage{"autonomyMode": raw})
	if e == nil {
		d.text = "The mode is " + mode + "."
	}
	return d, e
}
