package coding

import (
	"maps"
	"slices"

	"agentdungeon/server/kind"
	"agentdungeon/server/shadow"
	"agentdungeon/server/shell"
	"agentdungeon/shared/world"
)

// rows turns the entries of a session into events.
type rows struct {
	r      *kind.Realm
	talk   string // id of the conversation
	agent  world.Member
	bodies []world.Body
	open   map[string]openCall // by CallID
	touch  *touches
	last   world.ToolFile // the file of the newest call that ended without an error; no path for none
	failed bool           // the newest row says that the turn failed
	// tested is set if an entry says how a test run ended, testsFailed is when the newest such run failed, 0 if it passed.
	tested      bool
	testsFailed world.Time
}

// openCall is a tool call whose result is not known yet, and the id of its row.
type openCall struct {
	messageID string
	call      *world.ToolUse
}

// newRows returns rows for the conversation talk of a session. t is the conversation in memory, nil if the conversation
// begins now.
func newRows(r *kind.Realm, s *shadow.Session, t *kind.Talk, talk string, agent world.Member) *rows {
	w := &rows{
		r: r, talk: talk, agent: agent, open: map[string]openCall{}, touch: newTouches(r, s, talk, agent),
	}
	if t != nil {
		for _, m := range t.Messages {
			if m.Status == world.MessageOpen && m.Tool != nil {
				w.open[m.Tool.CallID] = openCall{m.MessageID, m.Tool}
			}
		}
		if n := len(t.Messages); n > 0 {
			w.failed = saysFailed(&t.Messages[n-1])
		}
	}
	return w
}

// prompter is the name in the row of a prompt that was typed in the agent's own program.
const prompter = "prompt"

// add adds the events for one entry of the session.
func (w *rows) add(e *shadow.Entry) {
	switch e.Kind {
	case shadow.Prompt:
		m := w.row(e, world.RoleUser)
		m.Name = prompter
		word(w.r.World, m, e)
		w.message(m)
	case shadow.Words:
		m := w.row(e, world.RoleAssistant)
		m.MemberID, m.Name = w.agent.ID, w.agent.DisplayName
		w.message(m)
	case shadow.Call:
		w.call(e)
	case shadow.Result:
		w.result(e)
	case shadow.Titled:
		if title := kind.Clip(e.Text, world.MaxTitle); title != "" {
			w.bodies = append(w.bodies, &world.ConversationRenamed{ConversationID: w.talk, Title: title})
		}
	case shadow.Stopped:
		w.stopped(e)
	case shadow.Failed:
		w.note(e, "The turn failed: "+kind.Clip(e.Text, maxNote))
	case shadow.Compacted:
		w.note(e, "The context was replaced by a summary.")
	case shadow.Moved:
		w.note(e, "The session goes on in another folder: "+kind.Clip(e.Text, maxNote))
	case shadow.Notice:
		w.note(e, kind.Clip(e.Text, maxNote))
	case shadow.Lost:
		w.note(e, "A record could not be kept: "+kind.Clip(e.Text, maxNote))
	}
}

// maxNote limits, in bytes, a text of the agent's program that becomes a system row.
const maxNote = 2000

// row returns a closed row with the text and time of an entry.
func (w *rows) row(e *shadow.Entry, role string) *world.Message {
	return &world.Message{
		MessageID: w.r.NewID("m"), ConversationID: w.talk, Role: role, Content: kind.Clip(e.Text, world.MaxMessageText),
		Status: world.MessageDone, At: w.at(e),
	}
}

// at returns the time of an entry or, if that is later than now or unknown, the present time.
func (w *rows) at(e *shadow.Entry) world.Time {
	at := w.r.At()
	if !e.At.IsZero() {
		at = min(at, world.TimeOf(e.At))
	}
	return at
}

func (w *rows) message(m *world.Message) {
	w.failed = saysFailed(m)
	w.bodies = append(w.bodies, &world.MessageAdded{ConversationID: w.talk, Message: *m})
}

