package world

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// For any content of a journal or a foreign frame, decoding returns an error or an event that encodes to the same
// meaning, and folding the event never panics.
func FuzzDecodeAndApply(f *testing.F) {
	seeded := map[string]bool{} // one real frame of each type
	paths, err := filepath.Glob("../testdata/*.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			f.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			if ev, err := DecodeEvent(line); err == nil && !seeded[ev.Body.EventType()] {
				seeded[ev.Body.EventType()] = true
				f.Add(bytes.Clone(line))
			}
		}
	}
	for _, b := range Bodies() {
		f.Add([]byte(`{"type":"` + b.EventType() + `","seq":1,"at":"2026-01-02T03:04:05.678Z"}`))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		w := New(Realm{})
		for line := range bytes.Lines(data) {
			ev, err := DecodeEvent(line)
			if err != nil {
				continue
			}
			Apply(w, ev)
			if ev.Row() != nil && ev.RequestID == "" {
				continue // a run's event takes its request from the body
			}
			rec, err := ev.Encode()
			if err != nil {
				continue // a request beside another run's: refused on the way out
			}
			again, err := DecodeEvent(rec.Frame)
			if err != nil || !reflect.DeepEqual(again.Body, ev.Body) {
				t.Fatalf("%s\nbecame\n%s\n%v", line, rec.Frame, err)
			}
		}
		c := w.Clone()
		c.Fill()
		if _, err := json.Marshal(c); err != nil {
			t.Fatal(err)
		}
	})
}

// S3-01, S3-02, S3-03: a world that is written to a file and read again is the same.
func TestWorldRoundTrip(t *testing.T) {
	w := fold(t, "../testdata/people.jsonl")
	w.NavigationState.AgentNavStacks["a"] = []string{"", "src"}
	w.NavigationState.AgentCurrentPath["a"] = "src"
	w.Fog = []Grid{{Name: "seen", Width: 2, Height: 2, Runs: []int{1, 3}}}
	w.Quests = []Quest{{ID: "q", Title: "t", Status: "open", Priority: "low"}}
	w.Objects = []Object{{ID: "o"}}
	b, err := EncodeState(w, NewLand())
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{"agents", "map", "objects", "quests", "tick", "mapTree", "processState", "navigationState", "settings", "findings", "artifacts", "fog", "forts", "paths"} {
		if !bytes.Contains(b, []byte(`"`+field+`":`)) {
			t.Errorf("S3-01: the world has no %s", field)
		}
	}
	back, land, err := DecodeState(b, json.Unmarshal)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back, w) || !reflect.DeepEqual(land, NewLand()) {
		t.Fatalf("S3-01: it came back as\n%+v\nwas\n%+v", back, w)
	}
}

func TestOlderFilesGetDefaults(t *testing.T) { // S3-18
	var w World
	if err := json.Unmarshal([]byte(`{"tick":7,"settings":{"maxAgents":3}}`), &w); err != nil {
		t.Fatal(err)
	}
	w.Fill()
	if w.Settings.MaxAgents != 3 || w.Settings.TurnTimeoutSeconds != 120 || w.ProcessState.Status != StatusIdle || w.Agents == nil || w.ProcessState.StageTurnCounts == nil {
		t.Fatalf("%+v", w)
	}
	if err := w.Validate(); err != nil {
		t.Fatal(err)
	}
}

// A clone shares nothing that Apply changes.
func TestCloneIsDeep(t *testing.T) {
	w := fold(t, "../testdata/failures.jsonl")
	w.NavigationState.AgentNavStacks["a"] = []string{""}
	w.ProcessState.Waiting = &Waiting{Code: WaitRoleOpen, RoleIDs: []string{"x"}}
	w.ProcessState.Sealed = &Seal{RoleID: "x"}
	before, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	c := w.Clone()
	c.Agents[0].Status = "changed"
	c.Findings[0].Title = "changed"
	c.Artifacts[0].Name = "changed"
	c.ProcessState.StageTurnCounts["changed"] = 1
	c.ProcessState.AgentTurnCounts["changed"] = 1
	c.ProcessState.Skips["changed"] = 1
	c.ProcessState.Cast[0].Name = "changed"
	c.ProcessState.Waiting.RoleIDs[0] = "changed"
	c.ProcessState.Sealed.RoleID = "changed"
	for k := range c.ProcessState.CollectedArtifacts {
		c.ProcessState.CollectedArtifacts[k][0] = "changed"
	}
	c.NavigationState.AgentNavStacks["a"][0] = "changed"
	c.NavigationState.AgentCurrentPath["a"] = "changed"
	after, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before, after) {
		t.Fatal("changing a clone changed the world")
	}
}

