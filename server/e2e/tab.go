package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Tab is a client that behaves like a tab of a browser: it has a seat, a position and unanswered commands, and keeps
// them when the connection is cut or the server restarts. It checks every frame against the protocol.
//
// Code outside of Act must read the fields in a function that Look runs. Methods are safe for concurrent use, but
// Act and such a function must not call them, except those whose comment says that the caller holds mu.
type Tab struct {
	// Act is called after each frame while the tab is live, and after each Beat. What Act does must depend only on the
	// tab's state, so that it also works after the tab has connected again.
	Act  func(*Tab)
	Name string
	// MustReplay is set if the realm's files stay as they are: then a snapshot instead of a replay is an error.
	MustReplay bool
	// SmallBuffer is set if the socket gets a small receive buffer. Otherwise the kernel takes megabytes for a tab that
	// does not read.
	SmallBuffer bool
	// Heard is called with each message as it arrives; nil for nothing.
	Heard func(data []byte)
	// Token is the token with which the tab connects, "" if the server requires none.
	Token string

	t      testing.TB
	ledger *Ledger

	mu      sync.Mutex
	changed chan struct{}

	// The fields from RealmID to Pending outlive a connection.
	RealmID string // "" for the last active realm
	TabID   string
	Seat    string
	Epoch   string
	Seq     int64
	World   *world.World // nil before the first snapshot
	Land    *world.Land  // of the last snapshot
	Pending map[string]*Command

	// The fields from Info to Asks hold the last frames of the server.
	Info    wire.ServerInfo
	Welcome wire.Welcome
	Self    wire.SpectatorWelcome
	List    wire.SpectatorList
	Save    wire.SaveStatus
	Views   []world.View // of the last world:state
	Base    int64        // seq of the last world:state
	Asks    map[string]wire.ProcessTurn
	Errors  []wire.ErrorFrame // all errors except the final answers of commands in Pending
	Closed  int               // close code of the last connection, 1006 if it had none, 0 while it is open
	Frames  int               // number of frames received
	Bytes   int               // number of bytes received
	Joined  int               // number of world:state frames received
	Streams int               // number of deltas received

	conn     *conn
	sent     int           // number of commands sent
	hears    chan struct{} // closed unless the tab is deaf
	stage    int
	segments map[string]*stream
}

// Beat is the time between two calls of Act if no frame arrives.
const Beat = 20 * time.Millisecond

// Command is a command that the tab has sent, with the answer once it has arrived.
type Command struct {
	Type   string
	Answer json.RawMessage // the answering frame, nil without one
	Code   wire.Code       // of the answering error, "" for none

	cmd   wire.Command
	id    string
	nth   int // number of the command among those of the tab
	frame []byte
	on    *conn // connection on which the command was last sent
	again bool  // the server refused it for now; the tab sends it again at the next Beat
	done  chan struct{}
}

// stream is the text of an open segment that a live tab receives.
type stream struct {
	text []byte
	next int
}

// Values of Tab.stage: the progress of a connection.
const (
	toldNothing = iota // server:info is expected
	toldInfo           // hello is sent; welcome is expected
	toldWorld          // world:state is expected
	toldMissed         // missed events and then overlays are expected
	toldAll            // live
)

// NewTab returns a tab that is not connected. The tab records in l what the server shows it.
func NewTab(t testing.TB, l *Ledger, name string) *Tab {
	c, err := theContract()
	if err != nil || c == nil {
		t.Fatal(err)
	}
	tab := &Tab{
		Name: name, TabID: "tab-" + name, t: t, ledger: l, changed: make(chan struct{}),
		hears:   make(chan struct{}),
		Pending: map[string]*Command{}, Asks: map[string]wire.ProcessTurn{}, segments: map[string]*stream{},
	}
	close(tab.hears)
	t.Cleanup(tab.Close)
	return tab
}

// conn is one connection of a tab. One goroutine reads frames and passes them to the tab, another writes the frames in
// out.
type conn struct {
	ws   *websocket.Conn
	out  chan []byte // the test fails if it is full
	ctx  context.Context
	stop context.CancelFunc
	done chan struct{} // closed when read has ended
}

