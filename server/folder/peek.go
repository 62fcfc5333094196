package folder

import (
	"context"
	"errors"
	"io/fs"
)

// Peek reads small files at the top of a linked folder, at an absolute path that Check has
// allowed: of names those that are there, each of at most limit bytes. Larger ones, links
// and what is no file are passed over, as they are for inspections. It reads through
// os.Root, so nothing outside is ever read.
func Peek(ctx context.Context, path string, names []string, limit int64) (map[string]string, error) {
	root, err := OpenFS(resolved(path))
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
			continue // it is not there, or may not be read: then it tells nothing
		}
		data, err := readAll(f, limit)
		if err = errors.Join(err, f.Close()); err == nil {
			out[name] = string(data)
		}
	}
	return out, root.Close()
}
