package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// victim is the attacked tenant: its people, its realm and words that nobody else may see.
type victim struct {
	tab   *Tab
	realm string
	chat  string // a conversation
	run   string // a run of it
	repo  string
	words []string // texts that only the victim may see
}

// newVictim makes the default tenant link a folder, run a process to its end and talk.
func newVictim(t *testing.T, l *Life, ledger *Ledger) *victim {
	t.Helper()
	a := &victim{tab: NewTab(t, ledger, "Wilhelmina"), repo: repository(t), run: "quagga-run"}
	tab := a.tab
	tab.Token = l.Token("open")
	tab.Join(l)
	tab.Do("link", &wire.LinkRepo{Path: a.repo})
	tab.Until("a realm", func() bool { return tab.Live() && tab.World != nil })
	tab.Do("start", &wire.StartProcess{Problem: "the okapi question", TemplateID: "standard_brainstorm"})
	tab.Until("the process's end", func() bool { return tab.World.ProcessState.Status == world.StatusCompleted })
	tab.Do("begin", &wire.ConversationStart{Kind: world.KindChat, MemberIDs: []string{"ideator"}, Title: "numbat title", TemplateID: "standard_brainstorm"})
	chat, _ := ledger.conversation("numbat title")
	tab.Do(a.run, &wire.ChatSend{ConversationID: chat.ConversationID, Content: "zyzzyva words"})
	tab.Until("an answer, and its run's end", func() bool {
		busy := slices.ContainsFunc(tab.World.Agents, func(a world.Agent) bool { return a.Status != world.AgentIdle || a.Activity != "" })
		return !busy && strings.Contains(strings.Join(ledger.script(chat.ConversationID), "\n"), "You said")
	})
	a.realm, a.chat = tab.World.Realm.ID, chat.ConversationID
	a.words = []string{
		a.realm, a.chat, a.run, tab.Self.SpectatorID, tab.Self.Seat, tab.Epoch,
		"Wilhelmina", "okapi", "numbat", "zyzzyva", "quagga",
	}
	return a
}

// intruder is a socket of another tenant that records everything that it gets.
type intruder struct {
	t      *testing.T
	ws     *websocket.Conn
	frames chan []byte
}

func intrude(t *testing.T, l *Life, token string) *intruder {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	t.Cleanup(cancel)
	ws, _, err := websocket.Dial(ctx, "ws://"+l.Addr+"/ws", &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}})
	if err != nil {
		t.Fatal(err)
	}
	ws.SetReadLimit(64 << 20)
	b := &intruder{t: t, ws: ws, frames: make(chan []byte, 10_000)}
	done := make(chan struct{})
	t.Cleanup(func() { _ = ws.CloseNow(); <-done })
	go func() {
		defer close(done)
		defer close(b.frames)
		for {
			_, data, err := ws.Read(ctx)
			if err != nil {
				return
			}
			list := []json.RawMessage{data}
			if data[0] == '[' {
				if err := json.Unmarshal(data, &list); err != nil {
					t.Error(err)
				}
			}
			for _, f := range list {
				b.frames <- f
			}
		}
	}()
	return b
}

// until returns the frames up to the first for which the function ends returns true, and this last frame decoded.
func (b *intruder) until(ends func(head, []byte) bool) (got []byte, last map[string]any) {
	b.t.Helper()
	for frame := range b.frames {
		got = append(append(got, frame...), '\n')
		var h head
		if err := json.Unmarshal(frame, &h); err != nil {
			b.t.Fatalf("%v: %s", err, frame)
		}
		if ends(h, frame) {
			if err := json.Unmarshal(frame, &last); err != nil {
				b.t.Fatal(err)
			}
			return got, last
		}
	}
	b.t.Fatalf("it never came; so far: %s", got)
	return nil, nil
}

func (b *intruder) send(fields map[string]any) []byte {
	b.t.Helper()
	data, err := json.Marshal(fields)
	must(b.t, err)
	must(b.t, b.ws.Write(context.Background(), websocket.MessageText, data))
	return data
}

