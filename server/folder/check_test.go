package folder

import (
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"agentdungeon/shared/wire"
)

// Check refuses to link any folder that is no sensible root of a project (B28).
func TestCheck_B28(t *testing.T) {
	home := alone(t)
	base := t.TempDir()
	write(t, base, map[string]string{
		"repo/f": "", "repo/.git/HEAD": "", "file": "", "worlds/r/x": "", "worlds2/x": "", "a..b/x": "", "..c/x": "", "repo/.gitx/y": "", "sp ace/🎲/x": "",
		"alias": "-> repo", "loop": "-> loop", "dangling": "-> nowhere", "toworlds": "-> worlds/r", "tofile": "-> file", "tohome": "-> " + home,
	})
	write(t, home, map[string]string{"proj/x": ""})
	must(t, syscall.Mkfifo(filepath.Join(base, "pipe"), 0o644))
	real, err := filepath.EvalSymlinks(base)
	must(t, err)
	in := func(p string) string { return filepath.Join(base, p) }
	for path, want := range map[string]string{
		in("repo"): "repo", in("repo") + "/": "repo", base + "/repo/../repo/.": "repo", in("alias"): "repo", in("a..b"): "a..b", in("..c"): "..c",
		in("worlds2"): "worlds2", in("repo/.gitx"): "repo/.gitx", in("sp ace/🎲"): "sp ace/🎲", base: "",
	} {
		got, err := Check(path, in("worlds"))
		if err != nil || got != filepath.Join(real, want) {
			t.Errorf("Check(%q) = %q, %v, want %q", path, got, err, want)
		}
	}
	if got, err := Check("~/proj"); err != nil || got != filepath.Join(resolved(home), "proj") {
		t.Errorf("~/proj is %q, %v", got, err)
	}
	for path, code := range map[string]wire.Code{
		"": wire.BadField, "  ": wire.BadField, "a\x00b": wire.BadField, in("gone"): wire.NotFound, in("file"): wire.BadField, in("file/x"): wire.NotFound,
		in("dangling"): wire.NotFound, in("loop"): wire.BadField, in("tofile"): wire.BadField, in("pipe"): wire.BadField,
		"/": wire.NotAllowed, "//": wire.NotAllowed, "/../..": wire.NotAllowed, home: wire.NotAllowed, "~": wire.NotAllowed, "~/": wire.NotAllowed, "~/proj/..": wire.NotAllowed,
		filepath.Dir(home): wire.NotAllowed, in("tohome"): wire.NotAllowed, "/proc": wire.NotAllowed, "/proc/self": wire.NotAllowed, "/dev": wire.NotAllowed, "/sys": wire.NotAllowed,
		in("repo/.git"): wire.NotAllowed, in("worlds"): wire.NotAllowed, in("worlds/r"): wire.NotAllowed, in("toworlds"): wire.NotAllowed,
		"/" + strings.Repeat("x", 300): wire.NotFound, "no/such/relative": wire.NotFound,
	} {
		got, err := Check(path, in("worlds"))
		var we *wire.Error
		if !errors.As(err, &we) || we.Code != code || got != "" || strings.Contains(we.Message, "\x00") || len(we.Message) < 20 {
			t.Errorf("Check(%.40q) = %q, %v, want %s", path, got, err, code)
		}
	}
	// The path of the worlds folder may contain a link, and the folder need not exist yet.
	if _, err := Check(in("worlds/r"), in("toworlds")); err == nil {
		t.Error("a worlds folder behind a link is not known")
	}
	if _, err := Check(in("repo"), in("alias/sub/worlds")); err != nil {
		t.Errorf("a repository around the worlds folder: %v", err)
	}
}
