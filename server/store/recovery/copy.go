package recovery

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"agentdungeon/server/store/disk"
)

// copyFolder copies the folders and regular files below src into the folder dst, which must exist. It leaves out
// temporary files and everything for which skip returns true. It does not copy other entries, such as links; links has
// the paths of at most maxListed of them.
func copyFolder(src, dst string, skip func(rel string) bool, copyFile func(src, dst string) error) (links []string,
	err error) {
	err = filepath.WalkDir(src, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // the file was removed during the copy
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(src, path)
		switch {
		case err != nil:
			return err
		case rel == ".", skip(rel), disk.TempName.MatchString(d.Name()):
			return nil
		case strings.HasSuffix(rel, ".tmp") && d.IsDir():
			return fs.SkipDir
		case d.IsDir():
			return os.Mkdir(filepath.Join(dst, rel), disk.FolderPerm)
		case d.Type().IsRegular():
			return copyFile(path, filepath.Join(dst, rel))
		case len(links) < maxListed:
			links = append(links, rel)
		}
		return nil
	})
	return links, err
}

// copyFile copies the file src to the path dst, at which no file may exist, and syncs the copy. It calls write to copy
// the content; size is the size of the file in bytes.
func copyFile(src, dst string, write func(out, in *os.File, size int64) error) (err error) {
	in, err := os.Open(src)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(dst, os.O_WRONLY|os.O_CREATE|os.O_EXCL, disk.FilePerm)
	if err != nil {
		return err
	}
	if err = write(out, in, info.Size()); err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}

// sectorBytes is the size of a sector of most disks, in bytes: a disk reads a sector wholly or not at all.
const sectorBytes = 4096

// writeReadable copies size bytes from in to out. In place of bytes that cannot be read it writes zeros; unread is
// their number.
func writeReadable(out io.Writer, in io.ReaderAt, size int64) (unread int64, err error) {
	const chunk = 256 * sectorBytes
	buf := make([]byte, chunk)
	for at, step := int64(0), int64(chunk); at < size; {
		part := buf[:min(step, size-at)]
		n, err := in.ReadAt(part, at)
		if n < len(part) {
			if step > sectorBytes { // read the range again in smaller parts, to find the one that cannot be read
				step = sectorBytes
				continue
			}
			if err == nil || errors.Is(err, io.EOF) {
				return unread, fmt.Errorf("the file became shorter: %w", io.ErrUnexpectedEOF)
			}
			clear(part)
			unread += int64(len(part))
		}
		if _, err := out.Write(part); err != nil {
			return unread, err
		}
		if at += int64(len(part)); at%chunk == 0 {
			step = chunk
		}
	}
	return unread, nil
}
