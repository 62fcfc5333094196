package reuse

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/renameio/v2"
	"golang.org/x/mod/module"

	"agentdungeon/server/agent/local"
	"agentdungeon/server/inspect"
	"agentdungeon/server/report"
	"agentdungeon/shared/world"
)

// form is the version of the format of the files. It is part of the key, so the program never finds a file of
// another version.
const form = 1

// Limits of the folder of results. If there are more than maxResults, the oldest are deleted. A larger result is not
// kept.
const (
	maxResults = 20
	maxSize    = 16 << 20 // of one result, in bytes
)

// ending is how the name of a result's file ends, after the key.
const ending = ".review.json"

// Store is a folder of results.
type Store struct {
	dir, program string
}

// Open returns the store in a folder, which need not exist yet. program is the hash of the running program (see
// Program): a result of another program is never returned.
func Open(dir, program string) *Store { return &Store{dir, program} }

// kept is the content of a result's file.
type kept struct {
	At      time.Time      `json:"at"`
	Modules []asked        `json:"modules"`
	World   *world.World   `json:"world"`
	Land    *world.Land    `json:"land"`
	Change  *report.Change `json:"change,omitempty"`
}

// Review does the same as local.Review, but if the store has the result of a review of the same state, it returns
// that result and the time of that review. For a new review, at is zero. Review ignores errors of reading a kept
// result and of keeping a new one.
func (s *Store) Review(
	ctx context.Context, r *inspect.Repo, checks []inspect.Check, version string, progress func(done int),
) (out *local.Outcome, at time.Time, err error) {
	key, named := keyOf(ctx, s.program, r, checks)
	if named == nil {
		if old := s.load(key); old != nil && same(r.Library, old.Modules) {
			return outcome(old, checks, version), old.At, nil
		}
	}
	var seen *modules
	if r.Library != nil {
		seen = &modules{Library: r.Library, asked: map[module.Version]bool{}}
		r.Library = seen
	}
	out, err = local.Review(ctx, r, checks, version, progress)
	if err != nil || named != nil || !out.Whole || !read(r.History) {
		return out, at, err
	}
	// Keep the result only if no file has changed during the review.
	if after, err := keyOf(ctx, s.program, r, checks); err == nil && after == key {
		src := out.Source
		k := &kept{At: src.Now, World: src.World, Land: src.Land, Change: src.Change}
		if seen != nil {
			k.Modules = seen.answers()
		}
		_ = s.keep(key, k) // the error is dropped: the next review makes the result again
	}
	return out, at, nil
}

// read reports whether the history could be read. If not, for example because of a slow disk, the result must not
// be kept, because another review of the same state may find more.
func read(h inspect.History) bool {
	n, _ := h.Commits()
	return n > 0
}

// outcome turns a kept result into the Outcome that local.Review would return now.
func outcome(k *kept, checks []inspect.Check, version string) *local.Outcome {
	k.World.Fill()
	k.Land.Fill()
	return &local.Outcome{
		Source: report.Source{
			World: k.World, Land: k.Land, Checks: checks, Version: version, Now: time.Now(), Change: k.Change,
		},
		Coverage: k.World.Artifacts[0].Coverage, Whole: true,
	}
}

// load returns the result with a key, or nil if there is none or it cannot be read.
func (s *Store) load(key string) *kept {
	path := filepath.Join(s.dir, key+ending)
	if info, err := os.Stat(path); err != nil || info.Size() > maxSize {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	k := &kept{}
	if json.Unmarshal(data, k) != nil || k.World == nil || k.Land == nil || len(k.World.Artifacts) == 0 ||
		k.World.Artifacts[0].Coverage == nil {
		return nil
	}
	return k
}

// keep writes a result to its file and then calls tidy.
func (s *Store) keep(key string, k *kept) error {
	data, err := json.Marshal(k)
	if err != nil || len(data) > maxSize {
		return err
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	err = renameio.WriteFile(filepath.Join(s.dir, key+ending), data, 0o600, renameio.WithTempDir(s.dir))
	if err != nil {
		return err
	}
	return s.tidy()
}

// tidy deletes the oldest results beyond maxResults, and temporary files that a killed program has left.
func (s *Store) tidy() error {
	all, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	type file struct {
		name string
		at   time.Time
	}
	var results []file
	for _, e := range all {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		switch name := e.Name(); {
		case name[0] == '.' && time.Since(info.ModTime()) > time.Hour: // a temporary file of renameio
			err = os.Remove(filepath.Join(s.dir, name))
		case len(name) == 64+len(ending):
			results = append(results, file{name, info.ModTime()})
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("tidy the kept results: %w", err)
		}
	}
	slices.SortFunc(results, func(a, b file) int { return cmp.Or(b.at.Compare(a.at), cmp.Compare(a.name, b.name)) })
	for _, f := range results[min(maxResults, len(results)):] {
		if err := os.Remove(filepath.Join(s.dir, f.name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("tidy the kept results: %w", err)
		}
	}
	return nil
}
