package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"time"

	"modernc.org/sqlite/vfs"

	"agentdungeon/server/store/disk"
)

// Image is a realm.db with its log, read in place. Its handles write nothing: no index of the log,
// no lock, no temporary file. So it also works on a disk that is full or read-only, where SQLite
// itself cannot open a database in WAL mode. The files must not change while the image is open.
//
// SQLite sees one file that never changes (ModePeek). For each page the image returns the newest committed version in
// the log, or the version in the database if the log has none. An image must be closed before the driver opens the
// same realm.db in this process, because closing the image's files drops the locks that SQLite holds.
type Image struct {
	db   *os.File
	Log  *os.File // nil if there is no log
	page int64    // page size in bytes, 0 without a log
	size int64    // size of the database in bytes
	// pages maps page numbers to offsets in the log, at most one entry for each page of the database.
	pages map[uint32]int64
	// patches has pages that replace those of the file; see WithSchema.
	patches map[uint32][]byte
	fsys    *vfs.FS
	name    string // name of the registered file system in SQLite
}

const (
	logHeaderBytes   = 32
	frameHeaderBytes = 24
	logMagic         = 0x377f0682 // the lowest bit is set if the checksums are computed over big-endian words
	maxPageBytes     = 64 << 10
)

// OpenImage opens path, a realm.db that no program writes. It returns disk.ErrMissing (wrapped) if there is
// none, and disk.ErrCorrupt (wrapped) if another program was interrupted while it wrote the file.
func OpenImage(path string) (_ *Image, err error) {
	m := &Image{pages: map[uint32]int64{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, m.Close())
		}
	}()
	if disk.Exists(path + "-journal") {
		return nil, fmt.Errorf("%s: %w: another program was interrupted while it wrote the file",
			JournalFile, disk.ErrCorrupt)
	}
	if m.db, m.size, err = openPlain(path); err != nil {
		return nil, err
	}
	if m.size == 0 {
		return nil, fmt.Errorf("%s: %w: it is empty", JournalFile, disk.ErrCorrupt)
	}
	logFile, bytes, err := openPlain(path + "-wal")
	switch {
	case errors.Is(err, disk.ErrMissing):
	case err != nil:
		return nil, err
	default:
		m.Log = logFile
		if err := m.readLog(bytes); err != nil {
			return nil, err
		}
	}
	m.name, m.fsys, err = vfs.New(m)
	if err != nil {
		return nil, fmt.Errorf("open %s for reading: %w", JournalFile, err)
	}
	return m, nil
}

// openPlain opens a regular file for reading and returns its size.
func openPlain(path string) (*os.File, int64, error) {
	info, err := os.Stat(path) // called before the file is opened, because opening a pipe would wait for its writer
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, 0, fmt.Errorf("%s: %w", JournalFile, disk.ErrMissing)
	case err != nil:
		return nil, 0, fmt.Errorf("look for %s: %w", JournalFile, err)
	case !info.Mode().IsRegular():
		return nil, 0, fmt.Errorf("%s: %w: it is not a regular file", JournalFile, disk.ErrCorrupt)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, fmt.Errorf("open %s: %w", JournalFile, err)
	}
	return f, info.Size(), nil
}

