// Package crashfs has file systems for tests. They fail in the ways in which real file systems fail. Disk is a
// simulated disk. It keeps written bytes apart from synced ones, and after a power cut it has any of the states
// that a real disk may have. Faults makes any afero.Fs fail at a chosen operation.
//
// The package owns nothing on the machine's disk and is never part of the product: only tests call it.
package crashfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/afero"
)

// ErrCut is the error of every operation on a disk whose power is cut.
var ErrCut = errors.New("the power is cut")

// Disk is an afero.Fs in memory that guarantees no more than POSIX: a file's bytes are sure to survive a power cut
// only if the file was synced, and its name only if the folder was synced. It is safe for concurrent use.
type Disk struct {
	mu      sync.Mutex
	root    *node
	pending []record // changes of folders that are not synced, oldest first
	ops     int
	cutAt   int
	cut     bool
}

// node is a file or a folder.
type node struct {
	mode  fs.FileMode
	mtime time.Time

	data   []byte  // a file's bytes as programs see them
	stable []byte  // the bytes after the last sync
	dirty  []write // the writes since the last sync, in order

	kids       map[string]*node // a folder's entries as programs see them
	stableKids map[string]*node
}

// write is one change of a file's bytes. With data nil it truncates the file to off bytes.
type write struct {
	off  int64
	data []byte
}

// record is one atomic change of folders: a rename removes one name and adds another at the same
// moment.
type record []entry

type entry struct {
	dir  *node
	name string
	to   *node // the file or folder that gets the name; nil removes the name
}

// NewDisk returns an empty disk.
func NewDisk() *Disk { return &Disk{root: newFolder(0o755)} }

func newFolder(perm fs.FileMode) *node {
	return &node{mode: fs.ModeDir | perm, mtime: time.Now(), kids: map[string]*node{}, stableKids: map[string]*node{}}
}

// CutAt cuts the power in the middle of the n-th changing operation from now (1 is the next): half
// of a write is done, any other operation is not done. Operations that only read are not counted.
func (d *Disk) CutAt(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cutAt = d.ops + n
}

// Ops returns the number of operations that have changed the disk so far.
func (d *Disk) Ops() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ops
}

// Cut reports whether the power is cut.
func (d *Disk) Cut() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.cut
}

// change counts an operation that changes the disk. It returns ErrCut if CutAt cuts the power in this operation, or if
// the power was cut before.
func (d *Disk) change() error {
	if d.cut {
		return ErrCut
	}
	d.ops++
	if d.ops == d.cutAt {
		d.cut = true
		return ErrCut
	}
	return nil
}

// look returns ErrCut if the power is cut. Operations that only read call look; those that write call change.
func (d *Disk) look() error {
	if d.cut {
		return ErrCut
	}
	return nil
}

// set applies the record r to the folders. The change is not durable before syncFolder.
func (d *Disk) set(r record) {
	for _, e := range r {
		if e.to == nil {
			delete(e.dir.kids, e.name)
		} else {
			e.dir.kids[e.name] = e.to
		}
		e.dir.mtime = time.Now()
	}
	d.pending = append(d.pending, r)
}

func (r record) settle() {
	for _, e := range r {
		if e.to == nil {
			delete(e.dir.stableKids, e.name)
		} else {
			e.dir.stableKids[e.name] = e.to
		}
	}
}

// syncFolder makes all pending records durable that change the folder n. If such a record also changes another
// folder, the earlier records that change that other folder become durable too. All other records stay pending.
func (d *Disk) syncFolder(n *node) {
	touched := map[*node]bool{n: true}
	settle := make([]bool, len(d.pending))
	for i := len(d.pending) - 1; i >= 0; i-- {
		if slices.ContainsFunc(d.pending[i], func(e entry) bool { return touched[e.dir] }) {
			settle[i] = true
			for _, e := range d.pending[i] {
				touched[e.dir] = true
			}
		}
	}
	var rest []record
	for i, r := range d.pending {
		if settle[i] {
			r.settle()
		} else {
			rest = append(rest, r)
		}
	}
	d.pending = rest
}

