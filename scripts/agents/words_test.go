package agents

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agentdungeon/server/e2e"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// ways remembers the states that the words to agents had, in the order in which a tab received them.
type ways struct {
	sync.Mutex
	of map[string][]string // by wordId
}

// hear takes a message that a tab has received: a frame, or an array of frames.
func (w *ways) hear(data []byte) {
	var frames []json.RawMessage
	if len(data) == 0 || data[0] != '[' {
		frames = []json.RawMessage{data}
	} else if json.Unmarshal(data, &frames) != nil {
		return // the tab complains
	}
	w.Lock()
	defer w.Unlock()
	for _, frame := range frames {
		var e struct{ Type, WordID, State string }
		if json.Unmarshal(frame, &e) != nil {
			continue
		}
		switch e.Type {
		case "word:queued":
			w.of[e.WordID] = append(w.of[e.WordID], world.WordQueued)
		case "word:state":
			w.of[e.WordID] = append(w.of[e.WordID], e.State)
		}
	}
}

// way returns the states that a word had.
func (w *ways) way(wordID string) []string {
	w.Lock()
	defer w.Unlock()
	return slices.Clone(w.of[wordID])
}

// listener connects a tab that records the states of words.
func (d *Desk) listener(t *testing.T, l *e2e.Life) (*e2e.Tab, *ways) {
	t.Helper()
	w := &ways{of: map[string][]string{}}
	tab := e2e.NewTab(t, e2e.NewLedger(t), "Ada")
	tab.Token, tab.Heard = l.Token("open"), w.hear
	tab.Join(l)
	return tab, w
}

// tellHero sends a word to the program's hero as soon as a hook of the hero's session has called the server, and
// returns the word's id.
func tellHero(t *testing.T, tab *e2e.Tab, p *Program, id, text string) (wordID string) {
	t.Helper()
	agentID := ""
	if !tab.Within(Patience, func() bool {
		a := hero(tab, p)
		if a == nil {
			return false
		}
		s := world.SessionOf(tab.World.Sessions, a.ID)
		agentID = a.ID
		return s != nil && s.Hears
	}) {
		t.Fatalf("no hook of %s was heard", p.Title)
	}
	if answer := tab.Do(id, &wire.AgentTell{AgentID: agentID, Text: text}); answer.Code != "" {
		t.Fatalf("the word was refused: %s", answer.Code)
	}
	if !tab.Within(Patience, func() bool {
		for w := range world.Words(tab.World.Sessions) {
			if w.Text == text {
				wordID = w.WordID
			}
		}
		return wordID != ""
	}) {
		t.Fatal("the word is not there")
	}
	return wordID
}

// wordIs waits until the word has the state.
func wordIs(t *testing.T, tab *e2e.Tab, wordID, state string) {
	t.Helper()
	var is string
	if !tab.Within(Patience, func() bool {
		w := world.WordOf(tab.World.Sessions, wordID)
		if w != nil {
			is = w.State
		}
		return is == state
	}) {
		t.Fatalf("the word is %q, not %s", is, state)
	}
}

// lines returns the lines of the agent's own transcripts.
func (d *Desk) lines(t *testing.T) (lines []string) {
	t.Helper()
	folder := map[string]string{"claude": ".claude/projects", "codex": ".codex/sessions"}[d.Program.Name]
	err := filepath.WalkDir(filepath.Join(d.Home, folder), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".jsonl" {
			return err
		}
		data, err := os.ReadFile(path)
		lines = slices.AppendSeq(lines, strings.Lines(string(data)))
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // before its first session there is no folder
		t.Fatal(err)
	}
	return lines
}

// record returns what the agent's own transcripts show, in order: the prompts and the agent's texts, without other
// records of the program.
func (d *Desk) record(t *testing.T) (said []string) {
	t.Helper()
	for _, line := range d.lines(t) {
		var r object
		if json.Unmarshal([]byte(line), &r) != nil {
			continue // the last line may not be written to its end yet
		}
		switch kind := text(r, "type"); {
		case kind == "user" || kind == "assistant" || kind == "response_item" && text(r, "payload", "type") == "message":
			said = append(said, line)
		case kind == "attachment" && text(r, "attachment", "type") == "queued_command":
			said = append(said, line)
		}
	}
	return said
}

// once checks one word: the agent's record shows it exactly once, behind the text in the parameter after, and the
// page has shown it as queued, handed and delivered.
func (w *ways) once(t *testing.T, d *Desk, wordID, after string) {
	t.Helper()
	shown, behind, mark := 0, false, "("+wordID+"): "
	for _, line := range d.record(t) {
		behind = behind || strings.Contains(line, after) && !strings.Contains(line, play)
		if strings.Contains(line, mark) {
			if shown++; !behind {
				t.Errorf("the word %s stands before %q", wordID, after)
			}
		}
	}
	if shown != 1 {
		t.Errorf("the agent's record shows the word %s %d times", wordID, shown)
	}
	want := []string{world.WordQueued, world.WordHanded, world.WordDelivered}
	if way := w.way(wordID); !slices.Equal(way, want) {
		t.Errorf("the word %s was %q", wordID, way)
	}
}

// A word to an idle agent wakes it if its program allows that; otherwise the agent gets it at its next stop. An agent
// at work gets the word when its turn is over. The agent gets each word exactly once, also in its first minute
// (P17.14).
func TestWords(t *testing.T) {
	scenario(t, "words to an idle and a busy session", hooked, func(t *testing.T, d *Desk) string {
		project, h := d.Hooked(t)
		tab, w := d.listener(t, h.Start())
		x := d.Open(t, project)
		x.Send(Prompt(Step{Say: "The first turn is over."}))
		until(t, tab, d.Program, "done", rests)
		began := time.Now()
		idle := tellHero(t, tab, d.Program, "idle", "Hear the quiet one. "+Prompt(Step{Say: "I heard it at rest."}))
		if d.Program.Holds { // nothing wakes it
			x.Send(Prompt(Step{Say: "The second turn is over."}))
		}
		wordIs(t, tab, idle, world.WordDelivered)
		took := time.Since(began)
		x.Until(regexp.MustCompile(`I heard it at rest\.\s`))
		until(t, tab, d.Program, "done", rests)
		x.Send(Prompt(Step{Pause: 3 * time.Second, Say: "The long turn is over."}))
		until(t, tab, d.Program, "at work", func(s *world.AgentState) bool { return s.State == world.StateWorking })
		busy := tellHero(t, tab, d.Program, "busy", "Hear the busy one. "+Prompt(Step{Say: "I heard it at work."}))
		wordIs(t, tab, busy, world.WordDelivered)
		x.Until(regexp.MustCompile(`I heard it at work\.\s`))
		until(t, tab, d.Program, "done", rests)
		w.once(t, d, idle, "The first turn is over.")
		w.once(t, d, busy, "The long turn is over.")
		return fmt.Sprintf("the idle one had it after %d ms", took.Milliseconds())
	})
}
