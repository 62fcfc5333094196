package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/coder/websocket"

	"agentdungeon/client"
	"agentdungeon/server/dungeon"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

const crowdedMap = "20,000 files, 200 heroes"

// refresh measures a reload of the page until it shows the same map and agents as before (S3-23), by the page's clock.
func (b *bench) refresh() {
	st, tab := b.newTheatre(), b.browser()
	f := b.row(seconds, aim{below, 2}, "an empty page", "refresh of the page to the same map and agents, %s", crowdedMap)
	b.warmTimes(b.few(), func() {
		st.enter(tab)
		ours := reloaded(tab, whole)
		must(chromedp.Do(tab, chromedp.Navigate(st.url+"empty")))
		f.add(ours, reloaded(tab, "document.readyState === 'complete'"))
	})
}

// browser opens an empty tab of a headless Chromium. Both are closed when the enclosing call of bench.scope ends.
func (b *bench) browser() context.Context {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.WindowSize(1440, 900))
	if path := os.Getenv("CHROMIUM"); path != "" {
		options = append(options, chromedp.ExecPath(path))
	}
	alloc, stop := chromedp.NewExecAllocator(b.ctx, options...)
	b.after(stop)
	tab, cancel := chromedp.NewContext(alloc)
	b.after(cancel)
	return tab
}

// enter opens the map in a tab, without the start screen: the page's storage names the theatre's realm (S3-09).
func (st *theatre) enter(tab context.Context) {
	must(chromedp.Do(tab, chromedp.Navigate(st.url)))
	get(chromedp.Run(tab, chromedp.Evaluate[bool](`
		localStorage.setItem('agentDungeon.identity', '{"name":"bench","color":"#4fb8a3"}')
		localStorage.setItem('agentDungeon.realmId', 'stage')
		localStorage.setItem('agentDungeon.gamePhase', 'playing')
		true`)))
	must(chromedp.Do(tab, chromedp.Reload(), chromedp.WaitVisible(`[data-testid="map"] canvas`)))
}

// whole is a JavaScript condition: the page is connected, has all heroes and has drawn the map.
const whole = `(() => {
	const d = window.__dungeon, canvas = document.querySelector('[data-testid="map"] canvas')
	return !!d?.connected && d.state().realm?.world.agents.length === 200 && d.map?.frames?.length > 0 && canvas?.checkVisibility()
})()`

// reloaded reloads the page and returns the seconds from the start of the reload until the condition holds.
func reloaded(tab context.Context, holds string) float64 {
	must(chromedp.Do(tab, chromedp.Reload()))
	for limit := time.Now().Add(startTime); time.Now().Before(limit); time.Sleep(5 * time.Millisecond) {
		ms := get(chromedp.Run(tab, chromedp.Evaluate[float64](holds+" ? performance.now() : -1")))
		if ms >= 0 {
			return ms / 1e3
		}
	}
	failf("after a reload this condition does not become true in the page: %s", holds)
	return 0
}

// theatre is a stand-in for the server, since a realm cannot have 200 heroes: it serves the built page and one invented
// realm.
type theatre struct {
	url   string
	world *world.World
	land  *world.Land
	tree  *dungeon.Tree
	still bool // no hero walks
}

