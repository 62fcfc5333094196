// Package source opens files of linked folders for people (P19.1 to P19.4): it decides which file a person may open,
// and what of it they see. It finds the language, masks secrets and adds the findings.
//
// It reads no file itself. It changes nothing, except that Accept can have a line added to the file of accepted
// findings. The gate calls it through the app, which gives it server/folder to read with; the realm's map says which
// files there are.
package source

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"agentdungeon/server/dungeon"
	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/secrets"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// mapOfGit is the value of world.Map.Source for a map that lists the files that git lists.
const mapOfGit = "git"

// Realm is the port to an open realm; see realm.Realm.
type Realm interface {
	World(ctx context.Context) (*world.World, error)
	// File returns a file that the map shows, and the map's source. Its errors are for people.
	File(path string) (dungeon.Entry, string, error)
}

// Versions are the contents of a file on disk and in HEAD.
type Versions struct {
	Disk    []byte
	Head    []byte // in the commit Commit, if InHead is set
	InHead  bool
	HeadErr error  // why HEAD's version cannot be shown, for people
	Commit  string // hash of HEAD's commit, "" for none
}

// Folder reads a linked folder from the disk. path is the path of that folder, and name is the path of a file in it, as
// git has it. Errors that people may see are *wire.Error.
type Folder interface {
	// Open reads a file and, if git is set, its version in HEAD.
	Open(ctx context.Context, path, name string, git bool) (Versions, error)
	Past(ctx context.Context, path, name string) (*wire.FilePast, error)
}

// Want is a file that a person opens.
type Want struct {
	Path string // in wire form
	Rev  string
	Host bool // the person is a host
}

// Text returns a file of a realm. Errors for people are *wire.Error.
func Text(ctx context.Context, r Realm, folder Folder, want Want) (*wire.FileText, error) {
	if want.Rev != "" && want.Rev != wire.RevHead {
		return nil, wire.Errorf(wire.BadField, "rev must be HEAD or empty")
	}
	f, err := find(ctx, r, want)
	if err != nil {
		return nil, err
	}
	v, err := folder.Open(ctx, f.world.Realm.Path, f.raw, f.git)
	if err != nil {
		return nil, err
	}
	out := &wire.FileText{Path: want.Path, Rev: want.Rev, Commit: v.Commit, Findings: findings(f.world, want.Path)}
	if f.git {
		out.Head = v.compared()
	}
	data := v.Disk
	if want.Rev == wire.RevHead {
		switch {
		case v.HeadErr != nil:
			return nil, v.HeadErr
		case !v.InHead:
			return nil, wire.Errorf(wire.NotFound, "HEAD does not have this file")
		}
		data = v.Head
	}
	known := inspect.FileOf(f.raw, data)
	out.Language, out.Test, out.Vendored = known.Lang, known.Test, known.Vendored
	show(out, data)
	return out, nil
}

// Past returns the newest commits of a file and who wrote its lines. Errors for people are *wire.Error.
func Past(ctx context.Context, r Realm, folder Folder, want Want) (*wire.FilePast, error) {
	f, err := find(ctx, r, want)
	if err != nil {
		return nil, err
	}
	past := &wire.FilePast{Commits: []wire.FileCommit{}, Runs: []wire.FileRun{}}
	if f.git {
		if past, err = folder.Past(ctx, f.world.Realm.Path, f.raw); err != nil {
			return nil, err
		}
	}
	past.Path = want.Path
	for i := range past.Commits {
		past.Commits[i].Subject = secrets.Mask(past.Commits[i].Subject)
	}
	return past, nil
}

// found is a file that a person may open.
type found struct {
	world *world.World
	raw   string // the path on disk
	git   bool
}

// find looks up a file on the map. It checks first whether the person may open files, so that nobody else learns which
// files exist.
func find(ctx context.Context, r Realm, want Want) (f found, err error) {
	if f.world, err = r.World(ctx); err != nil {
		return f, err
	}
	switch {
	case !want.Host && !f.world.Settings.FilesShared():
		return f, wire.FilesForHosts
	case f.world.Realm.Path == "":
		return f, wire.Errorf(wire.NotFound, "no folder is linked to this realm")
	}
	_, from, err := r.File(want.Path)
	if err != nil {
		return f, err
	}
	f.git = from == mapOfGit
	f.raw, err = dungeon.DecodePath(want.Path)
	return f, err
}

// compared returns the result of comparing the file on disk with HEAD: wire.HeadAbsent and so on.
func (v *Versions) compared() string {
	switch {
	case v.HeadErr != nil:
		return wire.HeadUnknown
	case !v.InHead:
		return wire.HeadAbsent
	case bytes.Equal(v.Disk, v.Head):
		return wire.HeadSame
	}
	return wire.HeadDiffers
}

// show adds the content of a file: its text without secrets, or that it is no text.
func show(out *wire.FileText, data []byte) {
	out.Size = int64(len(data))
	if bytes.IndexByte(data, 0) >= 0 {
		out.Binary = true
		return
	}
	text := string(data)
	if !utf8.ValidString(text) {
		out.NotUTF8 = true
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	text, masked := secrets.MaskLines(text)
	out.Text, out.Masked = text, masked[:min(len(masked), wire.MaxMasked)]
	if out.Lines = strings.Count(text, "\n"); text != "" && !strings.HasSuffix(text, "\n") {
		out.Lines++
	}
}

// findings returns the findings at a path that are not withdrawn, by line.
func findings(w *world.World, path string) []wire.FileFinding {
	out := []wire.FileFinding{}
	for i := range w.Findings {
		if f := &w.Findings[i]; f.Path == path && f.Withdrawn == "" {
			out = append(out, wire.FileFinding{ID: f.ID, Line: f.Line})
		}
	}
	slices.SortStableFunc(out, func(a, b wire.FileFinding) int { return a.Line - b.Line })
	return out
}
