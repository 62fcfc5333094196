package gate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/rs/zerolog"

	"agentdungeon/server/realm"
	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// fakeRealm is a realm that records its commands and shows the frames that a test passes to it.
type fakeRealm struct {
	id string

	mu        sync.Mutex
	attachErr error
	late      bool // a new viewer has nothing yet
	submitErr *wire.Error
	positions []watch.Position
	submitted []fakeInput
	onSubmit  func() // called in Submit; nil for nothing
	viewers   map[*fakeViewer]bool
	people    []string // every Identify, in order
	erased    string   // a spectatorId
	said      int64    // events besides the first 7
}

type fakeInput struct {
	from      realm.Person
	requestID string
	cmd       wire.Command
	to        Viewer
}

func newRealm(id string) *fakeRealm { return &fakeRealm{id: id, viewers: map[*fakeViewer]bool{}} }

// Search finds one row, whose text is the query. A search in the realm "away" fails.
func (r *fakeRealm) Search(_ context.Context, q world.SearchQuery) ([]world.SearchHit, error) {
	if q.Words == "away" {
		return nil, errors.New("the disk is away")
	}
	if q.Words == "" {
		return nil, nil
	}
	return []world.SearchHit{{MessageID: map[bool]string{true: "public", false: "m"}[q.Public], ConversationID: q.ConversationID, Seq: int64(q.Limit), Parts: []world.SearchPart{{Text: q.Words, Hit: true}}, Title: r.id}}, nil
}

func (r *fakeRealm) ID() string { return r.id }

func (r *fakeRealm) Attach(_ context.Context, pos watch.Position) (Viewer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.attachErr != nil {
		return nil, r.attachErr
	}
	r.positions = append(r.positions, pos)
	v := &fakeViewer{realm: r, ready: make(chan struct{}, 1)}
	v.frames = [][]byte{
		fmt.Appendf(nil, `{"type":"welcome","realmId":%q,"continuity":"snapshot"}`, r.id),
		fmt.Appendf(nil, `{"type":"world:state","seq":7}`),
		fmt.Appendf(nil, `{"type":"overlays"}`),
	}
	r.viewers[v] = true
	if r.late {
		v.frames = nil
		return v, nil
	}
	v.wake()
	return v, nil
}

func (r *fakeRealm) Submit(from realm.Person, requestID string, cmd wire.Command, to Viewer) *wire.Error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.submitErr != nil {
		return r.submitErr
	}
	r.submitted = append(r.submitted, fakeInput{from, requestID, cmd, to})
	if r.onSubmit != nil {
		r.onSubmit()
	}
	return nil
}

// show adds a frame for every viewer.
func (r *fakeRealm) show(frames ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for v := range r.viewers {
		v.give(frames...)
	}
}

// during runs f within the next Take of the realm's only viewer.
func (r *fakeRealm) during(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for v := range r.viewers {
		v.mu.Lock()
		v.hook = f
		v.mu.Unlock()
		v.wake()
	}
}

// end lets Take of every viewer fail.
func (r *fakeRealm) end(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for v := range r.viewers {
		v.mu.Lock()
		v.err = err
		v.mu.Unlock()
		v.wake()
	}
}

func (r *fakeRealm) inputs() []fakeInput {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.submitted)
}

func (r *fakeRealm) watching() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.viewers)
}

func (r *fakeRealm) identified() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.people)
}

type fakeViewer struct {
	realm *fakeRealm
	ready chan struct{}

	mu       sync.Mutex
	frames   [][]byte
	err      error
	taken    int
	hook     func()       // called once, at the start of the next Take
	onLapped atomic.Value // a func()
}

func (v *fakeViewer) give(frames ...string) {
	v.mu.Lock()
	for _, f := range frames {
		v.frames = append(v.frames, []byte(f))
	}
	v.mu.Unlock()
	v.wake()
}

func (v *fakeViewer) wake() {
	select {
	case v.ready <- struct{}{}:
	default:
	}
}

func (v *fakeViewer) Take(_ context.Context, maxBytes int) ([][]byte, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.hook != nil {
		v.hook()
		v.hook = nil
	}
	var out [][]byte
	for size := 0; len(v.frames) > 0 && size < maxBytes; {
		size += len(v.frames[0])
		out, v.frames = append(out, v.frames[0]), v.frames[1:]
	}
	if len(out) > 0 {
		v.taken += len(out)
		v.wake()
		return out, nil
	}
	return nil, v.err
}

func (v *fakeViewer) Ready() <-chan struct{} { return v.ready }

func (v *fakeViewer) OnLapped(f func()) { v.onLapped.Store(f) }

func (v *fakeViewer) Identify(p wire.Spectator) {
	v.realm.mu.Lock()
	defer v.realm.mu.Unlock()
	v.realm.people = append(v.realm.people, p.Name)
}

func (v *fakeViewer) Close() {
	v.realm.mu.Lock()
	defer v.realm.mu.Unlock()
	delete(v.realm.viewers, v)
}

