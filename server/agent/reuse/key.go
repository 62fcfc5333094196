package reuse

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"sync"

	"agentdungeon/server/inspect"
)

// keyOf returns a hash of everything on which the result of a review depends, except modules outside of the repository
// (see modules). program is the hash of the program's file, and the checks are part of the program. If a part of the
// state cannot be hashed, keyOf returns an error, and the result cannot be kept.
func keyOf(ctx context.Context, program string, r *inspect.Repo, checks []inspect.Check) (string, error) {
	if r.History == nil {
		return "", errors.New("without a git history, a result depends on the time of the review")
	}
	history, err := r.History.State(ctx)
	if err != nil {
		return "", err
	}
	library := "none"
	if r.Library != nil {
		if library = r.Library.State(); library == "" {
			return "", errors.New("the release of Go's standard library is not known")
		}
	}
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%d %q %q %q\n", form, program, history, library) // a hash takes every text
	for i := range checks {
		_, _ = fmt.Fprintf(h, "%q\n", checks[i].ID)
	}
	if b := r.Base; b != nil {
		_, _ = fmt.Fprintf(h, "since %q %q %q %q\n", b.Rev, b.Commit, b.Changed, b.Gone)
		for _, now := range slices.Sorted(maps.Keys(b.Was)) {
			_, _ = fmt.Fprintf(h, "%q was %q\n", now, b.Was[now])
		}
	}
	if err := r.Digest(ctx, h); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Program returns the hash of the file of the running program, in hex.
var Program = sync.OnceValues(func() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), errors.Join(err, f.Close())
})
