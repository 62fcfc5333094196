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

// Tab is a client as a browser's tab is one: it has a seat, a position and
// commands that nobody has answered yet, and keeps them through cuts and lives of
// the server. It holds every frame against the contract.
//
// Its fields may be read under Look and in Act; methods are safe from any
// goroutine but not from within those, except Send and Again.
type Tab struct {
	// Act is called after each frame while the tab is live, and every Beat: what it
	// does depends on the state alone, so that it is also what a tab does after it
	// has come back.
	Act  func(*Tab)
	Name string
	// MustReplay says that a snapshot in place of a replay is an error: nothing has
	// happened to the realm's files.
	MustReplay bool
	// SmallBuffer keeps the kernel from taking in megabytes for a tab that is deaf.
	SmallBuffer bool
	// Token that lets the tab in, "" where the server wants none.
	Token string

	t      testing.TB
	ledger *Ledger

	mu      sync.Mutex
	changed chan struct{}

	// What outlives a connection.
	RealmID string // "" asks for the last active one
	TabID   string
	Seat    string
	Epoch   string
	Seq     int64
	World   *world.World // nil before the first snapshot
	Land    *world.Land  // of the last snapshot
	Pending map[string]*Command

	// What the server said last.
	Info    wire.ServerInfo
	Welcome wire.Welcome
	Self    wire.SpectatorWelcome
	List    wire.SpectatorList
	Save    wire.SaveStatus
	Views   []world.View // of the last world:state
	Base    int64        // its seq
	Asks    map[string]wire.ProcessTurn
	Errors  []wire.ErrorFrame // that answered nothing of Pending
	Closed  int               // close code of the last connection, 1006 without one
	Frames  int               // taken in all
	Bytes   int               // of them
	Joined  int               // world:state taken
	Streams int               // deltas taken

	conn     *conn
	sent     int           // commands
	hears    chan struct{} // closed while it is not deaf
	stage    int
	segments map[string]*stream
}

// Beat is how often Act is asked although nothing came.
const Beat = 20 * time.Millisecond

// Command is something sent that waits for its answer.
type Command struct {
	Type   string
	Answer json.RawMessage // the frame that answered, nil before
	Code   wire.Code       // of the error that answered

	cmd   wire.Command
	id    string
	nth   int // of the tab's
	frame []byte
	on    *conn // where it was sent last
	again bool  // was refused for the moment: sent again at the next Beat
	done  chan struct{}
}

// stream is an open segment, while the tab is live.
type stream struct {
	text []byte
	next int
}

// Where an attachment stands.
const (
	toldNothing = iota // server:info comes
	toldInfo           // hello was said
	toldWorld          // world:state comes
	toldMissed         // what was missed comes, then overlays
	toldAll            // live
)

// NewTab makes a tab that is not connected; what it is shown goes to the ledger.
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

// conn is one connection. Its reader feeds the tab, its writer empties out.
type conn struct {
	ws   *websocket.Conn
	out  chan []byte // more than it holds fails the test
	ctx  context.Context
	stop context.CancelFunc
	done chan struct{} // the reader has ended
}

// Connect opens a socket to a life of the server and says hello with what the tab
// has had. It fails where the server is not there.
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
				return // the reader says why
			}
		case <-c.ctx.Done():
			return
		}
	}
}

// read is the connection's reader, and its clock.
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

// dialSmall connects with a receive buffer of 16 KiB.
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

// Deaf makes the tab stop reading, or go on. What is under way is still taken.
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

// tell wakes everybody who waits for a change.
func (t *Tab) tell() {
	close(t.changed)
	t.changed = make(chan struct{})
}

// Close cuts the connection; the tab keeps what it has.
func (t *Tab) Close() {
	t.mu.Lock()
	c := t.conn
	t.conn = nil
	t.mu.Unlock()
	if c != nil {
		c.end()
	}
}

// Send sends a command under a requestId of its own and keeps it until it is
// answered, over connections too. Under mu: in Act, in Look, or by Do.
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

// waiting returns what nobody has answered, in the order in which it was said. Under mu.
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

// put hands a pending command to the connection, if there is one that is live.
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
		t.complain("its queue to the server is full")
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

// Look runs f while nothing changes.
func (t *Tab) Look(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f()
}

// Until waits until holds does; holds is asked under Look, after each change.
func (t *Tab) Until(what string, holds func() bool) {
	t.t.Helper()
	if !t.Within(Patience, holds) {
		t.Look(func() {
			t.t.Fatalf("%s never saw: %s\nseq %d, stage %d, closed %d, errors %+v, pending %d, save %+v", t.Name, what, t.Seq, t.stage, t.Closed, t.Errors, len(t.Pending), t.Save)
		})
	}
}

// Within is Until with a time of its own, and says whether it held.
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

// Live reports whether the tab has all that was there at its hello. Under Look.
func (t *Tab) Live() bool { return t.stage == toldAll && t.Closed == 0 }

// Join connects and waits until the tab is live.
func (t *Tab) Join(l *Life) {
	t.t.Helper()
	if err := t.Connect(l); err != nil {
		t.t.Fatalf("%s: connect: %v\n%s", t.Name, err, l.Log())
	}
	t.Until("live", func() bool { return t.Live() })
}

// Position returns how far the tab is and a copy of its world there.
func (t *Tab) Position() (seq int64, w *world.World) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.World != nil {
		w = t.World.Clone()
	}
	return t.Seq, w
}

// Forget drops what the tab has had, as a browser does whose storage was emptied:
// its next hello asks for the world.
func (t *Tab) Forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Epoch, t.Seq, t.World = "", 0, nil
}

// Unanswered returns the requestIds that wait for an answer. Under Look.
func (t *Tab) Unanswered() []string { return slices.Sorted(maps.Keys(t.Pending)) }

func (t *Tab) complain(format string, args ...any) {
	t.ledger.complain("%s at %d: %s", t.Name, t.Seq, fmt.Sprintf(format, args...))
}
