package crashfs

import (
	"os"
	"sync"
	"time"

	"github.com/spf13/afero"
)

// Op is one operation on a file system.
type Op struct {
	N    int    // counts from 1
	Name string // create, open, read, write, sync, close, rename, remove, stat, list, ...
	Path string
}

// Faults is an afero.Fs over another one. It fails at the operations that a test chooses. A failed
// operation is not done, with two exceptions: half of a write is done, and a close closes the
// file. It is safe for concurrent use.
type Faults struct {
	fs afero.Fs

	mu     sync.Mutex
	n      int
	script func(Op) error
}

// NewFaults returns base without faults.
func NewFaults(base afero.Fs) *Faults { return &Faults{fs: base} }

// Script sets a function that returns the error of each operation, nil if it shall be done; a nil
// do lets all operations pass. do is called with a lock held and must not use the file system.
func (f *Faults) Script(do func(Op) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.script = do
}

// FailAt makes the n-th operation from now (1 is the next) fail once.
func (f *Faults) FailAt(n int, err error) {
	at := f.Ops() + n
	f.Script(func(op Op) error {
		if op.N == at {
			return err
		}
		return nil
	})
}

// FailFrom makes the n-th operation from now and all later ones fail, until Heal.
func (f *Faults) FailFrom(n int, err error) {
	at := f.Ops() + n
	f.Script(func(op Op) error {
		if op.N >= at {
			return err
		}
		return nil
	})
}

// Heal lets all operations pass again.
func (f *Faults) Heal() { f.Script(nil) }

// Ops returns the number of operations so far.
func (f *Faults) Ops() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.n
}

func (f *Faults) ask(name, path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n++
	if f.script == nil {
		return nil
	}
	return pathError(name, path, f.script(Op{f.n, name, path}))
}

// do runs an operation that has no result.
func (f *Faults) do(name, path string, do func() error) error {
	if err := f.ask(name, path); err != nil {
		return err
	}
	return do()
}

func (f *Faults) open(name, path string, do func() (afero.File, error)) (afero.File, error) {
	if err := f.ask(name, path); err != nil {
		return nil, err
	}
	file, err := do()
	if err != nil {
		return nil, err
	}
	return &faultyFile{File: file, faults: f}, nil
}

// Name implements afero.Fs.
func (f *Faults) Name() string { return "crashfs.Faults over " + f.fs.Name() }

// Create implements afero.Fs.
func (f *Faults) Create(name string) (afero.File, error) {
	return f.open("create", name, func() (afero.File, error) { return f.fs.Create(name) })
}

// Open implements afero.Fs.
func (f *Faults) Open(name string) (afero.File, error) {
	return f.open("open", name, func() (afero.File, error) { return f.fs.Open(name) })
}

// OpenFile implements afero.Fs. With os.O_CREATE the operation's name is create.
func (f *Faults) OpenFile(name string, flag int, perm os.FileMode) (afero.File, error) {
	op := "open"
	if flag&os.O_CREATE != 0 {
		op = "create"
	}
	return f.open(op, name, func() (afero.File, error) { return f.fs.OpenFile(name, flag, perm) })
}

// Mkdir implements afero.Fs.
func (f *Faults) Mkdir(name string, perm os.FileMode) error {
	return f.do("mkdir", name, func() error { return f.fs.Mkdir(name, perm) })
}

// MkdirAll implements afero.Fs.
func (f *Faults) MkdirAll(name string, perm os.FileMode) error {
	return f.do("mkdir", name, func() error { return f.fs.MkdirAll(name, perm) })
}

// Remove implements afero.Fs.
func (f *Faults) Remove(name string) error {
	return f.do("remove", name, func() error { return f.fs.Remove(name) })
}

// RemoveAll implements afero.Fs.
func (f *Faults) RemoveAll(name string) error {
	return f.do("removeall", name, func() error { return f.fs.RemoveAll(name) })
}

// Rename implements afero.Fs. Op.Path is the new name.
func (f *Faults) Rename(oldname, newname string) error {
	return f.do("rename", newname, func() error { return f.fs.Rename(oldname, newname) })
}

// Chmod implements afero.Fs.
func (f *Faults) Chmod(name string, mode os.FileMode) error {
	return f.do("chmod", name, func() error { return f.fs.Chmod(name, mode) })
}

// Chown implements afero.Fs.
func (f *Faults) Chown(name string, uid, gid int) error {
	return f.do("chown", name, func() error { return f.fs.Chown(name, uid, gid) })
}

// Chtimes implements afero.Fs.
func (f *Faults) Chtimes(name string, atime, mtime time.Time) error {
	return f.do("chtimes", name, func() error { return f.fs.Chtimes(name, atime, mtime) })
}

// Stat implements afero.Fs.
func (f *Faults) Stat(name string) (os.FileInfo, error) {
	if err := f.ask("stat", name); err != nil {
		return nil, err
	}
	return f.fs.Stat(name)
}

// LstatIfPossible implements afero.Lstater.
func (f *Faults) LstatIfPossible(name string) (os.FileInfo, bool, error) {
	if err := f.ask("stat", name); err != nil {
		return nil, false, err
	}
	if l, ok := f.fs.(afero.Lstater); ok {
		return l.LstatIfPossible(name)
	}
	info, err := f.fs.Stat(name)
	return info, false, err
}

// faultyFile is an open file of Faults, which asks the script before each operation.
type faultyFile struct {
	afero.File
	faults *Faults
}

func (f *faultyFile) Read(b []byte) (int, error) {
	if err := f.faults.ask("read", f.Name()); err != nil {
		return 0, err
	}
	return f.File.Read(b)
}

func (f *faultyFile) ReadAt(b []byte, off int64) (int, error) {
	if err := f.faults.ask("read", f.Name()); err != nil {
		return 0, err
	}
	return f.File.ReadAt(b, off)
}

func (f *faultyFile) Write(b []byte) (int, error) {
	if fault := f.faults.ask("write", f.Name()); fault != nil {
		n, err := f.File.Write(b[:len(b)/2])
		if err != nil {
			return n, err
		}
		return n, fault
	}
	return f.File.Write(b)
}

func (f *faultyFile) WriteAt(b []byte, off int64) (int, error) {
	if fault := f.faults.ask("write", f.Name()); fault != nil {
		n, err := f.File.WriteAt(b[:len(b)/2], off)
		if err != nil {
			return n, err
		}
		return n, fault
	}
	return f.File.WriteAt(b, off)
}

func (f *faultyFile) WriteString(s string) (int, error) { return f.Write([]byte(s)) }

func (f *faultyFile) Truncate(size int64) error {
	return f.faults.do("truncate", f.Name(), func() error { return f.File.Truncate(size) })
}

func (f *faultyFile) Sync() error { return f.faults.do("sync", f.Name(), f.File.Sync) }

func (f *faultyFile) Close() error {
	fault := f.faults.ask("close", f.Name())
	if err := f.File.Close(); err != nil {
		return err
	}
	return fault
}

func (f *faultyFile) Stat() (os.FileInfo, error) {
	if err := f.faults.ask("stat", f.Name()); err != nil {
		return nil, err
	}
	return f.File.Stat()
}

func (f *faultyFile) Readdir(count int) ([]os.FileInfo, error) {
	if err := f.faults.ask("list", f.Name()); err != nil {
		return nil, err
	}
	return f.File.Readdir(count)
}

func (f *faultyFile) Readdirnames(n int) ([]string, error) {
	if err := f.faults.ask("list", f.Name()); err != nil {
		return nil, err
	}
	return f.File.Readdirnames(n)
}
