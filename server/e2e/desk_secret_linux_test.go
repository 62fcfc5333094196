package e2e

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"github.com/klauspost/compress/zstd"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// planted has secrets by the place at which an agent meets them. All are tokens of GitLab, except for one, which is a
// private key of several lines.
type planted map[string]string

func (p planted) token(place string) string {
	const letters = "R7kq2VzX9mWb4TnLc8JyHd3Gf6Ps"
	body := []byte(letters[:20])
	body[0], body[7], body[13] = 'A'+byte(len(p)), 'a'+byte(len(p)), '0'+byte(len(p)%10)
	p[place] = string(body)
	return "gl" + "pat-" + string(body)
}

func (p planted) key(place string) string {
	p[place] = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtz"
	return "-----BEGIN OPENSSH " + "PRIVATE KEY-----\n" + p[place] + "\n" +
		"c2gtZWQyNTUxOQAAACBq3k7VtW0pZ1xJYl8mR4sEwT9uQh2cNfBvGdXo6PzKaAAAAJhv\n" + "-----END OPENSSH " + "PRIVATE KEY-----\n"
}

// in fails the test for each secret that data contains.
func (p planted) in(t *testing.T, where string, data []byte) {
	t.Helper()
	for _, place := range slices.Sorted(maps.Keys(p)) {
		for _, part := range []string{p[place], p[place][4:16]} {
			if at := bytes.Index(data, []byte(part)); at >= 0 {
				t.Errorf("%s has the secret of %s: %.300q", where, place, data[max(0, at-100):])
				break
			}
		}
	}
}

// inTmux starts a process with an environment and a terminal of its own, as a program in tmux has.
func inTmux(t *testing.T, environ ...string) (pid int) {
	t.Helper()
	control, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { control.Close() })
	var number, unlock int32
	for request, value := range map[uintptr]*int32{syscall.TIOCGPTN: &number, syscall.TIOCSPTLCK: &unlock} {
		if _, _, failed := syscall.Syscall(syscall.SYS_IOCTL, control.Fd(), request, uintptr(unsafe.Pointer(value))); failed != 0 {
			t.Fatal(failed)
		}
	}
	terminal, err := os.OpenFile("/dev/pts/"+strconv.Itoa(int(number)), os.O_RDWR|syscall.O_NOCTTY, 0)
	must(t, err)
	defer terminal.Close()
	cmd := exec.Command("sleep", "600")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
	cmd.Env = append(environ, "TMUX=/tmp/tmux-0/default,1,0", "TMUX_PANE=%7")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // the test may have ended it already
		_ = cmd.Wait()
	})
	return cmd.Process.Pid
}

// heard collects everything that a tab gets.
type heard struct {
	mu   sync.Mutex
	data []byte
}

func (h *heard) add(data []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.data = append(append(h.data, data...), '\n')
}

// stored returns the content of all files below a folder, by path. For a database it adds each value of each table,
// unpacked.
func stored(t *testing.T, root string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	must(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			out[path], err = os.ReadFile(path)
		}
		return err
	}))
	for path := range out {
		if filepath.Ext(path) == ".db" {
			out[path] = append(out[path], values(t, path)...)
		}
	}
	return out
}

// values returns all values of the tables of a database.
func values(t *testing.T, path string) (out []byte) {
	t.Helper()
	unpack, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	must(t, err)
	defer unpack.Close()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	defer db.Close()
	column := func(query string) (all []any) {
		rows, err := db.Query(query)
		if err != nil {
			return nil // a table of the search index that cannot be selected from
		}
		defer rows.Close()
		names, err := rows.Columns()
		must(t, err)
		for rows.Next() {
			row, into := make([]any, len(names)), make([]any, len(names))
			for i := range row {
				into[i] = &row[i]
			}
			must(t, rows.Scan(into...))
			all = append(all, row...)
		}
		must(t, rows.Err())
		return all
	}
	packed := 0
	for _, table := range column("SELECT name FROM sqlite_master WHERE type = 'table'") {
		for _, value := range column(fmt.Sprintf("SELECT * FROM %q", table)) {
			switch v := value.(type) {
			case string:
				out = append(append(out, v...), '\n')
			case []byte:
				if bytes.HasPrefix(v, []byte{0x28, 0xb5, 0x2f, 0xfd}) {
					raw, err := unpack.DecodeAll(v, nil)
					must(t, err)
					v, packed = raw, packed+1
				}
				out = append(append(out, v...), '\n')
			}
		}
	}
	if packed == 0 {
		t.Errorf("%s has nothing packed: is it read right?", path)
	}
	return out
}

