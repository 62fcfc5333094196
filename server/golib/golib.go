// Package golib finds the Go source on this machine: the standard library and the modules that the go command has
// downloaded. It only reads: it starts no go command, downloads nothing, and does not look for the toolchain that a
// repository names. It implements inspect.Library; server/app passes it to reviews.
package golib

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"golang.org/x/mod/module"
)

// maxRelease is the greatest length of the file VERSION in bytes; the go command's has about 40.
const maxRelease = 1 << 10

// Library is the Go source of this machine. It is safe for concurrent use.
type Library struct {
	standard, modules string // folders; "" if not found
}

// Find looks for the source. The standard library is below GOROOT, beside the go command on PATH, or in one of two
// usual folders. The modules are in GOMODCACHE, in GOPATH, or in the folder go of the user's home.
func Find(getenv func(string) string) *Library {
	return &Library{standard: firstFolder(roots(getenv)), modules: firstFolder(caches(getenv))}
}

// roots returns the folders that can be the folder src of the standard library.
func roots(getenv func(string) string) (out []string) {
	if root := getenv("GOROOT"); root != "" {
		out = append(out, filepath.Join(root, "src"))
	}
	if command, err := exec.LookPath("go"); err == nil {
		if command, err = filepath.EvalSymlinks(command); err == nil {
			out = append(out, filepath.Join(filepath.Dir(filepath.Dir(command)), "src"))
		}
	}
	return append(out, "/usr/local/go/src", "/usr/lib/go/src")
}

// caches returns the folders that can contain downloaded modules.
func caches(getenv func(string) string) (out []string) {
	if cache := getenv("GOMODCACHE"); cache != "" {
		out = append(out, cache)
	}
	for _, path := range filepath.SplitList(getenv("GOPATH")) {
		out = append(out, filepath.Join(path, "pkg", "mod"))
	}
	home := getenv("HOME")
	if runtime.GOOS == "windows" {
		home = getenv("USERPROFILE")
	}
	if home != "" {
		out = append(out, filepath.Join(home, "go", "pkg", "mod"))
	}
	return out
}

func firstFolder(all []string) string {
	for _, dir := range all {
		if info, err := os.Stat(dir); filepath.IsAbs(dir) && err == nil && info.IsDir() {
			return dir
		}
	}
	return ""
}

// Standard returns the folder of the standard library, or nil.
func (l *Library) Standard() fs.FS {
	if l.standard == "" {
		return nil
	}
	return os.DirFS(l.standard)
}

// State returns the folder of the standard library and what the file VERSION above it says; "" if one of them is
// missing.
func (l *Library) State() string {
	if l.standard == "" {
		return ""
	}
	release, err := os.ReadFile(filepath.Join(filepath.Dir(l.standard), "VERSION"))
	if err != nil || len(release) > maxRelease {
		return ""
	}
	return fmt.Sprintf("%q %q", l.standard, release)
}

// Module returns the folder of a module's version, or nil if it was not downloaded.
func (l *Library) Module(v module.Version) fs.FS {
	name, err := module.EscapePath(v.Path)
	if err != nil || l.modules == "" {
		return nil
	}
	version, err := module.EscapeVersion(v.Version)
	if err != nil {
		return nil
	}
	dir := filepath.Join(l.modules, filepath.FromSlash(name)+"@"+version)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil
	}
	return os.DirFS(dir)
}
