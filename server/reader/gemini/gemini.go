// Package gemini reads the sessions of Gemini CLI (tested with version 0.61.0) from its files, as shadow.Reader
// describes.
//
// It owns the knowledge about these files: in which configuration folders they are, what each record means, which
// process can have a session open. It opens only transcripts (tmp/<project>/chats/session-<timestamp>-<id>.jsonl,
// and those of sub-agents in chats/<session>/<agent>.jsonl) and tmp/<project>/.project_root, which names the
// project's folder. It opens no other file, above all not the credentials and settings beside them, and never
// writes. The caller passes the results to Realm.Observe.
//
// Older versions wrote chats/session-*.json instead of JSON lines. The reader ignores these files until the program
// itself continues such a session and copies it into a file of lines.
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

// Program is the name of the program in the ids of agents.
const Program = "gemini"

// Bounds.
const (
	maxFiles   = 20_000 // maximum number of transcripts that are listed
	maxRoot    = 4 << 10
	headBytes  = 512 << 10
	tailBytes  = 1 << 20
	maxKnown   = 20_000 // maximum number of files about which something is kept in memory
	readDirMax = 50_000
)

// Config says in which folders a Reader looks, sets its clock, and limits the length of a record.
type Config struct {
	Homes []string         // configuration folders; Homes returns those of this user
	Proc  string           // "" for /proc
	Now   func() time.Time // nil for time.Now
	Limit int64            // maximum length of a record in bytes, 0 for shadow.MaxRecord
}

// Homes returns the configuration folder that the program uses: .gemini in the folder that GEMINI_CLI_HOME names or,
// if that variable is not set, in the home folder.
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
	known  map[string]about   // by the path of the transcript
	ends   map[string]ending  // by the path of the transcript
	calls  map[string]origin  // by the id of a sub-agent
	held   map[string]holding // by the path of the project's folder
	table  table
	skip   func(id string, changed time.Time) bool // reports whether to leave out a session; nil leaves out none
}

// Skip implements shadow.Skipper: the reader leaves out sessions for which out returns true, unless Alive is set. The
// name of a file has only a part of the session's id, so the reader opens each file once to read the whole id.
func (r *Reader) Skip(out func(id string, changed time.Time) bool) { r.skip = out }

// about has the data that a listing has read from a file. It is valid while the file is unchanged.
type about struct {
	size    int64
	changed time.Time
	id      string
	title   string
	began   time.Time
	last    time.Time // the time of the newest record that has one
	done    bool      // a sub-agent has ended
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

// root returns the working directory of a project, which the file .project_root in the project's folder names, or "".
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

// Sessions implements shadow.Reader. The working directory of a session is the folder in which the program was started.
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
					if s.Alive && s.Parent == "" {
						s.Terminal = held.terminal
					}
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

// described adds the first sessions of the list all to a listing, at most limit, with the fields that their files
// contain.
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
	seen := map[string]int{} // by id, the index of a session in the listing
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
			s.Alive, s.Title = s.Alive && !a.done, "" // for a sub-agent the summary is its result, not a title
			from := r.origin(s)
			s.Call, s.Name = from.call, from.name
		}
		// When a process resumes a session, it creates another file with the session's id, leaves that file empty
		// and continues in the earlier one. So use the larger file.
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

// origin is the tool call by which the parent has started a sub-agent. The parent's record has the sub-agent's id
// only when the call has ended.
type origin struct{ call, name string }