// fakeRealms is a keeper of fake realms. A hook that is set replaces its method.
type fakeRealms struct {
	mu      sync.Mutex
	current *fakeRealm
	known   map[string]*fakeRealm
	link    func(path string, progress func(wire.RealmProgress)) (*fakeRealm, error)
	remove  func(id string) error
	opened  int
	bare    int
	none    func() // called once, after Current has found no realm
}

func newRealms(ids ...string) *fakeRealms {
	k := &fakeRealms{known: map[string]*fakeRealm{}}
	for _, id := range ids {
		k.known[id] = newRealm(id)
	}
	if len(ids) > 0 {
		k.current = k.known[ids[0]]
	}
	return k
}

func (k *fakeRealms) Phase() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.current != nil {
		return wire.PhasePlaying
	}
	return wire.PhaseOnboarding
}

func (k *fakeRealms) Current() (Realm, bool) {
	k.mu.Lock()
	current, none := k.current, k.none
	if current == nil {
		k.none = nil
	}
	k.mu.Unlock()
	if current != nil {
		return current, true
	}
	if none != nil {
		none()
	}
	return nil, false
}

func (k *fakeRealms) find(id string) (*fakeRealm, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.opened++
	r, ok := k.known[id]
	if !ok {
		return nil, wire.Errorf(wire.NotFound, "there is no realm %q", id)
	}
	return r, nil
}

func (k *fakeRealms) Open(_ context.Context, id string) (Realm, error) {
	r, err := k.find(id)
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (k *fakeRealms) List(context.Context) (wire.RealmList, error) {
	return wire.RealmList{Realms: []wire.RealmInfo{{ID: "r1", Name: "one", Path: "/home/somebody/one"}}, LastActiveRealmID: "r1"}, nil
}

func (k *fakeRealms) Link(_ context.Context, path string, progress func(wire.RealmProgress)) (Realm, error) {
	k.mu.Lock()
	link := k.link
	k.mu.Unlock()
	if link == nil {
		return nil, wire.Errorf(wire.NotFound, "there is no folder %s", path)
	}
	r, err := link(path, progress)
	if err != nil {
		return nil, err
	}
	return k.activate(r), nil
}

func (k *fakeRealms) activate(r *fakeRealm) Realm {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.known[r.id], k.current = r, r
	return r
}

func (k *fakeRealms) Resume(_ context.Context, id string) (Realm, error) {
	r, err := k.find(id)
	if err != nil {
		return nil, err
	}
	return k.activate(r), nil
}

func (k *fakeRealms) Remove(_ context.Context, id string) error {
	r, err := k.find(id)
	if err != nil {
		return err
	}
	r.end(watch.ErrStopped)
	if k.remove != nil {
		if err := k.remove(id); err != nil {
			return err
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.known, id)
	if k.current == r {
		k.current = nil
	}
	return nil
}

func (k *fakeRealms) Bare(_ context.Context, problem string) (Realm, error) {
	k.mu.Lock()
	k.bare++
	k.mu.Unlock()
	if problem == "fail" {
		return nil, errors.New("disk full")
	}
	return k.activate(newRealm("bare")), nil
}

var testKey = []byte("0123456789abcdef0123456789abcdef")

// house is a gate that clients reach by pipes in memory.
type house struct {
	t      *testing.T
	gate   *Gate
	realms *fakeRealms
	pipes  pipes
}

type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	c, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (p pipes) Close() error   { return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 3001} }

// of1 returns the default tenant alone, with these realms and without tokens.
func of1(realms Realms) []Tenant { return []Tenant{{Name: "default", Realms: realms, About: about}} }

// about has the templates and the offer of the fake server.
var about = About{
	Templates: func() []wire.TemplateInfo {
		return []wire.TemplateInfo{{ID: "deep_brainstorm"}}
	},
	Driver: "none", Offer: "/home/somebody/one",
}

// open starts a gate that is ready. It stops at the end of the test.
func open(t *testing.T, realms *fakeRealms, limits Limits, change ...func(*Config)) *house {
	t.Helper()
	cfg := Config{Tenants: of1(realms), Key: testKey, Port: 3001, Version: "test", Log: zerolog.Nop(), Limits: limits}
	for _, c := range change {
		c(&cfg)
	}
	h := &house{t: t, gate: New(cfg), realms: realms, pipes: make(pipes)}
	server := h.gate.Server()
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(h.pipes) // ends with ErrServerClosed or the listener's error
	}()
	t.Cleanup(func() {
		if err := h.gate.Shutdown(context.Background()); err != nil {
			t.Errorf("shut down: %v", err)
		}
		close(h.pipes)
		if err := server.Close(); err != nil {
			t.Errorf("close the server: %v", err)
		}
		<-served
	})
	if len(change) == 0 || cfg.Version != "not ready" {
		h.gate.SetReady()
	}
	return h
}

// client is a WebSocket client that unpacks joined frames.
type client struct {
	t       *testing.T
	conn    *websocket.Conn
	pipe    net.Conn
	pending []map[string]any
}

