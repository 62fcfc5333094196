package inspect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Limits of what is read, in bytes.
const (
	// MaxText is the maximum size of a text that is examined. Of a larger file only the name and the size are known;
	// Repo.Unread lists the larger files whose text a check needed.
	MaxText = 1 << 20
	// maxLock is the limit for lock files instead of MaxText. Lock files are generated and grow with the number of
	// dependencies.
	maxLock = 16 << 20
	// maxKept is the maximum size of all texts in memory. Beyond it, Repo drops the oldest texts and reads them again
	// when a check needs them.
	maxKept = 64 << 20
	// maxRead is the maximum total size of the files in known languages whose texts are examined, in the order of
	// Files. It limits the work of every check. Repo.Unread lists the files beyond it.
	maxRead = 256 << 20
	// sniff is the number of bytes at the beginning of a file that decide whether it is text or binary.
	sniff = 8 << 10
)

// File is one file of the repository.
type File struct {
	Path string // relative, with "/", in the form of fs.FS
	Size int64
	// Lang is the language ("Go", "TypeScript", "Python") by the name, or by the shebang line of a file that is not
	// vendored and whose name does not tell it. It is "" if it is unknown.
	Lang string
	// Vendored is set for third-party code. Test is set for a test or a file that tests read (testdata, fixtures, a
	// folder "integration" with tests and their helpers). For generated files see Repo.Generated, because it depends on
	// the text too.
	Vendored bool
	Test     bool

	beyond bool // the file is over maxRead
}

// Dir returns the folder of the file, "" for the root.
func (f *File) Dir() string {
	if d := path.Dir(f.Path); d != "." {
		return d
	}
	return ""
}

// Base returns the name of the file without folders.
func (f *File) Base() string { return path.Base(f.Path) }

// Stem is Base without its extension.
func (f *File) Stem() string { return strings.TrimSuffix(f.Base(), path.Ext(f.Base())) }

// Entry is the path and the size of a file. New takes a list of entries.
type Entry struct {
	Path string
	Size int64
}

// Repo is a repository as checks see it. Its methods are safe for concurrent use.
type Repo struct {
	Name string
	// Now is the time from which checks count ages: the time of the commit that is checked out. It is not the
	// time of the machine, so that a commit always has the same result.
	Now time.Time
	// Files has all files of the realm's map, sorted by path. Callers must not modify it.
	Files []File
	// Left has sentences about what is in the folder but not in Files, because a limit of the map left it out.
	Left []string
	// History is nil without git.
	History History
	// Library is nil if no Go source outside of the repository is known. The caller sets it before the first check.
	Library Library
	// Base is nil except in a review of a change. The caller sets it before the first check.
	Base *Base

	fsys   fs.FS
	byPath map[string]int
	dirs   map[string][]int // files directly in a folder

	mu    sync.Mutex
	texts map[string]*text
	order []string // paths of the texts in memory, oldest first
	kept  int
	gone  map[string]string // why a file was not read or parsed, by path
	made  map[string]bool   // whether a file is generated, by path, once it is known

	memo     sync.Map // see Memo
	progress *progress
}

type text struct {
	data []byte
	ok   bool
}

// New returns a Repo of the files in fsys that entries names. It reads the beginning of the files whose names do not
// tell their language. history may be nil.
func New(name string, fsys fs.FS, entries []Entry, history History, now time.Time) *Repo {
	files, foreign := make([]File, 0, len(entries)), vendored{}
	for _, e := range entries {
		files = append(files, foreign.file(e, func() []byte { return head(fsys, e.Path) }))
	}
	r := viewOf(name, fsys, files, history, now)
	markIntegration(r.Files)
	return r
}

// FileOf returns the File of a path and a text that belong to no Repo.
func FileOf(p string, text []byte) File {
	return vendored{}.file(Entry{p, int64(len(text))}, func() []byte { return text })
}

// file returns the File of an entry: its language, and whether it is third-party code or a test. It calls head for
// the beginning of the text if the path does not tell the language. Nothing of third-party code is read.
func (v vendored) file(e Entry, head func() []byte) File {
	f := File{Path: e.Path, Size: e.Size, Lang: languageOf(e.Path), Vendored: v.is(e.Path), Test: isTest(e.Path)}
	if f.Lang == "" && !f.Vendored {
		f.Lang = languageOfProgram(head())
	}
	return f
}

