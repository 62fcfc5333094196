package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// witness is a client in a realm in which nothing happens. It must not notice anything during the test.
type witness struct {
	t      *testing.T
	home   *Home
	life   *Life
	tab    *Tab
	seq    int64
	world  *world.World
	folder []string
}

// newWitness links a folder and waits until everything is saved.
func newWitness(t *testing.T, args ...string) *witness {
	t.Helper()
	w := &witness{t: t, home: NewHome(t, server, args...)}
	w.life = w.home.Start()
	w.tab = NewTab(t, NewLedger(t), "witness")
	w.tab.Join(w.life)
	w.tab.Do("link", &wire.LinkRepo{Path: repository(t)})
	w.tab.Until("the oracle", func() bool { return w.tab.World != nil && len(w.tab.World.Agents) == 1 })
	w.saved()
	w.seq, w.world = w.tab.Position()
	w.folder = w.files()
	return w
}

// saved waits until state.json and then the registry have the last event.
func (w *witness) saved() {
	w.t.Helper()
	eventually(w.t, "state.json and the registry", func() bool {
		var s state
		seq, _ := w.tab.Position()
		data, err := os.ReadFile(filepath.Join(w.home.Worlds, w.tab.RealmID, "state.json"))
		if err != nil || json.Unmarshal(data, &s) != nil || s.Seq != seq {
			return false
		}
		data, err = os.ReadFile(filepath.Join(w.home.Worlds, "realms.json"))
		temps, _ := filepath.Glob(filepath.Join(w.home.Worlds, ".realms.json.*"))
		return err == nil && bytes.Contains(data, []byte(`"files": 4`)) && len(temps) == 0
	})
}

// files returns the names of the files in the worlds folder, with the content of JSON files.
func (w *witness) files() (out []string) {
	w.t.Helper()
	must(w.t, filepath.WalkDir(w.home.Worlds, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text := ""
		if strings.HasSuffix(path, ".json") {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text = string(data)
		}
		out = append(out, path+" "+text)
		return nil
	}))
	return out
}

// unmoved checks that nothing has changed: not the realm, not its files, not the connection of the witness.
func (w *witness) unmoved() {
	w.t.Helper()
	seq, now := w.tab.Position()
	w.tab.Look(func() {
		if seq != w.seq || w.tab.Closed != 0 || w.tab.Joined != 1 {
			w.t.Errorf("the witness: from %d to %d, closed %d, %d snapshots", w.seq, seq, w.tab.Closed, w.tab.Joined)
		}
	})
	SameWorld(w.t, "the witness", now, w.world)
	sameAsFresh(w.t, w.life, w.tab)
	if now := w.files(); !slices.Equal(now, w.folder) {
		w.t.Errorf("the worlds folder was\n%.2000s\nand is\n%.2000s", w.folder, now)
	}
	if c := w.tab.Do("list-"+strconv.Itoa(w.tab.Frames), &wire.ListRealms{}); len(realmList(w.t, c).Realms) != 1 {
		w.t.Errorf("realms: %s", c.Answer)
	}
}