func TestValidateRefuses(t *testing.T) {
	for name, spoil := range map[string]func(*World){
		"negative tick":        func(w *World) { w.Tick = -1 },
		"twin agents":          func(w *World) { w.Agents = []Agent{{ID: "a"}, {ID: "a"}} },
		"nameless finding":     func(w *World) { w.Findings = []Finding{{Severity: "low"}} },
		"unknown severity":     func(w *World) { w.Findings = []Finding{{ID: "f", Severity: "bad"}} },
		"unknown status":       func(w *World) { w.ProcessState.Status = "sleeping" },
		"no template":          func(w *World) { w.ProcessState.Status = StatusRunning },
		"stage out of range":   func(w *World) { running(w); w.ProcessState.CurrentStageIndex = 9 },
		"negative count":       func(w *World) { running(w); w.ProcessState.StageTurnCounts["s"] = -1 },
		"no conversation":      func(w *World) { running(w); w.ProcessState.ConversationID = "" },
		"attempt of zero":      func(w *World) { running(w); w.ProcessState.StageAttempt = 0 },
		"twin cast":            func(w *World) { running(w); w.ProcessState.Cast = []Casting{{RoleID: "a"}, {RoleID: "a"}} },
		"more agents than 112": func(w *World) { w.Agents = make([]Agent, MaxAgentsEver+MaxCoders+1) },
	} {
		w := New(Realm{ID: "r"})
		spoil(w)
		if w.Validate() == nil {
			t.Errorf("%s passes", name)
		}
	}
	w := New(Realm{ID: "r"})
	running(w)
	if err := w.Validate(); err != nil {
		t.Errorf("a good world: %v", err)
	}
}

func running(w *World) {
	w.ProcessState = ProcessState{
		Status: StatusRunning, ConversationID: "c", StageAttempt: 1, StageTurnCounts: map[string]int{},
		Template: &Template{ID: "t", Stages: []Stage{{ID: "s"}}},
	}
}

func TestFramesAreFlatAndInOrder(t *testing.T) {
	msg := &Message{MessageID: "m", Content: `a "quoted" <b> ` + "\u2028" + ` "content":"x"`}
	ev := Event{Seq: 3, At: 1_700_000_000_123, V: 1, RequestID: "q", Body: &ChatStarted{RequestID: "q", Message: msg}}
	rec, err := ev.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(rec.Frame), `{"type":"chat.started","seq":3,"at":"2023-11-14T22:13:20.123Z",`) {
		t.Fatalf("frame %s", rec.Frame)
	}
	if strings.Count(string(rec.Frame), `"requestId":"q"`) != 1 {
		t.Fatalf("the run's id stands once: %s", rec.Frame)
	}
	if bytes.Contains(rec.WithoutText(), []byte("quoted")) {
		t.Fatal("the journal's frame holds the text")
	}
	back, err := WithText(rec.WithoutText(), rec.TextAt, msg.Content)
	if err != nil || !bytes.Equal(back, rec.Frame) {
		t.Fatalf("%v\n%s\n%s", err, back, rec.Frame)
	}
	ev.RequestID = "other"
	if _, err := ev.Encode(); err == nil {
		t.Fatal("a run's event must not carry another request")
	}
	if _, err := DecodeEvent([]byte(`{"type":"from:later","seq":1}`)); err == nil {
		t.Fatal("an unknown event must be an error")
	}
}

// The worst findings come first: by severity, then by confidence, by reach and by the newest change. P7.2.
func TestWorse_P7_2(t *testing.T) {
	order := []Finding{
		{Severity: "critical", Confidence: "high", Reach: "foreign"},
		{Severity: "high", Confidence: "high"},
		{Severity: "high", ChangedAt: 9}, // no confidence: medium; no reach: product
		{Severity: "high", Confidence: "medium", Reach: "product", ChangedAt: 5},
		{Severity: "high", Confidence: "medium"},
		{Severity: "high", Confidence: "medium", Reach: "script", ChangedAt: 9},
		{Severity: "high", Confidence: "medium", Reach: "fixture"},
		{Severity: "high", Confidence: "low", Proof: "p"},
		{Severity: "info", Confidence: "high", ChangedAt: 9},
		{Severity: "critical", Confidence: "low"}, // only suspected
	}
	for i := range order[1:] {
		if a, b := &order[i], &order[i+1]; Worse(a, b) >= 0 || Worse(b, a) <= 0 || Worse(a, a) != 0 {
			t.Errorf("%+v is not before %+v", *a, *b)
		}
	}
}