// dial opens a socket. It reads nothing.
func (h *house) dial(header ...string) *client {
	h.t.Helper()
	c := &client{t: h.t}
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		c.pipe = ours
		select {
		case h.pipes <- theirs:
			return ours, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}
	opts := &websocket.DialOptions{HTTPClient: &http.Client{Transport: transport}, HTTPHeader: http.Header{}}
	for i := 0; i+1 < len(header); i += 2 {
		opts.HTTPHeader.Set(header[i], header[i+1])
	}
	conn, _, err := websocket.Dial(context.Background(), "ws://localhost:3001/ws", opts)
	if err != nil {
		h.t.Fatalf("dial: %v", err)
	}
	conn.SetReadLimit(-1)
	c.conn = conn
	h.t.Cleanup(func() { _ = conn.CloseNow() }) // most are closed already
	return c
}

// enter opens a socket, reads server:info and sends a hello with these fields.
func (h *house) enter(fields ...any) *client {
	h.t.Helper()
	c := h.dial()
	c.expect("server:info")
	c.hello(fields...)
	return c
}

func (c *client) hello(fields ...any) {
	c.t.Helper()
	c.send(append([]any{"type", "hello", "protocol", 1}, fields...)...)
	c.expect("welcome")
	for c.expect("")["type"] != "overlays" {
	}
}

// send writes a frame of a type with fields as pairs.
func (c *client) send(pairs ...any) {
	c.t.Helper()
	m := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	b, err := json.Marshal(m)
	if err != nil {
		c.t.Fatalf("encode: %v", err)
	}
	c.text(string(b))
}

func (c *client) text(s string) {
	c.t.Helper()
	if err := c.conn.Write(context.Background(), websocket.MessageText, []byte(s)); err != nil {
		c.t.Fatalf("write: %v", err)
	}
}

// next returns the next frame, or the error that ended the connection.
func (c *client) next() (map[string]any, error) {
	for len(c.pending) == 0 {
		_, data, err := c.read()
		if err != nil {
			return nil, err
		}
		if data[0] == '[' {
			if err := json.Unmarshal(data, &c.pending); err != nil {
				c.t.Fatalf("an array frame: %v", err)
			}
			if len(c.pending) < 2 {
				c.t.Fatalf("an array of %d frames", len(c.pending))
			}
			continue
		}
		var one map[string]any
		if err := json.Unmarshal(data, &one); err != nil {
			c.t.Fatalf("a frame: %v", err)
		}
		c.pending = append(c.pending, one)
	}
	m := c.pending[0]
	c.pending = c.pending[1:]
	return m, nil
}

// read reads a message. It fails after an hour of the bubble's time, so that a missing message does not
// block the test.
func (c *client) read() (websocket.MessageType, []byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	return c.conn.Read(ctx)
}

// expect reads the next frame and checks its type ("" for any).
func (c *client) expect(kind string) map[string]any {
	c.t.Helper()
	m, err := c.next()
	if err != nil {
		c.t.Fatalf("waiting for %q: %v", kind, err)
	}
	if kind != "" && m["type"] != kind {
		c.t.Fatalf("got %v, want a %s", m, kind)
	}
	return m
}

// refused reads an error frame and checks its code.
func (c *client) refused(code wire.Code) map[string]any {
	c.t.Helper()
	m := c.expect("error")
	if m["code"] != string(code) {
		c.t.Fatalf("got %v, want code %s", m, code)
	}
	return m
}

// closed reads to the end of the connection and checks the close code; -1 means none.
func (c *client) closed(code wire.CloseCode) {
	c.t.Helper()
	for {
		m, err := c.next()
		if err == nil {
			if m["type"] == "error" {
				continue
			}
			c.t.Fatalf("got %v, want the end with %d", m, code)
		}
		if got := websocket.CloseStatus(err); int(got) != int(code) {
			c.t.Fatalf("closed with %d (%v), want %d", got, err, code)
		}
		return
	}
}

func (c *client) register(name string, fields ...any) map[string]any {
	c.t.Helper()
	c.send(append([]any{"type", "spectator:register", "name", name, "color", "#aabbcc"}, fields...)...)
	return c.expect("spectator:welcome")
}

func (h *house) ask(method, path string, body io.Reader, header ...string) (status int, res *http.Response) {
	h.t.Helper()
	req, err := http.NewRequest(method, "http://localhost:3001"+path, body)
	if err != nil {
		h.t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
		}
		req.Header.Add(header[i], header[i+1])
	}
	transport := &http.Transport{
		DisableKeepAlives: true, DisableCompression: true,
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			ours, theirs := net.Pipe()
			h.pipes <- theirs
			return ours, nil
		},
	}
	res, err = transport.RoundTrip(req)
	if err != nil {
		h.t.Fatalf("%s %s: %v", method, path, err)
	}
	text, err := io.ReadAll(res.Body)
	if err != nil {
		h.t.Fatalf("%s %s: %v", method, path, err)
	}
	if err := res.Body.Close(); err != nil {
		h.t.Fatal(err)
	}
	res.Body = io.NopCloser(bytes.NewReader(text))
	return res.StatusCode, res
}