// After frames that no valid client sends, the server closes the sender, and no other client notices.
func TestMalformedFrames(t *testing.T) {
	t.Parallel()
	w := newWitness(t)
	big := make([]byte, 50<<20)
	for _, c := range []struct {
		name  string
		bytes []byte
		codes []int
	}{
		{"a reserved opcode", clientFrame(0x83, []byte("x")), []int{1002}},
		{"a reserved control opcode", clientFrame(0x8b, nil), []int{1002}},
		{"RSV1 without an extension", clientFrame(0xc1, []byte("{}")), []int{1002}},
		{"RSV2", clientFrame(0xa1, []byte("{}")), []int{1002}},
		{"unmasked text", append(header(0x81, 0, 2), "{}"...), []int{1002}},
		{"a continuation of nothing", clientFrame(0x80, []byte("x")), []int{1002}},
		{"text within a fragmented text", append(clientFrame(0x01, []byte("{")), clientFrame(0x81, []byte("{}"))...), []int{1002}},
		{"a fragmented ping", clientFrame(0x09, nil), []int{1002}},
		{"a ping of 126 bytes", clientFrame(0x89, make([]byte, 126)), []int{1002}},
		{"bytes that are no UTF-8", clientFrame(0x81, []byte("{\"type\":\"\xff\xfe\"}")), []int{1007}},
		{"a character cut by the end", clientFrame(0x81, []byte("\"\xe2\x82")), []int{1007}},
		{"binary", clientFrame(0x82, []byte("{}")), []int{1003}},
		{"a header that promises 100 MB", append(header(0x81, 0x80, 100<<20), 0, 0, 0, 0), []int{1009}},
		{"a header that promises 2^63 bytes", append(header(0x81, 0x80, 1<<63), 0, 0, 0, 0), []int{1002, 1009}},
		{"a frame of 65 KiB", clientFrame(0x81, make([]byte, 65<<10)), []int{1009}},
		{"fragments of 65 KiB in all", append(clientFrame(0x01, make([]byte, 40<<10)), clientFrame(0x80, make([]byte, 40<<10))...), []int{1009}},
		{"a frame of 50 MB", clientFrame(0x81, big), []int{1009}},
		{"a close with half a code", clientFrame(0x88, []byte{3}), []int{1002}},
	} {
		for _, greeted := range []bool{true, false} {
			r := upgrade(t, w.life.Addr)
			if greeted {
				r.hello()
			}
			r.write(c.bytes)
			if code := r.closed(); !slices.Contains(c.codes, code) {
				t.Errorf("%s (after hello: %v): closed with %d, want %v", c.name, greeted, code, c.codes)
			}
		}
	}
	// Input that is not HTTP, or a version of HTTP that the server does not support.
	for _, text := range []string{
		"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "GET\r\n\r\n", "\x00\x00\x00\x00", strings.Repeat("A", 100<<10),
		"GET /ws HTTP/1.1\r\nHost: localhost\r\n" + strings.Repeat("X-Long: "+strings.Repeat("y", 8000)+"\r\n", 20) + "\r\n",
		"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\r\n",
		"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 8\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
		"POST /ws HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello",
		"GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
		"GET /%2e%2e/%2e%2e/go.mod HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
	} {
		r := dial(t, w.life.Addr)
		r.write([]byte(text))
		if tcp, ok := r.conn.(interface{ CloseWrite() error }); ok {
			must(t, tcp.CloseWrite())
		}
		if status := r.head(); strings.Contains(status, "101") || strings.Contains(status, " 500") {
			t.Errorf("%.60q is answered %s", text, status)
		}
	}
	w.unmoved()
}

