package app_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/klauspost/compress/zstd"
)

// recorded has the folders and frames of the server of commit 7823678. Do not record them again to make a test pass:
// a difference breaks a client or a folder of that version. They were recorded with
// AGENTDUNGEON_RECORD=testdata/recorded, first by TestFramesAreTheRecordedOnes and then by the tests of recorded
// folders. Only these parts were recorded later: the answer with SARIF (decisions/2026-11-27-sarif-for-github), the
// lines of help for quests and exports, the description of the code review, and parts that the contract does not fix:
// the places of files in a room, their languages, and the ways of walks (decisions/2026-11-27-rooms-and-ways). The
// optional processId of an artifact was added, and the optional by, name and pausedBy of who frees a role, pauses or
// resumes, the people in the list of conversations, whom the newest messages of a party asked, and the number of those
// who watch without a name, of whose leaving the list of spectators now tells; clients of that version ignore them. Of
// a pause that waited for turns, and of a session that was restored, the audit names the person instead of the server. A
// report in Markdown, which people read, has the section with what the stages made, who took part, and the people beside
// their roles; it, and a report of a realm in JSON, has what people said to everybody.
const recorded = "testdata/recorded"

// recording returns the folder to which the tests record, "" if they compare.
func recording() string { return os.Getenv("AGENTDUNGEON_RECORD") }

// tools has the files of the folder that the session links.
var tools = map[string]string{
	"README.md": "# tools\n", "src/main.go": "package main\n\nfunc main() { Do() }\n", "src/do.go": "package main\n",
	"src/deep/a.go": "package deep\n", "src/deep/a_test.go": "package deep\n", "docs/guide.md": "Type make old.\n",
	"Makefile": "test:\n\tgo test\n",
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(recorded, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// The frames of a fixed session equal those of the recorded version byte for byte.
func TestFramesAreTheRecordedOnes(t *testing.T) {
	log := ""
	if recording() != "" {
		alone(t)
	}
	random := newNamed(t)
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		if recording() != "" {
			dir = recordedDir
		}
		worlds := filepath.Join(dir, "worlds")
		lay(t, worlds, map[string]string{
			"templates/small.json": read(t, "small.json"), "teams/crew.json": read(t, "crew.json"),
		})
		s := &session{
			t: t, dir: dir, worlds: worlds, repo: filepath.Join(dir, "tools"),
			cast: filepath.Join(recorded, "cast.json"), record: recording(), random: random,
		}
		lay(t, s.repo, tools)
		s.play(read(t, "session.txt"))
		log = s.normal(s.log.String())
	})
	same(t, log, "session.frames.zst")
	if recording() != "" {
		record(t, recording())
	}
}

// erasureID matches the id of an erasure, which ends with a random part.
var erasureID = regexp.MustCompile(`\b(e[0-9]+-[0-9a-z]+)-[A-Z2-7]{8}\b`)

// erasedFiles matches how many files an erasure has removed. The number depends on whether the mirror has replaced
// findings.json before the erasure looks at it.
var erasedFiles = regexp.MustCompile(`("changed":\{[^{}]*"files":)[0-9]+`)

// same compares a log with a recorded one and reports the first difference with the text around it. While
// recording it writes the log instead.
func same(t *testing.T, log, name string) {
	t.Helper()
	if dir := recording(); dir != "" {
		squeeze(t, filepath.Join(dir, name), []byte(log))
		return
	}
	lines := func(text string) []string {
		text = erasureID.ReplaceAllString(text, "$1-RANDOM")
		return strings.Split(erasedFiles.ReplaceAllString(text, "${1}N"), "\n")
	}
	got, want := lines(log), lines(string(unsqueeze(t, name)))
	step := ""
	for i := range max(len(got), len(want)) {
		x, y := "nothing", "nothing"
		if i < len(got) {
			x = got[i]
		}
		if i < len(want) {
			y = want[i]
		}
		if strings.HasPrefix(y, "= ") {
			step = y
		}
		if x == y {
			continue
		}
		at := 0
		for at < min(len(x), len(y)) && x[at] == y[at] {
			at++
		}
		at = max(0, at-200)
		t.Fatalf("line %d, in the step %s\n got ...%.500s\nwant ...%.500s", i+1, step, x[at:], y[at:])
	}
}

// squeeze writes a compressed file. The window of the compression covers the whole file, because a recording repeats
// text from far before.
func squeeze(t *testing.T, file string, data []byte) {
	t.Helper()
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(32<<20))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, w.EncodeAll(data, nil), 0o644); err != nil {
		t.Fatal(err)
	}
}

func unsqueeze(t *testing.T, name string) []byte {
	t.Helper()
	r, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data, err := r.DecodeAll([]byte(read(t, name)), nil)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