// viewOf returns a Repo of the given files, and sorts them.
func viewOf(name string, fsys fs.FS, files []File, history History, now time.Time) *Repo {
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	r := &Repo{
		Name: name, Files: files, Now: now, History: history, fsys: fsys,
		byPath: make(map[string]int, len(files)), dirs: map[string][]int{}, texts: map[string]*text{},
		gone: map[string]string{}, made: map[string]bool{},
	}
	left := int64(maxRead)
	for i := range r.Files {
		f := &r.Files[i]
		if f.Lang != "" && f.Size <= MaxText {
			left -= f.Size
			f.beyond = left < 0
		}
		r.byPath[f.Path] = i
		r.dirs[f.Dir()] = append(r.dirs[f.Dir()], i)
	}
	// Checks do not read third-party code, files whose names show that they are generated, and files over the
	// limits.
	toRead := map[string]bool{}
	for i := range r.Files {
		if f := &r.Files[i]; !f.Vendored && !f.beyond && f.Size <= MaxText && !madeByName(f.Path) {
			toRead[f.Path] = true
		}
	}
	r.progress = &progress{left: toRead, total: len(toRead)}
	return r
}

// Progress returns how many files checks have read so far, and how many they read if all of them run. Files that
// are read through a Repo of Only count too.
func (r *Repo) Progress() (read, total int) { return r.progress.counts() }

// FS returns the file system of the repository, from which the Go type checker reads vendored packages. Checks read
// files with Text, which has limits.
func (r *Repo) FS() fs.FS { return r.fsys }

// Only returns a Repo that has only the given files. It is for checks that are Local.
func (r *Repo) Only(paths []string) *Repo {
	var files []File
	for _, p := range paths {
		if f := r.File(p); f != nil {
			files = append(files, *f)
		}
	}
	only := viewOf(r.Name, r.fsys, files, r.History, r.Now)
	only.progress = r.progress
	return only
}

// Digest writes to w all that a review reads of the repository's files: paths, sizes, what the map left out, and texts.
// Of a file that cannot be read or is larger than maxLock, which no check reads, it writes the path and the size.
func (r *Repo) Digest(ctx context.Context, w io.Writer) error {
	if _, err := fmt.Fprintf(w, "%q %d %q\n", r.Name, r.Now.UnixNano(), r.Left); err != nil {
		return err
	}
	for i := range r.Files {
		f := &r.Files[i]
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%q %d\n", f.Path, f.Size); err != nil {
			return err
		}
		if f.Size > maxLock {
			continue
		}
		in, err := r.fsys.Open(f.Path)
		if err != nil {
			continue
		}
		n, err := io.Copy(w, io.LimitReader(in, maxLock+1))
		if err = errors.Join(err, in.Close()); err != nil {
			return fmt.Errorf("read %s: %w", f.Path, err)
		}
		if _, err := fmt.Fprintf(w, "\n%d bytes\n", n); err != nil {
			return err
		}
	}
	return nil
}

// File returns a file by its path, or nil.
func (r *Repo) File(p string) *File {
	if i, ok := r.byPath[p]; ok {
		return &r.Files[i]
	}
	return nil
}

// Named returns the file with the path name, or the only file whose path ends with name; nil if there is none. A name
// without a dot in its last part must be the whole path.
func (r *Repo) Named(name string) *File {
	name = strings.TrimPrefix(name, "./")
	if f := r.File(name); f != nil || !strings.Contains(path.Base(name), ".") {
		return f
	}
	var hit *File
	for i := range r.Files {
		if f := &r.Files[i]; strings.HasSuffix(f.Path, "/"+name) {
			if hit != nil {
				return nil
			}
			hit = f
		}
	}
	return hit
}

// In returns the files directly in a folder, sorted; "" is the root.
func (r *Repo) In(dir string) []*File {
	var out []*File
	for _, i := range r.dirs[dir] {
		out = append(out, &r.Files[i])
	}
	return out
}

// HasDir reports whether a file is in or below a folder.
func (r *Repo) HasDir(dir string) bool {
	if dir == "" || len(r.dirs[dir]) > 0 {
		return true
	}
	i, _ := slices.BinarySearchFunc(r.Files, dir+"/", func(f File, p string) int { return strings.Compare(f.Path, p) })
	return i < len(r.Files) && strings.HasPrefix(r.Files[i].Path, dir+"/")
}