// Secrets are in a prompt, in an agent's words, in the input and output of a tool, in a title, in the payload of a hook
// and in the environment of an agent. None is in a frame, an answer, a file of the server or a line of its log (P17.7).
func TestSecretsOfAgentsAreNowhere_P17_7(t *testing.T) {
	t.Parallel()
	d, p := newDesk(t, "-token", "a-token-of-the-hosts-here"), planted{}
	pid := inTmux(t, "GITLAB_TOKEN="+p.token("environment"))
	s := d.claude("5d3c1a00-0000-4000-8000-000000000004", pid)
	codex := d.codex("01a20d48-32fd-7ad3-a1d7-000000000004")
	much := strings.Repeat("more words ", 300) // long enough to be packed
	s.append(fieldsOf(t, "type", "custom-title", "customTitle", "use "+p.token("title"), "sessionId", s.id) + "\n")
	for i, text := range []string{
		spoke(t, s.id, d.dir, "user", "s-1", "push with "+p.token("prompt")+"\n"+much),
		spoke(t, s.id, d.dir, "assistant", "s-2", []object{{"type": "text", "text": "I use " + p.token("words") + ".\n" + much}}),
		spoke(t, s.id, d.dir, "assistant", "s-3", []object{{"type": "tool_use", "id": "toolu_s", "name": "Bash",
			"input": object{"command": "TOKEN=" + p.token("input") + " ./push"}}}),
		spoke(t, s.id, d.dir, "user", "s-4", []object{{"type": "tool_result", "tool_use_id": "toolu_s",
			"content": []object{{"type": "text", "text": "token: " + p.token("output") + "\n" + p.key("output of several lines") + much}}}}),
		spoke(t, s.id, d.dir, "assistant", "s-5", []object{{"type": "tool_use", "id": "toolu_o", "name": "Bash",
			"input": object{"command": "curl -H 'PRIVATE-TOKEN: " + p.token("an open call") + "' https://example.org"}}}),
	} {
		cut := len(text) * (i + 1) / 7 // the record is written in two parts, and the reader can meet the first alone
		s.append(text[:cut])
		s.append(text[cut:] + "\n")
	}
	lines, _ := codex.turn(0)
	lines[1] = strings.Replace(lines[1], "ask 0", "push with "+p.token("prompt to Codex"), 1)
	lines[3] = strings.Replace(lines[3], "date", "curl --header PRIVATE-TOKEN:"+p.token("input of Codex"), 1)
	lines[4] = strings.Replace(lines[4], "out 0", "token: "+p.token("output of Codex"), 1)
	codex.append(strings.Join(lines, "\n") + "\n")

	l := d.home.Start()
	var frames [3]heard
	ada, ben, eve := NewTab(t, NewLedger(t), "Ada"), NewTab(t, NewLedger(t), "Ben"), NewTab(t, NewLedger(t), "Eve")
	ada.Heard, ben.Heard, eve.Heard = frames[0].add, frames[1].add, frames[2].add
	d.joins(l, ada, s.agent, codex.agent)
	ben.Token, eve.Token = l.Token("spectators"), l.Token("spectators")
	ben.Join(l)
	about := func(event string, more object) object {
		all := object{"hook_event_name": event, "session_id": s.id, "cwd": d.dir}
		maps.Copy(all, more)
		return all
	}
	d.hook("claude", about("UserPromptSubmit", object{"prompt": p.token("prompt of a hook")}))()
	d.hook("claude", about("Stop", object{"last_assistant_message": p.token("message of a hook")}))()
	asked := object{"command": "curl -H 'PRIVATE-TOKEN: " + p.token("input of a hook") + "' https://example.org"}
	answered := d.hook("claude", about("PermissionRequest", object{"tool_name": "Bash", "tool_input": asked,
		"permission_suggestions": []object{{"type": "addRules", "rules": []object{{"toolName": "Bash",
			"ruleContent": "curl " + p.token("suggestion of a hook")}}}}}))
	ada.Until("a door", func() bool { return len(ada.World.Doors) == 1 })
	for everybody := range 2 {
		if everybody == 1 {
			set := &wire.UpdateSettings{Settings: map[string]json.RawMessage{"shadowsFor": json.RawMessage(`"everybody"`)}}
			if c := ada.Do("everybody", set); c.Code != "" {
				t.Fatalf("the settings: %s", c.Answer)
			}
			eve.Join(l)
			eve.Until("the door", func() bool { return len(eve.World.Doors) == 1 })
			kept(eve, s.agent)
		}
		rows := strings.Join(append(kept(ada, s.agent), kept(ada, codex.agent)...), "\n")
		if n := strings.Count(rows, "[secret: "); n < 5 {
			t.Errorf("%d secrets are masked in %.600q", n, rows)
		}
	}
	sessions := ada.Do("sessions", &wire.SessionList{})
	if !strings.Contains(string(sessions.Answer), "tmux attach -t %7") {
		t.Errorf("the environment of the agent was not read: %s", sessions.Answer)
	}
	var door, realm string
	ada.Look(func() { door, realm = ada.World.Doors[0].DoorID, ada.World.Realm.ID })
	ada.Do("answer", &wire.DoorAnswer{DoorID: door, Choice: world.ChoiceAllow})
	p.in(t, "what the hook wrote", []byte(answered()))
	p.in(t, "what people learn over MCP", []byte(toldOverMCP(t, l, ada.Token)))
	for _, body := range p {
		code, found := fetch(t, http.MethodGet, "http://"+l.Addr+"/api/search?realm="+realm+"&q="+body, ada.Token)
		if code != http.StatusOK || bytes.Contains(found, []byte("conversationId")) {
			t.Errorf("the search answers %d %s", code, found)
		}
	}
	l.Kill()
	d.home.Start().Stop() // and after a restart
	for i, name := range []string{"the host", "the spectator", "the spectator who may see all"} {
		if len(frames[i].data) < 1000 {
			t.Errorf("%s has heard only %q", name, frames[i].data)
		}
		p.in(t, "a frame to "+name, frames[i].data)
	}
	p.in(t, "the log", []byte(l.Log()))
	for _, args := range []string{"export", "export -format json", "conversations -content -json", "audit -json", "check"} {
		args := strings.Fields(args)
		code, out, errs := d.home.Run(append(append(args[:1:1], "-worlds", d.home.Worlds), args[1:]...)...)
		if code != 0 {
			t.Errorf("%s: %d %s", args, code, errs)
		}
		p.in(t, strings.Join(args, " "), []byte(out+errs))
	}
	for path, data := range stored(t, d.home.Worlds) {
		p.in(t, path, data)
	}
	for path, data := range stored(t, filepath.Join(d.root, "state")) {
		p.in(t, path, data)
	}
}

// toldOverMCP returns the answers about the sessions that an agent gets over MCP.
func toldOverMCP(t *testing.T, l *Life, token string) string {
	t.Helper()
	client, err := overHTTP(t, l, token)
	must(t, err)
	var talks struct{ Talks []struct{ ID string } }
	all := said(t, client, "talks", nil) + said(t, client, "who_is_here", nil)
	must(t, json.Unmarshal([]byte(said(t, client, "talks", nil)), &talks))
	for _, talk := range talks.Talks {
		all += said(t, client, "talk", map[string]any{"id": talk.ID})
	}
	if len(talks.Talks) != 2 {
		t.Errorf("%d talks", len(talks.Talks))
	}
	return all
}
