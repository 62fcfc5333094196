package review

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"agentdungeon/server/folder"
	"agentdungeon/server/inspect"
	allheroes "agentdungeon/server/inspect/heroes"
)

// clocked opens a folder as if the clock showed the time at.
type clocked struct {
	dir string
	at  time.Time
}

func (c clocked) Open(ctx context.Context, _ string) (*inspect.Repo, io.Closer, error) {
	return folder.Inspect(ctx, c.dir, folder.Options{}, c.at)
}

// dated makes a git repository of the files of planted, with commits at fixed dates, a version tag, and a deprecated
// function that is to be removed after a date.
func dated(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not there to make a repository with")
	}
	dir := filepath.Join(t.TempDir(), "planted")
	git := func(date string, args ...string) {
		t.Helper()
		c := exec.Command("git", append([]string{"-c", "user.name=Grace", "-c", "user.email=grace@example.org"}, args...)...)
		c.Dir, c.Env = dir, append(os.Environ(), "GIT_COMMITTER_DATE="+date, "GIT_AUTHOR_DATE="+date)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range planted(t) {
		write(name, text)
	}
	for i := range 15 { // more than a check keeps
		write(fmt.Sprintf("many/m%02d.go", i), "package many\n\nimport \"os\"\n\nfunc f"+fmt.Sprint(i)+"(a string) int64 {\n\tx, _ := os.Stat(a)\n\treturn x.Size()\n}\n")
	}
	write("come.go", "package planted\n\n// New is new.\n//\n// Deprecated: New is to be removed after 2027-01-31.\nfunc New() {}\n")
	git("2022-02-01T10:00:00Z", "init", "-q")
	git("2022-02-01T10:00:00Z", "add", ".")
	git("2022-02-01T10:00:00Z", "commit", "-qm", "first")
	git("2022-02-01T10:00:00Z", "tag", "v1.0.0")
	write("come.go", "package planted\n\n// Newer is new.\n//\n// Deprecated: Newer is to be removed after 2027-01-31.\nfunc Newer() {}\n")
	git("2025-03-01T10:00:00Z", "commit", "-qam", "second")
	return dir
}

// resultOf reviews a folder and returns all results of the checks and the report as bytes. It runs the checks side by
// side.
func resultOf(t *testing.T, dir string, at time.Time, cores int) string {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
	repo, end, err := clocked{dir, at}.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	all := allheroes.Checks()
	results := make([]*inspect.Result, len(all))
	var work sync.WaitGroup
	for i := range all {
		work.Go(func() { results[i] = inspect.Run(t.Context(), repo, &all[i]) })
	}
	work.Wait()
	var out strings.Builder
	for _, res := range results {
		data, err := json.Marshal([]any{res.Check.ID, res.Findings, res.Left, res.Excused, fmt.Sprint(res.Err), res.Late})
		if err != nil {
			t.Fatal(err)
		}
		out.Write(data)
		out.WriteByte('\n')
	}
	if err := end.Close(); err != nil {
		t.Fatal(err)
	}
	b := newBoard(t, &shelf{})
	b.scouts = New(clocked{dir, at}, all, "1")
	defer func() {
		if err := b.scouts.Close(); err != nil {
			t.Error(err)
		}
	}()
	out.WriteString(b.whole())
	return out.String()
}

// One commit has one review, whatever the clock, the number of processors and the order in which checks run.
func TestOneCommitHasOneResult(t *testing.T) {
	dir := dated(t)
	want := resultOf(t, dir, time.Date(2025, 4, 1, 0, 0, 0, 0, time.UTC), 1)
	for _, sure := range []string{"many/m00.go", `"warden/go-api-break"`, "In numbers"} {
		if !strings.Contains(want, sure) {
			t.Errorf("the review does not have %q, so that it proves little:\n%s", sure, want)
		}
	}
	for _, cores := range []int{4, 2} {
		if got := resultOf(t, dir, time.Date(2031, 4, 1, 0, 0, 0, 0, time.UTC), cores); got != want {
			t.Errorf("with %d processors in 2031:\n%s\nwith 1 in 2025:\n%s", cores, got, want)
		}
	}
}
