// Package gemini reads the sessions of Gemini CLI (tried: version 0.61.0) from its files, as shadow.Reader describes.
//
// It owns what is known of these files: which homes there are, which record means what, which process can hold a
// session. It opens only transcripts (tmp/<project>/chats/session-<time>-<id>.jsonl, and those of sub-agents in
// chats/<session>/<agent>.jsonl) and tmp/<project>/.project_root, which names the project's folder. It never opens
// anything else, above all not the credentials and settings beside them, and never writes. Whoever calls it passes what
// it returns to Realm.Observe. Versions before JSON lines wrote chats/session-*.json: these are left out, until the
// program itself goes on with one and copies it into lines.
package gemini

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentdungeon/server/reader/jsonl"
	"agentdungeon/server/shadow"
)

// Program is the name of the program in ids.
const Program = "gemini"

// Bounds.
const (
	maxFiles   = 20_000 // transcripts that are listed
	maxRoot    = 4 << 10
	headBytes  = 512 << 10
	tailBytes  = 1 << 20
	maxKnown   = 20_000 // files of which something is kept in memory
	readDirMax = 50_000
)

// Config says where to look.
type Config struct {
	Homes []string         // configuration folders; Homes() returns those of this user
	Proc  string           // "" for /proc
	Now   func() time.Time // nil for time.Now
	Limit int64            // bytes of a record, 0 for shadow.MaxRecord
}

// Homes returns the configuration folder that the program uses with an environment: .gemini in GEMINI_CLI_HOME, else in
// the home folder.
func Homes(getenv func(string) string) []string {
	for _, name := range []string{"GEMINI_CLI_HOME", "HOME"} {
		if home := getenv(name); home != "" {
			return []string{filepath.Join(home, ".gemini")}
		}
	}
	return nil
}

// Reader implements shadow.Reader.
type Reader struct {
	config Config
	known  map[string]about   // by file
	ends   map[string]ending  // by file
	calls  map[string]origin  // by the id of a sub-agent
	held   map[string]holding // by the folder of a project
	table  table
	skip   func(id string, changed time.Time) bool // nil for none
}

// Skip implements shadow.Skipper. The name of a file has only a part of the id, so a file is opened once to know it.
func (r *Reader) Skip(out func(id string, changed time.Time) bool) { r.skip = out }

// about is what the listing has read of a file, while that is as it was.
type about struct {
	size    int64
	changed time.Time
	id      string
	title   string
	began   time.Time
	last    time.Time // of the newest record that has a time
	done    bool      // of a sub-agent: it has ended
}

// New returns a reader.
func New(c Config) *Reader {
	if c.Proc == "" {
		c.Proc = "/proc"
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Reader{config: c, known: map[string]about{}, ends: map[string]ending{}, calls: map[string]origin{},
		held: map[string]holding{}}
}

// Program returns "gemini".
func (r *Reader) Program() string { return Program }

// root returns the folder of a project, which its folder below tmp names in .project_root, or "".
func root(folder string) string {
	f, info, err := jsonl.Open(filepath.Join(folder, ".project_root"))
	if err != nil {
		return ""
	}
	defer f.Close()
	b := make([]byte, min(info.Size(), maxRoot))
	n, err := f.ReadAt(b, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return ""
	}
	if dir := strings.TrimSpace(string(b[:n])); filepath.IsAbs(dir) {
		return filepath.Clean(dir)
	}
	return ""
}

// Sessions implements shadow.Reader. A session has the folder in which the program was started.
func (r *Reader) Sessions(ctx context.Context, want func(string) bool, limit int) (shadow.Listing, error) {
	listing := shadow.Listing{Counts: shadow.Counts{Unknown: map[string]int{}}}
	var all []shadow.Session
	hidden, found := error(nil), false
	for _, home := range r.config.Homes {
		projects := filepath.Join(home, "tmp")
		folders, err := readDir(projects)
		if err == nil {
			found = true
		} else if !errors.Is(err, fs.ErrNotExist) {
			listing.Counts.Hidden++
			hidden = err
		}
		for _, folder := range folders {
			if err := ctx.Err(); err != nil {
				return listing, err
			}
			path := filepath.Join(projects, folder.Name())
			files := chats(path, &listing.Counts)
			listing.Total += len(files)
			dir := root(path)
			if len(files) == 0 || dir == "" || !want(dir) {
				continue
			}
			held := r.holds(path, dir)
			for _, s := range files {
				if len(all) < maxFiles {
					s.Dir, s.Alive = dir, held.of(s.File).alive()
					all = append(all, s)
				}
			}
		}
	}
	if !found && hidden != nil {
		return listing, hidden
	}
	return r.described(ctx, all, listing, limit)
}

// described adds the first sessions to a listing, with what stands in their files.
func (r *Reader) described(
	ctx context.Context, all []shadow.Session, listing shadow.Listing, limit int,
) (shadow.Listing, error) {
	slices.SortStableFunc(all, func(a, b shadow.Session) int {
		if a.Alive != b.Alive {
			if a.Alive {
				return -1
			}
			return 1
		}
		return b.Changed.Compare(a.Changed)
	})
	seen := map[string]int{} // where a session stands in the listing
	for _, s := range all {
		if err := ctx.Err(); err != nil {
			return listing, err
		}
		if len(listing.Sessions) >= limit {
			break
		}
		a, ok := r.look(s.File)
		if !ok || !s.Alive && r.skip != nil && r.skip(a.id, s.Changed) {
			continue
		}
		s.ID, s.Title, s.Began = a.id, a.title, a.began
		if s.Parent != "" {
			s.Alive, s.Title = s.Alive && !a.done, "" // its summary is its result
			from := r.origin(s)
			s.Call, s.Name = from.call, from.name
		}
		// A process that resumes a session begins a file of its own with the session's id, leaves it empty, and goes on
		// with the file from before. The larger one counts.
		if i, twice := seen[s.ID]; twice {
			listing.Total--
			if old := &listing.Sessions[i]; r.known[s.File].size > r.known[old.File].size {
				s.Alive = s.Alive || old.Alive
				*old = s
			}
			continue
		}
		seen[s.ID] = len(listing.Sessions)
		listing.Sessions = append(listing.Sessions, s)
	}
	return listing, nil
}

// origin is the call of the parent that has started a sub-agent. The parent's record names the sub-agent's id when the
// call has ended, not before.
type origin struct{ call, name string }
