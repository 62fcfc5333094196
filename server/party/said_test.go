package party

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// readText is the result of reading a text. This package and client/src/kinds/party/markers.ts must
// agree on it.
type readText struct {
	Said string  `json:"said"`
	From string  `json:"from"`
	Task *string `json:"task"`
	Bare string  `json:"bare"` // without white space around it
}

// S2-B8: the page and the plan find the same markers: both read the texts of shared/testdata/markers.json.
// AGENTDUNGEON_RECORD=shared/testdata records the file again; read it before you commit it.
func TestThePageReadsTheSame_S2_B8(t *testing.T) {
	pieces := []string{
		"[NEXT: a]", "[FROM: c]", "[from : D]", "[TEAM_TASK: d]", "[DROP: ALL]", "[FROM: `a`]", `[TEAM_TASK: "a"]`, `[TEAM_TASK: 5" e]`, "[FROM: a“]",
		"[", "]", "[FROM:", "FROM: a]", "`", "``", "```", "~~~", `"`, "“", "”", "„", "«", "»", "'", "'", "‘", "’", "「", "」", "\\", "\n", "\n", "\n", "\n\n", "\r\n", " ", " ", "    ", "\t",
		">", "- ", "1. ", "*", ".", "x", "word", "é", "小",
	}
	r := rand.New(rand.NewPCG(7, 8))
	var lines [][]byte
	for n := 0; n < 400; {
		var b strings.Builder
		for range 2 + r.IntN(12) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		said := b.String()
		if !strings.Contains(said, "FROM: ") && !strings.Contains(said, "TASK: ") {
			continue
		}
		m, _ := Read(said)
		line, err := json.Marshal(readText{said, m.From, m.Task, strings.TrimSpace(Bare(said))})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
		n++
	}
	file := slices.Concat([]byte("[\n"), bytes.Join(lines, []byte(",\n")), []byte("\n]\n"))
	if dir := os.Getenv("AGENTDUNGEON_RECORD"); dir != "" {
		if err := os.WriteFile(filepath.Join("..", "..", dir, "markers.json"), file, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile("../../shared/testdata/markers.json")
	if err != nil || !bytes.Equal(kept, file) {
		t.Errorf("markers.json says otherwise (%v): see this test's comment", err)
	}
}
