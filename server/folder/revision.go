package folder

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"

	"agentdungeon/server/inspect"
)

// Limits of what a revision may name.
const (
	maxWalk     = 100_000 // steps from a revision to the commit that it names, or to the merge base
	maxPrefixed = 100     // number of objects that prefixed returns for a short hash
	shortest    = 4       // digits of a short hash, as in git
	shownDigits = 10      // digits of a hash in an error
)

// errShallow is the last part of an error about commits that this clone does not have.
var errShallow = errors.New("this clone is shallow: fetch more of the history (git fetch --unshallow)")

var (
	// ancestor matches one step from a commit to an ancestor, or a "^{commit}", which changes nothing.
	ancestor = inspect.Pattern(`^(?:\^\{(?:commit)?\}|([~^])(\d*))`)
	hexText  = inspect.Pattern(`^[0-9a-f]+$`)
	pseudo   = inspect.Pattern(`^(?:[A-Z][A-Z_]*|refs/.+)$`)
	refRules = []string{"%s", "refs/%s", "refs/tags/%s", "refs/heads/%s", "refs/remotes/%s", "refs/remotes/%s/HEAD"}
)

// revision returns the commit that a text names, in git's notation: a branch, a tag, another reference, HEAD or @, a
// hash or the beginning of a hash, followed by any number of ~N and ^N. Unlike git it returns an error if the name fits
// two commits. Its errors are for people.
func (o *objects) revision(text string) (*object.Commit, error) {
	name, steps := text, ""
	if i := strings.IndexAny(text, "~^"); i >= 0 {
		name, steps = text[:i], text[i:]
	}
	if name == "@" {
		name = "HEAD"
	}
	if name == "" || strings.HasPrefix(name, "-") || strings.Contains(name, "..") || strings.ContainsAny(name, ":{ ") {
		return nil, fmt.Errorf("%q names no commit: name a branch, a tag or a hash, and its ancestors by ~N or ^N", text)
	}
	c, err := o.named(name)
	for walked := 0; err == nil && steps != ""; {
		m := ancestor.FindStringSubmatch(steps)
		if m == nil {
			return nil, fmt.Errorf("%q names no commit: %q is not understood", text, steps)
		}
		steps = steps[len(m[0]):]
		n := 1
		if m[2] != "" {
			if n, err = strconv.Atoi(m[2]); err != nil {
				return nil, fmt.Errorf("%q names no commit: %s is too large", text, m[2])
			}
		}
		switch m[1] {
		case "~":
			for ; n > 0 && err == nil; n-- {
				if walked++; walked > maxWalk {
					return nil, fmt.Errorf("%q is more than %d commits away", text, maxWalk)
				}
				c, err = o.parent(c, 1)
			}
		case "^":
			if n > 0 {
				c, err = o.parent(c, n)
			}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%q names no commit: %w", text, err)
	}
	return c, nil
}

// parent returns parent n of a commit, counted from 1.
func (o *objects) parent(c *object.Commit, n int) (*object.Commit, error) {
	if n > len(c.ParentHashes) {
		return nil, fmt.Errorf("commit %.*s has %d parents", shownDigits, c.Hash, len(c.ParentHashes))
	}
	p, err := o.commit(c.ParentHashes[n-1])
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		return nil, fmt.Errorf("this repository lacks commit %.*s: %w", shownDigits, c.ParentHashes[n-1], errShallow)
	}
	return p, err
}

// named returns the commit of a reference or of a hash, which may be short.
func (o *objects) named(name string) (*object.Commit, error) {
	found := map[plumbing.Hash]string{}
	var commit *object.Commit
	take := func(hash plumbing.Hash, as string) error {
		hash = o.tagged(hash)
		c, err := o.commit(hash)
		if err == nil && found[hash] == "" {
			found[hash], commit = as, c
		}
		if errors.Is(err, plumbing.ErrObjectNotFound) {
			return nil // a tree, a blob, or a commit that this clone does not have
		}
		return err
	}
	for _, rule := range refRules {
		full := fmt.Sprintf(rule, name)
		if !pseudo.MatchString(full) {
			continue
		}
		if ref, err := storer.ResolveReference(o.repo.Storer, plumbing.ReferenceName(full)); err == nil {
			if err := take(ref.Hash(), full); err != nil {
				return nil, err
			}
		}
	}
	if digits := strings.ToLower(name); len(digits) >= shortest && hexText.MatchString(digits) {
		for _, hash := range o.store.prefixed(digits) {
			if err := take(hash, "commit "+hash.String()); err != nil {
				return nil, err
			}
		}
	}
	switch {
	case len(found) > 1:
		var all []string
		for hash, as := range found {
			all = append(all, fmt.Sprintf("%s (%.*s)", as, shownDigits, hash))
		}
		slices.Sort(all)
		return nil, fmt.Errorf("%s is ambiguous: %s", name, strings.Join(all, ", "))
	case commit != nil:
		return commit, nil
	case o.shallow():
		return nil, fmt.Errorf("this repository lacks %s; %w", name, errShallow)
	}
	hint := ""
	if _, err := storer.ResolveReference(o.repo.Storer, plumbing.ReferenceName("refs/remotes/origin/"+name)); err == nil {
		hint = ", but origin/" + name
	}
	return nil, fmt.Errorf("the repository has no %s%s", name, hint)
}

