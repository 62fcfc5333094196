package gotypes

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"agentdungeon/server/inspect"
)

// Limits of the packages that the repository's packages import. A package beyond them counts as missing. The limits are
// counts and not seconds, so that one repository has one result.
const (
	maxImported      = 1500
	maxImportedBytes = 128 << 20
)

var (
	errNoPackage = errors.New("its source is not on this machine")
	errCycle     = errors.New("it is part of an import cycle")
	errBudget    = fmt.Errorf("the repository imports more than %d packages or %d MB", maxImported, maxImportedBytes>>20)
)

// typed has the types that were found in a package of the repository.
type typed struct {
	uses map[*ast.Ident]types.Object
	pkg  *types.Package
	err  error // nil if the types of the whole package are known
}

// checker type-checks the packages of a repository, and the declarations of the packages that they import.
type checker struct {
	repo     *inspect.Repo
	golang   *inspect.Golang
	packages map[string]*typed // of the repository, by folder
	imported map[place]*dependency
	found    map[asked]found
	fset     *token.FileSet // of imported packages
	bytes    int            // of their source
}

func newChecker(r *inspect.Repo, g *inspect.Golang) *checker {
	return &checker{
		repo: r, golang: g, packages: map[string]*typed{}, imported: map[place]*dependency{}, found: map[asked]found{},
		fset: token.NewFileSet(),
	}
}

// dependency is an imported package of another module or of the standard library.
type dependency struct {
	pkg *types.Package
	err error // nil also while the package is being checked and pkg is nil
}

// own returns the checked package in a folder of the repository.
func (c *checker) own(dir string) *typed {
	if p := c.packages[dir]; p != nil {
		if p.pkg == nil && p.err == nil {
			return &typed{err: errCycle}
		}
		return p
	}
	p := &typed{}
	c.packages[dir] = p
	of := c.golang.Packages[dir]
	var files []*ast.File
	for _, f := range of.Files {
		if f.AST.Name.Name == of.Name && !strings.HasSuffix(f.File.Path, "_test.go") && builtFor(f.File.Base(), f.Text) {
			files = append(files, f.AST)
		}
	}
	if len(files) == 0 {
		p.err = errors.New("no file is built for linux/amd64 without cgo")
		return p
	}
	// Keep only what names refer to: the types of all expressions would take ten times the memory.
	p.uses = map[*ast.Ident]types.Object{}
	root, mod := c.golang.Module(dir)
	from := importer{c, home{root, mod}, false}
	p.pkg, p.err = check(cmp.Or(of.Import, of.Name), c.golang.Fset, files, from, p.uses)
	if p.pkg == nil {
		p.uses = nil
	}
	return p
}

// check type-checks the files of a package. uses is nil for an imported package, of which only the declarations are
// checked. It returns the first error; in spite of it, the package may have types.
func check(name string, fset *token.FileSet, files []*ast.File, from types.Importer, uses map[*ast.Ident]types.Object) (
	pkg *types.Package, err error) {
	defer func() {
		if p := recover(); p != nil { // go/types panics on some trees that no compiler would accept
			pkg, err = nil, fmt.Errorf("go/types failed: %v", p)
		}
	}()
	cfg := types.Config{
		Importer: from, FakeImportC: true, IgnoreFuncBodies: uses == nil, Sizes: types.SizesFor("gc", "amd64"),
		Error: func(e error) {
			if err == nil {
				err = e
			}
		},
	}
	pkg, _ = cfg.Check(name, fset, files, &types.Info{Uses: uses}) // the first error is in err
	return pkg, err
}

// home is the module whose go.mod decides the versions of imported modules.
type home struct {
	root string // folder of go.mod
	mod  *modfile.File
}

// importer imports packages for the files of one module.
type importer struct {
	*checker
	home
	standard bool // the files are of the standard library
}

// Import implements types.Importer.
func (i importer) Import(name string) (*types.Package, error) {
	if name == "unsafe" {
		return types.Unsafe, nil
	}
	if dir, ok := i.ownFolder(name); ok && !i.standard {
		p := i.own(dir)
		if p.pkg == nil {
			return nil, fmt.Errorf("import %s: %w", name, cmp.Or(p.err, errCycle))
		}
		return p.pkg, nil
	}
	at := i.find(name)
	if at.in == nil {
		return nil, fmt.Errorf("import %s: %w", name, errNoPackage)
	}
	d := i.imported[at.place]
	if d == nil {
		d = &dependency{}
		i.imported[at.place] = d
		d.pkg, d.err = i.declarations(name, at.in, at.dir, at.standard)
	}
	if d.pkg == nil {
		return nil, fmt.Errorf("import %s: %w", name, cmp.Or(d.err, errCycle))
	}
	return d.pkg, nil
}

// ownFolder returns the folder of a package of the repository by its import path.
func (i importer) ownFolder(name string) (dir string, ok bool) {
	for _, root := range slices.Sorted(maps.Keys(i.golang.Modules)) {
		m := i.golang.Modules[root]
		if m.Module == nil {
			continue
		}
		rest, below := strings.CutPrefix(name, m.Module.Mod.Path)
		if !below || rest != "" && rest[0] != '/' {
			continue
		}
		at := strings.TrimPrefix(path.Join(root, rest), "/")
		if at == "." {
			at = ""
		}
		if i.golang.Packages[at] != nil && (!ok || len(at) > len(dir)) {
			dir, ok = at, true
		}
	}
	return dir, ok
}

// place names the folder of an imported package: the module that contains it, and the folder within the module.
type place struct {
	module module.Version // the zero value for the standard library and for the folder vendor
	dir    string
}

