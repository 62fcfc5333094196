package e2e

import (
	"bytes"
	"encoding/json"
	"regexp"
	"unicode/utf8"

	"github.com/coder/websocket"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// This file checks that the server sends each frame only when the protocol permits it.

type head struct {
	Type      string  `json:"type"`
	Seq       *int64  `json:"seq"`
	At        *string `json:"at"`
	RequestID string  `json:"requestId"`
}

// atPattern matches a time in its form on the wire (P1.8).
var atPattern = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)

// take handles one WebSocket message: a frame, or an array of frames (P1.3).
func (t *Tab) take(c *conn, kind websocket.MessageType, data []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.conn != c {
		return
	}
	defer t.tell()
	if t.Heard != nil {
		t.Heard(data)
	}
	if kind != websocket.MessageText || !utf8.Valid(data) {
		t.complain("a message is not text in UTF-8: %.200q", data)
		return
	}
	t.Bytes += len(data)
	if len(data) == 0 || data[0] != '[' {
		t.object(data)
		return
	}
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil || len(list) == 0 {
		t.complain("an array of frames is empty or not valid JSON: %v: %.200q", err, data)
		return
	}
	for _, frame := range list {
		t.object(frame)
	}
}

func (t *Tab) object(frame []byte) {
	var h head
	if err := json.Unmarshal(frame, &h); err != nil || h.Type == "" {
		t.complain("a frame has no type or is not valid JSON: %v: %.200q", err, frame)
		return
	}
	t.Frames++
	durable := h.At != nil
	if durable && h.Seq != nil {
		t.durable(h, frame)
		return
	}
	c, err := theContract()
	if err == nil {
		err = c.check(h.Type, durable, frame)
	}
	if err != nil {
		t.complain("a frame violates the schema: %v\n%s", err, frame)
	}
	if durable {
		return
	}
	if t.stage == toldNothing && h.Type != "server:info" {
		t.complain("%s came before server:info (P5.1)", h.Type)
	}
	switch h.Type {
	case "server:info":
		t.read1(frame, &t.Info)
		t.info()
	case "welcome":
		t.welcome(frame)
	case "world:state":
		t.state(frame)
	case "overlays":
		t.overlays(frame)
	case "chat.delta":
		t.delta(frame)
	case "spectator:welcome":
		t.read1(frame, &t.Self)
		t.Seat = t.Self.Seat
	case "spectator:list":
		t.read1(frame, &t.List)
	case "save:status":
		t.Save = wire.SaveStatus{}
		t.read1(frame, &t.Save)
	case "process:turn":
		var ask wire.ProcessTurn
		t.read1(frame, &ask)
		t.Asks[ask.RequestID] = ask
	case "error":
		t.refused(frame)
		return
	}
	if h.RequestID != "" && h.Type != "chat.delta" && h.Type != "process:turn" && h.Type != "realm:progress" && h.Type != "server:info" {
		t.answered(h.RequestID, frame, "")
	}
}

func (t *Tab) read1(frame []byte, into any) {
	if err := json.Unmarshal(frame, into); err != nil {
		t.complain("%v: %.500s", err, frame)
	}
}

// info answers server:info with hello, which has the tab's position, and with spectator:register if the tab has a name.
func (t *Tab) info() {
	if t.stage != toldNothing {
		return // the server announces another realm on the same connection
	}
	t.stage = toldInfo
	hello := map[string]any{"type": "hello", "protocol": wire.Protocol}
	if t.RealmID != "" {
		hello["realmId"] = t.RealmID
	}
	if t.World != nil {
		hello["epoch"], hello["lastSeq"] = t.Epoch, t.Seq
	}
	t.say(hello)
	if t.Name != "" {
		register := map[string]any{"type": "spectator:register", "name": t.Name, "color": "#336699", "tab": t.TabID}
		if t.Seat != "" {
			register["seat"] = t.Seat
		}
		t.say(register)
	}
}

func (t *Tab) say(fields map[string]any) {
	frame, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	t.raw(frame)
}

func (t *Tab) welcome(frame []byte) {
	w := wire.Welcome{}
	t.read1(frame, &w)
	t.Welcome = w
	clear(t.Asks)
	clear(t.segments)
	if w.RealmID == nil {
		if w.Continuity != wire.ContinuityNone {
			t.complain("welcome without a realm has the wrong continuity: %s", frame)
		}
		t.stage = toldMissed // only overlays follow
		return
	}
	if *w.RealmID != t.RealmID {
		t.World, t.Seq = nil, 0
	}
	switch w.Continuity {
	case wire.ContinuityReplay:
		if t.World == nil || w.From != t.Seq+1 || w.To < t.Seq {
			t.complain("welcome announces a replay that does not follow the tab's position: %s", frame)
		}
		t.stage = toldMissed
	case wire.ContinuitySnapshot:
		if w.Reason == "" {
			t.complain("welcome announces a snapshot without a reason: %s", frame)
		}
		if t.MustReplay && t.World != nil {
			t.complain("welcome announces a snapshot (%s) instead of a replay", w.Reason)
		}
		t.World = nil
		t.stage = toldWorld
	default:
		t.complain("welcome to a realm announces neither a replay nor a snapshot: %s", frame)
	}
	t.RealmID = *w.RealmID
	if w.Epoch == nil {
		t.complain("welcome without an epoch: %s", frame)
		return
	}
	t.Epoch = *w.Epoch
}

