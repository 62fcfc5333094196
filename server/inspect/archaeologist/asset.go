package archaeologist

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

func unusedAssets() inspect.Check {
	return inspect.Check{
		ID: hero + "/unused-asset", Hero: hero,
		Looks: "images, sounds and fonts whose name is in no text of the repository",
		Rule:  "Low, one finding for each folder; folders that are named as a whole or served as they are, icons, tests and numbered files are left out.",
		Run:   findAssets,
	}
}

var (
	assets = map[string]bool{".png": true, ".jpg": true, ".jpeg": true, ".gif": true, ".webp": true, ".svg": true, ".bmp": true, ".mp3": true, ".ogg": true, ".wav": true, ".mp4": true, ".webm": true, ".woff": true, ".woff2": true, ".ttf": true, ".otf": true, ".eot": true, ".psd": true}
	// served matches folders whose files programs find by their path. known matches names of files that tools look for.
	served = inspect.Pattern(`(?i)(^|/)(public|static|www|htdocs|res|fastlane|metadata|[^/]*\.(xcassets|app|bundle|docset|iconset|lproj)|goldens?|expected|baseline|__[^/]+__|snapshots?|samples?|examples?|icons?|flags|emojis?|fonts?|wp-content|_site|dist|build|\.[^/]+)(/|$)`)
	known  = inspect.Pattern(`(?i)^(favicon|apple-touch|android-chrome|mstile|icon|logo|splash|og|social|screenshot|banner|cover|preview|thumb|opengraph|twitter|feature)`)
	digits = inspect.Pattern(`\d+`)
)

func findAssets(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
	var found []*inspect.File
	wanted := map[string]bool{}
	texts := 0
	for i := range r.Files {
		f := &r.Files[i]
		if !assets[strings.ToLower(path.Ext(f.Path))] {
			if f.Lang != "" {
				texts++
			}
			continue
		}
		if f.Test || f.Vendored || f.Dir() == "" || served.MatchString(f.Dir()) || known.MatchString(f.Base()) || digits.MatchString(strings.TrimSuffix(f.Base(), path.Ext(f.Base()))) {
			continue
		}
		found = append(found, f)
		for _, w := range wordsOf(f) {
			wanted[w] = true
		}
		for part := range strings.SplitSeq(f.Dir(), "/") {
			wanted[part] = true
		}
	}
	if len(found) == 0 || texts == 0 {
		return ctx.Err()
	}
	n := lookFor(ctx, r, wanted)
	whole := wholeFolders(ctx, r, found)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	byDir := map[string][]*inspect.File{}
	for _, f := range found {
		named := slices.ContainsFunc(wordsOf(f), func(w string) bool { return n.elsewhere(w, f.Path) })
		// If a text names a folder, but no text names one of its files, the folder is probably served as a whole.
		folder := n.elsewhere(path.Base(f.Dir()), f.Path)
		if !named && folder && !whole[f.Dir()] {
			byDir[f.Dir()] = append(byDir[f.Dir()], f)
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(byDir)) {
		tellAssets(r, dir, byDir[dir], tell)
	}
	return nil
}

// wordsOf returns the words by which a text may name a file: the name without its extension, the stem, and the parts of
// the name before and after its first and its last separator, which a program may join.
func wordsOf(f *inspect.File) []string {
	s := strings.TrimSuffix(f.Base(), path.Ext(f.Base()))
	out := []string{s, stem(f)}
	for _, sep := range []string{"_", "-", ".", " "} {
		if i := strings.LastIndex(s, sep); i > 0 {
			out = append(out, s[:i], s[i+1:])
		}
		if i := strings.Index(s, sep); i > 0 {
			out = append(out, s[:i], s[i+1:])
		}
	}
	return out
}

// wholeFolders returns those folders of the files found that a text names as a whole: the name of the folder, or of a
// folder above it, stands alone or before a computed name, as in "assets/*", "assets/" + name, `assets/${name}` or in
// a go:embed line.
func wholeFolders(ctx context.Context, r *inspect.Repo, found []*inspect.File) map[string]bool {
	dirs := map[string][]string{} // folders by the last component of the path
	for _, f := range found {
		for d := f.Dir(); d != ""; d = up(d) {
			base := path.Base(d)
			if !slices.Contains(dirs[base], f.Dir()) {
				dirs[base] = append(dirs[base], f.Dir())
			}
		}
	}
	whole := map[string]bool{}
	for i := range r.Files {
		f := &r.Files[i]
		if ctx.Err() != nil {
			break
		}
		data, ok := r.Text(f.Path)
		if !ok {
			continue
		}
		for base, list := range dirs {
			if asWhole(data, base) {
				for _, d := range list {
					whole[d] = true
				}
			}
		}
	}
	return whole
}

func asWhole(data []byte, base string) bool {
	for at := 0; ; {
		i := bytes.Index(data[at:], []byte(base))
		if i < 0 {
			return false
		}
		from, to := at+i, at+i+len(base)
		at = to
		if from > 0 && wordByte(data[from-1]) || to < len(data) && wordByte(data[to]) {
			continue
		}
		rest := data[to:min(len(data), to+3)]
		if len(rest) > 0 && rest[0] == '/' {
			rest = rest[1:]
		}
		if len(rest) == 0 || bytes.IndexByte([]byte("\"'`*$%{+\n\r<,;)"), rest[0]) >= 0 {
			return true
		}
	}
}

func tellAssets(r *inspect.Repo, dir string, files []*inspect.File, tell func(inspect.Finding)) {
	var size int64
	var list []string
	for _, f := range files {
		size += f.Size
		list = append(list, fmt.Sprintf("%s, %d bytes", f.Base(), f.Size))
	}
	out := inspect.Finding{
		Severity: inspect.Low, Path: files[0].Path, Title: inspect.Clip(fmt.Sprintf("Nothing names %s", files[0].Base()), 100), Evidence: some(list, 5),
		Why:    fmt.Sprintf("No text of the repository contains the name; everybody who clones it fetches %d bytes for nothing.", size),
		Advice: "Delete it, or write down what it is kept for.",
		Same:   dir,
	}
	if len(files) > 1 {
		out.Title = inspect.Clip(fmt.Sprintf("Nothing names %d of the %d files in %s", len(files), len(r.In(dir)), dir), 100)
	}
	tell(out)
}