// Frames without a valid command: each is answered by an error with the right code, the socket stays open, and nothing
// changes (P3.1, B9, B22).
func TestBadCommands(t *testing.T) {
	t.Parallel()
	w := newWitness(t)
	r := upgrade(t, w.life.Addr)
	r.hello()
	r.write(clientFrame(0x81, []byte(`{"type":"spectator:register","name":"Mallory","color":"#000000"}`)))
	r.until("spectator:welcome")
	realm := w.tab.RealmID
	tricks := []string{`""`, `"."`, `".."`, `"../.."`, `"../` + realm + `"`, `"/"`, `"/etc"`, `"a/b"`, `"a\\b"`, `"` + realm + `/"`, `"` + realm + `\u0000"`, `"%2e%2e"`,
		`" ` + realm + `"`, `null`, `5`, `["` + realm + `"]`, `{"id":"` + realm + `"}`, `true`, `"` + strings.Repeat("r", 65) + `"`, `"é"`}
	type bad struct {
		frame string
		codes []wire.Code
	}
	list := []bad{
		{``, []wire.Code{wire.BadJSON}}, {`{`, []wire.Code{wire.BadJSON}}, {`[]`, []wire.Code{wire.BadJSON}}, {`"x"`, []wire.Code{wire.BadJSON}},
		{`{"type":"hello"`, []wire.Code{wire.BadJSON}}, {strings.Repeat("[", 20_000), []wire.Code{wire.BadJSON}}, {strings.Repeat(`{"a":`, 10_000), []wire.Code{wire.BadJSON}},
		{`{}`, []wire.Code{wire.BadField, wire.UnknownType}}, {`{"type":null}`, []wire.Code{wire.BadField, wire.UnknownType}}, {`{"type":7}`, []wire.Code{wire.BadField}},
		{`{"type":"nope"}`, []wire.Code{wire.UnknownType}}, {`{"type":"world:state"}`, []wire.Code{wire.UnknownType}}, {`{"type":"chat.cancel","conversationId":"c","requestId":"r"}`, []wire.Code{wire.NotFound}}, {`{"type":"chat.cancel","conversationId":"c"}`, []wire.Code{wire.BadField}},
		{`{"type":"conversation.open","conversationId":"c"}`, []wire.Code{wire.NotFound}}, {`{"type":"conversation.start","kind":"party","memberIds":["a"]}`, []wire.Code{wire.BadField}}, {`{"type":"conversation.list","limit":-1}`, []wire.Code{wire.BadField}},
		{`{"type":"player:list-realms","requestId":"a b"}`, []wire.Code{wire.BadField}}, {`{"type":"player:list-realms","requestId":5}`, []wire.Code{wire.BadField}},
		{`{"type":"spectator:command","text":"a\u0007b"}`, []wire.Code{wire.BadField}}, {`{"type":"spectator:command","text":"a\u001b[31mb"}`, []wire.Code{wire.BadField}},
		{`{"type":"spectator:command","text":" \n "}`, []wire.Code{wire.BadField}}, {`{"type":"spectator:command","text":["x"]}`, []wire.Code{wire.BadField}},
		{`{"type":"spectator:command","text":"` + strings.Repeat("x", 33<<10) + `"}`, []wire.Code{wire.TooLarge}},
		{`{"type":"spectator:register","name":"a\u0000b","color":"#000000"}`, []wire.Code{wire.BadField}}, {`{"type":"spectator:register","name":"\u202egnp.exe","color":"#000000"}`, []wire.Code{wire.BadField}},
		{`{"type":"spectator:register","name":"Mallory","color":"red"}`, []wire.Code{wire.BadField}}, {`{"type":"spectator:register","name":"Mallory","color":"#000000","tab":"../x"}`, []wire.Code{wire.BadField}},
		{`{"type":"player:command","text":"/frobnicate"}`, []wire.Code{wire.BadField}}, {`{"type":"player:command","text":"/resume"}`, []wire.Code{wire.Conflict}},
		{`{"type":"player:start-process","problem":"x","templateId":"../../secret"}`, []wire.Code{wire.BadField}}, {`{"type":"player:start-process","problem":"x","templateId":"nope"}`, []wire.Code{wire.NotFound}},
		{`{"type":"player:start-process","problem":""}`, []wire.Code{wire.BadField}}, {`{"type":"player:start-process","problem":"x","path":"/no/such/folder"}`, []wire.Code{wire.NotFound, wire.BadField}},
		{`{"type":"player:update-settings","settings":{"maxAgents":0}}`, []wire.Code{wire.BadField}}, {`{"type":"player:update-settings","settings":{"__proto__":{"x":1}}}`, []wire.Code{wire.BadField}},
		{`{"type":"process:take-role","roleId":"a"}`, []wire.Code{wire.Conflict}}, {`{"type":"player:dismiss-agent","agentId":"nobody"}`, []wire.Code{wire.NotFound}},
		{`{"type":"chat.send","requestId":"c1","conversationId":"nope","content":"x"}`, []wire.Code{wire.NotFound}}, {`{"type":"player:resume-realm","realmId":"nope"}`, []wire.Code{wire.NotFound}},
		{`{"type":"player:remove-realm","realmId":"nope"}`, []wire.Code{wire.NotFound}}, {`{"type":"map:room","path":"","page":-1}`, []wire.Code{wire.BadField}}, {`{"type":"map:room","path":"","page":1000000}`, []wire.Code{wire.BadField}},
	}
	for _, id := range tricks {
		list = append(list, bad{`{"type":"player:remove-realm","realmId":` + id + `}`, []wire.Code{wire.BadField}}, bad{`{"type":"player:resume-realm","realmId":` + id + `}`, []wire.Code{wire.BadField}})
		if id != `""` && id != "null" { // without an id the last active realm is meant
			list = append(list, bad{`{"type":"hello","protocol":1,"realmId":` + id + `}`, []wire.Code{wire.BadField}})
		}
	}
	for _, path := range []string{`".."`, `"../.."`, `"src/../.."`, `"/etc"`, `"."`, `"./src"`, `"src/"`, `"src//main.go"`, `".git"`, `"src\u0000"`, `"src\n"`, `"src\\main.go"`, `"%2e%2e"`, `"README.md"`, `5`, `"` + strings.Repeat("a/", 2100) + `"`} {
		list = append(list, bad{`{"type":"map:room","path":` + path + `}`, []wire.Code{wire.NotFound, wire.BadField, wire.TooLarge}})
	}
	for _, path := range []string{`""`, `" "`, `"relative/path"`, `"../no/such"`, `"~"`, `"/no/such/folder"`, `"/etc/passwd"`, `"/dev/null"`, `"/proc/self/mem"`, `"/a\u0000b"`, `"/a\nb"`, `"file:///etc"`, `5`, `null`,
		quote(w.home.Worlds), quote(filepath.Join(w.home.Worlds, realm)), quote(filepath.Join(w.home.Worlds, realm, "..")), quote(filepath.Join(w.home.Worlds, "realms.json"))} {
		list = append(list, bad{`{"type":"player:link-repo","path":` + path + `}`, []wire.Code{wire.NotFound, wire.BadField, wire.NotAllowed}})
	}
	for i, c := range list {
		r.write(clientFrame(0x81, []byte(c.frame)))
		answer := r.until(`"type":"error"`)
		frames := []wire.ErrorFrame{{}}
		if strings.HasPrefix(answer, "[") { // the answer came in one message with another frame
			must(t, json.Unmarshal([]byte(answer), &frames))
			frames = slices.DeleteFunc(frames, func(f wire.ErrorFrame) bool { return f.Code == "" })
		} else {
			must(t, json.Unmarshal([]byte(answer), &frames[0]))
		}
		e := frames[0]
		if !slices.Contains(c.codes, e.Code) || e.Message == "" {
			t.Errorf("%.200s\nis answered %s, want %v", c.frame, answer, c.codes)
		}
		if i%20 == 19 { // fifty bad frames in a row would close the socket
			r.write(clientFrame(0x81, []byte(`{"type":"player:list-realms"}`)))
			r.until(`"type":"realm:list"`)
		}
	}
	// a..b is a legal name (B29), and text that looks like markup is text (S3, B20).
	r.write(clientFrame(0x81, []byte(`{"type":"map:room","path":"src/a..b","requestId":"legal"}`)))
	r.until(`"type":"map:change"`)
	r.write(clientFrame(0x81, []byte(`{"type":"spectator:register","name":"<img src=x onerror=1>","color":"#000000"}`)))
	r.until("spectator:welcome")
	w.tab.Until("the name as a text", func() bool {
		return slices.ContainsFunc(w.tab.List.Spectators, func(s wire.Spectator) bool { return s.Name == "<img src=x onerror=1>" })
	})
	// Fifty bad frames in a row close the socket; forty-nine do not (P3.3). The socket is new and has its whole burst,
	// because a frame beyond the burst does not count as bad.
	r = upgrade(t, w.life.Addr)
	r.hello()
	r.write(bytes.Repeat(clientFrame(0x81, []byte(`{"type":"nope"}`)), 49))
	r.write(clientFrame(0x81, []byte(`{"type":"map:room","path":"","requestId":"good"}`)))
	r.until(`"requestId":"good"`)
	r.write(bytes.Repeat(clientFrame(0x81, []byte(`{"type":"nope"}`)), 50))
	if code := r.closed(); code != int(wire.CloseBadFrames) {
		t.Errorf("after fifty bad frames: closed with %d", code)
	}
	w.unmoved()
	w.life.Kill() // the next life opens the same folder
	w.life = w.home.Start()
	w.tab.MustReplay = true
	w.tab.Join(w.life)
}

