package house

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// MaxColumns is how many characters a line may have; a tab counts as one.
const MaxColumns = 120

// Package is one package of the program: the non-test, non-generated Go files that
// this machine builds.
type Package struct {
	Dir   string // relative to the root, like "server/gate"
	Files []*File

	generated []*ast.File
	calls     map[string][]string // by path of a file, the files whose functions it uses; set by link
}

// File is one hand-written Go file of a package.
type File struct {
	Path  string // relative to the root
	Lines int    // all lines, with comments and empty ones
	Long  []int  // the numbers of the lines over MaxColumns
	set   *token.FileSet
	tree  *ast.File
}

// Lines returns the number of lines of all files.
func (p *Package) Lines() (n int) {
	for _, f := range p.Files {
		n += f.Lines
	}
	return n
}

// Long counts the lines over MaxColumns.
func (p *Package) Long() (n int) {
	for _, f := range p.Files {
		n += len(f.Long)
	}
	return n
}

// Program reads the packages of this module that the server is linked from, in the
// order of go list: go list -deps ./server. Root is the folder of go.mod.
func Program(root string) ([]*Package, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	const form = `{{if and .Module .Module.Main}}{{.Dir}}{{range .GoFiles}}{{"\t"}}{{.}}{{end}}{{end}}`
	cmd := exec.Command("go", "list", "-deps", "-f", form, "./server")
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, stderr.Bytes())
	}
	var packages []*Package
	set := token.NewFileSet()
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if fields[0] == "" {
			continue
		}
		dir, err := filepath.Rel(root, fields[0])
		if err != nil {
			return nil, err
		}
		p := &Package{Dir: filepath.ToSlash(dir)}
		for _, name := range fields[1:] {
			text, err := os.ReadFile(filepath.Join(fields[0], name))
			if err != nil {
				return nil, err
			}
			f, generated, err := measure(set, p.Dir+"/"+name, text)
			if err != nil {
				return nil, err
			}
			if f != nil {
				p.Files = append(p.Files, f)
			} else {
				p.generated = append(p.generated, generated)
			}
		}
		packages = append(packages, p)
	}
	if len(packages) == 0 {
		return nil, errors.New("go list names no package of the module")
	}
	return packages, link(root, set, packages)
}

// measure parses one file. For a generated file it returns only the syntax tree.
func measure(set *token.FileSet, path string, text []byte) (f *File, generated *ast.File, err error) {
	f = &File{Path: path, set: set}
	f.tree, err = parser.ParseFile(f.set, path, text, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil || ast.IsGenerated(f.tree) {
		return nil, f.tree, err
	}
	for line := range bytes.Lines(text) {
		f.Lines++
		if utf8.RuneCount(bytes.TrimRight(line, "\r\n")) > MaxColumns {
			f.Long = append(f.Long, f.Lines)
		}
	}
	return f, nil, nil
}
