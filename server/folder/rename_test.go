package folder

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A change below a renamed folder is seen. The kernel's watches follow a folder to its new name, but events of
// the folders below come with the old name.
func TestFollowBelowARename(t *testing.T) {
	f := follow(t, t.TempDir())
	f.write("moving/old/deep/there.txt", "x")
	f.calm()
	must(t, os.Rename(f.at("moving/old"), f.at("moving/fresh")))
	f.calm()
	f.write("moving/fresh/deep/new.txt", "x")
	f.until("a file below the renamed folder", f.saw("created", "moving/fresh/deep/new.txt"))
}

// After many renames of whole trees at every depth, the change of one file below causes a scan, and the map
// equals the tree again. Another realm follows a folder within, with the same watcher.
func TestFollowAStormOfRenames(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			r := rand.New(rand.NewPCG(seed, 13))
			for i := range 12 {
				put(t, filepath.Join(dir, fmt.Sprintf("a%d/b%d/c%d/d%d/file.txt", i%2, i%3, i%4, i)), "x")
			}
			f := follow(t, dir)
			within := followWith(t, f.w, filepath.Join(dir, "a0"))
			for round := range 12 {
				for range 1 + r.IntN(3) {
					dirs := foldersOf(t, dir)
					from := dirs[r.IntN(len(dirs))]
					if from == filepath.Join(dir, "a0") {
						continue // the other realm would be away
					}
					to := filepath.Join(filepath.Dir(from), fmt.Sprint("n", r.IntN(3)))
					if r.IntN(3) == 0 {
						to = filepath.Join(dirs[r.IntN(len(dirs))], fmt.Sprint("n", r.IntN(3)))
					}
					if _, err := os.Lstat(to); err == nil || strings.HasPrefix(to+"/", from+"/") {
						continue
					}
					must(t, os.Rename(from, to))
				}
				if r.IntN(3) > 0 { // otherwise the change follows the rename at once
					f.calm()
					within.calm()
				}
				dirs := foldersOf(t, dir)
				put(t, filepath.Join(dirs[r.IntN(len(dirs))], fmt.Sprintf("new%d.txt", round)), strings.Repeat("x", round))
				f.rest()
				within.rest()
			}
		})
	}
}

// foldersOf returns all folders below dir.
func foldersOf(t *testing.T, dir string) (out []string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && path != dir {
			out = append(out, path)
		}
		return err
	}))
	return out
}
