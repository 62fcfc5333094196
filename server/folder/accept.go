package folder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"unicode/utf8"

	"github.com/google/renameio/v2"

	"agentdungeon/server/inspect"
	"agentdungeon/shared/wire"
)

// maxAccepted is the maximum size of the file of accepted findings, in bytes. Accept adds no line to a larger file.
const maxAccepted = 1 << 20

// accepting is held while Accept reads and replaces the file of accepted findings. Otherwise two hosts who accept
// findings at the same time could lose one of the lines.
var accepting sync.Mutex

// Accept adds a line to the file inspect.ExcusesFile of a linked folder. The server calls it only if a person asks for
// that (P19.7). It is the only function that writes into a linked folder. It replaces the whole file, or creates it.
// written is false if the file has the line already. Errors for people are *wire.Error.
func Accept(ctx context.Context, path, line string) (written bool, err error) {
	path = resolved(path)
	if Ignored(ctx)(filepath.Join(path, inspect.ExcusesFile)) {
		return false, wire.Errorf(wire.Conflict, "git ignores %s here, so no review would read it", inspect.ExcusesFile)
	}
	accepting.Lock()
	defer accepting.Unlock()
	root, err := openRoot(path)
	if err != nil {
		return false, forPeople(err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	old, before, err := accepted(root)
	if err != nil {
		return false, err
	}
	for l := range bytes.Lines(old) {
		if strings.TrimSpace(string(l)) == line {
			return false, nil
		}
	}
	mode := fs.FileMode(0o644)
	if before != nil {
		mode = before.Mode().Perm()
	}
	next, err := renameio.NewPendingFile(inspect.ExcusesFile, renameio.WithRoot(root),
		renameio.WithStaticPermissions(mode))
	if err != nil {
		return false, cannotWrite(err)
	}
	defer func() { err = errors.Join(err, next.Cleanup()) }()
	if _, err := next.Write(withLine(old, line)); err != nil {
		return false, cannotWrite(err)
	}
	if now, err := root.Lstat(inspect.ExcusesFile); !unchanged(before, now, err) {
		return false, wire.Errorf(wire.Conflict, "%s has just changed; try again", inspect.ExcusesFile)
	}
	if err := next.CloseAtomicallyReplace(); err != nil {
		return false, cannotWrite(err)
	}
	return true, nil
}

// Accepted returns the content of the file inspect.ExcusesFile of a linked folder; nil without such a file, and if git
// ignores it, because no review reads it then. Errors for people are *wire.Error.
func Accepted(ctx context.Context, path string) (_ []byte, err error) {
	path = resolved(path)
	if Ignored(ctx)(filepath.Join(path, inspect.ExcusesFile)) {
		return nil, nil
	}
	root, err := openRoot(path)
	if err != nil {
		return nil, forPeople(err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	data, _, err := accepted(root)
	return data, err
}

// accepted returns the content and the fs.FileInfo of the file of accepted findings, both nil without such a file.
func accepted(root *os.Root) ([]byte, fs.FileInfo, error) {
	info, err := root.Lstat(inspect.ExcusesFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, nil
	case err != nil:
		return nil, nil, forPeople(err)
	case !info.Mode().IsRegular():
		return nil, nil, wire.Errorf(wire.Conflict, "%s is no regular file", inspect.ExcusesFile)
	}
	data, err := readIn(root, inspect.ExcusesFile, maxAccepted)
	switch {
	case errors.Is(err, errTooLong):
		return nil, nil, wire.Errorf(wire.Conflict, "%s is larger than %d MB", inspect.ExcusesFile, maxAccepted>>20)
	case err != nil:
		return nil, nil, forPeople(err)
	case bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data):
		return nil, nil, wire.Errorf(wire.Conflict, "%s is no text", inspect.ExcusesFile)
	}
	return data, info, nil
}

// withLine returns a text with a further line at its end. The line ends with the line break that the text uses.
func withLine(old []byte, line string) []byte {
	end := "\n"
	if bytes.Contains(old, []byte("\r\n")) {
		end = "\r\n"
	}
	out := bytes.Clone(old)
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, end...)
	}
	return append(append(out, line...), end...)
}

func unchanged(before, now fs.FileInfo, err error) bool {
	if before == nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return err == nil && os.SameFile(before, now) && before.Size() == now.Size() && before.ModTime().Equal(now.ModTime())
}

func cannotWrite(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return wire.Errorf(wire.Conflict, "the server may not write into the linked folder")
	}
	return fmt.Errorf("accept a finding: %w", err)
}
