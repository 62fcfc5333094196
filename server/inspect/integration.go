package inspect

import (
	"path"
	"slices"
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
// secret. So the folder must have more tests than other files with code, and the other files must be in Go and have no
// unit tests of their own. Files in Shell, SQL and HCL do not count, because they start tests. files is sorted by path.
func markIntegration(files []File) {
	more := map[string]int{} // tests beyond the other files with code, by folder
	tested := func(p string) bool {
		_, ok := slices.BinarySearchFunc(files, strings.TrimSuffix(p, ".go")+"_test.go",
			func(f File, p string) int { return strings.Compare(f.Path, p) })
		return ok
	}
	for i := range files {
		f := &files[i]
		dir := integration(f.Path)
		switch {
		case dir == "" || !IsCode(f.Lang) || f.Vendored:
		case f.Test:
			more[dir]++
		case f.Lang == "Go" && !tested(f.Path):
			more[dir]--
		case f.Lang != "Shell" && f.Lang != "SQL" && f.Lang != "HCL":
			more[dir] -= len(files)
		}
	}
	for i := range files {
		if more[integration(files[i].Path)] > 0 {
			files[i].Test = true
		}
	}
}