func (b *bench) newTheatre() *theatre {
	made := dungeon.NewBuilder("stage")
	for i := range 20 {
		top := made.Folder(dungeon.Root, fmt.Sprintf("module%02d", i))
		for j := range 50 {
			leaf := made.Folder(top, fmt.Sprintf("part%02d", j))
			for k := range 20 {
				made.File(leaf, fmt.Sprintf("source_file_%d.go", k), int64(k*997), false)
			}
		}
	}
	st := &theatre{tree: get(made.Build()), world: world.New(world.Realm{ID: "stage", Name: "Stage", Path: "/stage", Tenant: "default"})}
	st.land = &world.Land{Map: st.tree.Map(1, "walk", now()), MapTree: st.tree.Summary(), Country: dungeon.Country("stage", st.tree)}
	var seen []world.Point
	for at := range world.CountrySide * world.CountrySide {
		seen = append(seen, world.Point{at % world.CountrySide, at / world.CountrySide})
	}
	bodies := []world.Body{&world.AgentGoes{Revealed: seen}}
	for i := range 200 {
		bodies = append(bodies, &world.AgentJoined{Agent: world.Agent{
			ID: fmt.Sprintf("hero%03d", i), Name: "Hero", DisplayName: fmt.Sprintf("Hero %d", i), Kind: world.KindAgent,
			Role: "hero", Color: "#4fb8a3", Status: world.AgentIdle, X: 20 + i%80, Y: 20 + i/3,
		}})
	}
	for i, body := range bodies {
		world.Apply(st.world, world.Event{Seq: int64(i) + 1, Body: body})
	}
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServerFS(client.Page()))
	mux.HandleFunc("/r/", func(rw http.ResponseWriter, r *http.Request) { // the address that the page gives the realm
		http.ServeFileFS(rw, r, client.Page(), "index.html")
	})
	mux.HandleFunc("/ws", func(rw http.ResponseWriter, r *http.Request) {
		if c, err := websocket.Accept(rw, r, nil); err == nil {
			_ = try(func() { st.play(r.Context(), c) }) // the page has left
			c.CloseNow()
		}
	})
	mux.HandleFunc("/empty", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		_, _ = rw.Write([]byte("<!doctype html><title>empty</title>")) // an error: the page has left
	})
	st.url = b.listen(mux) + "/"
	return st
}

// play answers the commands of one page until its socket closes.
func (st *theatre) play(ctx context.Context, c *websocket.Conn) {
	c.SetReadLimit(1 << 20)
	id, epoch, tick := st.world.Realm.ID, "e1", st.world.Tick
	send := func(frames ...wire.Frame) {
		for _, f := range frames {
			must(c.Write(ctx, websocket.MessageText, get(wire.Encode(f))))
		}
	}
	send(&wire.ServerInfo{
		Protocol: wire.Protocol, Version: "bench", GamePhase: wire.PhasePlaying, RealmID: &id, Epoch: &epoch, Seq: tick,
		Addresses: []string{}, Role: wire.RoleHost, Templates: []wire.TemplateInfo{}, Driver: "none",
	})
	for {
		_, data, err := c.Read(ctx)
		must(err)
		cmd, requestID, _ := wire.Decode(data)
		switch cmd := cmd.(type) {
		case *wire.Hello:
			none := []json.RawMessage{}
			send(&wire.Welcome{RealmID: &id, Continuity: wire.ContinuitySnapshot, Reason: wire.SnapshotFirst, Epoch: &epoch,
				From: tick + 1, To: tick, MapGeneration: 1},
				&wire.WorldState{Seq: tick, Epoch: epoch, World: get(world.EncodeState(st.world, st.land)),
					Conversations: json.RawMessage("[]"), Recent: none, Rooms: none, Spectators: []wire.Spectator{}},
				&wire.Overlays{Segments: map[string]wire.Overlay{}, Agents: map[string]wire.Place{}},
				&wire.SpectatorList{Spectators: []wire.Spectator{}})
			if !st.still {
				go st.walks(ctx, c)
			}
		case *wire.Register:
			send(&wire.SpectatorWelcome{
				RequestID: requestID, SpectatorID: "bench", Name: cmd.Name, Color: cmd.Color, Role: wire.RoleHost, Seat: "none",
			})
		case *wire.MapRoom:
			if room, err := dungeon.Room(&dungeon.Survey{Tree: st.tree}, cmd.Path, cmd.Page); err == nil {
				room.RequestID = requestID
				send(&room)
			}
		}
	}
}

// walks sends a hundred walks a second, each of six tiles, for one hero after the other, until the page disconnects.
func (st *theatre) walks(ctx context.Context, c *websocket.Conn) {
	_ = try(func() {
		pace(100, limitTime, func(i int) {
			a, at := st.world.Agents[i%len(st.world.Agents)], now()
			walk := &world.AgentGoes{AgentID: a.ID, StartsAt: at, MsPerTile: 300, X: a.X + 5, Y: a.Y, ArrivesAt: at + 6*300}
			for step := range 6 {
				walk.Path = append(walk.Path, world.Point{a.X + step, a.Y})
			}
			rec := get(world.Event{Seq: st.world.Tick + 1 + int64(i), At: at, Body: walk}.Encode())
			must(c.Write(ctx, websocket.MessageText, rec.Frame))
		})
	})
}
