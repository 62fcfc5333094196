package hooks

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// maxSettings is the maximum length of a settings file that is edited, in bytes.
const maxSettings = 16 << 20

// Read returns the content of a settings file, nil if there is none.
func Read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no file", path)
	case info.Size() > maxSettings:
		return nil, fmt.Errorf("%s is longer than %d bytes", path, maxSettings)
	}
	text, err := os.ReadFile(path)
	if text == nil {
		text = []byte{}
	}
	return text, err
}

// Write replaces the content of a settings file by text. before is the content that the caller has read, nil if there
// was no file; a nil text removes the file. The file is replaced in one step and keeps its mode; if path is a link, its
// target is replaced. If somebody else has changed the file meanwhile, Write returns an error and does not touch it.
func Write(path string, before, text []byte) (err error) {
	now, err := Read(path)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, before) || (now == nil) != (before == nil) {
		return fmt.Errorf("%s has changed meanwhile; try again", path)
	}
	mode := os.FileMode(0o600)
	if before != nil {
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		mode = info.Mode().Perm()
	} else if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if text == nil {
		return os.Remove(path)
	}
	return renameio.WriteFile(path, text, mode, renameio.WithTempDir(filepath.Dir(path)),
		renameio.WithStaticPermissions(mode))
}