// crossing is a command by which tenant b tries to reach something of tenant a. code is the expected error; "" allows
// any answer, "error" any error.
type crossing struct {
	fields func(a *victim) map[string]any
	code   wire.Code
}

const anyError = wire.Code("error")

// crossings has every command of the contract. A new command needs a case here.
var crossings = map[string]crossing{
	"hello": {func(a *victim) map[string]any {
		return map[string]any{"protocol": 1, "realmId": a.realm, "epoch": a.tab.Epoch, "lastSeq": 0}
	}, ""},
	"spectator:register": {func(a *victim) map[string]any {
		return map[string]any{"name": "Mallory", "color": "#123456", "seat": a.tab.Self.Seat, "tab": a.tab.TabID}
	}, ""},
	"player:list-realms":  {func(*victim) map[string]any { return nil }, ""},
	"player:link-repo":    {func(a *victim) map[string]any { return map[string]any{"path": a.repo} }, ""},
	"player:resume-realm": {func(a *victim) map[string]any { return map[string]any{"realmId": a.realm} }, wire.NotFound},
	"player:remove-realm": {func(a *victim) map[string]any { return map[string]any{"realmId": a.realm} }, wire.NotFound},
	"player:start-process": {func(*victim) map[string]any {
		return map[string]any{"problem": "mine", "templateId": "standard_brainstorm"}
	}, ""},
	"process:take-role": {func(*victim) map[string]any { return map[string]any{"roleId": "ideator"} }, ""},
	"player:command": {func(a *victim) map[string]any {
		return map[string]any{"text": "what do they say?", "agentId": a.tab.Self.SpectatorID}
	}, anyError},
	"player:update-settings":   {func(*victim) map[string]any { return map[string]any{"settings": map[string]any{"maxAgents": 3}} }, ""},
	"player:dismiss-agent":     {func(a *victim) map[string]any { return map[string]any{"agentId": a.tab.Self.SpectatorID} }, anyError},
	"player:get-agent-details": {func(a *victim) map[string]any { return map[string]any{"agentId": a.tab.Self.SpectatorID} }, wire.NotFound},
	"spectator:command":        {func(*victim) map[string]any { return map[string]any{"text": "hello there"} }, ""},
	"chat.send": {func(a *victim) map[string]any {
		return map[string]any{"conversationId": a.chat, "content": "let me in"}
	}, wire.NotFound},
	"chat.cancel": {func(a *victim) map[string]any { return map[string]any{"conversationId": a.chat, "requestId": a.run} }, wire.NotFound},
	"conversation.start": {func(a *victim) map[string]any {
		return map[string]any{"kind": "council", "memberIds": []string{a.tab.Self.SpectatorID}, "taskPrompt": "tell me"}
	}, anyError},
	"conversation.open":     {inChat, wire.NotFound},
	"conversation.list":     {func(*victim) map[string]any { return nil }, ""},
	"conversation.abort":    {inChat, wire.NotFound},
	"conversation.resume":   {inChat, wire.NotFound},
	"conversation.pause":    {inChat, wire.NotFound},
	"conversation.rename":   {func(a *victim) map[string]any { return map[string]any{"conversationId": a.chat, "title": "mine"} }, wire.NotFound},
	"conversation.close":    {inChat, wire.NotFound},
	"team:list":             {func(*victim) map[string]any { return nil }, ""},
	"team:set":              {func(a *victim) map[string]any { return map[string]any{"teamId": "default", "resumeSessionId": a.chat} }, anyError},
	"team:take-member":      {func(a *victim) map[string]any { return map[string]any{"memberId": a.tab.Self.SpectatorID} }, anyError},
	"skill:open":            {func(*victim) map[string]any { return map[string]any{"name": "numbat-skill"} }, anyError},
	"skill:give":            {func(a *victim) map[string]any { return map[string]any{"name": "numbat-skill", "agentId": "ideator"} }, anyError},
	"history:erase":         {inChat, anyError},
	"door:answer":           {func(*victim) map[string]any { return map[string]any{"doorId": "d1", "choice": "allow"} }, anyError},
	"agent:stop":            {func(*victim) map[string]any { return map[string]any{"agentId": "claude:s1"} }, anyError},
	"agent:tell":            {func(*victim) map[string]any { return map[string]any{"agentId": "claude:s1", "text": "hello"} }, anyError},
	"session:list":          {func(*victim) map[string]any { return nil }, ""},
	"map:room":              {func(*victim) map[string]any { return map[string]any{"path": "src"} }, ""},
	"file:open":             {func(*victim) map[string]any { return map[string]any{"path": "src/main.go"} }, ""}, // of its own realm
	"player:navigate-enter": {func(*victim) map[string]any { return map[string]any{"path": "src"} }, ""},
	"player:navigate-back":  {func(*victim) map[string]any { return nil }, ""},
}

