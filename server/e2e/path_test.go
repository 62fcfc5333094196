package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"agentdungeon/shared/wire"
)

// Spectators are never told the path of a realm's linked folder on the host's machine: not in the world, not in
// replayed or live events, lists, rooms, errors or exports. Hosts are (P2.4).
func TestSpectatorsSeeNoPath(t *testing.T) {
	t.Parallel()
	home := NewHome(t, server, "-tenants", "b")
	l := home.Start()
	repo := repository(t)
	mark := []byte(filepath.Dir(repo)) // the parent folder, because the name of the folder itself can be the realm's name
	host := NewTab(t, NewLedger(t), "Ada")
	host.Token = l.Token("open")
	early := intrude(t, l, l.Token("spectators")) // this client is moved to the realm when it is linked
	overlays := func(h head, _ []byte) bool { return h.Type == "overlays" }
	clean := func(where string, got []byte) {
		t.Helper()
		if at := bytes.Index(got, mark); at >= 0 {
			t.Errorf("%s: a spectator is told the path: ...%s", where, got[max(0, at-200):min(len(got), at+100)])
		}
	}
	hello := map[string]any{"type": "hello", "protocol": wire.Protocol}
	early.until(func(h head, _ []byte) bool { return h.Type == "server:info" })
	early.send(hello)
	early.until(overlays)
	host.Join(l)
	host.Do("link", &wire.LinkRepo{Path: repo})
	host.Until("a realm", func() bool { return host.Live() && host.World != nil })
	var epoch, realmID string
	host.Look(func() {
		epoch, realmID = host.Epoch, host.World.Realm.ID
		if host.World.Realm.Path != repo {
			t.Errorf("a host's world has the path %q", host.World.Realm.Path)
		}
	})
	got, _ := early.until(overlays)
	clean("when the realm is linked", got)

	ask := func(l *Life, more map[string]any) {
		t.Helper()
		b := intrude(t, l, l.Token("spectators"))
		got, _ := b.until(func(h head, _ []byte) bool { return h.Type == "server:info" })
		for k, v := range hello {
			more[k] = v
		}
		b.send(more)
		attached, _ := b.until(overlays)
		got = append(got, attached...)
		for i, cmd := range []map[string]any{
			{"type": "spectator:register", "name": "Eve", "color": "#123456"},
			{"type": "player:list-realms"}, {"type": "map:room", "path": ""}, {"type": "player:command", "text": "/help"},
			{"type": "player:link-repo", "path": "nowhere"}, {"type": "player:resume-realm", "realmId": realmID},
		} {
			id := fmt.Sprintf("r%d", i)
			cmd["requestId"] = id
			b.send(cmd)
			answer, _ := b.until(func(h head, _ []byte) bool {
				return h.RequestID == id || i == 0 && h.Type == "spectator:welcome"
			})
			got = append(got, answer...)
		}
		clean(fmt.Sprint(more), got)
		if more["lastSeq"] != nil && !bytes.Contains(got, []byte(`"realm:created"`)) {
			t.Errorf("the replay %v does not begin with the realm's creation: %.300s", more, got)
		}
	}
	ask(l, map[string]any{})
	ask(l, map[string]any{"realmId": realmID, "epoch": epoch, "lastSeq": 0})

	// The linked folder goes away while the server is stopped, and the realm's own folder has another path.
	host.Close()
	if code := l.Stop(); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	moved := realmID + "-2"
	must(t, os.Rename(filepath.Join(home.Worlds, realmID), filepath.Join(home.Worlds, moved)))
	must(t, os.Rename(repo, repo+".away"))
	realmID = moved
	l = home.Start()
	ask(l, map[string]any{"realmId": realmID})
	ask(l, map[string]any{"realmId": realmID, "epoch": epoch, "lastSeq": 0})
	for _, what := range []string{"export?format=json", "export?format=markdown", "export?format=sarif", "conversations?format=json&content=1"} {
		req, err := http.NewRequest(http.MethodGet, "http://"+l.Addr+"/api/realms/"+realmID+"/"+what, nil)
		must(t, err)
		req.Header.Set("Authorization", "Bearer "+l.Token("spectators"))
		resp, err := http.DefaultClient.Do(req)
		must(t, err)
		body, err := io.ReadAll(resp.Body)
		must(t, err)
		must(t, resp.Body.Close())
		clean(what, body)
	}
}
