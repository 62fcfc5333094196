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

// Bounds of what is read, in bytes.
const (
	// MaxText is the largest file whose text is looked at. Larger ones are known by
	// name and size only, and Repo.Unread names them.
	MaxText = 1 << 20
	// maxLock is the same for lock files, which programs write and grow with what a
	// project uses.
	maxLock = 16 << 20
	// maxKept is how much text is kept in memory; what was read first is forgotten and
	// read again when asked for.
	maxKept = 64 << 20
	// sniff is how much of a file says whether it is text.
	sniff = 8 << 10
)

// File is one file of the repository.
type File struct {
	Path string // relative, with "/"; as fs.FS takes it
	Size int64
	// Lang is the language by name and extension ("Go", "TypeScript", "Python"), ""
	// where those do not tell.
	Lang string
	// Vendored: somebody else's code, kept here. Generated is known only from the text:
	// ask Repo.Generated. Test: a test, or what tests read (testdata, fixtures,
	// a folder "integration" that holds tests and what helps them).
	Vendored bool
	Test     bool
}

// Dir is the folder that it lies in, "" for the root.
func (f *File) Dir() string {
	if d := path.Dir(f.Path); d != "." {
		return d
	}
	return ""
}

// Base is its name without folders.
func (f *File) Base() string { return path.Base(f.Path) }

// Entry is what a Repo is made of: a file's path and size.
type Entry struct {
	Path string
	Size int64
}

// Repo is a repository as checks see it. Its methods may be called from any
// goroutine.
type Repo struct {
	Name string
	Now  time.Time
	// Files are all files of the map, sorted by path. Not to be changed.
	Files []File
	// History is nil without git.
	History History

	fsys   fs.FS
	byPath map[string]int
	dirs   map[string][]int // files directly in a folder

	mu    sync.Mutex
	texts map[string]*text
	order []string // of texts with content, oldest first
	kept  int
	gone  map[string]string // path: why it was not read
	made  map[string]bool   // whether a program wrote a file, once asked

	golang goOnce
}

type text struct {
	data   []byte
	ok     bool
	binary bool
}

// New makes a view of what fsys holds; entries are the files that count.
func New(name string, fsys fs.FS, entries []Entry, history History, now time.Time) *Repo {
	r := viewOf(name, fsys, entries, history, now)
	r.markIntegration()
	return r
}

func viewOf(name string, fsys fs.FS, entries []Entry, history History, now time.Time) *Repo {
	r := &Repo{
		Name: name, Now: now, History: history, fsys: fsys,
		byPath: make(map[string]int, len(entries)), dirs: map[string][]int{}, texts: map[string]*text{}, gone: map[string]string{}, made: map[string]bool{},
	}
	entries = slices.Clone(entries)
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	foreign := vendored{}
	for _, e := range entries {
		r.Files = append(r.Files, File{Path: e.Path, Size: e.Size, Lang: languageOf(e.Path), Vendored: foreign.is(e.Path), Test: isTest(e.Path)})
	}
	for i := range r.Files {
		f := &r.Files[i]
		r.byPath[f.Path] = i
		r.dirs[f.Dir()] = append(r.dirs[f.Dir()], i)
	}
	return r
}

// Only is the same repository with these files alone: for checks that are Local.
func (r *Repo) Only(paths []string) *Repo {
	var entries []Entry
	for _, p := range paths {
		if f := r.File(p); f != nil {
			entries = append(entries, Entry{f.Path, f.Size})
		}
	}
	only := viewOf(r.Name, r.fsys, entries, r.History, r.Now)
	for i := range only.Files {
		only.Files[i] = *r.File(only.Files[i].Path) // what lies beside it tells what a file is
	}
	return only
}

// File gives a file by its path, nil where there is none.
func (r *Repo) File(p string) *File {
	if i, ok := r.byPath[p]; ok {
		return &r.Files[i]
	}
	return nil
}

// In gives the files directly in a folder, sorted; "" is the root.
func (r *Repo) In(dir string) []*File {
	var out []*File
	for _, i := range r.dirs[dir] {
		out = append(out, &r.Files[i])
	}
	return out
}

// HasDir says whether some file lies in or below a folder.
func (r *Repo) HasDir(dir string) bool {
	if dir == "" || len(r.dirs[dir]) > 0 {
		return true
	}
	i, _ := slices.BinarySearchFunc(r.Files, dir+"/", func(f File, p string) int { return strings.Compare(f.Path, p) })
	return i < len(r.Files) && strings.HasPrefix(r.Files[i].Path, dir+"/")
}

// Text gives a file's text. It is false for what is not text in UTF-8, is larger than
// MaxText (16 MB for a lock file) or cannot be read; Unread says why. The text is not to be changed.
func (r *Repo) Text(p string) ([]byte, bool) {
	r.mu.Lock()
	t := r.texts[p]
	r.mu.Unlock()
	if t != nil {
		return t.data, t.ok
	}
	data, why := r.read(p)
	t = &text{data: data, ok: why == "", binary: why == "binary"}
	r.mu.Lock()
	defer r.mu.Unlock()
	if known := r.texts[p]; known != nil {
		return known.data, known.ok
	}
	r.texts[p] = t
	if !t.ok {
		if r.File(p) != nil { // what is not there was not left unread
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
		return nil, fmt.Sprintf("%d bytes are over %d", f.Size, limit)
	}
	in, err := r.fsys.Open(p)
	if err != nil {
		return nil, reason(err)
	}
	data, err = io.ReadAll(io.LimitReader(in, limit+1))
	if err := errors.Join(err, in.Close()); err != nil {
		return nil, reason(err)
	}
	switch {
	case int64(len(data)) > limit:
		return nil, fmt.Sprintf("it is over %d bytes", limit)
	case bytes.IndexByte(data[:min(len(data), sniff)], 0) >= 0, !utf8.Valid(data):
		return nil, "binary"
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

// Unread are the files whose text was asked for and could not be looked at, and why;
// binary ones are left out.
func (r *Repo) Unread() map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[string]string{}
	for p, why := range r.gone {
		if why != "binary" {
			out[p] = why
		}
	}
	return out
}

// Own says whether the file is this project's own source: not vendored, not
// generated, text.
func (r *Repo) Own(f *File) bool {
	if f.Vendored || madeByName(f.Path) { // a large lock file is not read for this
		return false
	}
	if _, ok := r.Text(f.Path); !ok {
		return false
	}
	return !r.Generated(f)
}

// All gives the project's own files of the languages named (all with none), tests
// included, until ctx ends.
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

// Lines gives the lines of a text with their numbers, from 1, without line ends.
func Lines(data []byte) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		n := 0
		for line := range bytes.Lines(data) {
			n++
			if !yield(n, strings.TrimRight(string(line), "\r\n")) {
				return
			}
		}
	}
}

// Line gives line n of a text, trimmed and at most 200 bytes: as evidence. It looks
// through the text before it; who asks for many lines of one text takes an Index.
func Line(data []byte, n int) string {
	for ; n > 1; n-- {
		i := bytes.IndexByte(data, '\n')
		if i < 0 {
			return ""
		}
		data = data[i+1:]
	}
	if n < 1 {
		return ""
	}
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		data = data[:i]
	}
	return evidence(data)
}

// Clip cuts a text to at most limit bytes, at a character's border.
func Clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	s = s[:limit-len("…")]
	for len(s) > 0 && !utf8.ValidString(s) {
		s = s[:len(s)-1]
	}
	return s + "…"
}
