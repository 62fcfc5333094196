package inspect

import (
	"context"
	"go/parser"
	"go/token"
	"path"
	"strings"

	"golang.org/x/mod/modfile"
)

// Golang is the parsed Go code of a repository.
type Golang struct {
	Fset *token.FileSet
	// Modules has the parsed go.mod files by folder; the root folder is "".
	Modules map[string]*modfile.File
	// Packages has the packages by folder. A package includes the files of the folder's external test package.
	Packages map[string]*GoPackage
	// Broken has the parse error of each Go file that cannot be parsed, by path.
	Broken map[string]error
}

// GoPackage has the Go files of one folder.
type GoPackage struct {
	Dir    string
	Import string // import path, "" outside of a module
	Name   string // package name in its files without tests
	Files  []*GoFile
}

// golangKey is the key of Memo under which the parsed Go code is kept.
type golangKey struct{}

// Go returns the Go files of the project. It parses them at the first call and returns the same result afterwards. It
// includes generated files (see Repo.Generated) but no vendored ones.
func (r *Repo) Go(ctx context.Context) *Golang {
	return Memo(r, golangKey{}, func() *Golang { return r.parseGo(context.WithoutCancel(ctx)) })
}

// maxGoFiles is the maximum number of files that are parsed, because a syntax tree takes about ten times the memory of
// its text.
const maxGoFiles = 20_000

func (r *Repo) parseGo(ctx context.Context) *Golang {
	g := &Golang{
		Fset: token.NewFileSet(), Modules: map[string]*modfile.File{}, Packages: map[string]*GoPackage{},
		Broken: map[string]error{},
	}
	parsed := 0
	for i := range r.Files {
		f := &r.Files[i]
		if f.Vendored {
			continue
		}
		if f.Base() == "go.mod" {
			if data, ok := r.Text(f.Path); ok {
				m, err := modfile.Parse(f.Path, data, nil)
				if err != nil {
					m, err = modfile.ParseLax(f.Path, data, nil) // without replacements
				}
				if err == nil {
					g.Modules[f.Dir()] = m
				}
			}
			continue
		}
		if f.Lang != "Go" || inTestdata(f.Path) || parsed == maxGoFiles {
			continue
		}
		data, ok := r.Text(f.Path)
		if !ok {
			continue
		}
		parsed++
		file, err := parser.ParseFile(g.Fset, f.Path, data, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			g.Broken[f.Path] = err
			continue
		}
		p := g.Packages[f.Dir()]
		if p == nil {
			p = &GoPackage{Dir: f.Dir()}
			g.Packages[f.Dir()] = p
		}
		if !strings.HasSuffix(f.Path, "_test.go") && !strings.HasSuffix(file.Name.Name, "_test") || p.Name == "" {
			p.Name = file.Name.Name
		}
		p.Files = append(p.Files, &GoFile{
			File: f, AST: file, Text: data, Fset: g.Fset, Package: p, Imports: GoImports(file),
		})
	}
	for dir, p := range g.Packages {
		if root, m := g.Module(dir); m != nil && m.Module != nil {
			p.Import = path.Join(m.Module.Mod.Path, strings.TrimPrefix(strings.TrimPrefix(dir, root), "/"))
		}
	}
	return g
}

// inTestdata reports whether the go command ignores a file because of a folder above it.
func inTestdata(p string) bool {
	for part := range strings.SplitSeq(path.Dir(p), "/") {
		if part == "testdata" || strings.HasPrefix(part, "_") || strings.HasPrefix(part, ".") && part != "." {
			return true
		}
	}
	return false
}

// Module returns the module that a folder belongs to and the folder of its go.mod.
func (g *Golang) Module(dir string) (root string, m *modfile.File) {
	for {
		if m := g.Modules[dir]; m != nil {
			return dir, m
		}
		if dir == "" {
			return "", nil
		}
		if i := strings.LastIndexByte(dir, '/'); i >= 0 {
			dir = dir[:i]
		} else {
			dir = ""
		}
	}
}

// At returns the line number of a position in the parsed files.
func (g *Golang) At(p token.Pos) int { return g.Fset.Position(p).Line }
