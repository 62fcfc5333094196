package house

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// Arrows counts the call arrows of a package that lie in cycles. An arrow goes from file A to
// file B if A uses a function or method that B declares; uses through an interface do not
// count. An arrow lies in a cycle if a path of arrows leads from B back to A. If the count is
// 0, the files can be read in an order in which each uses only files read before.
func (p *Package) Arrows() int {
	n := 0
	for from, uses := range p.calls {
		for _, to := range uses {
			if p.leads(to, from) {
				n++
			}
		}
	}
	return n
}

// leads reports whether a path of arrows (see Arrows) leads from one file to another.
func (p *Package) leads(from, to string) bool {
	seen := map[string]bool{from: true}
	for next := []string{from}; len(next) > 0; next = next[1:] {
		if next[0] == to {
			return true
		}
		for _, f := range p.calls[next[0]] {
			if !seen[f] {
				seen[f] = true
				next = append(next, f)
			}
		}
	}
	return false
}

// link finds the call arrows between the files of each package. It reads the types of imported
// packages from the build cache, which go list fills.
func link(root string, set *token.FileSet, packages []*Package) error {
	cmd := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}", "./server")
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go list -export: %w: %s", err, stderr.Bytes())
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		exports[path] = file
	}
	from := importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, p := range packages {
		if err := p.link(set, from); err != nil {
			return fmt.Errorf("%s: %w", p.Dir, err)
		}
	}
	return nil
}

// link finds the call arrows between the files of one package by type-checking them.
func (p *Package) link(set *token.FileSet, from types.Importer) error {
	var trees []*ast.File
	for _, f := range p.Files {
		trees = append(trees, f.tree)
	}
	trees = append(trees, p.generated...)
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	checker := types.Config{Importer: from, FakeImportC: true}
	if _, err := checker.Check(p.Dir, set, trees, info); err != nil {
		return err
	}
	p.calls = map[string][]string{}
	for at, object := range info.Uses {
		f, ok := object.(*types.Func)
		if !ok || f.Pkg() == nil || f.Pkg().Path() != p.Dir {
			continue
		}
		if recv := f.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
			continue
		}
		use, decl := set.Position(at.Pos()).Filename, set.Position(f.Origin().Pos()).Filename
		if use != decl && !slices.Contains(p.calls[use], decl) {
			p.calls[use] = append(p.calls[use], decl)
		}
	}
	return nil
}