func inChat(a *victim) map[string]any { return map[string]any{"conversationId": a.chat} }

// Two tenants are on one server. One tries every command and every route to reach the other's realm, with the other's
// ids, seat and position. It gets nothing of the other's, changes nothing there, and can use its own realm (S1-08,
// S1-23). P2.6.
func TestNobodyCrossesTenants(t *testing.T) {
	t.Parallel()
	for _, c := range wire.Commands() {
		if _, ok := crossings[c.CommandType()]; !ok {
			t.Errorf("%s has no case in crossings", c.CommandType())
		}
	}
	script := file(t, filepath.Join(t.TempDir(), "talk.json"), talkers)
	home := NewHome(t, server, "-pace", "instant", "-script", script, "-tenants", "b, c")
	l := home.Start()
	ledger := NewLedger(t)
	a := newVictim(t, l, ledger)
	token := l.Token("open (b)")

	b := intrude(t, l, token)
	got, info := b.until(func(h head, _ []byte) bool { return h.Type == "server:info" })
	if info["realmId"] != nil || info["gamePhase"] != wire.PhaseOnboarding || info["offer"] != nil {
		t.Errorf("a tenant without realms comes into %s", got)
	}
	b.send(map[string]any{"type": "hello", "protocol": 1})
	b.until(func(h head, _ []byte) bool { return h.Type == "overlays" })
	b.send(map[string]any{"type": "spectator:register", "name": "Bo", "color": "#123456"})
	b.until(func(h head, _ []byte) bool { return h.Type == "spectator:welcome" })
	// Tenant b may link the folder that tenant a has linked, too.
	b.send(map[string]any{"type": "player:link-repo", "path": a.repo, "requestId": "own"})
	_, welcome := b.until(func(h head, _ []byte) bool { return h.Type == "welcome" })
	own, ok := welcome["realmId"].(string)
	if !ok || own == a.realm {
		t.Fatalf("linking the same folder leads into %v", welcome)
	}
	b.until(func(h head, _ []byte) bool { return h.RequestID == "own" })

	var before int64
	a.tab.Look(func() { before = a.tab.Seq })
	for _, c := range wire.Commands() {
		name := c.CommandType()
		fields := crossings[name].fields(a)
		if fields == nil {
			fields = map[string]any{}
		}
		fields["type"] = name
		if fields["requestId"] == nil {
			fields["requestId"] = "x-" + strings.NewReplacer(":", "-", ".", "-").Replace(name)
		}
		sent := b.send(fields)
		got, last := b.until(func(h head, _ []byte) bool {
			switch name {
			case "hello":
				return h.Type == "overlays" || h.Type == "error"
			case "chat.cancel": // its requestId is that of the run
				return h.Type == "error" || h.Type == "command:reply"
			}
			return h.RequestID == fields["requestId"] && h.At == nil
		})
		switch want := crossings[name].code; {
		case want == "" || want == anyError && last["type"] == "error":
		case last["type"] != "error" || last["code"] != string(want):
			t.Errorf("%s is answered %v, want %s", name, last, want)
		}
		for _, word := range a.words {
			if bytes.Contains(got, []byte(word)) && !bytes.Contains(sent, []byte(word)) {
				t.Errorf("%s tells the other tenant's %q: %.2000s", name, word, got)
			}
		}
		if bytes.Contains(got, []byte(a.tab.Self.SpectatorID)) && name == "spectator:register" {
			t.Errorf("the other tenant's seat is taken: %s", got)
		}
	}
	crossByHTTP(t, l, a, token, l.Token("spectators (b)"))
	crossByCommandLine(t, home, a, own)

	a.tab.Do("barrier", &wire.PlayerCommand{Text: "/help"}) // the answer comes after all earlier events
	for _, ev := range ledger.Events() {
		if _, walks := ev.Body.(*world.AgentGoes); ev.Seq > before && !walks { // members walk home without a command
			t.Errorf("in the other tenant's realm %s has happened", ev.Body.EventType())
		}
	}
	fresh := NewTab(t, ledger, "fresh")
	fresh.Token = l.Token("open")
	fresh.Join(l)
	sameAs(t, fresh, a.tab)

	// When one tenant adds or removes a realm, clients of other tenants get no frame about it.
	fresh.Close()
	a.tab.Close() // the ledger records one realm only
	host := intrude(t, l, l.Token("open"))
	host.until(func(h head, _ []byte) bool { return h.Type == "server:info" })
	host.send(map[string]any{"type": "hello", "protocol": 1})
	host.until(func(h head, _ []byte) bool { return h.Type == "overlays" })
	host.send(map[string]any{"type": "player:start-process", "problem": "aardwolf", "templateId": "standard_brainstorm", "bare": true, "requestId": "bare"})
	host.until(func(h head, _ []byte) bool { return h.RequestID == "bare" && h.Type == "command:reply" })
	host.send(map[string]any{"type": "player:remove-realm", "realmId": a.realm, "requestId": "away"})
	host.until(func(h head, _ []byte) bool { return h.RequestID == "away" && h.Type == "realm:removed" })
	b.send(map[string]any{"type": "player:list-realms", "requestId": "last"})
	got, list := b.until(func(h head, _ []byte) bool { return h.RequestID == "last" })
	if bytes.Contains(got, []byte("realm:removed")) || bytes.Contains(got, []byte(a.realm)) || bytes.Contains(got, []byte("aardwolf")) {
		t.Errorf("it hears of the other tenant's realms: %s", got)
	}
	if fmt.Sprint(list["lastActiveRealmId"]) != own {
		t.Errorf("its own last active realm is %v", list["lastActiveRealmId"])
	}
	if code := l.Stop(); code != 0 {
		t.Errorf("the server ended with %d", code)
	}

	// Each tenant comes back to its own realm.
	l = home.Start()
	b = intrude(t, l, l.Token("open (b)"))
	if got, info := b.until(func(h head, _ []byte) bool { return h.Type == "server:info" }); info["realmId"] != own {
		t.Errorf("after a restart it comes into %s", got)
	}
	c := intrude(t, l, l.Token("spectators (c)"))
	if got, info := c.until(func(h head, _ []byte) bool { return h.Type == "server:info" }); info["realmId"] != nil {
		t.Errorf("after a restart a third tenant comes into %s", got)
	}
}

