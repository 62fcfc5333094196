package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/server/store/files"
	"agentdungeon/server/store/recovery"
	"agentdungeon/shared/world"
)

const steering = "a\x1b]0;owned\x07\u202egpj\u009b2J"

// The terminal writer writes the same text, however it is split into pieces.
func TestTerminalWriterInPieces(t *testing.T) {
	in := "ü日👩 " + steering + "\r\nlast \xe2\x82"
	want := world.Visible(in)
	for size := 1; size < 9; size++ {
		var out bytes.Buffer
		w := &terminal{out: &out}
		for rest := in; rest != ""; {
			n := min(size, len(rest))
			if _, err := w.Write([]byte(rest[:n])); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if out.String() != want {
			t.Errorf("in pieces of %d: %q, want %q", size, out.String(), want)
		}
	}
}

// Commands make control characters visible in all texts of other people: file names, evidence, titles, words,
// paths of folders and log lines. JSON and SARIF have them unchanged.
func TestCommandsSteerNoTerminal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "worlds\u202e")
	st, err := files.Open(afero.NewOsFs(), dir, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	home, err := st.Tenant(world.DefaultTenant)
	if err != nil {
		t.Fatal(err)
	}
	e, err := home.Create(world.Realm{Name: "r", Path: "/tmp/" + steering})
	if err != nil {
		t.Fatal(err)
	}
	at, err := home.RealmDir(e.ID)
	if err != nil {
		t.Fatal(err)
	}
	o, err := recovery.Open(t.Context(), afero.NewOsFs(), at, world.Realm{ID: e.ID, Name: e.Name, Path: e.Path, Tenant: e.Tenant}, world.DefaultSettings(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	c := world.Conversation{ConversationID: "c1", Kind: world.KindChat, Title: steering, Status: world.ConversationActive, Team: world.Team{Members: []world.Member{}}, CreatedAt: 5, UpdatedAt: 5}
	batch := &world.Batch{}
	for i, body := range []world.Body{
		&world.RealmCreated{Realm: world.Realm{ID: e.ID, Name: e.Name, Path: e.Path, Tenant: e.Tenant}, Settings: world.DefaultSettings()},
		&world.ConversationStarted{Conversation: c},
		&world.ChatStarted{ConversationID: "c1", RequestID: "r1", Status: world.RunDone, Message: &world.Message{MessageID: "m1", ConversationID: "c1", RequestID: "r1", Role: world.RoleUser, Name: "Eve", Content: steering, Status: world.MessageDone, At: 6}},
		&world.FindingPosted{Finding: world.Finding{ID: "f1", AgentID: "bard", Severity: "low", Title: steering, Text: steering, Path: "x\u202etxt.exe", Line: 1, Evidence: steering, Why: steering, Advice: steering, Check: "bard/x", At: 7}},
	} {
		rec, err := world.Event{Seq: int64(i + 1), At: world.Time(10 + i), V: 1, Body: body}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		rec.Who = "eve"
		batch.Records = append(batch.Records, rec)
	}
	if err := o.Journal.Commit(batch); err != nil {
		t.Fatal(err)
	}
	if err := o.Journal.Close(); err != nil {
		t.Fatal(err)
	}
	if err := home.SetLastActive(e.ID); err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	md := filepath.Join(t.TempDir(), "report.md")
	for _, args := range [][]string{
		{"realms"}, {"export"}, {"export", "-o", md}, {"conversations"}, {"conversations", "-content"}, {"audit"}, {"retention", "-dry-run"},
		{"export", "-realm", steering}, {"conversations", "-status", steering}, {"audit", "-since", steering}, {steering},
		{"realms", "-" + steering},
	} {
		var out, errs bytes.Buffer
		run(append(args, "-worlds", dir), &out, &errs)
		text := out.String() + errs.String()
		if args[len(args)-1] == md {
			raw, err := os.ReadFile(md)
			if err != nil {
				t.Fatal(err)
			}
			text += string(raw)
		}
		for _, r := range text {
			if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
				t.Errorf("%q prints %U:\n%q", args, r, text)
				break
			}
		}
	}
	for _, args := range [][]string{{"export", "-format", "json"}, {"export", "-format", "sarif"}} {
		var out, errs bytes.Buffer
		if code := run(append(args, "-worlds", dir), &out, &errs); code != 0 {
			t.Fatalf("%q: %d: %s", args, code, errs.String())
		}
		var v any
		if err := json.Unmarshal(out.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		if raw, err := json.Marshal(v); err != nil || !strings.Contains(string(raw), `gpj`) || !strings.Contains(out.String(), "\u202e") {
			t.Errorf("%q does not hold the evidence as it is: %v\n%s", args, err, out.String())
		}
	}
	var log bytes.Buffer
	l, err := logger(&log, "text", "info")
	if err != nil {
		t.Fatal(err)
	}
	l.Info().Str("file", steering).Msg(steering)
	if got := log.String(); strings.ContainsAny(got, "\x1b\x07\u202e\u009b") || !strings.Contains(got, "gpj") {
		t.Errorf("a log line: %q", got)
	}
}
