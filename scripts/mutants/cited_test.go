package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// cited checks that the mutant's test exists and cites the mutant's row, which is the id of the rule that the mutant
// breaks. A Go test cites a row in its name (with _ for -), in its comment or in its body; a test of the page between
// its title and the next test.
func cited(root string, m mutant) error {
	if m.ofPage() {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(m.pkg)))
		if err != nil {
			return err
		}
		_, rest, there := strings.Cut(string(text), "it('"+m.test+"'")
		body, _, _ := strings.Cut(rest, "\n  it('")
		if !there || !strings.Contains(body, m.row) {
			return fmt.Errorf("%s has no test %q that cites %s", m.pkg, m.test, m.row)
		}
		return nil
	}
	name, _, _ := strings.Cut(m.test, "/")
	files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(m.pkg), "*_test.go"))
	if err != nil {
		return err
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if !strings.Contains(string(text), "func "+name+"(") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, text, parser.ParseComments)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil || f.Name.Name != name {
				continue
			}
			from := f.Pos()
			if f.Doc != nil {
				from = f.Doc.Pos()
			}
			said := string(text[set.Position(from).Offset:set.Position(f.End()).Offset])
			if strings.Contains(strings.ReplaceAll(said, "_", "-"), m.row) {
				return nil
			}
			return fmt.Errorf("%s does not cite %s", name, m.row)
		}
	}
	return fmt.Errorf("%s has no test %s", m.pkg, name)
}