// readLog finds the pages of all commits in the log, as SQLite's own recovery does. It stops at the
// first frame whose salts differ from the header's or whose running checksum is wrong, and drops the
// frames after the last one that ends a commit.
func (m *Image) readLog(bytes int64) error {
	var head [logHeaderBytes]byte
	if bytes < logHeaderBytes {
		return nil
	}
	if _, err := m.Log.ReadAt(head[:], 0); err != nil {
		return fmt.Errorf("read the log of %s: %w", JournalFile, err)
	}
	magic := binary.BigEndian.Uint32(head[0:])
	page := int64(binary.BigEndian.Uint32(head[8:]))
	if magic&^1 != logMagic || page < 512 || page > maxPageBytes || page&(page-1) != 0 {
		return nil // the file does not begin like a log, so SQLite treats it as an empty log
	}
	sum := logSum{order: binary.LittleEndian}
	if magic&1 != 0 {
		sum.order = binary.BigEndian
	}
	sum.add(head[:24])
	if !sum.is(head[24:]) {
		return nil
	}
	frame := make([]byte, frameHeaderBytes+page)
	since := map[uint32]int64{} // the pages since the last frame that ends a commit, at most as many as the log has
	for at := int64(logHeaderBytes); at+int64(len(frame)) <= bytes; at += int64(len(frame)) {
		if _, err := m.Log.ReadAt(frame, at); err != nil {
			return fmt.Errorf("read the log of %s: %w", JournalFile, err)
		}
		number := binary.BigEndian.Uint32(frame[0:])
		if number == 0 || string(frame[8:16]) != string(head[16:24]) {
			break
		}
		sum.add(frame[:8])
		sum.add(frame[frameHeaderBytes:])
		if !sum.is(frame[16:]) {
			break
		}
		since[number] = at + frameHeaderBytes
		if pages := binary.BigEndian.Uint32(frame[4:]); pages > 0 { // the frame ends a commit
			for n, place := range since {
				m.pages[n] = place
			}
			clear(since)
			m.page, m.size = page, int64(pages)*page
		}
	}
	return nil
}

// logSum is the running checksum of a log's frames.
type logSum struct {
	order  binary.ByteOrder
	s0, s1 uint32
}

func (s *logSum) add(b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		s.s0 += s.order.Uint32(b) + s.s1
		s.s1 += s.order.Uint32(b[4:]) + s.s0
	}
}

func (s *logSum) is(b []byte) bool {
	return binary.BigEndian.Uint32(b) == s.s0 && binary.BigEndian.Uint32(b[4:]) == s.s1
}

// ReadAt reads the database in the state after the last commit.
func (m *Image) ReadAt(b []byte, off int64) (n int, err error) {
	for n < len(b) && off < m.size {
		part, from, place := b[n:min(int64(len(b)), int64(n)+m.size-off)], m.db, off
		if m.page > 0 {
			within := off % m.page
			part = part[:min(int64(len(part)), m.page-within)]
			number := uint32(off/m.page) + 1
			if patch, there := m.patches[number]; there {
				got := copy(part, patch[within:])
				n, off = n+got, off+int64(got)
				continue
			}
			if at, there := m.pages[number]; there {
				from, place = m.Log, at+within
			}
		}
		got, err := from.ReadAt(part, place)
		n, off = n+got, off+int64(got)
		if err != nil {
			return n, err
		}
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// Open opens the image under the name JournalFile. No other file exists.
func (m *Image) Open(name string) (fs.File, error) {
	if name != JournalFile {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &imageFile{io.NewSectionReader(m, 0, m.size), m.size}, nil
}

// Handle opens the image with at most conns connections. It adds pragmas to commonPragmas.
func (m *Image) Handle(ctx context.Context, conns int, pragmas string) (*sql.DB, error) {
	// SQLite sorts in memory, because an image has no temporary files.
	query := ModePeek + "&vfs=" + url.QueryEscape(m.name) + "&_pragma=temp_store(2)" + commonPragmas + pragmas
	return OpenDSN(ctx, (&url.URL{Scheme: "file", Opaque: JournalFile, RawQuery: query}).String(), conns)
}

// Close closes the files. All handles on the image must be closed before.
func (m *Image) Close() error {
	var errs []error
	if m.fsys != nil {
		errs = append(errs, m.fsys.Close())
		m.fsys = nil
	}
	for _, f := range []**os.File{&m.db, &m.Log} {
		if *f != nil {
			errs = append(errs, (*f).Close())
			*f = nil
		}
	}
	return errors.Join(errs...)
}

// imageFile implements fs.File for an image (a realm.db that is read without SQLite's locks), so that SQLite can
// open it.
type imageFile struct {
	*io.SectionReader
	bytes int64
}

func (f *imageFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f *imageFile) Close() error               { return nil }
func (f *imageFile) Name() string               { return JournalFile }
func (f *imageFile) Size() int64                { return f.bytes }
func (f *imageFile) Mode() fs.FileMode          { return 0o400 }
func (f *imageFile) ModTime() time.Time         { return time.Time{} }
func (f *imageFile) IsDir() bool                { return false }
func (f *imageFile) Sys() any                   { return nil }
