package folder

import (
	"context"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
)

// Since returns the sorted paths of the files that differ between a commit and the disk. ok is false if the repository
// does not have the commit, git's data cannot be read, or the comparison takes longer than sinceTime.
func (c *chronicle) Since(ctx context.Context, commit string) (paths []string, ok bool) {
	paths, _, ok = c.differ(ctx, commit, sinceTime, maxHashed)
	return paths, ok
}

// differ is Since with limits. It compares the files that the map shows, those that it showed before, and deleted
// files. If size and time do not show whether a file differs, differ reads the file: at most maxHashedFile bytes of
// one file, and as many bytes of all files as the parameter most says. Beyond these limits, git's index decides.
// The result left is the number of bytes that it could still have read.
func (c *chronicle) differ(ctx context.Context, commit string, limit time.Duration, most int64) (
	paths []string, left int64, ok bool,
) {
	if !plumbing.IsHash(commit) || len(commit) != 2*len(plumbing.ZeroHash) {
		return nil, 0, false
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	defer context.AfterFunc(c.ctx, cancel)()
	was, err := query(ctx, c, limit, func(o *objects) (map[string]plumbing.Hash, error) {
		return o.files(plumbing.NewHash(commit))
	})
	if err != nil {
		return nil, 0, false
	}
	opts := c.opts
	opts.Stamps, opts.Progress = true, nil
	tree, info, err := Scan(ctx, c.path, opts)
	if err != nil {
		return nil, 0, false
	}
	d := &disk{root: c.root, git: newGitStatus(c.path), was: was, left: most}
	if _, err := d.git.readIndex(ctx); err != nil {
		return nil, 0, false
	}
	for e := range tree.All {
		raw, named := inspectable(&e)
		if ctx.Err() != nil {
			return nil, 0, false
		}
		if e.Folder || !named {
			continue
		}
		if stamp, file := info.Stamps[raw]; file && d.fileDiffers(raw, stamp) || !file && d.pathDiffers(raw) {
			paths = append(paths, raw)
		}
		delete(was, raw)
	}
	for raw := range was { // files that were deleted, or that the map does not show any more
		if ctx.Err() != nil {
			return nil, 0, false
		}
		if fs.ValidPath(raw) && d.pathDiffers(raw) {
			paths = append(paths, raw)
		}
	}
	slices.Sort(paths)
	return paths, d.left, true
}

// disk compares the files on disk with the files of a commit.
type disk struct {
	root *os.Root
	git  *gitStatus
	was  map[string]plumbing.Hash // hash of each file in the commit, by raw path
	left int64                    // number of bytes that the comparison may still read
}

// fileDiffers reports whether a file on disk differs from the file in the commit. If the file equals its entry in
// git's index, fileDiffers compares the hash of the entry. Otherwise it reads the file.
func (d *disk) fileDiffers(raw string, stamp Stamp) bool {
	want, known := d.was[raw]
	if !known {
		return true
	}
	if e := d.git.entries[raw]; e != nil && d.git.same(raw, e, stamp, &d.left) {
		return e.Hash != want
	}
	return d.contentDiffers(raw, stamp.Size, want)
}

func (d *disk) contentDiffers(raw string, size int64, want plumbing.Hash) bool {
	if size > maxHashedFile || size > d.left {
		return true
	}
	d.left -= size
	same, err := d.git.hasContent(raw, want)
	return err != nil || !same
}

// pathDiffers reports whether a path that is not among Info.Stamps differs between the disk and the commit. The
// path is a link, a file that the map does not show, or a deleted file. A nested repository never differs.
func (d *disk) pathDiffers(raw string) bool {
	want, known := d.was[raw]
	info, err := d.root.Lstat(raw)
	switch e := d.git.entries[raw]; {
	case err != nil: // a sparse checkout leaves files out of the work tree on purpose
		return known && (e == nil || !e.SkipWorktree || e.Hash != want)
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := d.root.Readlink(raw)
		return err != nil || !known || blobHash([]byte(target)) != want
	case info.Mode().IsRegular() && known:
		return d.contentDiffers(raw, info.Size(), want)
	}
	return known
}