// found is the location of an imported package. in is the file system that has the package's files; it is nil if
// the package is not on this machine.
type found struct {
	place
	in       fs.FS
	standard bool // the package is in the standard library, or can only be there
}

// asked is the key under which the location of a package is cached. The key has the module's root and no file, because
// the name of a package leads to the same location from all files of a module.
type asked struct {
	standard   bool
	root, name string
}

// find returns where an imported package is. It looks into folders once for each name.
func (i importer) find(name string) found {
	key := asked{i.standard, i.root, name}
	at, known := i.found[key]
	if !known {
		at.place, at.in, at.standard = i.look(name)
		i.found[key] = at
	}
	return at
}

func (i importer) look(name string) (at place, in fs.FS, standard bool) {
	lib := i.repo.Library
	first, _, _ := strings.Cut(name, "/")
	if i.standard || !strings.Contains(first, ".") {
		if lib == nil || lib.Standard() == nil {
			return at, nil, true
		}
		for _, dir := range []string{name, "vendor/" + name} {
			if hasGo(lib.Standard(), dir) {
				return place{dir: dir}, lib.Standard(), true
			}
		}
		return at, nil, true
	}
	if dir := path.Join(i.root, "vendor", name); hasGo(i.repo.FS(), dir) {
		return place{dir: "./" + dir}, i.repo.FS(), false
	}
	if i.mod == nil || lib == nil {
		return at, nil, false
	}
	for _, v := range i.versions(name) {
		dir := strings.TrimPrefix(strings.TrimPrefix(name, v.Path), "/")
		if dir == "" {
			dir = "."
		}
		target := v
		for _, r := range i.mod.Replace {
			if r.Old.Path == v.Path && (r.Old.Version == "" || r.Old.Version == v.Version) {
				target = r.New
			}
		}
		if target.Version == "" { // a replacement by a folder: either a part of the repository, or not searched for
			continue
		}
		if in := lib.Module(target); in != nil && hasGo(in, dir) {
			return place{target, dir}, in, false
		}
	}
	return at, nil, false
}

// versions returns the required modules that can have a package, the one with the longest path first.
func (i importer) versions(name string) (out []module.Version) {
	for _, q := range i.mod.Require {
		if rest, ok := strings.CutPrefix(name, q.Mod.Path); ok && (rest == "" || rest[0] == '/') {
			out = append(out, q.Mod)
		}
	}
	slices.SortFunc(out, func(a, b module.Version) int { return len(b.Path) - len(a.Path) })
	return out
}

// target is the platform for which Go files are chosen, the same one on every machine. Without cgo a file that imports
// C is left out, as the go command does.
var target = build.Context{GOOS: "linux", GOARCH: "amd64", Compiler: "gc", ReleaseTags: build.Default.ReleaseTags}

// builtFor reports whether a Go file is built for target, judging by its name and its build constraints.
func builtFor(name string, text []byte) bool {
	ctx := target
	ctx.JoinPath = path.Join
	ctx.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
	ok, err := ctx.MatchFile("", name)
	return ok && err == nil
}

// maxGoText is the maximum size of an imported file in bytes.
const maxGoText = 4 << 20

// hasGo reports whether a folder has Go files besides tests.
func hasGo(in fs.FS, dir string) bool {
	list, err := fs.ReadDir(in, dir)
	if err != nil {
		return false
	}
	for _, e := range list {
		if isGo(e) {
			return true
		}
	}
	return false
}

func isGo(e fs.DirEntry) bool {
	return strings.HasSuffix(e.Name(), ".go") && !strings.HasSuffix(e.Name(), "_test.go") && e.Type().IsRegular()
}

// declarations returns the declarations of an imported package that the repository's own packages can use.
func (i importer) declarations(name string, in fs.FS, dir string, standard bool) (*types.Package, error) {
	if len(i.imported) > maxImported || i.bytes > maxImportedBytes {
		return nil, errBudget
	}
	dir = path.Clean(dir)
	list, err := fs.ReadDir(in, dir)
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, e := range list {
		if !isGo(e) {
			continue
		}
		text, err := readLimited(in, path.Join(dir, e.Name()))
		if err != nil || !builtFor(e.Name(), text) {
			continue
		}
		i.checker.bytes += len(text)
		file, err := parser.ParseFile(i.fset, path.Join(name, e.Name()), text, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		files = append(files, file)
	}
	if len(files) == 0 {
		return nil, errNoPackage
	}
	from := i
	from.standard = standard
	cut(files, from.named)
	pkg, err := check(name, i.fset, files, from, nil)
	if pkg != nil && !pkg.Complete() {
		pkg.MarkComplete() // marks the package as complete, so that a missing import causes no errors in its users
	}
	return pkg, err
}

func readLimited(in fs.FS, name string) ([]byte, error) {
	f, err := in.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var text bytes.Buffer
	if info, err := f.Stat(); err == nil {
		text.Grow(int(min(info.Size(), maxGoText)) + bytes.MinRead)
	}
	_, err = text.ReadFrom(io.LimitReader(f, maxGoText))
	return text.Bytes(), err
}

// named returns the name of a package of the standard library; "" for any other package, because the path of such a
// package does not always show the name.
func (i importer) named(importPath string) string {
	if at := i.find(importPath); !at.standard || at.in == nil {
		return ""
	}
	name := path.Base(importPath)
	if major.MatchString(name) {
		name = path.Base(path.Dir(importPath))
	}
	return name
}

// major matches the last element of the path of a package that has several major versions.
var major = inspect.Pattern(`^v[0-9]+$`)