// encoded returns a world as JSON.
func encoded(t *testing.T, w *world.World) []byte {
	w = w.Clone()
	data, err := json.Marshal(w)
	if err != nil {
		t.Error(err)
	}
	return data
}

// sameAs checks that two tabs have the same world at the same seq.
func sameAs(t *testing.T, one, other *Tab) {
	t.Helper()
	for {
		at, a := one.Position()
		then, b := other.Position()
		switch {
		case at < then:
			one.Until("what the other has seen", func() bool { return one.Seq >= then })
		case then < at:
			other.Until("what the other has seen", func() bool { return other.Seq >= at })
		default:
			if !bytes.Equal(encoded(t, a), encoded(t, b)) {
				t.Errorf("%s and %s have two worlds", one.Name, other.Name)
			}
			return
		}
	}
}

func fetch(t *testing.T, method, at, token string) (int, []byte) {
	t.Helper()
	req, err := http.NewRequest(method, at, nil)
	must(t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	must(t, err)
	body, err := io.ReadAll(resp.Body)
	must(t, err)
	must(t, resp.Body.Close())
	return resp.StatusCode, body
}

// apiRoute finds the routes below /api in the gate's source.
var apiRoute = regexp.MustCompile(`"/api/(?:realms/\{realmId\}/)?([a-z]+)":`)

// crossByHTTP requests the victim's resources on every route of /api with tokens of another tenant. The victim's own
// token shows that there is something to find.
func crossByHTTP(t *testing.T, l *Life, a *victim, tokens ...string) {
	t.Helper()
	own := l.Token("open")
	routes := []struct {
		path string
		says bool // the victim's own token finds its words there
	}{
		{"/api/realms/" + a.realm + "/audit", true},
		{"/api/realms/" + a.realm + "/export", true},
		{"/api/realms/" + a.realm + "/export?format=json", true},
		{"/api/realms/" + a.realm + "/export?format=sarif", false},
		{"/api/realms/" + a.realm + "/conversations?content=1", true},
		{"/api/realms/" + a.realm + "/conversations?content=1&format=text&tenant=default", true},
		{"/api/search?q=zyzzyva&realm=" + a.realm, true},
		{"/api/search?q=zyzzyva", true},
		{"/api/search?q=zyzzyva&conversation=" + a.chat, true},
		{"/api/search?q=zyzzyva&tenant=default", true},
		{"/api/retention?dryRun=1", true},
		{"/api/hook", false},
		{"/api/share", false},
		{"/api/offer", false},
		{"/api/realms/" + a.realm + "/file?path=src/main.go", false},
		{"/api/realms/" + a.realm + "/past?path=src/main.go", false},
		{"/api/realms/" + a.realm + "/files?q=main", false},
		{"/api/realms/" + a.realm + "/accepted", false},
	}
	posts := map[string][]string{ // by the last part of the path: bodies
		"erase":  {`{"conversationId":"` + a.chat + `"}`, `{"spectatorId":"` + a.tab.Self.SpectatorID + `"}`},
		"accept": {`{"findingId":"s-1","reason":"mine","write":true}`},
	}
	sources, err := filepath.Glob("../gate/*.go")
	must(t, err)
	found := 0
	for _, name := range sources {
		text, err := os.ReadFile(name)
		must(t, err)
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, m := range apiRoute.FindAllStringSubmatch(string(text), -1) {
			found++
			if posts[m[1]] == nil && !slices.ContainsFunc(routes, func(r struct {
				path string
				says bool
			}) bool {
				return strings.Contains(r.path, "/"+m[1])
			}) {
				t.Errorf("%s: the route %s has no case here", name, m[0])
			}
		}
	}
	if found != 14 {
		t.Errorf("%d routes found in the gate", found)
	}
	if status, body := askFacts(t, l, own, `{"words":"zyzzyva"}`); status != http.StatusOK || !strings.Contains(body, a.chat) {
		t.Errorf("/mcp: its own tenant gets %d %.300s", status, body)
	}
	for _, token := range tokens {
		for _, args := range []string{`{"words":"zyzzyva"}`, `{"realm":"` + a.realm + `"}`} {
			if status, body := askFacts(t, l, token, args); status != http.StatusForbidden {
				t.Errorf("/mcp: another tenant gets %d %.300s", status, body)
			}
		}
	}
	for i, token := range tokens {
		status, body := fetch(t, http.MethodGet, "http://"+l.Addr+"/api/share", token)
		if (status == http.StatusOK) != (i == 0) || bytes.Contains(body, []byte(own)) || bytes.Contains(body, []byte(l.Token("spectators"))) {
			t.Errorf("/api/share: another tenant gets %d %s", status, body)
		}
		for route, bodies := range posts {
			for _, body := range bodies {
				req, err := http.NewRequest(http.MethodPost, "http://"+l.Addr+"/api/realms/"+a.realm+"/"+route, strings.NewReader(body))
				must(t, err)
				req.Header.Set("Authorization", "Bearer "+token)
				resp, err := http.DefaultClient.Do(req)
				must(t, err)
				must(t, resp.Body.Close())
				if resp.StatusCode != http.StatusNotFound && resp.StatusCode != http.StatusForbidden {
					t.Errorf("%s in another tenant's realm: %d", route, resp.StatusCode)
				}
			}
		}
	}
	for _, route := range routes {
		at := "http://" + l.Addr + route.path
		holds := func(body []byte) bool {
			return slices.ContainsFunc(a.words, func(w string) bool {
				return bytes.Contains(body, []byte(w)) && !strings.Contains(route.path, w) && !strings.Contains(url.QueryEscape(w), "%")
			})
		}
		if status, body := fetch(t, http.MethodGet, at, own); status != http.StatusOK || route.says && !holds(body) {
			t.Errorf("%s: its own tenant gets %d %.300s", route.path, status, body)
		}
		for _, token := range tokens {
			if strings.Contains(route.path, "retention") { // a pass of the other tenant does not touch the victim
				if status, body := fetch(t, http.MethodPost, "http://"+l.Addr+"/api/retention?force=1", token); holds(body) {
					t.Errorf("a pass of another tenant: %d %.300s", status, body)
				}
			}
			status, body := fetch(t, http.MethodGet, at, token)
			crossed := holds(body)
			switch {
			case crossed:
				t.Errorf("%s: another tenant gets %d %.500s", route.path, status, body)
			case status != http.StatusNotFound && status != http.StatusForbidden && strings.Contains(route.path, a.realm):
				t.Errorf("%s: another tenant is answered %d %.300s", route.path, status, body)
			}
		}
	}
}

// askFacts calls the tool talks at /mcp.
func askFacts(t *testing.T, l *Life, token, args string) (status int, body string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, "http://"+l.Addr+"/mcp", strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"talks","arguments":`+args+`}}`))
	must(t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := http.DefaultClient.Do(req)
	must(t, err)
	text, err := io.ReadAll(resp.Body)
	must(t, err)
	must(t, resp.Body.Close())
	return resp.StatusCode, string(text)
}

// crossByCommandLine asks the commands of the binary for the victim's data as tenant b, whose realm is own, while the
// server runs.
func crossByCommandLine(t *testing.T, home *Home, a *victim, own string) {
	t.Helper()
	worlds := []string{"-worlds", home.Worlds}
	run := func(args ...string) (int, string) {
		code, out, errs := home.Run(append(args, worlds...)...)
		return code, out + errs
	}
	if code, text := run("realms"); code != 0 || !strings.Contains(text, a.realm) || strings.Contains(text, own) {
		t.Errorf("realms: %d %s", code, text)
	}
	if code, text := run("realms", "-tenant", "b"); code != 0 || !strings.Contains(text, own) || strings.Contains(text, a.realm) {
		t.Errorf("realms -tenant b: %d %s", code, text)
	}
	if code, text := run("conversations", "-content"); code != 0 || !strings.Contains(text, "zyzzyva") {
		t.Errorf("conversations: %d %s", code, text)
	}
	for _, args := range [][]string{
		{"conversations", "-content", "-tenant", "b"},
		{"conversations", "-content", "-tenant", "b", "-realm", a.realm},
		{"retention", "-dry-run", "-json", "-tenant", "b"},
		{"audit", "-tenant", "b", "-realm", a.realm},
		{"erase", "-tenant", "b", "-realm", a.realm, "-conversation", a.chat},
		{"export", "-tenant", "b", "-realm", a.realm},
		{"export", "-tenant", "b"},
		{"export", "-tenant", "b", "-realm", a.realm, "-token", "not a token of anybody"},
	} {
		code, text := run(args...)
		for _, word := range a.words {
			if strings.Contains(text, word) && !slices.Contains(args, word) {
				t.Errorf("%q tells %q: %.500s", args, word, text)
			}
		}
		if (code == 0) == slices.Contains(args, a.realm) {
			t.Errorf("%q ends with %d: %s", args, code, text)
		}
	}
	for _, name := range []string{"", "B", "../default", "a b"} {
		if code, text := run("realms", "-tenant", name); code != 2 || !strings.Contains(text, "-tenant") {
			t.Errorf("tenant %q: %d %s", name, code, text)
		}
	}
	if code, text := run("serve", "-addr", "127.0.0.1:0", "-tenants", "b,b"); code != 2 || !strings.Contains(text, "twice") {
		t.Errorf("%d %s", code, text)
	}
}
