package folder

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/config"
)

// Maximum sizes of git's own files, in bytes.
const (
	maxConfigBytes = 1 << 20
	maxPointer     = 4 << 10 // HEAD, commondir, a .git file
)

// repository is the git repository of the scanned folder, as far as it decides which names belong to the map.
// git's own files are read by their absolute paths, because a worktree keeps them elsewhere. No client sees
// their content.
type repository struct {
	fold    bool    // core.ignoreCase
	rules   ignores // rules in force in the scanned folder, without those of its own .gitignore
	ignored bool    // git ignores the scanned folder itself: the scan takes only its tracked files
	modules bool    // there is a .gitmodules file
	index   *gitIndex
}

// findRepository returns the repository that a folder belongs to: its own or one around it. It returns nil if there
// is none, or if the repository around it ignores the folder and tracks nothing in it (say, a home folder under git).
// For each of git's own files that could not be read, it calls the function note with a sentence for people.
func findRepository(ctx context.Context, root string, note func(string)) *repository {
	r := repositoryAround(ctx, root, note)
	if r != nil && r.ignored && len(r.index.all().names) == 0 {
		return nil
	}
	return r
}

// repositoryAround returns the repository that a folder lies in, even if the repository ignores the folder, or nil.
func repositoryAround(ctx context.Context, root string, note func(string)) *repository {
	top, gitDir := discover(root)
	if gitDir == "" {
		return nil
	}
	common := commonDir(gitDir)
	prefix := prefixOf(top, root)
	r := &repository{index: newIndex(ctx, gitDir, prefix, note)}
	_, err := os.Lstat(filepath.Join(top, ".gitmodules"))
	r.modules = err == nil

	excludes, ignoreCase, err := settings(filepath.Join(common, "config"), top)
	if err != nil {
		note(fmt.Sprintf("git's settings could not be read (%v): the map may show files that git ignores", err))
	}
	r.fold = ignoreCase
	for _, file := range []string{excludes, filepath.Join(common, "info", "exclude")} {
		r.addFile(file, true, note)
	}
	dir := top
	for name := range strings.SplitSeq(prefix, "/") {
		if name == "" { // the part after the last slash is empty
			break
		}
		if !r.ignored {
			r.addFile(filepath.Join(dir, ".gitignore"), false, note)
			r.ignored = r.rules.match(foldName(name, r.fold), true)
		}
		r.rules = r.rules.enter(foldName(name, r.fold))
		dir = filepath.Join(dir, name)
	}
	return r
}

// prefixOf returns the path of a folder below the repository's top, "" or with a "/" at its end.
func prefixOf(top, folder string) string {
	rel, err := filepath.Rel(top, folder)
	if err != nil || rel == "." {
		return ""
	}
	return filepath.ToSlash(rel) + "/"
}

// addFile adds the rules of an ignore file. If follow is set, it also reads a file that a link leads to. Git
// follows links to ignore files that a person configured, but no link named .gitignore.
func (r *repository) addFile(path string, follow bool, note func(string)) {
	if path == "" {
		return
	}
	if info, err := os.Lstat(path); err != nil || (!follow && !info.Mode().IsRegular()) {
		return
	}
	data, err := readFile(path, maxIgnoreBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		note(fmt.Sprintf("%s could not be read (%v): the map may show files that git ignores",
			filepath.Base(path), err))
		return
	}
	own := parseRules(data, r.fold)
	if text := own.leftOut(filepath.Base(path)); text != "" {
		note(text)
	}
	r.rules = r.rules.add(own)
}

// discover returns the nearest folder, from dir upwards, that holds a valid .git.
func discover(dir string) (top, gitDir string) {
	for {
		if g, ok := gitDirOf(dir); ok {
			return dir, g
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", ""
		}
		dir = up
	}
}

// gitDirOf returns the git folder of a worktree: its .git, or the target of a .git file
// (of a worktree or a submodule).
func gitDirOf(dir string) (string, bool) {
	path := filepath.Join(dir, ".git")
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", false
	case info.Mode().IsRegular():
		data, err := readFile(path, maxPointer)
		target, ok := strings.CutPrefix(string(data), "gitdir:")
		if err != nil || !ok {
			return "", false
		}
		path = strings.TrimRight(strings.TrimPrefix(target, " "), "\r\n")
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
	}
	return path, isGitDir(path)
}

// isGitDir reports whether dir is a valid git folder. It checks what git checks: dir has a HEAD that names a ref or a
// commit, and the folders objects and refs exist.
func isGitDir(dir string) bool {
	head := filepath.Join(dir, "HEAD")
	if target, err := os.Readlink(head); err == nil {
		if !strings.HasPrefix(target, "refs/") {
			return false
		}
	} else if !validHead(head) {
		return false
	}
	common := commonDir(dir)
	return isDir(filepath.Join(common, "objects")) && isDir(filepath.Join(common, "refs"))
}

func validHead(path string) bool {
	data, err := readFile(path, maxPointer)
	if err != nil {
		return false
	}
	if ref, ok := bytes.CutPrefix(data, []byte("ref:")); ok {
		return bytes.HasPrefix(bytes.TrimLeft(ref, " \t"), []byte("refs/"))
	}
	data = bytes.TrimRight(data, "\r\n")
	_, err = hex.DecodeString(string(data))
	return err == nil && (len(data) == 40 || len(data) == 64)
}

// commonDir returns the git folder of the main worktree, which contains what all worktrees share. It returns
// gitDir if gitDir is that folder.
func commonDir(gitDir string) string {
	data, err := readFile(filepath.Join(gitDir, "commondir"), maxPointer)
	if err != nil {
		return gitDir
	}
	dir := strings.TrimRight(string(data), "\r\n")
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(gitDir, dir)
	}
	return dir
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// settings reads git's configuration of the machine, the user and the repository, in this
// order. It returns the path of the global ignore file ("" for none) and core.ignoreCase.
func settings(own, top string) (excludes string, ignoreCase bool, err error) {
	home, _ := os.UserHomeDir() // without a home folder its files are not read
	xdg := os.Getenv("XDG_CONFIG_HOME")
	if xdg == "" && home != "" {
		xdg = filepath.Join(home, ".config")
	}
	if xdg != "" {
		excludes = filepath.Join(xdg, "git", "ignore")
	}
	var files []string
	if os.Getenv("GIT_CONFIG_NOSYSTEM") == "" {
		files = append(files, "/etc/gitconfig")
	}
	if xdg != "" {
		files = append(files, filepath.Join(xdg, "git", "config"))
	}
	if home != "" {
		files = append(files, filepath.Join(home, ".gitconfig"))
	}
	for _, path := range append(files, own) {
		data, readErr := readFile(path, maxConfigBytes)
		if errors.Is(readErr, fs.ErrNotExist) {
			continue
		}
		c := config.New()
		if readErr == nil {
			readErr = config.NewDecoder(bytes.NewReader(data)).Decode(c)
		}
		if readErr != nil {
			err = errors.Join(err, readErr)
			continue
		}
		core := c.Section("core").Options
		if core.Has("excludesfile") {
			excludes = core.Get("excludesfile")
			if rest, ok := strings.CutPrefix(excludes, "~/"); ok {
				excludes = filepath.Join(home, rest)
			} else if excludes != "" && !filepath.IsAbs(excludes) {
				excludes = filepath.Join(top, excludes)
			}
		}
		if core.Has("ignorecase") {
			switch strings.ToLower(core.Get("ignorecase")) {
			case "false", "no", "off", "0":
				ignoreCase = false
			default:
				ignoreCase = true
			}
		}
	}
	return excludes, ignoreCase, err
}
