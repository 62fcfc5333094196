package folder

import (
	"context"
	"errors"
	"io/fs"
)

// Peek reads small files at the top of a linked folder. path is absolute and allowed by Check. The result maps the
// names of files to their contents. It lacks files that do not exist or have more than limit bytes, links, and
// everything else that is no regular file. Peek reads through os.Root, so it reads nothing outside of the folder.
func Peek(ctx context.Context, path string, names []string, limit int64) (map[string]string, error) {
	root, err := openRoot(resolved(path))
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, errors.Join(err, root.Close())
		}
		if !fs.ValidPath(name) {
			continue
		}
		f, err := plainFiles{root}.Open(name)
		if err != nil {
			continue // absent or unreadable
		}
		if data, err := readAll(f, limit); err == nil {
			out[name] = string(data)
		}
	}
	return out, root.Close()
}
