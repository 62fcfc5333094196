package golib_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/mod/module"

	"agentdungeon/server/golib"
)

// Find finds the source by the environment variables. A version of a module that was not downloaded is not found.
func TestLibraryIsFound(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"root/src/fmt/print.go": "package fmt", "cache/github.com/!ann/x@v1.2.0/x.go": "package x",
	} {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", "")
	env := map[string]string{"GOROOT": filepath.Join(dir, "root"), "GOMODCACHE": filepath.Join(dir, "cache")}
	l := golib.Find(func(key string) string { return env[key] })
	if text, err := fs.ReadFile(l.Standard(), "fmt/print.go"); err != nil || string(text) != "package fmt" {
		t.Errorf("the standard library: %q %v", text, err)
	}
	in := l.Module(module.Version{Path: "github.com/Ann/x", Version: "v1.2.0"})
	if in == nil {
		t.Fatal("a downloaded module is not found")
	}
	if text, err := fs.ReadFile(in, "x.go"); err != nil || string(text) != "package x" {
		t.Errorf("a module: %q %v", text, err)
	}
	for _, v := range []module.Version{
		{Path: "github.com/Ann/x", Version: "v1.3.0"}, {Path: "../x", Version: "v1.2.0"}, {Path: "github.com/Ann/x", Version: "../../x"}, {},
	} {
		if l.Module(v) != nil {
			t.Errorf("%v is found", v)
		}
	}
	if empty := golib.Find(func(string) string { return "" }); empty.Module(module.Version{Path: "github.com/Ann/x", Version: "v1.2.0"}) != nil {
		t.Error("without an environment a module is found")
	}
}