// shallow reports whether the repository has only a part of its history.
func (o *objects) shallow() bool {
	commits, err := o.repo.Storer.Shallow()
	return err == nil && len(commits) > 0
}

// mergeBase returns the newest common ancestor of two commits that is no ancestor of another common ancestor. Of
// several with the same time it returns the one with the lowest hash.
func (o *objects) mergeBase(a, b *object.Commit) (*object.Commit, error) {
	const both, stale = 3, 4
	side := map[plumbing.Hash]int{} // 1: in the history of a, 2: in that of b, stale: in that of a common commit
	var queue visits
	mark := func(c *object.Commit, s int) {
		if side[c.Hash]|s != side[c.Hash] {
			side[c.Hash] |= s
			queue.put(&visit{commit: c})
		}
	}
	mark(a, 1)
	mark(b, 2)
	var common []*object.Commit
	cut := false
	open := func(v *visit) bool { return side[v.commit.Hash]&stale == 0 }
	for walked := 0; slices.ContainsFunc(queue, open); walked++ {
		if walked == maxWalk {
			return nil, fmt.Errorf("the merge base is more than %d commits away", maxWalk)
		}
		c := queue.next().commit
		s := side[c.Hash]
		if s == both {
			common = append(common, c)
			s |= stale
		}
		for _, hash := range c.ParentHashes {
			switch p, err := o.commit(hash); {
			case errors.Is(err, plumbing.ErrObjectNotFound):
				cut = true
			case err != nil:
				return nil, fmt.Errorf("read the history: %w", err)
			default:
				mark(p, s)
			}
		}
	}
	common = slices.DeleteFunc(common, func(c *object.Commit) bool { return side[c.Hash]&stale != 0 })
	switch {
	case len(common) > 0:
		return slices.MinFunc(common, func(a, b *object.Commit) int {
			return cmp.Or(b.Committer.When.Compare(a.Committer.When), bytes.Compare(a.Hash[:], b.Hash[:]))
		}), nil
	case cut:
		return nil, fmt.Errorf("this repository lacks its merge base with HEAD: %w", errShallow)
	}
	return nil, errors.New("it has no common history with HEAD")
}

// prefixed returns the objects whose hashes begin with the given lower-case hex digits, at most maxPrefixed.
func (s *gitStore) prefixed(digits string) (out []plumbing.Hash) {
	if len(digits) > 2*hashBytes {
		return nil
	}
	if entries, err := os.ReadDir(filepath.Join(s.dir, digits[:2])); err == nil {
		for _, e := range entries {
			name := digits[:2] + e.Name()
			if len(name) == 2*hashBytes && strings.HasPrefix(name, digits) {
				out = append(out, plumbing.NewHash(name))
			}
		}
	}
	low, err := hex.DecodeString((digits + strings.Repeat("0", 2*hashBytes))[:2*hashBytes])
	if err != nil {
		return nil
	}
	s.list()
	for _, p := range s.packs {
		for i := p.from(low); i < p.n && len(out) < maxPrefixed; i++ {
			hash := plumbing.Hash(p.name(i))
			if !strings.HasPrefix(hash.String(), digits) {
				break
			}
			out = append(out, hash)
		}
	}
	return out[:min(len(out), maxPrefixed)]
}

// name returns the hash of object i of the pack, in the order of the hashes.
func (p *gitPack) name(i int64) []byte { return p.index[namesAt+i*int64(hashBytes):][:hashBytes] }

// from returns the index of the first object whose hash is not below the given one.
func (p *gitPack) from(hash []byte) int64 {
	return int64(sort.Search(int(p.n), func(i int) bool { return bytes.Compare(p.name(int64(i)), hash) >= 0 }))
}
