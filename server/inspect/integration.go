package inspect

import (
	"path"
	"strings"
)

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
// secret. So the folder needs more tests than other code, and that code is in Go and has no unit tests of its own.
// Scripts that start tests do not count.
func (r *Repo) markIntegration() {
	more := map[string]int{} // tests beyond the other files with code, by folder
	for i := range r.Files {
		f := &r.Files[i]
		dir := integration(f.Path)
		switch {
		case dir == "" || !IsCode(f.Lang) || f.Vendored:
		case f.Test:
			more[dir]++
		case f.Lang == "Go" && r.File(strings.TrimSuffix(f.Path, ".go")+"_test.go") == nil:
			more[dir]--
		case f.Lang != "Shell" && f.Lang != "SQL" && f.Lang != "HCL":
			more[dir] -= len(r.Files)
		}
	}
	for i := range r.Files {
		if more[integration(r.Files[i].Path)] > 0 {
			r.Files[i].Test = true
		}
	}
}
