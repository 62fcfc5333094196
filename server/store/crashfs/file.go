package crashfs

import (
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// write changes a file's bytes. The change is not durable before a sync.
func (n *node) write(w write) {
	n.data = w.on(n.data)
	n.dirty = append(n.dirty, w)
	n.mtime = time.Now()
}

// on returns a copy of data to which the write was applied.
func (w write) on(data []byte) []byte {
	if w.data == nil {
		return resize(data, w.off)
	}
	end := w.off + int64(len(w.data))
	out := resize(data, max(end, int64(len(data))))
	copy(out[w.off:], w.data)
	return out
}

func resize(data []byte, size int64) []byte {
	out := make([]byte, size)
	copy(out, data)
	return out
}

func (n *node) info(name string) os.FileInfo {
	return fileInfo{name: name, size: int64(len(n.data)), mode: n.mode, mtime: n.mtime}
}

type fileInfo struct {
	name  string
	size  int64
	mode  fs.FileMode
	mtime time.Time
}

func (i fileInfo) Name() string       { return i.name }
func (i fileInfo) Size() int64        { return i.size }
func (i fileInfo) Mode() fs.FileMode  { return i.mode }
func (i fileInfo) ModTime() time.Time { return i.mtime }
func (i fileInfo) IsDir() bool        { return i.mode.IsDir() }
func (i fileInfo) Sys() any           { return nil }

// file is an open file of a Disk. The lock of the Disk guards the fields of file.
type file struct {
	disk   *Disk
	node   *node
	name   string
	flag   int
	at     int64
	listed int // number of entries that Readdir has returned
	closed bool
}

// use runs one operation on an open file with the disk locked.
func (f *file) use(op string, do func() error) error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if f.closed {
		return pathError(op, f.name, fs.ErrClosed)
	}
	if err := f.disk.look(); err != nil {
		return pathError(op, f.name, err)
	}
	if err := do(); err != nil && err != io.EOF {
		return pathError(op, f.name, err)
	} else {
		return err
	}
}

func (f *file) Close() error {
	return f.use("close", func() error { f.closed = true; return nil })
}

func (f *file) Name() string { return f.name }

func (f *file) Stat() (info os.FileInfo, err error) {
	err = f.use("stat", func() error {
		info = f.node.info(f.name[strings.LastIndexByte(f.name, '/')+1:])
		return nil
	})
	return info, err
}

func (f *file) Read(b []byte) (n int, err error) {
	err = f.use("read", func() error {
		n, err = f.readAt(b, f.at)
		f.at += int64(n)
		return err
	})
	return n, err
}

func (f *file) ReadAt(b []byte, off int64) (n int, err error) {
	err = f.use("read", func() error {
		if n, err = f.readAt(b, off); err == nil && n < len(b) {
			err = io.EOF
		}
		return err
	})
	return n, err
}

func (f *file) readAt(b []byte, off int64) (int, error) {
	switch {
	case f.node.kids != nil || f.flag&os.O_WRONLY != 0:
		return 0, fs.ErrInvalid
	case len(b) > 0 && off >= int64(len(f.node.data)):
		return 0, io.EOF
	}
	return copy(b, f.node.data[off:]), nil
}

func (f *file) Seek(offset int64, whence int) (at int64, err error) {
	err = f.use("seek", func() error {
		switch whence {
		case io.SeekCurrent:
			offset += f.at
		case io.SeekEnd:
			offset += int64(len(f.node.data))
		}
		if offset < 0 {
			return fs.ErrInvalid
		}
		f.at, at = offset, offset
		return nil
	})
	return at, err
}

func (f *file) Write(b []byte) (n int, err error) {
	err = f.use("write", func() error {
		if f.flag&os.O_APPEND != 0 {
			f.at = int64(len(f.node.data))
		}
		n, err = f.writeAt(b, f.at)
		f.at += int64(n)
		return err
	})
	return n, err
}

func (f *file) WriteAt(b []byte, off int64) (n int, err error) {
	err = f.use("write", func() error {
		n, err = f.writeAt(b, off)
		return err
	})
	return n, err
}

func (f *file) writeAt(b []byte, off int64) (int, error) {
	if f.flag&(os.O_WRONLY|os.O_RDWR) == 0 {
		return 0, fs.ErrPermission
	}
	err := f.disk.change()
	if err != nil {
		b = b[:len(b)/2] // half of the write is done
	}
	if len(b) > 0 {
		f.node.write(write{off, slices.Clone(b)})
	}
	return len(b), err
}

func (f *file) WriteString(s string) (int, error) { return f.Write([]byte(s)) }

func (f *file) Truncate(size int64) error {
	return f.use("truncate", func() error {
		if f.flag&(os.O_WRONLY|os.O_RDWR) == 0 || size < 0 {
			return fs.ErrInvalid
		}
		if err := f.disk.change(); err != nil {
			return err
		}
		f.node.write(write{off: size})
		return nil
	})
}

func (f *file) Sync() error {
	return f.use("sync", func() error {
		if err := f.disk.change(); err != nil {
			return err
		}
		if f.node.kids != nil {
			f.disk.syncFolder(f.node)
		} else {
			f.node.stable, f.node.dirty = f.node.data, nil
		}
		return nil
	})
}

func (f *file) Readdir(count int) (infos []os.FileInfo, err error) {
	err = f.use("readdir", func() error {
		if f.node.kids == nil {
			return fs.ErrInvalid
		}
		for name, n := range f.node.kids {
			infos = append(infos, n.info(name))
		}
		slices.SortFunc(infos, func(a, b os.FileInfo) int { return strings.Compare(a.Name(), b.Name()) })
		infos = infos[min(f.listed, len(infos)):]
		if count > 0 {
			if len(infos) == 0 {
				return io.EOF
			}
			infos = infos[:min(count, len(infos))]
		}
		f.listed += len(infos)
		return nil
	})
	return infos, err
}

func (f *file) Readdirnames(count int) ([]string, error) {
	infos, err := f.Readdir(count)
	names := make([]string, len(infos))
	for i, info := range infos {
		names[i] = info.Name()
	}
	return names, err
}
