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

// This file is the tab's side of the contract: what each frame may say when.

type head struct {
	Type      string  `json:"type"`
	Seq       *int64  `json:"seq"`
	At        *string `json:"at"`
	RequestID string  `json:"requestId"`
}

// atPattern is the form of a time on the wire (P1.8).
var atPattern = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)

// take is one WebSocket frame: an object or an array of them (P1.3).
func (t *Tab) take(c *conn, kind websocket.MessageType, data []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.conn != c {
		return
	}
	defer t.tell()
	if kind != websocket.MessageText || !utf8.Valid(data) {
		t.complain("a frame that is not text: %.200q", data)
		return
	}
	t.Bytes += len(data)
	if len(data) == 0 || data[0] != '[' {
		t.object(data)
		return
	}
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil || len(list) == 0 {
		t.complain("an array that is none: %v: %.200q", err, data)
		return
	}
	for _, frame := range list {
		t.object(frame)
	}
}

func (t *Tab) object(frame []byte) {
	var h head
	if err := json.Unmarshal(frame, &h); err != nil || h.Type == "" {
		t.complain("no frame: %v: %.200q", err, frame)
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
		t.complain("against the schema: %v\n%s", err, frame)
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

// info says hello with the position, who sits here, and what was not answered.
func (t *Tab) info() {
	if t.stage != toldNothing {
		return // another realm is coming
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
			t.complain("welcome to no realm: %s", frame)
		}
		t.stage = toldMissed // overlays come
		return
	}
	if *w.RealmID != t.RealmID {
		t.World, t.Seq = nil, 0
	}
	switch w.Continuity {
	case wire.ContinuityReplay:
		if t.World == nil || w.From != t.Seq+1 || w.To < t.Seq {
			t.complain("a replay that does not fit: %s", frame)
		}
		t.stage = toldMissed
	case wire.ContinuitySnapshot:
		if w.Reason == "" {
			t.complain("a snapshot without a reason: %s", frame)
		}
		if t.MustReplay && t.World != nil {
			t.complain("a snapshot (%s) in place of a replay", w.Reason)
		}
		t.World = nil
		t.stage = toldWorld
	default:
		t.complain("welcome to a realm without anything: %s", frame)
	}
	t.RealmID = *w.RealmID
	if w.Epoch == nil {
		t.complain("welcome without an epoch: %s", frame)
		return
	}
	t.Epoch = *w.Epoch
}

// state is a snapshot.
func (t *Tab) state(frame []byte) {
	if t.stage != toldWorld {
		t.complain("world:state that nobody waits for")
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
		t.complain("world:state does not fit: %.300s", frame)
		return
	}
	if err := s.World.World.Validate(); err != nil {
		t.complain("world:state: %v", err)
	}
	s.World.World.Fill()
	t.World, t.Land, t.Seq, t.Base, t.Views = s.World.World, s.World.Land, s.Seq, s.Seq, *s.Conversations
	t.stage = toldMissed
	t.Joined++
}

// overlays end an attachment: what is open now, and where it stands (P5.8). What
// was sent and not answered is sent again (P6.4).
func (t *Tab) overlays(frame []byte) {
	var o wire.Overlays
	t.read1(frame, &o)
	if t.stage != toldMissed || t.Seq < t.Welcome.To {
		t.complain("overlays before all that was missed (to %d)", t.Welcome.To)
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

// durable is an event: no hole, never twice, the same bytes for ever (P4.1, P4.2).
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
			t.complain("against the schema: %v\n%s", err, frame)
		}
		if !atPattern.MatchString(*h.At) {
			t.complain("at is %q (P1.8)", *h.At)
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
		} // else command:reply follows, to the sender alone
	}
}

// follow keeps what streams and who is asked.
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
			return // it belonged to a life of the server before this one
		}
		if s == nil {
			t.complain("segment %s closed and was not open", b.Message.MessageID)
			return
		}
		// What a driver said is what counts in the end; at a clean close nothing that
		// streamed is missing or doubled (P9.3).
		if !bytes.HasPrefix([]byte(b.Message.Content), s.text) {
			t.complain("segment %s: %.300q streamed, %.300q closed it", b.Message.MessageID, s.text, b.Message.Content)
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
		t.complain("a delta before the overlays: %s", frame)
	case s == nil:
		t.complain("a delta of a segment that is not open: %s", frame)
	case d.N != s.next:
		t.complain("delta %d came, %d was next: %s", d.N, s.next, frame)
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
		c.again = true // the words are kept and go out again under the same id
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
