package folder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"agentdungeon/server/dungeon"
	"agentdungeon/server/soak"
	"agentdungeon/shared/wire"
)

// Without git the map has everything but the usual build folders and dot files (P10.3).
func TestScanWithoutGit(t *testing.T) {
	alone(t)
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"a": "12345", "d/b": "", "empty/": "", ".hidden": "", ".env.example": "", ".env": "", "d/.cache/x": "", "node_modules/x": "", "d/node_modules/x": "",
		"__pycache__/x": "", "dist/x": "", "build/x": "", "coverage/x": "", ".next/x": "", ".git": "no repository", "d/dist": "a file", ".gitignore": "a\n",
		"link": "-> a", "out": "-> ../x", "target/x": "",
	})
	tree, info := scanOf(t, dir, Options{})
	want := map[string]bool{"a": true, "d/b": true, ".env.example": true, "d/dist": true, "link": true, "target/x": true}
	if got := shown(tree); !maps.Equal(got, want) || info.Map.Source != SourceWalk ||
		!slices.Equal(info.Notices, []string{builtNotice}) {
		t.Errorf("shows %v from %s, %q", got, info.Map.Source, info.Notices)
	}
	if e, ok := tree.Lookup("empty"); !ok || !e.Folder {
		t.Error("an empty folder is not shown")
	}
	if e, _ := tree.Lookup("a"); e.Size != 5 {
		t.Errorf("a has %d bytes", e.Size)
	}
	if e, _ := tree.Lookup("link"); e.Kind != dungeon.KindLink {
		t.Errorf("link is a %v", e.Kind)
	}
	if info.Map.Bytes != 11 || info.Map.Files != 6 || info.Map.Folders != 3 || info.Map.ScannedAt == 0 || tree.Name() != filepath.Base(dir) {
		t.Errorf("%+v of %s", info.Map, tree.Name())
	}
}

// Pipes and sockets are neither shown nor opened: opening one would block.
func TestScanSkipsSpecialFiles(t *testing.T) {
	needGit(t)
	alone(t)
	for _, with := range []bool{false, true} {
		dir := t.TempDir()
		write(t, dir, map[string]string{"a": "", "d/": "", "e/f": ""})
		if with {
			git(t, dir, "init", "-q")
			for _, p := range []string{".gitignore", "e/.git", ".git/info/exclude"} {
				must(t, errors.Join(os.RemoveAll(filepath.Join(dir, p)), syscall.Mkfifo(filepath.Join(dir, p), 0o644)))
			}
		}
		must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644))
		must(t, syscall.Mkfifo(filepath.Join(dir, "d", "pipe"), 0o644))
		must(t, os.Symlink("pipe", filepath.Join(dir, "topipe")))
		tree, _ := scanOf(t, dir, Options{})
		if got := shown(tree); !maps.Equal(got, map[string]bool{"a": true, "topipe": true, "e/f": true}) {
			t.Errorf("shows %v", got)
		}
	}
}

// The worlds folder is never scanned, wherever it is and by whatever path a scan reaches it. It is usually
// inside the linked repository.
// P10.3.
func TestScanLeavesOutTheWorldsFolder(t *testing.T) {
	alone(t)
	base := t.TempDir()
	dir := filepath.Join(base, "repo")
	write(t, dir, map[string]string{"a": "", "worlds/r/state.json": "", "sub/worlds/x": "", "worlds2/y": "", "link": "-> worlds"})
	must(t, os.Symlink("repo/worlds", filepath.Join(base, "alias")))
	for _, exclude := range []string{filepath.Join(dir, "worlds"), filepath.Join(base, "alias"), filepath.Join(dir, "sub", "..", "worlds") + "/"} {
		tree, _ := scanOf(t, dir, Options{Exclude: []string{exclude}})
		if got := shown(tree); !maps.Equal(got, map[string]bool{"a": true, "sub/worlds/x": true, "worlds2/y": true, "link": true}) {
			t.Errorf("without %s the map shows %v", exclude, got)
		}
	}
	for _, inner := range []string{"worlds", "worlds/r"} {
		_, _, err := Scan(t.Context(), filepath.Join(dir, inner), Options{Exclude: []string{filepath.Join(dir, "worlds")}})
		var we *wire.Error
		if !errors.As(err, &we) {
			t.Errorf("scanning %s: %v", inner, err)
		}
	}
}

// An excluded folder is recognized by its identity if it is mounted or reached by a second path.
func TestExcludedByIdentity(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"worlds/": "", "other/": ""})
	x := exclude(filepath.Join(dir, "worlds"))
	elsewhere := func() string { return "/mounted/elsewhere" }
	for name, want := range map[string]bool{"worlds": true, "other": false} {
		info, err := os.Stat(filepath.Join(dir, name))
		must(t, err)
		if x.is(info, elsewhere) != want {
			t.Errorf("%s is the excluded folder: %v", name, !want)
		}
	}
	// A folder that does not exist yet is recognized by its path.
	info, err := os.Stat(dir)
	must(t, err)
	if y := exclude("/none/worlds"); !y.is(info, func() string { return "/none/worlds" }) || y.is(info, elsewhere) {
		t.Error("a folder that is not there is not known by its path")
	}
}

