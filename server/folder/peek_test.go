package folder

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestPeekReadsWhatIsThere(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{"Makefile": "test:\n", "go.mod": strings.Repeat("x", 101), "sub/package.json": "{}"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(outside, "secret"), filepath.Join(dir, "Cargo.toml")); err != nil {
		t.Fatal(err)
	}
	got, err := Peek(t.Context(), dir, []string{"Makefile", "go.mod", "Cargo.toml", "sub", "../" + filepath.Base(outside) + "/secret", "/etc/passwd", "none", ""}, 100)
	if err != nil || !slices.Equal(slices.Sorted(maps.Keys(got)), []string{"Makefile"}) || got["Makefile"] != "test:\n" {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := Peek(t.Context(), filepath.Join(dir, "gone"), nil, 100); err == nil {
		t.Error("a folder that is away gives nothing without a word")
	}
}