func split(name string) []string {
	name = filepath.ToSlash(filepath.Clean(string(filepath.Separator) + name))
	return strings.FieldsFunc(name, func(r rune) bool { return r == '/' })
}

// find returns the node at name.
func (d *Disk) find(name string) (*node, error) {
	n := d.root
	for _, part := range split(name) {
		if n.kids == nil {
			return nil, syscall.ENOTDIR
		}
		next, ok := n.kids[part]
		if !ok {
			return nil, fs.ErrNotExist
		}
		n = next
	}
	return n, nil
}

// parent returns the folder that holds the path name, and the last element of the path. The path need not exist.
func (d *Disk) parent(name string) (dir *node, base string, err error) {
	parts := split(name)
	if len(parts) == 0 {
		return nil, "", fs.ErrInvalid
	}
	dir, err = d.find(strings.Join(parts[:len(parts)-1], "/"))
	if err == nil && dir.kids == nil {
		err = syscall.ENOTDIR
	}
	return dir, parts[len(parts)-1], err
}

func pathError(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// Name implements afero.Fs.
func (d *Disk) Name() string { return "crashfs.Disk" }

// Create implements afero.Fs.
func (d *Disk) Create(name string) (afero.File, error) {
	return d.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

// Open implements afero.Fs.
func (d *Disk) Open(name string) (afero.File, error) { return d.OpenFile(name, os.O_RDONLY, 0) }

// OpenFile implements afero.Fs. It stores permissions and does not enforce them.
func (d *Disk) OpenFile(name string, flag int, perm os.FileMode) (afero.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f, err := d.open(name, flag, perm)
	if err != nil {
		return nil, pathError("open", name, err)
	}
	return f, nil
}

func (d *Disk) open(name string, flag int, perm os.FileMode) (*file, error) {
	if err := d.look(); err != nil {
		return nil, err
	}
	n, err := d.find(name)
	switch {
	case err == nil && flag&(os.O_CREATE|os.O_EXCL) == os.O_CREATE|os.O_EXCL:
		return nil, fs.ErrExist
	case errors.Is(err, fs.ErrNotExist) && flag&os.O_CREATE != 0:
		dir, base, err := d.parent(name)
		if err != nil {
			return nil, err
		}
		if err := d.change(); err != nil {
			return nil, err
		}
		n = &node{mode: perm.Perm(), mtime: time.Now()}
		d.set(record{{dir, base, n}})
	case err != nil:
		return nil, err
	case n.kids != nil && flag&(os.O_WRONLY|os.O_RDWR) != 0:
		return nil, syscall.EISDIR
	case flag&os.O_TRUNC != 0 && len(n.data) > 0:
		if err := d.change(); err != nil {
			return nil, err
		}
		n.write(write{off: 0})
	}
	return &file{disk: d, node: n, name: name, flag: flag}, nil
}

// Mkdir implements afero.Fs.
func (d *Disk) Mkdir(name string, perm os.FileMode) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return pathError("mkdir", name, d.mkdir(name, perm))
}

func (d *Disk) mkdir(name string, perm os.FileMode) error {
	if err := d.look(); err != nil {
		return err
	}
	dir, base, err := d.parent(name)
	if err != nil {
		return err
	}
	if _, there := dir.kids[base]; there {
		return fs.ErrExist
	}
	if err := d.change(); err != nil {
		return err
	}
	d.set(record{{dir, base, newFolder(perm.Perm())}})
	return nil
}

// MkdirAll implements afero.Fs.
func (d *Disk) MkdirAll(name string, perm os.FileMode) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.look(); err != nil {
		return pathError("mkdir", name, err)
	}
	parts := split(name)
	for i := range parts {
		at := strings.Join(parts[:i+1], "/")
		n, err := d.find(at)
		switch {
		case err == nil && n.kids == nil:
			return pathError("mkdir", name, syscall.ENOTDIR)
		case err == nil:
			continue
		}
		if err := d.mkdir(at, perm); err != nil {
			return pathError("mkdir", name, err)
		}
	}
	return nil
}