func quote(s string) string { return string(quoted(s)) }

// Requests of pages on other sites, also by another host name that resolves to this server (B8), are answered 403 for
// every path.
func TestForeignHostAndOrigin(t *testing.T) {
	t.Parallel()
	w := newWitness(t)
	_, port, ok := strings.Cut(w.life.Addr, ":")
	if !ok {
		t.Fatal(w.life.Addr)
	}
	for _, path := range []string{"/", "/ws", "/healthz", "/readyz", "/api/x", "/access"} {
		for _, c := range []struct {
			host, origin string
			refused      bool
		}{
			{w.life.Addr, "", false}, {"localhost:" + port, "", false}, {w.life.Addr, "http://" + w.life.Addr, false}, {"[::1]:" + port, "", false},
			{w.life.Addr, "http://evil.example", true}, {w.life.Addr, "http://127.0.0.1:1", true}, {w.life.Addr, "null", true}, {w.life.Addr, "file://", true},
			{"evil.example", "", true}, {"evil.example:" + port, "http://evil.example:" + port, true}, {"127.0.0.1.evil.example", "", true}, {"localhost.evil.example:" + port, "", true},
			{"10.0.0.1:" + port, "", true}, {"", "", true},
		} {
			r := dial(t, w.life.Addr)
			more := "Connection: close\r\n"
			if path == "/ws" {
				more = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
			}
			if c.origin != "" {
				more += "Origin: " + c.origin + "\r\n"
			}
			r.write([]byte(fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", path, c.host, more)))
			status := r.head()
			if refused := strings.Contains(status, strconv.Itoa(http.StatusForbidden)); refused != c.refused {
				t.Errorf("%s with Host %q and Origin %q: %s", path, c.host, c.origin, status)
			}
		}
	}
	w.unmoved()
}
