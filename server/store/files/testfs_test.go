package files_test

import (
	"path/filepath"
	"testing"

	"github.com/spf13/afero"

	"agentdungeon/server/store/crashfs"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/storetest"
)

// onEach runs a test in memory, on the simulated disk and in a real folder, which differ in edge cases.
func onEach(t *testing.T, test func(t *testing.T, fsys afero.Fs, dir string)) {
	t.Run("memory", func(t *testing.T) { test(t, afero.NewMemMapFs(), "/worlds") })
	t.Run("disk", func(t *testing.T) { test(t, crashfs.NewDisk(), "/worlds") })
	t.Run("real", func(t *testing.T) { test(t, afero.NewOsFs(), filepath.Join(t.TempDir(), "worlds")) })
}

// reopen closes s and opens its folder again.
func reopen(t *testing.T, s *files.Worlds) (*files.Worlds, *storetest.LogBuffer) {
	t.Helper()
	storetest.Must(t, s.Close())
	return storetest.Open(t, (*s.RootRef()).FS, (*s.RootRef()).Dir)
}

func writeFile(t *testing.T, fsys afero.Fs, path, text string) {
	t.Helper()
	storetest.Must(t, fsys.MkdirAll(filepath.Dir(path), 0o700))
	storetest.Must(t, afero.WriteFile(fsys, path, []byte(text), 0o600))
}

func readFile(t *testing.T, fsys afero.Fs, path string) string {
	t.Helper()
	b, err := afero.ReadFile(fsys, path)
	storetest.Must(t, err)
	return string(b)
}
