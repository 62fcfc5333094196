package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/coder/websocket"

	"agentdungeon/client"
	"agentdungeon/server/dungeon"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// frames is how smoothly the page draws a country of 20,000 files with 200 heroes
// who walk all the time: more than a realm may have, so the page is served by a
// theatre that speaks the protocol and not by the server.
func (b *bench) frames(ctx context.Context) ([]figure, error) {
	st, err := newTheatre()
	if err != nil {
		return nil, err
	}
	defer st.close()
	tab, end, err := browser(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	bare, err := frameTimes(tab, nil)
	if err != nil {
		return nil, err
	}
	if err := st.enter(tab); err != nil {
		return nil, err
	}
	time.Sleep(3 * time.Second) // textures are made, the fog has lifted
	still := figure{name: "frame time in the page, 20,000 files, 200 heroes walking, p95", unit: seconds, bare: "an empty page, p95"}
	work := figure{name: "of it the page's own work, p95 (the rest is the browser's: this machine draws without a GPU)", unit: seconds}
	drag := figure{name: "the same while the map is dragged, p95", unit: seconds, bare: "an empty page, p95"}
	for range b.fewRuns() {
		if err := b.breathe(ctx); err != nil {
			return nil, err
		}
		for _, f := range []struct {
			to   *figure
			move func(context.Context, int) error
		}{{&still, nil}, {&drag, drags}} {
			took, err := frameTimes(tab, f.move)
			if err != nil {
				return nil, err
			}
			if f.to == &still {
				own, err := ownWork(tab)
				if err != nil {
					return nil, err
				}
				work.ours = append(work.ours, percentile(own, 95))
			}
			f.to.ours, f.to.limit = append(f.to.ours, percentile(took, 95)), append(f.to.limit, percentile(bare, 95))
		}
	}
	return []figure{still, work, drag}, nil
}

// browser opens an empty tab of a headless Chromium; end closes both.
func browser(ctx context.Context) (tab context.Context, end func(), err error) {
	program := chromium()
	if program == "" {
		return nil, nil, errors.New("no Chromium is installed")
	}
	alloc, stop := chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.WindowSize(1440, 900))...)
	tab, cancel := chromedp.NewContext(alloc)
	return tab, func() { cancel(); stop() }, nil
}

// enter brings a tab onto the theatre's map: the page lands in the game where storage and
// server agree (S3-09).
func (st *theatre) enter(tab context.Context) error {
	if err := chromedp.Do(tab, chromedp.Navigate(st.url)); err != nil {
		return err
	}
	if _, err := chromedp.Run(tab, chromedp.Evaluate[bool](`
		localStorage.setItem('agentDungeon.identity', '{"name":"bench","color":"#4fb8a3"}')
		localStorage.setItem('agentDungeon.realmId', 'stage')
		localStorage.setItem('agentDungeon.gamePhase', 'playing')
		true`)); err != nil {
		return err
	}
	if err := chromedp.Do(tab, chromedp.Reload(), chromedp.WaitVisible(`[data-testid="map"] canvas`)); err != nil {
		return fmt.Errorf("the drawn map does not come: %w", err)
	}
	return nil
}

// chromium is a browser's program, "" where none is installed.
func chromium() string {
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	return ""
}

// frameTimes are the times between the frames of four seconds; move is called some
// 30 times a second meanwhile.
func frameTimes(ctx context.Context, move func(context.Context, int) error) ([]time.Duration, error) {
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`
		window.__frames = null
		{ const took = []; let last = performance.now(); const end = last + 4000
		  const frame = (t) => { took.push(t - last); last = t; t < end ? requestAnimationFrame(frame) : (window.__frames = took.slice(1)) }
		  requestAnimationFrame(frame) }
		true`)); err != nil {
		return nil, err
	}
	for i := 0; ; i++ {
		time.Sleep(33 * time.Millisecond)
		if move != nil {
			if err := move(ctx, i); err != nil {
				return nil, err
			}
		}
		took, err := chromedp.Run(ctx, chromedp.Evaluate[[]float64](`window.__frames ?? []`))
		if err != nil {
			return nil, err
		}
		if len(took) > 0 {
			return durations(took), nil
		}
	}
}

// ownWork is what the page's code took for each of the last frames.
func ownWork(ctx context.Context) ([]time.Duration, error) {
	took, err := chromedp.Run(ctx, chromedp.Evaluate[[]float64](`[...window.__dungeon.map.frames]`))
	return durations(took), err
}

func durations(ms []float64) []time.Duration {
	out := make([]time.Duration, len(ms))
	for i, m := range ms {
		out[i] = time.Duration(m * float64(time.Millisecond))
	}
	return out
}

// drags moves the map to and fro with the pointer held down.
func drags(ctx context.Context, i int) error {
	const x, y, far = 600, 400, 20
	at := float64(x + far*(i%20))
	kind := input.DispatchMouseEventTypeMouseMoved
	switch i % 20 {
	case 0:
		kind = input.DispatchMouseEventTypeMousePressed
	case 19:
		kind = input.DispatchMouseEventTypeMouseReleased
	}
	return chromedp.Do(ctx, chromedp.MouseEvent(kind, at, y, chromedp.ButtonLeft))
}

// theatre serves the built page and one made-up realm.
type theatre struct {
	url   string
	http  *http.Server
	world *world.World
	tree  *dungeon.Tree
}

