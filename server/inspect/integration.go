package inspect

import (
	"bytes"
	"go/parser"
	"go/token"
	"path"
	"strings"
)

// besideTests lists the languages of files that tests read or that start tests. A file in an unknown language is
// treated as such a file too.
var besideTests = map[string]bool{
	"JSON": true, "YAML": true, "TOML": true, "XML": true, "Markdown": true, "Text": true, "INI": true, "CSV": true,
	"SQL": true, "HCL": true, "Dockerfile": true, "Makefile": true, "Shell": true,
	"Protocol Buffer": true, "Public Key": true, "Ignore List": true, "Git Attributes": true, "Dotenv": true,
	"Go Module": true, "Go Checksums": true, "JSON with Comments": true,
}

// integration returns the outermost folder named "integration" in a path, with a slash at its end, or "".
func integration(p string) string {
	at := 0
	for part := range strings.SplitSeq(path.Dir(p), "/") {
		if at += len(part) + 1; strings.EqualFold(part, "integration") {
			return p[:at]
		}
	}
	return ""
}

// markIntegration marks all files of a folder "integration" as tests if the folder holds tests and their helpers. Some
// projects use that name for the part of the product that talks to other products, and a secret in that part is a real
// secret. So a folder with code other than tests is marked only if all of that code is in Go, no file of it has a unit
// test, there are fewer such files than tests, and no product code imports the folder. Other files are read only to
// find such imports.
func (r *Repo) markIntegration() {
	type folder struct{ tests, helpers, other int }
	folders := map[string]*folder{}
	for i := range r.Files {
		f := &r.Files[i]
		dir := integration(f.Path)
		if dir == "" || f.Vendored || f.Lang == "" || besideTests[f.Lang] {
			continue
		}
		if folders[dir] == nil {
			folders[dir] = &folder{}
		}
		switch {
		case f.Test:
			folders[dir].tests++
		case f.Lang == "Go" && r.File(strings.TrimSuffix(f.Path, ".go")+"_test.go") == nil:
			folders[dir].helpers++
		default:
			folders[dir].other++
		}
	}
	for dir, n := range folders {
		if n.tests == 0 || n.other > 0 || n.helpers >= n.tests || n.helpers > 0 && r.importedByProduct(dir) {
			delete(folders, dir)
		}
	}
	for i := range r.Files {
		if dir := integration(r.Files[i].Path); dir != "" && folders[dir] != nil {
			r.Files[i].Test = true
		}
	}
}

// importedByProduct reports whether a Go file that is outside of a folder and not a test imports a package whose path
// contains the folder's name.
func (r *Repo) importedByProduct(dir string) bool {
	name := []byte("/" + path.Base(dir))
	for i := range r.Files {
		f := &r.Files[i]
		if f.Lang != "Go" || f.Test || f.Vendored || strings.HasPrefix(f.Path, dir) {
			continue
		}
		data, ok := r.Text(f.Path)
		if !ok || !bytes.Contains(data, name) {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f.Path, data, parser.ImportsOnly)
		if err != nil {
			return true // an unread file may import it
		}
		for _, spec := range parsed.Imports {
			if strings.Contains(strings.Trim(spec.Path.Value, "`\"")+"/", string(name)+"/") {
				return true
			}
		}
	}
	return false
}