// Connect opens a socket to a server. Once server:info arrives, the tab sends hello with its position. Connect returns
// an error if the server does not accept the connection.
func (t *Tab) Connect(l *Life) error {
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	options := &websocket.DialOptions{}
	if t.Token != "" {
		options.HTTPHeader = http.Header{"Authorization": {"Bearer " + t.Token}}
	}
	if t.SmallBuffer {
		options.HTTPClient = &http.Client{Transport: &http.Transport{DialContext: dialSmall}}
	}
	ws, _, err := websocket.Dial(ctx, "ws://"+l.Addr+"/ws", options)
	if err != nil {
		return err
	}
	ws.SetReadLimit(256 << 20)
	c := &conn{ws: ws, out: make(chan []byte, 4096), done: make(chan struct{})}
	c.ctx, c.stop = context.WithCancel(context.Background())
	t.mu.Lock()
	old := t.conn
	t.conn, t.stage, t.Closed = c, toldNothing, 0
	clear(t.segments)
	clear(t.Asks)
	t.mu.Unlock()
	if old != nil {
		old.end()
	}
	go t.read(c)
	go c.write()
	return nil
}

func (c *conn) end() {
	c.stop()
	_ = c.ws.CloseNow() // the peer may be gone
	<-c.done
}

func (c *conn) write() {
	for {
		select {
		case frame := <-c.out:
			if err := c.ws.Write(c.ctx, websocket.MessageText, frame); err != nil {
				return // read gets the error of the connection too
			}
		case <-c.ctx.Done():
			return
		}
	}
}

