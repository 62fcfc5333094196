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

// maxIndexBytes is as much as is read of git's index: about a million files.
const maxIndexBytes = 128 << 20

// maxLooks is how often the index is looked through as it lies on disk. Then it is
// decoded, which costs as much as a bare walk of the files it names.
const maxLooks = 16

// gitIndex says what git tracks below the scanned folder. A scan asks about
// ignored names only, and mostly the answer is no: for that the bytes of the file
// are looked through, and go-git decodes it when they may say yes. Safe for all
// workers of a scan.
type gitIndex struct {
	prefix string // of the scanned folder below the repository's top, "" or with a "/"
	all    func() *tracked
	bytes  func() []byte // nil where the file's bytes cannot say no
	looks  atomic.Int32
}

// newIndex reads nothing yet. What cannot be read later is noted.
func newIndex(ctx context.Context, gitDir, prefix string, note func(string)) *gitIndex {
	if prefix != "" {
		prefix += "/"
	}
	path := filepath.Join(gitDir, "index")
	x := &gitIndex{prefix: prefix}
	x.bytes = sync.OnceValue(func() []byte { return plainIndex(gitDir, path) })
	x.all = sync.OnceValue(func() *tracked {
		x.looks.Store(maxLooks)
		t, err := loadIndex(ctx, path, prefix)
		if err != nil && ctx.Err() == nil {
			note(fmt.Sprintf("git's index could not be read (%v): ignored files that git tracks are left out", err))
		}
		return t
	})
	return x
}

// may says whether the index can hold a path that goes on like this.
func (x *gitIndex) may(path, then string) bool {
	if x.looks.Add(1) > maxLooks {
		return true
	}
	data := x.bytes()
	return data == nil || bytes.Contains(data, []byte(x.prefix+path+then))
}

func (x *gitIndex) has(path string) bool    { return x.may(path, "\x00") && x.all().has(path) }
func (x *gitIndex) module(path string) bool { return x.may(path, "\x00") && x.all().module(path) }
func (x *gitIndex) below(dir string) bool   { return x.may(dir, "/") && x.all().below(dir) }

// plainIndex gives an index in whose bytes each path stands whole and ends with a
// NUL: of version 2 or 3, not split in two files. A missing one holds no path.
func plainIndex(gitDir, path string) []byte {
	data, err := readFile(path, maxIndexBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return []byte{}
	}
	if err != nil || len(data) < 8 || (string(data[:8]) != "DIRC\x00\x00\x00\x02" && string(data[:8]) != "DIRC\x00\x00\x00\x03") {
		return nil
	}
	if split, err := filepath.Glob(filepath.Join(globQuote(gitDir), "sharedindex.*")); err != nil || len(split) > 0 {
		return nil
	}
	return data
}

// globQuote writes a path so that filepath.Glob takes it as it is.
func globQuote(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// tracked are the index's paths below the scanned folder, sorted by bytes.
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

// below says whether something in a folder is tracked.
func (t *tracked) below(dir string) bool {
	i, _ := slices.BinarySearch(t.names, dir+"/")
	return i < len(t.names) && strings.HasPrefix(t.names[i], dir+"/")
}

// loadIndex decodes the paths below prefix. What was read before a damage counts;
// a missing index is an empty one.
func loadIndex(ctx context.Context, path, prefix string) (*tracked, error) {
	f, err := openRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &tracked{}, nil
	}
	if err != nil {
		return &tracked{}, err
	}
	var idx index.Index
	err = index.NewDecoder(&ctxReader{ctx: ctx, r: io.LimitReader(f, maxIndexBytes)}).Decode(&idx)
	if errors.Is(err, index.ErrInvalidChecksum) {
		err = nil // also what index.skipHash leaves
	}
	return trackedOf(&idx, prefix), errors.Join(err, f.Close())
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
	slices.Sort(t.names) // it is already, unless somebody made it by hand
	slices.Sort(t.modules)
	t.names = slices.Compact(t.names) // a conflict has up to three entries
	return t
}

// ctxReader ends a long read when nobody waits for it any more.
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
