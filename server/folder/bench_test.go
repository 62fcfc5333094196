package folder

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// make20k writes 20,000 files into 1,000 folders.
func make20k(t testing.TB, dir string) {
	t.Helper()
	makeModules(t, dir, 20)
}

// makeModules writes n folders of 1,000 files each, three levels deep.
func makeModules(t testing.TB, dir string, n int) {
	t.Helper()
	for i := range n {
		for j := range 10 {
			for k := range 5 {
				leaf := filepath.Join(dir, fmt.Sprintf("module%02d/part%02d/leaf%d", i, j, k))
				must(t, os.MkdirAll(leaf, 0o755))
				for f := range 20 {
					must(t, os.WriteFile(filepath.Join(leaf, fmt.Sprintf("source_file_%d.go", f)), []byte("x"), 0o644))
				}
			}
		}
	}
}

// BenchmarkScan20k scans 20,000 tracked files with ignore rules. Beside it runs a bare
// filepath.WalkDir of the same tree. The aim of a scan is three times the time of that walk.
func BenchmarkScan20k(b *testing.B) {
	needGit(b)
	alone(b)
	dir := b.TempDir()
	make20k(b, dir)
	write(b, dir, map[string]string{
		".gitignore":          "# usual\n*.log\n*.o\n*.py[cod]\n.DS_Store\nnode_modules/\n/dist/\n/build/\n*.swp\n.idea/\n.vscode/*\n!.vscode/settings.json\ncoverage.*\n**/target/\n*~\n",
		"module01/.gitignore": "gen/*.pb.go\n!gen/keep.pb.go\n",
		"debug.log":           "",
		"node_modules/x/y.js": "",
	})
	git(b, dir, "init", "-q")
	git(b, dir, "add", "-A")
	b.Run("walk", func(b *testing.B) {
		for b.Loop() {
			n := 0
			must(b, filepath.WalkDir(dir, func(_ string, _ fs.DirEntry, err error) error { n++; return err }))
			if n < 20_000 {
				b.Fatal(n)
			}
		}
	})
	b.Run("scan", func(b *testing.B) {
		for b.Loop() {
			tree, _, err := Scan(context.Background(), dir, Options{Exclude: []string{filepath.Join(dir, "worlds")}})
			if err != nil || tree.Files() != 20_002 {
				b.Fatal(tree.Files(), err)
			}
		}
	})
}
