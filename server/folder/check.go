package folder

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"agentdungeon/shared/wire"
)

// Check reports whether a folder may be linked. It returns the absolute path with
// links resolved, so that each folder has one name. "~/" stands for the home folder;
// a relative path starts at the server's working directory.
//
// It refuses a path that is not a folder, cannot be read, or is no sensible root of a project (B28): the whole
// disk, the home folder and its parents, /proc, /sys and /dev, the inside of a .git folder, and everything
// below the folders in exclude (the worlds folder). Errors are *wire.Error: a short sentence with what to do.
func Check(path string, exclude ...string) (string, error) {
	if strings.TrimSpace(path) == "" || strings.ContainsRune(path, 0) {
		return "", wire.Errorf(wire.BadField, "path is empty: give the whole path of a folder")
	}
	home, homeErr := os.UserHomeDir()
	if path == "~" || strings.HasPrefix(path, "~/") {
		if homeErr != nil {
			return "", wire.Errorf(wire.BadField, "the home folder is not known here: give the whole path without ~")
		}
		path = home + path[1:]
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", wire.Errorf(wire.BadField, "give the whole path of a folder, beginning with /")
	}
	clean, err := filepath.EvalSymlinks(abs)
	if err != nil {
		if _, kernel := os.Stat(abs); kernel != nil {
			err = kernel // ELOOP: EvalSymlinks has no errno for a circle of links
		}
		return "", unreachable(abs, err)
	}
	info, err := os.Stat(clean)
	switch {
	case err != nil:
		return "", unreachable(abs, err)
	case !info.IsDir():
		return "", wire.Errorf(wire.BadField, "%s is a file: link the folder it lies in", abs)
	case filepath.Dir(clean) == clean:
		return "", wire.Errorf(wire.NotAllowed, "the whole disk cannot be linked: link the folder of one project")
	case homeErr == nil && inside(resolved(home), clean):
		return "", wire.Errorf(wire.NotAllowed,
			"%s holds a whole home folder: link the folder of one project in it", abs)
	}
	for _, dir := range []string{"/proc", "/sys", "/dev"} {
		if inside(clean, dir) {
			return "", wire.Errorf(wire.NotAllowed, "%s belongs to the system: link the folder of a project", abs)
		}
	}
	for dir := range strings.SplitSeq(filepath.ToSlash(clean), "/") {
		if dir == ".git" {
			return "", wire.Errorf(wire.NotAllowed, "%s is git's own folder: link the folder that holds it", abs)
		}
	}
	for _, dir := range exclude {
		if inside(clean, resolved(dir)) {
			return "", insideWorlds(abs)
		}
	}
	if err := readable(clean); err != nil {
		return "", unreachable(abs, err)
	}
	return clean, nil
}

func insideWorlds(path string) error {
	return wire.Errorf(wire.NotAllowed, "%s lies in the server's own worlds folder: link another one", path)
}

func unreachable(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return wire.Errorf(wire.NotFound, "there is no folder %s on the server: check the path", path)
	case errors.Is(err, fs.ErrPermission):
		return wire.Errorf(wire.NotAllowed,
			"the server may not read %s: grant it access, or link another folder", path)
	case errors.Is(err, syscall.ELOOP):
		return wire.Errorf(wire.BadField,
			"%s is a link that leads in a circle: repair it, or link another folder", path)
	}
	return wire.Errorf(wire.NotFound, "%s cannot be read: check that its disk is there", path)
}

// readable reads one entry of the folder dir. It returns an error if the server is not permitted to list the folder.
func readable(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	_, err = f.Readdirnames(1)
	if err == io.EOF {
		err = nil
	}
	return errors.Join(err, f.Close())
}

// inside reports whether path is dir or lies below it. Both paths must be clean (filepath.Clean).
func inside(path, dir string) bool {
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || os.IsPathSeparator(rest[0]) || os.IsPathSeparator(dir[len(dir)-1]))
}

// resolved returns path with its links resolved, as far as the path exists.
func resolved(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		abs = filepath.Clean(path)
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		return real
	}
	if dir := filepath.Dir(abs); dir != abs {
		return filepath.Join(resolved(dir), filepath.Base(abs))
	}
	return abs
}