func newTheatre() (*theatre, error) {
	b := dungeon.NewBuilder("stage")
	for i := range 20 {
		top := b.Folder(dungeon.Root, fmt.Sprintf("module%02d", i))
		for j := range 50 {
			leaf := b.Folder(top, fmt.Sprintf("part%02d", j))
			for k := range 20 {
				b.File(leaf, fmt.Sprintf("source_file_%d.go", k), int64(k*997), false)
			}
		}
	}
	tree, err := b.Build()
	if err != nil {
		return nil, err
	}
	w := world.New(world.Realm{ID: "stage", Name: "Stage", Path: "/stage", Tenant: "default"})
	w.Map, w.MapTree, w.Country = tree.Map(1, "walk", world.TimeOf(time.Now())), tree.Summary(), dungeon.Country("stage", tree)
	var seen []world.Point
	for y := range world.CountrySide {
		for x := range world.CountrySide {
			seen = append(seen, world.Point{x, y})
		}
	}
	for i := range 200 {
		a := world.Agent{
			ID: fmt.Sprintf("hero%03d", i), Name: "Hero", DisplayName: fmt.Sprintf("Hero %d", i), Kind: world.KindAgent,
			Role: "hero", Color: "#4fb8a3", Status: world.AgentIdle, X: 20 + i%80, Y: 20 + i/3,
		}
		world.Apply(w, world.Event{Seq: w.Tick + 1, Body: &world.AgentJoined{Agent: a}})
	}
	world.Apply(w, world.Event{Seq: w.Tick + 1, Body: &world.AgentGoes{Revealed: seen}})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	st := &theatre{url: "http://" + l.Addr().String() + "/", world: w, tree: tree}
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServerFS(client.Page()))
	mux.HandleFunc("/ws", st.socket)
	mux.HandleFunc("/empty", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		_, _ = rw.Write([]byte("<!doctype html><title>empty</title>"))
	})
	st.http = &http.Server{Handler: mux}
	go func() { _ = st.http.Serve(l) }() // ends with close
	return st, nil
}

func (st *theatre) close() { _ = st.http.Close() } // the run is over either way

func (st *theatre) socket(rw http.ResponseWriter, r *http.Request) {
	c, err := websocket.Accept(rw, r, nil)
	if err != nil {
		return
	}
	defer c.CloseNow()
	c.SetReadLimit(1 << 20)
	ctx := r.Context()
	if err := st.greet(ctx, c); err != nil {
		return
	}
	for {
		_, data, err := c.Read(ctx)
		if err != nil {
			return
		}
		cmd, requestID, refused := wire.Decode(data)
		if refused != nil {
			continue
		}
		var reply wire.Frame
		switch cmd := cmd.(type) {
		case *wire.Hello:
			if err := st.show(ctx, c); err != nil {
				return
			}
			go st.walks(ctx, c)
		case *wire.Register:
			reply = &wire.SpectatorWelcome{RequestID: requestID, SpectatorID: "bench", Name: cmd.Name, Color: cmd.Color, Role: wire.RoleHost, Seat: "none"}
		case *wire.MapRoom:
			room, err := dungeon.Room(&dungeon.Survey{Tree: st.tree}, cmd.Path, cmd.Page)
			if err != nil {
				continue
			}
			room.RequestID = requestID
			reply = &room
		}
		if reply != nil && send(ctx, c, reply) != nil {
			return
		}
	}
}

func send(ctx context.Context, c *websocket.Conn, f wire.Frame) error {
	data, err := wire.Encode(f)
	if err != nil {
		return err
	}
	return c.Write(ctx, websocket.MessageText, data)
}

func (st *theatre) greet(ctx context.Context, c *websocket.Conn) error {
	id, epoch := st.world.Realm.ID, "e1"
	return send(ctx, c, &wire.ServerInfo{
		Protocol: wire.Protocol, Version: "bench", GamePhase: wire.PhasePlaying, RealmID: &id, Epoch: &epoch, Seq: st.world.Tick,
		Addresses: []string{}, Role: wire.RoleHost, Templates: []wire.TemplateInfo{}, Driver: "none",
	})
}

// show is what follows a hello.
func (st *theatre) show(ctx context.Context, c *websocket.Conn) error {
	id, epoch := st.world.Realm.ID, "e1"
	raw, err := json.Marshal(st.world)
	if err != nil {
		return err
	}
	empty := json.RawMessage("[]")
	for _, f := range []wire.Frame{
		&wire.Welcome{RealmID: &id, Continuity: wire.ContinuitySnapshot, Reason: wire.SnapshotFirst, Epoch: &epoch, From: st.world.Tick + 1, To: st.world.Tick, MapGeneration: 1},
		&wire.WorldState{Seq: st.world.Tick, Epoch: epoch, World: raw, Conversations: empty, Recent: empty, Rooms: empty, Spectators: []wire.Spectator{}},
		&wire.Overlays{Segments: map[string]wire.Overlay{}, Agents: map[string]wire.Place{}},
		&wire.SpectatorList{Spectators: []wire.Spectator{}},
	} {
		if err := send(ctx, c, f); err != nil {
			return err
		}
	}
	return nil
}

// walks lets every hero walk to and fro: a hundred walks a second of six tiles.
func (st *theatre) walks(ctx context.Context, c *websocket.Conn) {
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	seq := st.world.Tick
	for i := 0; ; i++ {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		for k := range 5 {
			a := st.world.Agents[(i*5+k)%len(st.world.Agents)]
			var path []world.Point
			for step := range 6 {
				path = append(path, world.Point{a.X + step, a.Y})
			}
			seq++
			now := world.TimeOf(time.Now())
			rec, err := world.Event{Seq: seq, At: now, Body: &world.AgentGoes{
				AgentID: a.ID, Path: path, StartsAt: now, MsPerTile: 300, X: a.X + 5, Y: a.Y, ArrivesAt: now + 6*300,
			}}.Encode()
			if err != nil || c.Write(ctx, websocket.MessageText, rec.Frame) != nil {
				return
			}
		}
	}
}