// Text returns the text of a file. ok is false if the file is not UTF-8 text, cannot be read, or is larger than MaxText
// (16 MB for a lock file); Unread tells the reason, unless the file is binary. Callers must not modify the text.
func (r *Repo) Text(p string) ([]byte, bool) {
	r.mu.Lock()
	t := r.texts[p]
	r.mu.Unlock()
	if t != nil {
		return t.data, t.ok
	}
	data, why := r.read(p)
	r.progress.saw(p)
	t = &text{data: data, ok: why == ""}
	r.mu.Lock()
	defer r.mu.Unlock()
	if known := r.texts[p]; known != nil {
		return known.data, known.ok
	}
	r.texts[p] = t
	if !t.ok {
		if r.File(p) != nil { // a missing file does not count as unread
			r.gone[p] = why
		}
		return nil, false
	}
	r.order = append(r.order, p)
	r.kept += len(data)
	for r.kept > maxKept && len(r.order) > 1 {
		r.kept -= len(r.texts[r.order[0]].data)
		delete(r.texts, r.order[0])
		r.order = r.order[1:]
	}
	return t.data, true
}

// isBinary is the reason why Text refuses a file with a NUL byte among its first bytes (sniff).
const isBinary = "binary"

func (r *Repo) read(p string) (data []byte, why string) {
	f := r.File(p)
	if f == nil {
		return nil, "not on the map"
	}
	limit := int64(MaxText)
	if locks(f.Base()) {
		limit = maxLock
	}
	if f.Size > limit {
		return nil, fmt.Sprintf("%d bytes are over the limit of %d", f.Size, limit)
	}
	if f.beyond {
		return nil, fmt.Sprintf("a review reads %d MB of source", maxRead>>20)
	}
	in, err := r.fsys.Open(p)
	if err != nil {
		return nil, reason(err)
	}
	text := bytes.NewBuffer(make([]byte, 0, f.Size+bytes.MinRead)) // f.Size is at most limit
	_, err = text.ReadFrom(io.LimitReader(in, limit+1))
	if err := errors.Join(err, in.Close()); err != nil {
		return nil, reason(err)
	}
	data = text.Bytes()
	switch {
	case int64(len(data)) > limit:
		return nil, fmt.Sprintf("it is over %d bytes", limit)
	case bytes.IndexByte(data[:min(len(data), sniff)], 0) >= 0:
		return nil, isBinary
	case !utf8.Valid(data):
		return nil, "it is not UTF-8"
	}
	return data, ""
}

func reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return err.Error()
}

// binary reports whether a check has tried to read a file and found it to be binary.
func (r *Repo) binary(p string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.gone[p] == isBinary
}

// Unread returns the files whose text a check needed but could not read, with the reason.
// Binary files are not included.
func (r *Repo) Unread() map[string]string {
	return r.refused(func(why string) bool { return why != isBinary })
}

// Binary returns the binary files that a check tried to read, with the reason for which they have no text.
func (r *Repo) Binary() map[string]string {
	return r.refused(func(why string) bool { return why == isBinary })
}

// refused returns the files that Text refuses for one of the wanted reasons.
func (r *Repo) refused(wanted func(why string) bool) map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[string]string{}
	for p, why := range r.gone {
		if wanted(why) {
			out[p] = why
		}
	}
	return out
}

// Generated reports whether the file is generated, by its name or its text. It caches the answer.
func (r *Repo) Generated(f *File) bool {
	r.mu.Lock()
	made, known := r.made[f.Path]
	r.mu.Unlock()
	if known {
		return made
	}
	made = madeByName(f.Path)
	if !made {
		data, ok := r.Text(f.Path)
		made = ok && madeByText(f, data)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.made[f.Path] = made
	return made
}

// Own reports whether the file is the project's own source: text that is neither vendored nor
// generated.
func (r *Repo) Own(f *File) bool {
	if f.Vendored || madeByName(f.Path) { // the name decides, so that a large lock file is not read
		return false
	}
	if _, ok := r.Text(f.Path); !ok {
		return false
	}
	return !r.Generated(f)
}

// All yields the project's own files in the given languages (in all languages if none is given),
// including tests, until ctx ends.
func (r *Repo) All(ctx context.Context, langs ...string) func(yield func(*File, []byte) bool) {
	return func(yield func(*File, []byte) bool) {
		for i := range r.Files {
			f := &r.Files[i]
			if ctx.Err() != nil {
				return
			}
			if len(langs) > 0 && !slices.Contains(langs, f.Lang) || !r.Own(f) {
				continue
			}
			data, ok := r.Text(f.Path)
			if ok && !yield(f, data) {
				return
			}
		}
	}
}
