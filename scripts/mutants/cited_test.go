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

// cited checks that the mutant's test is there and cites its row: in its name, with _ for
// -, in its comment or in its body.
func cited(root string, m mutant) error {
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
