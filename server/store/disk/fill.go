package disk

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// Fill creates the folder and writes files, a map from paths to contents, into it. When Fill returns, the content
// of the folder is durable. Fill does not sync the parent folder.
func (d Folder) Fill(files map[string]string) error {
	if err := d.FS.Mkdir(d.Dir, FolderPerm); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	subs := map[string]bool{} // sub-folders such as references and scripts
	for _, p := range slices.Sorted(maps.Keys(files)) {
		at, name := d, p
		if sub, rest, below := strings.Cut(p, "/"); below {
			at, name = At(d.FS, d.Path(sub)), rest
			if !subs[sub] {
				if err := d.FS.Mkdir(at.Dir, FolderPerm); err != nil {
					return fmt.Errorf("make folder: %w", err)
				}
				subs[sub] = true
			}
		}
		f, err := d.FS.OpenFile(at.Path(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, FilePerm)
		if err != nil {
			return fmt.Errorf("create %s: %w", p, err)
		}
		if err := writeAndSync(f, []byte(files[p])); err != nil {
			return fmt.Errorf("write %s: %w", p, err)
		}
	}
	for sub := range subs {
		if err := At(d.FS, d.Path(sub)).Sync(); err != nil {
			return err
		}
	}
	return d.Sync()
}