// read passes the frames of a connection to the tab and calls Act after each frame and after each Beat.
func (t *Tab) read(c *conn) {
	defer close(c.done)
	type message struct {
		kind websocket.MessageType
		data []byte
		err  error
	}
	in := make(chan message)
	go func() {
		for t.listens(c) {
			kind, data, err := c.ws.Read(c.ctx)
			select {
			case in <- message{kind, data, err}:
			case <-c.ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	beat := time.NewTicker(Beat)
	defer beat.Stop()
	for {
		select {
		case <-c.ctx.Done():
			return
		case <-beat.C:
			t.act(c, true)
		case m := <-in:
			if m.err != nil {
				t.gone(c, m.err)
				return
			}
			t.take(c, m.kind, m.data)
			t.act(c, false)
		}
	}
}

// dialSmall opens a TCP connection with a receive buffer of 16 KiB.
func dialSmall(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		err = tcp.SetReadBuffer(16 << 10)
	}
	return conn, err
}

// Deaf makes the tab stop reading from its socket or, if deaf is false, continue. The tab still takes a frame that it
// is already reading.
func (t *Tab) Deaf(deaf bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if deaf {
		t.hears = make(chan struct{})
	} else {
		close(t.hears)
	}
}

func (t *Tab) listens(c *conn) bool {
	t.mu.Lock()
	hears := t.hears
	t.mu.Unlock()
	select {
	case <-hears:
		return true
	case <-c.ctx.Done():
		return false
	}
}

func (t *Tab) act(c *conn, beat bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.conn != c || t.stage != toldAll {
		return
	}
	if beat {
		for _, cmd := range t.waiting() {
			if cmd.again {
				cmd.again = false
				t.put(cmd)
			}
		}
	}
	if t.Act != nil {
		t.Act(t)
	}
}

func (t *Tab) gone(c *conn, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.conn != c {
		return
	}
	t.Closed = 1006
	var closed websocket.CloseError
	if errors.As(err, &closed) {
		t.Closed = int(closed.Code)
	}
	t.tell()
}

// tell wakes all goroutines that wait in Within for a change of the tab.
func (t *Tab) tell() {
	close(t.changed)
	t.changed = make(chan struct{})
}

// Close closes the connection. The tab keeps its position, world and unanswered commands.
func (t *Tab) Close() {
	t.mu.Lock()
	c := t.conn
	t.conn = nil
	t.mu.Unlock()
	if c != nil {
		c.end()
	}
}

// Send sends cmd with the requestId id and keeps the command until it is answered; after a new connection the tab sends
// it again. The caller holds mu, as Act, Look and Do do.
func (t *Tab) Send(id string, cmd wire.Command) *Command {
	body, err := json.Marshal(cmd)
	if err != nil {
		panic(err) // commands of wire always encode
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(body, &fields); err != nil {
		panic(err)
	}
	fields["type"], fields["requestId"] = quoted(cmd.CommandType()), quoted(id)
	frame, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	t.sent++
	c := &Command{Type: cmd.CommandType(), cmd: cmd, id: id, nth: t.sent, frame: frame, done: make(chan struct{})}
	t.Pending[id] = c
	t.put(c)
	return c
}

// waiting returns the unanswered commands in the order of their first sending. The caller holds mu.
func (t *Tab) waiting() []*Command {
	return slices.SortedFunc(maps.Values(t.Pending), func(a, b *Command) int { return a.nth - b.nth })
}

func quoted(s string) json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return b
}

// put sends a pending command if the tab is connected and has sent hello. The caller holds mu.
func (t *Tab) put(c *Command) {
	if t.conn == nil || t.Closed != 0 || t.stage < toldInfo {
		return
	}
	c.on = t.conn
	t.raw(c.frame)
}

func (t *Tab) raw(frame []byte) {
	select {
	case t.conn.out <- frame:
	default:
		t.complain("the queue of frames to the server is full")
	}
}

// Do sends a command and waits for its answer.
func (t *Tab) Do(id string, cmd wire.Command) *Command {
	t.t.Helper()
	t.mu.Lock()
	c := t.Send(id, cmd)
	t.mu.Unlock()
	t.Await(c)
	return c
}

// Await waits for a command's answer.
func (t *Tab) Await(c *Command) {
	t.t.Helper()
	select {
	case <-c.done:
	case <-time.After(Patience):
		t.Look(func() {
			t.t.Fatalf("%s: no answer to %s\nerrors %+v, closed %d, stage %d, seq %d", t.Name, c.frame, t.Errors, t.Closed, t.stage, t.Seq)
		})
	}
}

// Look runs f while it holds mu, so that the tab does not change.
func (t *Tab) Look(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f()
}

// Until waits until holds returns true. It calls holds under mu, first at once and then after each change of the
// tab. The parameter what describes the condition in the error.
func (t *Tab) Until(what string, holds func() bool) {
	t.t.Helper()
	if !t.Within(Patience, holds) {
		t.Look(func() {
			t.t.Fatalf("%s never saw: %s\nseq %d, stage %d, closed %d, errors %+v, pending %d, save %+v", t.Name, what, t.Seq, t.stage, t.Closed, t.Errors, len(t.Pending), t.Save)
		})
	}
}

// Within does the same as Until, but waits for at most patience. It reports whether holds has returned true.
func (t *Tab) Within(patience time.Duration, holds func() bool) bool {
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for {
		t.mu.Lock()
		ok, changed := holds(), t.changed
		t.mu.Unlock()
		if ok {
			return true
		}
		select {
		case <-changed:
		case <-limit.C:
			return false
		}
	}
}

// Live reports whether the tab is connected and has received everything up to the overlays. The caller holds mu.
func (t *Tab) Live() bool { return t.stage == toldAll && t.Closed == 0 }

// Join connects and waits until the tab is live.
func (t *Tab) Join(l *Life) {
	t.t.Helper()
	if err := t.Connect(l); err != nil {
		t.t.Fatalf("%s: connect: %v\n%s", t.Name, err, l.Log())
	}
	t.Until("live", func() bool { return t.Live() })
}

// Position returns the seq of the last event that the tab has applied, and a copy of the world at that seq.
func (t *Tab) Position() (seq int64, w *world.World) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.World != nil {
		w = t.World.Clone()
	}
	return t.Seq, w
}

func (t *Tab) complain(format string, args ...any) {
	t.ledger.complain("%s at %d: %s", t.Name, t.Seq, fmt.Sprintf(format, args...))
}
