package folder

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// State returns a text that names what the history consists of: HEAD, the ends of a shallow clone, and the tags. Two
// histories with the same state give the same answers, except that Since depends on the files on disk too. State reads
// no commit. It returns an error if there is no commit yet, if git's data is damaged, or after safetyTime.
func (c *chronicle) State(ctx context.Context) (string, error) {
	return query(ctx, c, safetyTime, func(o *objects) (string, error) {
		if o.head.IsZero() {
			return "", fmt.Errorf("read the history: %w", plumbing.ErrReferenceNotFound)
		}
		ends, err := o.repo.Storer.Shallow()
		if err != nil {
			return "", fmt.Errorf("read the ends of the shallow clone: %w", err)
		}
		tags, err := o.repo.Tags()
		if err != nil {
			return "", fmt.Errorf("read the tags: %w", err)
		}
		var lines []string
		for _, end := range ends {
			lines = append(lines, "end "+end.String())
		}
		err = tags.ForEach(func(ref *plumbing.Reference) error {
			lines = append(lines, fmt.Sprintf("tag %q %s", ref.Name().Short(), ref.Hash()))
			return o.ctx.Err()
		})
		if err != nil {
			return "", fmt.Errorf("read the tags: %w", err)
		}
		slices.Sort(lines)
		return fmt.Sprintf("head %s below %q\n%s", o.head, o.prefix, strings.Join(lines, "\n")), nil
	})
}