func TestScanAway(t *testing.T) {
	alone(t)
	dir := t.TempDir()
	write(t, dir, map[string]string{"file": ""})
	for _, path := range []string{filepath.Join(dir, "gone"), filepath.Join(dir, "file"), filepath.Join(dir, "file", "x")} {
		if _, _, err := Scan(t.Context(), path, Options{}); !errors.Is(err, ErrAway) {
			t.Errorf("Scan(%s): %v, want ErrAway", path, err)
		}
		if _, err := openRoot(path); !errors.Is(err, ErrAway) {
			t.Errorf("openRoot(%s): %v, want ErrAway", path, err)
		}
	}
	if _, _, err := Scan(t.Context(), "relative", Options{}); err == nil || errors.Is(err, ErrAway) {
		t.Errorf("a relative path: %v", err)
	}
	// If the folder disappears during the scan, an empty map would be wrong.
	write(t, dir, map[string]string{"repo/a/b/c": "", "repo/d": ""})
	repo := filepath.Join(dir, "repo")
	_, _, err := Scan(t.Context(), repo, Options{Progress: func(int) {
		if err := os.Rename(repo, repo+"-moved"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	}})
	if !errors.Is(err, ErrAway) {
		t.Errorf("a folder that went away: %v", err)
	}
}

func TestScanCancelled(t *testing.T) {
	alone(t)
	dir := t.TempDir()
	for i := range 50 {
		write(t, dir, map[string]string{fmt.Sprintf("d%d/e/f", i): ""})
	}
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	_, _, err := Scan(ctx, dir, Options{Progress: func(int) { calls++; cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled scan: %v", err)
	}
	if calls > 2*workers {
		t.Errorf("%d folders were read after the end", calls)
	}
}

func TestScanProgress(t *testing.T) {
	alone(t)
	dir := t.TempDir()
	for i := range 40 {
		write(t, dir, map[string]string{fmt.Sprintf("d%d/a", i): "", fmt.Sprintf("d%d/b", i): ""})
	}
	last, calls := 0, 0
	var inside atomic.Bool
	scanOf(t, dir, Options{Progress: func(done int) {
		if !inside.CompareAndSwap(false, true) {
			t.Error("progress is told twice at once")
		}
		defer inside.Store(false)
		for range 1000 { // so that other goroutines run
			runtime.Gosched()
		}
		if done < last {
			t.Errorf("progress fell from %d to %d", last, done)
		}
		last = done
		calls++
	}})
	if last != 80 || calls < 2 {
		t.Errorf("%d calls, the last said %d", calls, last)
	}
}

func TestScanCut(t *testing.T) {
	alone(t)
	dir := t.TempDir()
	for i := range 30 {
		write(t, dir, map[string]string{fmt.Sprintf("d%d/a", i): "", fmt.Sprintf("f%d", i): ""})
	}
	for _, limit := range []int{1, 29, 30, 45, 59} {
		tree, info := scanOf(t, dir, Options{MaxFiles: limit})
		if !info.Cut || len(info.Notices) != 1 || tree.Files() > limit {
			t.Errorf("limit %d: %d files, %+v", limit, tree.Files(), info)
		}
	}
	tree, info := scanOf(t, dir, Options{MaxFiles: 60})
	if info.Cut || tree.Files() != 60 {
		t.Errorf("%d files, %+v", tree.Files(), info)
	}
}

// A folder whose path is too long for the wire is left out and noted.
func TestScanDepth(t *testing.T) {
	alone(t)
	dir := t.TempDir()
	write(t, dir, map[string]string{"a": ""})
	deep := dir
	root, err := os.OpenRoot(dir)
	must(t, err)
	for range dungeon.MaxDepth + 20 { // beyond PATH_MAX only step by step
		must(t, root.Mkdir("dd", 0o755))
		f, err := root.Create("f")
		must(t, errors.Join(err, f.Close()))
		next, err := root.OpenRoot("dd")
		must(t, errors.Join(err, root.Close()))
		root = next
		deep = filepath.Join(deep, "dd")
	}
	must(t, root.Close())
	tree, info := scanOf(t, dir, Options{})
	if info.UnreadTotal != 1 || len(info.Unread) != 1 || len(info.Notices) != 1 || tree.Files() != dungeon.MaxDepth+2 {
		t.Errorf("%d files, %d left out, %v", tree.Files(), info.UnreadTotal, info.Notices)
	}

	long := t.TempDir()
	root, err = os.OpenRoot(long)
	must(t, err)
	for range 20 {
		name := strings.Repeat("\xff", 250) // 750 bytes on the wire
		must(t, root.Mkdir(name, 0o755))
		file := strings.Repeat("\xfe", 120) // 360 bytes: in the fifth folder it is too long by itself
		f, err := root.Create(file)
		must(t, errors.Join(err, f.Close()))
		next, err := root.OpenRoot(name)
		must(t, errors.Join(err, root.Close()))
		root = next
	}
	must(t, root.Close())
	tree, info = scanOf(t, long, Options{})
	// The paths of five folders fit, and those of the files in the root and in the first four.
	if info.UnreadTotal != 2 || tree.Folders() != wire.MaxPath/751 || tree.Files() != wire.MaxPath/751 {
		t.Errorf("%d folders, %d files, %d left out", tree.Folders(), tree.Files(), info.UnreadTotal)
	}
}

func TestScan20k(t *testing.T) {
	needGit(t)
	alone(t)
	dir := t.TempDir()
	makeModules(t, dir, soak.Cases(20, 4))
	flat := map[string]string{}
	for i := range 5000 {
		flat[fmt.Sprintf("flat/file%d.go", i)] = ""
	}
	write(t, dir, flat)
	git(t, dir, "init", "-q")
	git(t, dir, "add", "-A")
	sameAsGit(t, dir)
	tree, _ := scanOf(t, dir, Options{})
	pages, objects := 1, 0
	for page := 0; page < pages; page++ {
		m, err := dungeon.Room(&dungeon.Survey{Tree: tree}, "flat", page)
		must(t, err)
		pages = m.Pages
		objects += len(m.Room.Objects)
	}
	if objects != 5000 {
		t.Errorf("%d of 5,000 files of one folder stand in its room", objects)
	}
}