// Remove implements afero.Fs.
func (d *Disk) Remove(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return pathError("remove", name, d.remove(name))
}

func (d *Disk) remove(name string) error {
	if err := d.look(); err != nil {
		return err
	}
	dir, base, err := d.parent(name)
	if err != nil {
		return err
	}
	n, there := dir.kids[base]
	switch {
	case !there:
		return fs.ErrNotExist
	case len(n.kids) > 0:
		return syscall.ENOTEMPTY
	}
	if err := d.change(); err != nil {
		return err
	}
	d.set(record{{dir, base, nil}})
	return nil
}

// RemoveAll implements afero.Fs. It removes children first, one operation for each file and folder.
func (d *Disk) RemoveAll(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.look(); err != nil {
		return pathError("removeall", name, err)
	}
	n, err := d.find(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = d.removeAll(name, n)
	}
	return pathError("removeall", name, err)
}

func (d *Disk) removeAll(name string, n *node) error {
	for kid, k := range n.kids {
		if err := d.removeAll(filepath.Join(name, kid), k); err != nil {
			return err
		}
	}
	return d.remove(name)
}

// Rename implements afero.Fs. It replaces an existing file.
func (d *Disk) Rename(oldname, newname string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return pathError("rename", oldname, d.rename(oldname, newname))
}

func (d *Disk) rename(oldname, newname string) error {
	if err := d.look(); err != nil {
		return err
	}
	from, fromBase, err := d.parent(oldname)
	if err != nil {
		return err
	}
	to, toBase, err := d.parent(newname)
	if err != nil {
		return err
	}
	n, there := from.kids[fromBase]
	if !there {
		return fs.ErrNotExist
	}
	target, taken := to.kids[toBase]
	inside := strings.HasPrefix(strings.Join(split(newname), "/")+"/", strings.Join(split(oldname), "/")+"/")
	switch {
	case taken && target.kids != nil:
		return fs.ErrExist // os.Rename replaces no folder
	case taken && target == n:
		return nil
	case taken && n.kids != nil:
		return syscall.ENOTDIR
	case inside:
		return fs.ErrInvalid
	}
	if err := d.change(); err != nil {
		return err
	}
	d.set(record{{from, fromBase, nil}, {to, toBase, n}})
	return nil
}

// Stat implements afero.Fs.
func (d *Disk) Stat(name string) (os.FileInfo, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.look(); err != nil {
		return nil, pathError("stat", name, err)
	}
	n, err := d.find(name)
	if err != nil {
		return nil, pathError("stat", name, err)
	}
	return n.info(filepath.Base(name)), nil
}

// Chmod implements afero.Fs. Modes and times survive a power cut without a sync.
func (d *Disk) Chmod(name string, mode os.FileMode) error {
	return d.attribute("chmod", name, func(n *node) { n.mode = n.mode&fs.ModeDir | mode.Perm() })
}

// Chown implements afero.Fs. It does not store the owner.
func (d *Disk) Chown(name string, _, _ int) error {
	return d.attribute("chown", name, func(*node) {})
}

// Chtimes implements afero.Fs.
func (d *Disk) Chtimes(name string, _, mtime time.Time) error {
	return d.attribute("chtimes", name, func(n *node) { n.mtime = mtime })
}

func (d *Disk) attribute(op, name string, do func(*node)) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.look(); err != nil {
		return pathError(op, name, err)
	}
	n, err := d.find(name)
	if err == nil {
		err = d.change()
	}
	if err != nil {
		return pathError(op, name, err)
	}
	do(n)
	return nil
}