// state takes a world:state frame as the tab's new world.
func (t *Tab) state(frame []byte) {
	if t.stage != toldWorld {
		t.complain("world:state came although welcome announced no snapshot")
	}
	var s struct {
		Seq   int64  `json:"seq"`
		Epoch string `json:"epoch"`
		World *struct {
			*world.World
			*world.Land
		} `json:"world"`
		Conversations *[]world.View `json:"conversations"`
	}
	t.read1(frame, &s)
	if s.World == nil || s.World.World == nil || s.World.Land == nil || s.Conversations == nil || s.World.Tick != s.Seq || s.Epoch != t.Epoch || s.Seq > t.Welcome.To {
		t.complain("world:state is incomplete or does not fit welcome: %.300s", frame)
		return
	}
	if err := s.World.World.Validate(); err != nil {
		t.complain("the world of world:state is invalid: %v", err)
	}
	s.World.World.Fill()
	t.World, t.Land, t.Seq, t.Base, t.Views = s.World.World, s.World.Land, s.Seq, s.Seq, *s.Conversations
	t.stage = toldMissed
	t.Joined++
}

// overlays handles the overlays frame, which ends an attachment and has the text of each open segment so far (P5.8).
// The tab then sends its unanswered commands again (P6.4).
func (t *Tab) overlays(frame []byte) {
	var o wire.Overlays
	t.read1(frame, &o)
	if t.stage != toldMissed || t.Seq < t.Welcome.To {
		t.complain("overlays came before the missed events (up to seq %d)", t.Welcome.To)
	}
	clear(t.segments)
	for id, s := range o.Segments {
		t.segments[id] = &stream{text: []byte(s.Text), next: s.Next}
	}
	t.stage = toldAll
	for _, c := range t.waiting() {
		if c.on != t.conn {
			t.put(c)
		}
	}
}

// durable checks and applies an event. The event must have the next seq and the same bytes as in all other tabs (P4.1,
// P4.2).
func (t *Tab) durable(h head, frame []byte) {
	seq := *h.Seq
	if t.stage != toldMissed && t.stage != toldAll || t.World == nil {
		t.complain("seq %d came before the world", seq)
		return
	}
	if seq != t.Seq+1 {
		t.complain("seq %d came after %d: %.300s", seq, t.Seq, frame)
		return
	}
	if t.ledger.saw(t.Name, seq, frame) {
		c, err := theContract()
		if err == nil {
			err = c.check(h.Type, true, frame)
		}
		if err != nil {
			t.complain("a frame violates the schema: %v\n%s", err, frame)
		}
		if !atPattern.MatchString(*h.At) {
			t.complain("the time %q of an event has the wrong form (P1.8)", *h.At)
		}
	}
	ev, err := world.DecodeEvent(frame)
	if err != nil {
		t.complain("%v", err)
		return
	}
	world.Apply(t.World, ev)
	t.Seq = seq
	t.follow(ev)
	if h.RequestID != "" {
		if _, own := ev.Body.(*world.ChatStarted); own || t.Pending[h.RequestID] != nil && t.Pending[h.RequestID].Type == "chat.send" {
			t.answered(h.RequestID, frame, "")
		} // otherwise the sender gets a command:reply
	}
}

// follow updates the open segments and the pending requests for a person's turn after an event.
func (t *Tab) follow(ev world.Event) {
	switch b := ev.Body.(type) {
	case *world.SegmentStarted:
		if t.stage == toldAll {
			t.segments[b.MessageID] = &stream{}
		}
	case *world.SegmentClosed:
		s := t.segments[b.Message.MessageID]
		if t.stage != toldAll {
			return
		}
		if s == nil && b.Reason == world.ClosedByInterrupt {
			return // an earlier server opened the segment
		}
		if s == nil {
			t.complain("segment %s was closed and was not open", b.Message.MessageID)
			return
		}
		// The text that streamed must be the beginning of the row's final text, so that nothing that streamed is
		// missing or doubled (P9.3).
		if !bytes.HasPrefix([]byte(b.Message.Content), s.text) {
			t.complain("segment %s: the text %.300q was streamed, but the row has %.300q", b.Message.MessageID,
				s.text, b.Message.Content)
		}
		delete(t.segments, b.Message.MessageID)
	case *world.ChatDone:
		delete(t.Asks, b.RequestID)
	case *world.ChatCancelled:
		delete(t.Asks, b.RequestID)
	case *world.ChatError:
		delete(t.Asks, b.RequestID)
	}
}

func (t *Tab) delta(frame []byte) {
	var d wire.ChatDelta
	t.read1(frame, &d)
	t.Streams++
	s := t.segments[d.MessageID]
	switch {
	case t.stage != toldAll:
		t.complain("a delta came before overlays: %s", frame)
	case s == nil:
		t.complain("a delta came for a segment that is not open: %s", frame)
	case d.N != s.next:
		t.complain("delta %d came instead of delta %d: %s", d.N, s.next, frame)
	default:
		s.text = append(s.text, d.Text...)
		s.next++
	}
}

func (t *Tab) refused(frame []byte) {
	var e wire.ErrorFrame
	t.read1(frame, &e)
	c := t.Pending[e.RequestID]
	switch {
	case e.RequestID == "" || c == nil:
		t.Errors = append(t.Errors, e)
	case e.Code == wire.Unsaved || e.Code == wire.RateLimited || e.Code == wire.NotReady:
		c.again = true // the tab sends the command again with the same requestId
		t.Errors = append(t.Errors, e)
	default:
		t.answered(e.RequestID, frame, e.Code)
	}
}

func (t *Tab) answered(id string, frame []byte, code wire.Code) {
	c := t.Pending[id]
	if c == nil {
		return
	}
	c.Answer, c.Code = bytes.Clone(frame), code
	if code == "" {
		t.ledger.answered(c.cmd, c.Answer)
	}
	delete(t.Pending, id)
	close(c.done)
}
