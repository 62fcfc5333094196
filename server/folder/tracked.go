package folder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/index"
)

// maxIndexBytes limits the size of git's index, in bytes. An index of this size lists about a million files.
const maxIndexBytes = 128 << 20

// maxSearches is the maximum number of searches in the bytes of the index. For the next question gitIndex decodes
// the index, which costs as much as a walk over all files in the index.
const maxSearches = 16

// gitIndex reports what git tracks below the scanned folder. A scan asks only about ignored names, which are
// rarely tracked. A search in the bytes of the index shows that a name is not tracked; otherwise go-git decodes
// the index. It is safe for concurrent use.
type gitIndex struct {
	prefix   string // path of the scanned folder below the repository's top, "" or with a "/" at its end
	all      func() *tracked
	bytes    func() []byte // returns the bytes of the index, nil if they cannot be searched
	searches atomic.Int32
}

// newIndex returns a gitIndex. The gitIndex reads the index on first use and calls note with errors.
func newIndex(ctx context.Context, gitDir, prefix string, note func(string)) *gitIndex {
	path := filepath.Join(gitDir, "index")
	x := &gitIndex{prefix: prefix}
	x.bytes = sync.OnceValue(func() []byte { return plainIndex(gitDir, path) })
	x.all = sync.OnceValue(func() *tracked {
		x.searches.Store(maxSearches)
		t, err := loadIndex(ctx, path, prefix)
		if err != nil && ctx.Err() == nil {
			note(fmt.Sprintf("git's index could not be read (%v): ignored files that git tracks are left out", err))
		}
		return t
	})
	return x
}

// mayContain reports whether the bytes of the index may contain the string path+then. It returns true if it does not
// know.
func (x *gitIndex) mayContain(path, then string) bool {
	if x.searches.Add(1) > maxSearches {
		return true
	}
	data := x.bytes()
	return data == nil || bytes.Contains(data, []byte(x.prefix+path+then))
}

func (x *gitIndex) has(path string) bool { return x.mayContain(path, "\x00") && x.all().has(path) }
func (x *gitIndex) module(path string) bool {
	return x.mayContain(path, "\x00") && x.all().module(path)
}
func (x *gitIndex) below(dir string) bool { return x.mayContain(dir, "/") && x.all().below(dir) }

// plainIndex returns the bytes of an index that can be searched: one in which each path is
// stored whole and ends with a NUL (version 2 or 3, not split). It returns nil for another
// index and an empty slice if there is none.
func plainIndex(gitDir, path string) []byte {
	data, err := readFile(path, maxIndexBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return []byte{}
	}
	version, ok := bytes.CutPrefix(data, []byte("DIRC\x00\x00\x00"))
	if err != nil || !ok || len(version) == 0 || version[0] != 2 && version[0] != 3 {
		return nil
	}
	if split, err := filepath.Glob(filepath.Join(globQuote(gitDir), "sharedindex.*")); err != nil || len(split) > 0 {
		return nil
	}
	return data
}

// globQuote returns a pattern for filepath.Glob that matches only path.
func globQuote(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// tracked has the index's paths below the scanned folder, sorted by bytes.
type tracked struct {
	names   []string
	modules []string // submodules; also in names
}

func (t *tracked) has(path string) bool {
	_, ok := slices.BinarySearch(t.names, path)
	return ok
}

func (t *tracked) module(path string) bool {
	_, ok := slices.BinarySearch(t.modules, path)
	return ok
}

// below reports whether something in a folder is tracked.
func (t *tracked) below(dir string) bool {
	i, _ := slices.BinarySearch(t.names, dir+"/")
	return i < len(t.names) && strings.HasPrefix(t.names[i], dir+"/")
}

// loadIndex returns the paths below prefix that git's index has. After an error it returns the paths that it read
// before the error. It returns no paths if the index does not exist.
func loadIndex(ctx context.Context, path, prefix string) (*tracked, error) {
	idx, err := decodeIndex(ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return trackedOf(idx, prefix), err
}

// decodeIndex decodes git's index. After an error it also returns what it decoded before. It accepts a wrong
// checksum, because git writes zeros in its place if index.skipHash is set.
func decodeIndex(ctx context.Context, path string) (*index.Index, error) {
	var idx index.Index
	f, err := openRegular(path)
	if err != nil {
		return &idx, err
	}
	err = index.NewDecoder(&ctxReader{ctx: ctx, r: io.LimitReader(f, maxIndexBytes)}).Decode(&idx)
	if errors.Is(err, index.ErrInvalidChecksum) {
		err = nil
	}
	return &idx, errors.Join(err, f.Close())
}

func trackedOf(idx *index.Index, prefix string) *tracked {
	t := &tracked{names: make([]string, 0, len(idx.Entries))}
	for _, e := range idx.Entries {
		name, ok := strings.CutPrefix(e.Name, prefix)
		if !ok {
			continue
		}
		t.names = append(t.names, name)
		if e.Mode == filemode.Submodule {
			t.modules = append(t.modules, name)
		}
	}
	slices.Sort(t.names) // git sorts the names, but another program possibly has not
	slices.Sort(t.modules)
	t.names = slices.Compact(t.names) // a path in conflict has up to three entries
	return t
}

// ctxReader is a reader that fails once ctx has ended.
type ctxReader struct {
	ctx context.Context
	r   io.Reader
}

func (c *ctxReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