func (w *rows) note(e *shadow.Entry, text string) {
	m := w.row(e, world.RoleSystem)
	m.Name, m.Content = "system", text
	if e.Kind == shadow.Failed {
		m.Status = world.MessageError
	}
	w.message(m)
}

// stopped adds the note that somebody has ended the turn.
func (w *rows) stopped(e *shadow.Entry) {
	switch words := recorded(w.r.World, w.talk, e); {
	case len(words) > 0:
		w.note(e, "A person stopped the turn through Agent Dungeon.")
	case e.Text != "":
		w.note(e, "A hook stopped the turn: "+kind.Clip(e.Text, maxNote))
	default:
		w.note(e, "A person interrupted the turn.")
	}
}

// saysFailed reports whether m is the note that a turn failed.
func saysFailed(m *world.Message) bool {
	return m.Role == world.RoleSystem && m.Status == world.MessageError
}

// call adds the open row of a tool call.
func (w *rows) call(e *shadow.Entry) {
	if e.Tool == nil {
		return
	}
	m := w.row(e, world.RoleTool)
	m.MemberID, m.Name, m.Content, m.Status = w.agent.ID, w.agent.DisplayName, "", world.MessageOpen
	m.Tool = &world.ToolUse{
		Name: kind.Clip(e.Tool.Name, world.MaxTitle), Input: kind.Clip(e.Tool.Input, world.MaxToolInput), CallID: e.CallID,
		Reads: e.Tool.Reads, Withheld: e.Tool.Withheld, Files: filesOf(e.Tool),
	}
	w.open[e.CallID] = openCall{m.MessageID, m.Tool}
	w.message(m)
}

// result closes the row of a tool call. If the realm does not know the call or has erased it, the result gets a row
// of its own without text: the call may have named a file that git ignores, and then nothing of it may be shown
// (P17.9).
func (w *rows) result(e *shadow.Entry) {
	o, ok := w.open[e.CallID]
	if !ok {
		w.call(&shadow.Entry{At: e.At, CallID: e.CallID, Tool: &shadow.Tool{Name: "tool", Withheld: true}})
		o = w.open[e.CallID]
	}
	delete(w.open, e.CallID)
	if files := o.call.Files; e.OK && len(files) > 0 { // a call that was refused or failed has touched no files
		w.touch.add(files, w.at(e))
		w.last = files[len(files)-1]
	}
	text := kind.Clip(e.Text, world.MaxMessageText)
	if o.call.Withheld && text != "" {
		text = notKept
	}
	shown, cut := world.Cut(text, world.MaxToolShown)
	end := &world.ToolEnd{
		ConversationID: w.talk, MessageID: o.messageID, OK: e.OK, Output: shown, Cut: cut,
		Refused: !e.OK && (e.Refused || w.denied(o.call, e)),
	}
	if e.OK || e.Ended { // otherwise the command did not run
		end.Tests = shell.Tests(shell.Line(o.call.Input), e.Text, e.Ended, e.OK)
	}
	if end.Tests == world.TestsPassed || end.Tests == world.TestsFailed {
		w.tested, w.testsFailed = true, 0
		if end.Tests == world.TestsFailed {
			w.testsFailed = w.at(e)
		}
	}
	if cut {
		end.Full = text
	}
	w.bodies = append(w.bodies, end)
}

// denied reports whether a person refused a tool call on the page before the result e.
func (w *rows) denied(call *world.ToolUse, e *shadow.Entry) bool {
	d := doorOf(w.r, w.agent.ID, call, w.at(e))
	return d != nil && d.Outcome == world.DoorDenied
}

// notKept replaces the output of a tool call that must not be stored.
const notKept = "[not kept: git ignores a file that this call names]"

// close closes the rows of all open tool calls when their session is over. The outcome of these calls is unknown.
func (w *rows) close() {
	for _, callID := range slices.Sorted(maps.Keys(w.open)) { // sorted: the same input always gives the same events
		end := &world.ToolEnd{ConversationID: w.talk, MessageID: w.open[callID].messageID, Unknown: true}
		w.bodies = append(w.bodies, end)
	}
	clear(w.open)
}
