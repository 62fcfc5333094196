package crashfs

import (
	"os"
	"sync"
	"time"

	"github.com/spf13/afero"
)

// Op is one operation on a file system.
type Op struct {
	N    int    // the number of the operation, counted from 1
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

// NewFaults returns a file system over base in which no operation fails yet.
func NewFaults(base afero.Fs) *Faults { return &Faults{fs: base} }

// Script sets do, which is called before each operation. If do returns an error, the operation fails with it. A nil do
// lets all operations succeed. Faults calls do with a lock held, so do must not use the file system.
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

// Heal removes the function that Script set, so that later operations no longer fail.
func (f *Faults) Heal() { f.Script(nil) }

// Ops returns the number of operations so far.
func (f *Faults) Ops() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.n
}

// fault counts an operation and returns the error with which the test lets it fail, or nil.
func (f *Faults) fault(name, path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n++
	if f.script == nil {
		return nil
	}
	return pathError(name, path, f.script(Op{f.n, name, path}))
}

// do counts an operation and returns the error that the test has set for the operation. If there is none, it calls
// run, which carries out the operation.
func (f *Faults) do(name, path string, run func() error) error {
	if err := f.fault(name, path); err != nil {
		return err
	}
	return run()
}

// get does the same as Faults.do for an operation with a result.
func get[T any](f *Faults, name, path string, do func() (T, error)) (v T, err error) {
	err = f.do(name, path, func() error {
		v, err = do()
		return err
	})
	return v, err
}

func (f *Faults) open(name, path string, do func() (afero.File, error)) (afero.File, error) {
	file, err := get(f, name, path, do)
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

// OpenFile implements afero.Fs. Op.Name is "create" if flag has os.O_CREATE, otherwise "open".
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
	return get(f, "stat", name, func() (os.FileInfo, error) { return f.fs.Stat(name) })
}

// LstatIfPossible implements afero.Lstater.
func (f *Faults) LstatIfPossible(name string) (os.FileInfo, bool, error) {
	l, ok := f.fs.(afero.Lstater)
	if !ok {
		info, err := f.Stat(name)
		return info, false, err
	}
	if err := f.fault("stat", name); err != nil {
		return nil, false, err
	}
	return l.LstatIfPossible(name)
}

// faultyFile is an open file of Faults.
type faultyFile struct {
	afero.File
	faults *Faults
}

func (f *faultyFile) Read(b []byte) (int, error) {
	return get(f.faults, "read", f.Name(), func() (int, error) { return f.File.Read(b) })
}

func (f *faultyFile) ReadAt(b []byte, off int64) (int, error) {
	return get(f.faults, "read", f.Name(), func() (int, error) { return f.File.ReadAt(b, off) })
}

func (f *faultyFile) Write(b []byte) (int, error) { return f.write(b, f.File.Write) }

func (f *faultyFile) WriteAt(b []byte, off int64) (int, error) {
	return f.write(b, func(b []byte) (int, error) { return f.File.WriteAt(b, off) })
}

func (f *faultyFile) write(b []byte, do func([]byte) (int, error)) (int, error) {
	fault := f.faults.fault("write", f.Name())
	if fault != nil {
		b = b[:len(b)/2]
	}
	n, err := do(b)
	if err != nil {
		return n, err
	}
	return n, fault
}

func (f *faultyFile) WriteString(s string) (int, error) { return f.Write([]byte(s)) }

func (f *faultyFile) Truncate(size int64) error {
	return f.faults.do("truncate", f.Name(), func() error { return f.File.Truncate(size) })
}

func (f *faultyFile) Sync() error { return f.faults.do("sync", f.Name(), f.File.Sync) }

func (f *faultyFile) Close() error {
	fault := f.faults.fault("close", f.Name())
	if err := f.File.Close(); err != nil {
		return err
	}
	return fault
}

func (f *faultyFile) Stat() (os.FileInfo, error) {
	return get(f.faults, "stat", f.Name(), f.File.Stat)
}

func (f *faultyFile) Readdir(count int) ([]os.FileInfo, error) {
	return get(f.faults, "list", f.Name(), func() ([]os.FileInfo, error) { return f.File.Readdir(count) })
}

func (f *faultyFile) Readdirnames(n int) ([]string, error) {
	return get(f.faults, "list", f.Name(), func() ([]string, error) { return f.File.Readdirnames(n) })
}
