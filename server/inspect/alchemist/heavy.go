package alchemist

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

// Limits in bytes: heavy and refused are for one file, together is for all heavy files. GitHub rejects a push that
// contains a file larger than refused.
const (
	heavy    = 1 << 20
	refused  = 100 << 20
	together = 50 << 20
)

func heavyFiles() inspect.Check {
	return inspect.Check{
		ID: "alchemist/heavy-file", Hero: hero,
		Looks: "pictures, films, sounds, fonts, documents and archives of more than 1 MB that git keeps whole",
		Rule:  "High if one is over 100 MB, which GitHub refuses; medium if all together are over 50 MB, else low.",
		Run:   runHeavy,
	}
}

var assets = set(".png .jpg .jpeg .gif .webp .bmp .tif .tiff .psd .ico .avif .heic .mp4 .mov .avi .mkv .webm .mp3 .wav .flac .ogg .aac .m4a " +
	".zip .tar .gz .tgz .bz2 .xz .7z .rar .jar .war .iso .dmg .deb .rpm .apk .pdf .ppt .pptx .doc .docx .ttf .otf .woff .woff2 .blend .fbx .glb .exe .msi")

func runHeavy(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	var found []*inspect.File
	var total, largest int64
	lfs := lfsPatterns(r)
	for i := range r.Files {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		f := &r.Files[i]
		if f.Size <= heavy || f.Test || f.Vendored || !assets[strings.ToLower(path.Ext(f.Path))] || !known(r, f) || kept(lfs, f.Path) {
			continue
		}
		found = append(found, f)
		total += f.Size
		largest = max(largest, f.Size)
	}
	if len(found) == 0 {
		return nil
	}
	slices.SortStableFunc(found, func(a, b *inspect.File) int { return cmp.Compare(b.Size, a.Size) })
	var lines []string
	for _, f := range found {
		lines = append(lines, fmt.Sprintf("%s %s", inspect.Clip(f.Path, 90), megabytes(f.Size)))
	}
	severity := inspect.Low
	switch {
	case largest > refused:
		severity = inspect.High
	case total > together:
		severity = inspect.Medium
	}
	title := fmt.Sprintf("%d large files take %s of every clone", len(found), megabytes(total))
	if len(found) == 1 {
		title = short(path.Base(found[0].Path)) + " takes " + megabytes(total) + " of every clone"
	}
	advice := "Shrink what can be shrunk; keep the rest in Git LFS or in a release, and fetch it where it is needed."
	if severity == inspect.High {
		advice = "Remove files over 100 MB from the history before the next push, and keep them in Git LFS or in a release."
	}
	report(inspect.Finding{
		Severity: severity, Title: title, Path: found[0].Path, Evidence: some(lines, 6),
		Why:    "Git cannot store the difference between two versions of such files well: each change adds a whole copy that every clone carries for ever.",
		Advice: advice, Same: "heavy",
	})
	return nil
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/(1<<20)) }

// known reports whether a commit contains the file. It also returns true if the history cannot answer that.
func known(r *inspect.Repo, f *inspect.File) bool {
	if r.History == nil {
		return true
	}
	_, ok := r.History.Past(f.Path)
	_, whole := r.History.Commits()
	return ok || !whole
}

// lfsPattern is a line of a .gitattributes file that assigns files to Git LFS.
type lfsPattern struct{ dir, pattern string }

func lfsPatterns(r *inspect.Repo) []lfsPattern {
	var out []lfsPattern
	for i := range r.Files {
		f := &r.Files[i]
		if f.Base() != ".gitattributes" {
			continue
		}
		data, ok := r.Text(f.Path)
		if !ok {
			continue
		}
		for _, line := range inspect.Lines(data) {
			if words := strings.Fields(line); len(words) > 1 && words[0][0] != '#' && slices.Contains(words[1:], "filter=lfs") {
				out = append(out, lfsPattern{f.Dir(), words[0]})
			}
		}
	}
	return out
}

// kept reports whether Git LFS stores a file. It treats every pattern with "**" as a match, so that the check reports
// too little rather than too much.
func kept(lfs []lfsPattern, p string) bool {
	for _, l := range lfs {
		rel := p
		if l.dir != "" {
			if !strings.HasPrefix(p, l.dir+"/") {
				continue
			}
			rel = p[len(l.dir)+1:]
		}
		pattern := strings.TrimPrefix(l.pattern, "/")
		switch dir, end, deep := strings.Cut(pattern, "**"); {
		case deep:
			if ok, _ := path.Match(path.Base("x"+end), path.Base(rel)); strings.HasPrefix(rel, dir) && (ok || end == "" || strings.HasSuffix(end, "*")) {
				return true
			}
		case !strings.Contains(l.pattern, "/"):
			if ok, _ := path.Match(pattern, path.Base(rel)); ok {
				return true
			}
		default:
			if ok, _ := path.Match(pattern, rel); ok {
				return true
			}
		}
	}
	return false
}
