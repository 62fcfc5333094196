package folder

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"agentdungeon/server/inspect"
)

// Limits for reading the files of a base, the commit with which a review of a change compares the folder.
const (
	maxBaseFile = 16 << 20 // bytes of one file: checks read lock files up to this size
	maxCompared = 2_000    // pairs of a deleted and a new file whose texts are compared to find renames
	maxDiffered = 1 << 30  // bytes of all files that are read because size and time do not say whether they differ
)

// Base sets r.Base to the commit with which a review of a change compares the repository: the merge base of HEAD and
// the commit that rev names. r is from Inspect. Nothing is written; the files of the base are read from git's objects,
// until the Closer of Inspect is closed. The error is for people.
func Base(ctx context.Context, r *inspect.Repo, rev string) error {
	c, ok := r.History.(*chronicle)
	if !ok {
		return errors.New("the folder has no git history that can be read")
	}
	b := &base{c: c, r: r}
	commit, err := query(ctx, c, safetyTime, func(o *objects) (plumbing.Hash, error) {
		if o.head.IsZero() {
			return plumbing.ZeroHash, errors.New("HEAD has no commit yet")
		}
		named, err := o.revision(rev)
		if err != nil {
			return plumbing.ZeroHash, err
		}
		head, err := o.commit(o.head)
		if err != nil {
			return plumbing.ZeroHash, fmt.Errorf("read HEAD: %w", err)
		}
		at, err := o.mergeBase(head, named)
		if err != nil {
			return plumbing.ZeroHash, fmt.Errorf("%q: %w", rev, err)
		}
		b.files, err = o.files(at.Hash)
		return at.Hash, err
	})
	if err != nil {
		return err
	}
	paths, left, ok := c.differ(ctx, commit.String(), safetyTime, maxDiffered)
	switch {
	case !ok:
		return cmp.Or(ctx.Err(), fmt.Errorf("the files could not be compared with those of commit %.*s", shownDigits, commit))
	case left < maxHashedFile:
		return fmt.Errorf("more than %d MB of files may have changed since git's index was written: run git status, "+
			"which updates it", maxDiffered>>20)
	}
	b.compare(paths)
	if err := b.measure(ctx); err != nil {
		return fmt.Errorf("read the files of commit %.*s: %w", shownDigits, commit, err)
	}
	b.rename()
	b.Rev, b.Commit, b.Read, b.Tree = rev, commit.String(), b.read, b.tree
	r.Base = &b.Base
	return nil
}

// base is the linked folder as it is in a commit.
type base struct {
	inspect.Base
	c       *chronicle
	r       *inspect.Repo            // the folder as it is now
	files   map[string]plumbing.Hash // all files and links of the commit
	differs map[string]int64         // sizes in the commit of the files and links that differ now or are gone
}

// compare sorts the paths that differ between the commit and the disk: Changed gets the files that exist now, Gone
// the deleted ones. Was maps the present path of a file to its path in the commit.
func (b *base) compare(paths []string) {
	b.Was, b.differs = map[string]string{}, map[string]int64{}
	for _, p := range paths {
		_, was := b.files[p]
		switch now := b.r.File(p) != nil; {
		case was && now:
			b.Was[p] = p
			fallthrough
		case now:
			b.Changed = append(b.Changed, p)
		case was:
			b.Gone = append(b.Gone, p)
		}
		if was {
			b.differs[p] = 0
		}
	}
}

// measure sets the sizes in b.differs. A file of more than maxBaseFile bytes gets the size maxBaseFile + 1.
func (b *base) measure(ctx context.Context) error {
	for p := range b.differs {
		data, err := b.blob(ctx, p)
		b.differs[p] = int64(len(data))
		if errors.Is(err, errTooLong) {
			b.differs[p] = maxBaseFile + 1
		} else if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	return nil
}

// blob reads a file of the commit from git's objects.
func (b *base) blob(ctx context.Context, p string) ([]byte, error) {
	return query(ctx, b.c, safetyTime, func(o *objects) ([]byte, error) {
		o.store.maxBlob = maxBaseFile
		defer func() { o.store.maxBlob = inspect.MaxText }()
		return o.blob(b.files[p])
	})
}

// rename finds the files that were renamed: pairs of a deleted file and a new file with the same content, or with the
// same extension and at least half of the lines in common. For files of the same name, four tenths are enough.
func (b *base) rename() {
	byHash := map[plumbing.Hash]string{}
	for _, p := range b.Gone {
		if h := b.files[p]; h != emptyBlob {
			byHash[h] = p
		}
	}
	moved := map[string]bool{}
	take := func(now, was string) {
		b.Was[now] = was
		moved[was] = true
	}
	texts := map[string][]byte{}
	for _, p := range b.Changed {
		if text, ok := b.r.Text(p); ok && b.Was[p] == "" {
			if was := byHash[blobHash(text)]; was != "" && !moved[was] {
				take(p, was)
			} else if len(text) > 0 {
				texts[p] = text
			}
		}
	}
	compared := 0
	for _, p := range b.Changed {
		best, most := "", 0.5
		for _, was := range b.Gone {
			if texts[p] == nil || moved[was] || path.Ext(was) != path.Ext(p) {
				continue
			}
			if compared++; compared > maxCompared {
				break
			}
			old, ok := b.read(was)
			s := similarity(old, texts[p])
			if path.Base(was) == path.Base(p) {
				s += 0.1 // a file with the same name in another folder was most likely moved
			}
			if ok && s >= most {
				best, most = was, s
			}
		}
		if best != "" {
			take(p, best)
		}
	}
	b.Gone = slices.DeleteFunc(b.Gone, func(p string) bool { return moved[p] })
}

// read returns the text of a file of the commit.
func (b *base) read(p string) ([]byte, bool) {
	if _, was := b.files[p]; !was {
		return nil, false
	}
	if _, differs := b.differs[p]; !differs {
		return b.r.Text(p)
	}
	data, err := b.blob(b.c.ctx, p)
	return data, err == nil && len(data) <= inspect.MaxText
}

// tree returns the repository as it is in the commit. It has the history and the time (Repo.Now) of the present
// repository. So a finding that only the passing of time causes is in both and does not count as new.
func (b *base) tree() *inspect.Repo {
	var entries []inspect.Entry
	for p := range b.files {
		size, differs := b.differs[p]
		if f := b.r.File(p); !differs && f != nil {
			size = f.Size
		} else if !differs {
			continue // the map shows the file neither in the commit nor now
		}
		entries = append(entries, inspect.Entry{Path: p, Size: size})
	}
	r := inspect.New(b.r.Name, baseFiles{b}, entries, b.r.History, b.r.Now)
	r.Library = b.r.Library
	return r
}

// baseFiles is an fs.FS with the files of the commit. A file that is unchanged is read from disk, because that is
// faster.
type baseFiles struct{ *base }

func (b baseFiles) Open(name string) (fs.File, error) {
	if _, differs := b.differs[name]; !differs {
		return plainFiles{b.c.root}.Open(name)
	}
	data, err := b.blob(b.c.ctx, name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &baseFile{bytes.NewReader(data), name}, nil
}

// baseFile is an open file of a commit. It is also its own fs.FileInfo.
type baseFile struct {
	*bytes.Reader
	name string
}

func (f *baseFile) Close() error               { return nil }
func (f *baseFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f *baseFile) Name() string               { return path.Base(f.name) }
func (f *baseFile) Mode() fs.FileMode          { return 0o444 }
func (f *baseFile) ModTime() time.Time         { return time.Time{} }
func (f *baseFile) IsDir() bool                { return false }
func (f *baseFile) Sys() any                   { return nil }
