package structure

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"agentdungeon/server/inspect"
)

// codeLangs lists programming languages. It omits languages for markup, styles and data, because equal or large files
// in them are usual.
var codeLangs = []string{
	"Go", "TypeScript", "TSX", "JavaScript", "JSX", "Vue", "Svelte", "Python", "Java", "Kotlin", "Scala", "Groovy", "C", "C++", "C#",
	"Objective-C", "Objective-C++", "Swift", "Rust", "Zig", "Ruby", "PHP", "Perl", "Lua", "Dart", "Elixir", "Erlang", "Haskell",
	"OCaml", "F#", "Clojure", "Julia", "R", "Shell", "PowerShell", "Crystal", "Nim",
}

// sources yields the project's own code without tests, until ctx ends. It skips symbolic links, which
// it recognises because the size of a link differs from the length of its target's text.
func sources(ctx context.Context, r *inspect.Repo) func(yield func(*inspect.File, []byte) bool) {
	return func(yield func(*inspect.File, []byte) bool) {
		for i := range r.Files {
			f := &r.Files[i]
			if ctx.Err() != nil {
				return
			}
			if f.Test || f.Vendored || !slices.Contains(codeLangs, f.Lang) || !r.Own(f) {
				continue
			}
			data, ok := r.Text(f.Path)
			if !ok || f.Size != int64(len(data)) || isMade(f, data) {
				continue
			}
			if !yield(f, data) {
				return
			}
		}
	}
}

var (
	madeName = inspect.Pattern(`(?i)([._-](gen|generated|pb|bundle|min)\.|^(zz_?)?generated|^zz_)`)
	madeDir  = inspect.Pattern(`(?i)(^|/)[\w.-]*(generated|autogen|codegen_out)[\w.-]*(/|$)`)
	madeHead = inspect.Pattern(`(?i)\b(do not (edit|modify)|(auto-?|automatically |code )generated|generated (by|from|with)|amalgamat)`)
	// bundled matches the marks that bundlers write between the files that they join.
	bundled = inspect.Pattern(`__webpack_require__|__toESM\(|__commonJS\(|var __defProp = |\n//# sourceMappingURL=|\n// node_modules/|\n//#region node_modules`)
)

// isMade reports whether a file is generated, judging by its name, its head or the marks of a bundler.
// It knows more marks than Repo.Generated.
func isMade(f *inspect.File, data []byte) bool {
	if madeName.MatchString(f.Base()) || madeDir.MatchString(f.Dir()) || madeHead.Match(data[:min(len(data), 600)]) {
		return true
	}
	return slices.Contains([]string{"TypeScript", "TSX", "JavaScript", "JSX"}, f.Lang) && bundled.Match(data)
}

// committed reports whether a commit contains the file. It also returns true if the history cannot tell. A file in no
// commit is somebody's current work.
func committed(r *inspect.Repo, f *inspect.File) bool {
	if r.History == nil {
		return true
	}
	if _, ok := r.History.Past(f.Path); ok {
		return true
	}
	_, whole := r.History.Commits()
	return !whole
}

// copyFolders matches folders that hold copies by design: a release or an example must be complete.
var copyFolders = inspect.Pattern(`(?i)(^|/)[\w.-]*(examples?|samples?|demos?|templates?|tpl|skeletons?|boilerplates?|starters?|scaffold(ing|s)?|` +
	`tutorials?|playgrounds?|snippets?|benchmarks?|snapshots?|golden|archived?|legacy|deprecated|compat|migrations?|` +
	`dist|build|out|cjs|esm|umd|amd|es5|es6|docs?|website|third[_-]?party|contrib|external|extern|deps|vendored|_vendor|exercises?|solutions?|` +
	`courses?|lessons?|chapters?|polyfills?|fork(ed|s)?)/`)

// versionPart matches a part of a path that names a version: v1, v2beta1, 1.4, api_v3.
var versionPart = inspect.Pattern(`(?i)^([\w.-]*[._-])?v?\d+([._]\d+)*((alpha|beta|rc)\d*)?$`)

// versioned reports whether two paths name different versions. Two versions may contain equal files.
func versioned(a, b string) bool { return versionOf(a) != versionOf(b) }

func versionOf(p string) string {
	var out []string
	stem := strings.TrimSuffix(p, path.Ext(p))
	for part := range strings.SplitSeq(stem, "/") {
		if versionPart.MatchString(part) {
			out = append(out, part)
		}
	}
	return strings.Join(out, "/")
}

// count returns a number as text, with commas between the thousands.
func count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// some returns the first names of a list and the number of the others, as text.
func some(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %s more", strings.Join(names[:most], ", "), count(len(names)-most))
}

// copyOf returns the cause of a finding about equal or similar files at the paths a and b: one folder is a copy of
// another. It removes the common end of the paths, so that the pairs a/x/f.go, b/x/f.go and a/g.go, b/g.go have the
// same cause.
func copyOf(a, b string) inspect.Cause {
	if a == b || a == "." || b == "." {
		return inspect.Cause{}
	}
	as, bs := strings.Split(a, "/"), strings.Split(b, "/")
	for len(as) > 0 && len(bs) > 0 && as[len(as)-1] == bs[len(bs)-1] {
		as, bs = as[:len(as)-1], bs[:len(bs)-1]
	}
	pair := []string{strings.Join(as, "/"), strings.Join(bs, "/")}
	slices.Sort(pair)
	return inspect.Cause{
		Key:  "copy " + strings.Join(pair, "\x00"),
		Text: "the copy of " + cmp.Or(pair[0], "The whole repository") + " in " + pair[1],
	}
}

// short clips a name for a title.
func short(name string) string { return inspect.Clip(name, 48) }
