package jsonl

import (
	"bytes"
	"errors"
	"hash/crc64"
	"io"
	"os"
	"syscall"
)

// Sum returns a checksum of b. It can be the key of a line that has no id.
func Sum(b []byte) uint64 { return crc64.Checksum(b, table) }

// Open opens a regular file for reading. For a pipe, a device or a folder it returns an error and does not wait.
func Open(path string) (*os.File, os.FileInfo, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &os.PathError{Op: "open", Path: path, Err: ErrNotFile}
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// add updates e, the first and the last bytes that were read: b has the next bytes of the file.
func (e *ends) add(b []byte) {
	if n := headBytes - len(e.head); n > 0 {
		e.head = append(e.head, b[:min(n, len(b))]...)
	}
	if len(b) >= tailBytes {
		e.tail = append(e.tail[:0], b[len(b)-tailBytes:]...)
		return
	}
	if n := len(e.tail) + len(b) - tailBytes; n > 0 {
		e.tail = e.tail[:copy(e.tail, e.tail[n:])]
	}
	e.tail = append(e.tail, b...)
}

// check returns the first bytes of the file and the last ones before the place p if the file still has the bytes
// that were read before p; otherwise it returns nil.
func check(f io.ReaderAt, size int64, p Place) (*ends, error) {
	if size < p.Off {
		return nil, nil
	}
	e, err := endsAt(f, p.Off)
	if errors.Is(err, io.EOF) {
		return nil, nil // the file became shorter a moment ago
	}
	if err == nil && p.Off > 0 && (Sum(e.head) != p.Head || Sum(e.tail) != p.Tail) {
		e = nil
	}
	return e, err
}

// endsAt reads the first and the last bytes of the part of a file before the offset off.
func endsAt(f io.ReaderAt, off int64) (*ends, error) {
	e := &ends{head: make([]byte, min(off, headBytes)), tail: make([]byte, min(off, tailBytes))}
	if off == 0 {
		return e, nil
	}
	if n, err := f.ReadAt(e.head, 0); n < len(e.head) {
		return nil, err
	}
	if n, err := f.ReadAt(e.tail, off-int64(len(e.tail))); n < len(e.tail) {
		return nil, err
	}
	return e, nil
}

// trim returns a line without a carriage return at its end.
func trim(b []byte) []byte { return bytes.TrimSuffix(b, []byte{'\r'}) }
