package inspect

import (
	"path"
	"regexp"
	"strings"
	"sync"
)

// The tables of languages_gen.go are constants, which cost nothing until a repository is examined. They are parsed
// once, on first use.
var (
	extensionLangs = sync.OnceValue(func() map[string]string { return langTable(extensionTable) })
	nameLangs      = sync.OnceValue(func() map[string]string { return langTable(nameTable) })
	// interpreterLangs has the languages by the names of their interpreters.
	interpreterLangs = sync.OnceValue(func() map[string]string { return langTable(interpreterTable) })
	vendors          = sync.OnceValue(compileVendors)
	programming      = sync.OnceValue(func() map[string]bool {
		out := map[string]bool{}
		for lang := range strings.Lines(programmingTable) {
			out[strings.TrimSuffix(lang, "\n")] = true
		}
		for _, lang := range builds {
			delete(out, lang)
		}
		for _, lang := range []string{"Vue", "Svelte", "SQL"} { // linguist calls them markup and data
			out[lang] = true
		}
		return out
	})
)

// builds lists languages that describe how a project is built, although linguist calls them programming
// languages.
var builds = []string{"Makefile", "Dockerfile", "CMake", "Just", "Ninja", "Meson", "Starlark", "Gradle", "M4",
	"M4Sugar"}

// IsCode reports whether programs are written in a language.
func IsCode(lang string) bool { return programming()[lang] }

// langTable returns a table's languages by extension, file name or interpreter. A table has at most a few thousand
// entries.
func langTable(table string) map[string]string {
	out := make(map[string]string, strings.Count(table, "\t"))
	for line := range strings.Lines(table) {
		lang, keys, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		for key := range strings.SplitSeq(keys, "\t") {
			out[key] = lang
		}
	}
	return out
}

// languageOf returns the language of a file, judging by its name, or "". Of several known extensions, as in
// "a.html.erb", the longest one decides.
func languageOf(p string) string {
	base := path.Base(p)
	if lang := nameLangs()[base]; lang != "" {
		return lang
	}
	base = strings.ToLower(base)
	for {
		dot := strings.IndexByte(base, '.')
		if dot < 0 {
			return ""
		}
		if lang := extensionLangs()[base[dot:]]; lang != "" {
			return lang
		}
		base = base[dot+1:]
	}
}

// vendorPatterns match third-party code. folder is matched against the path of a folder with a slash at its end, file
// against the path of a file. With two patterns, the path of a folder is matched once for all files in it.
type vendorPatterns struct{ folder, file *regexp.Regexp }

// compileVendors combines the patterns of vendorTable into two. Most of them begin at a path component: that common
// part is written once, so that the matcher tests it once at each position.
func compileVendors() vendorPatterns {
	var folder, file [2][]string // 0: patterns that begin at a path component, 1: the others
	for line := range strings.Lines(vendorTable) {
		p := strings.TrimSuffix(line, "\n")
		rest, part := strings.CutPrefix(p, "(^|/)")
		to, i := &file, 1
		if strings.HasSuffix(p, "/") {
			to = &folder
		}
		if part {
			p, i = rest, 0
		}
		to[i] = append(to[i], p)
	}
	one := func(of [2][]string) *regexp.Regexp {
		return regexp.MustCompile(`(?:^|/)(?:` + strings.Join(of[0], "|") + `)|` + strings.Join(of[1], "|"))
	}
	return vendorPatterns{one(folder), one(file)}
}

// released matches the name of a library's file with its version, as people copy it into projects: "a-1.2.3.js".
var released = Pattern(`[\w)][-.]v?\d+\.\d+\.\d+(?:[-.][\w.]+)?\.(?:js|mjs|cjs|css)$`)

// vendored tells which paths belong to third-party code. It caches the answer for each folder.
type vendored map[string]bool

func (v vendored) is(p string) bool {
	dir, base := path.Split(p)
	if strings.HasPrefix(base, ".") || strings.HasPrefix(p, ".github/") || isOwnTest(p) {
		return false // the project's own settings and fixtures
	}
	inside, known := v[dir]
	if !known {
		inside = vendors().folder.MatchString(dir)
		v[dir] = inside
	}
	return inside || vendors().file.MatchString(p) || released.MatchString(base)
}

// isOwnTest reports whether a path belongs to a test or a fixture of the project. Such a file is the project's own even
// if its path looks like that of third-party code.
func isOwnTest(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if part == "vendor" || part == "node_modules" || part == "third_party" || part == "site-packages" {
			return false
		}
	}
	return isTest(p)
}

// isTest reports whether a path belongs to a test or to a file that tests read. Examples are not tests, because people
// copy them. Folders named "mocks" or "fakes" have helpers of tests; a folder named "mock" or "fake" may be what the
// project is about.
func isTest(p string) bool {
	base := path.Base(p)
	stem := strings.TrimSuffix(base, path.Ext(base))
	switch {
	case strings.HasSuffix(base, "_test.go"), strings.HasSuffix(stem, ".test"), strings.HasSuffix(stem, ".spec"),
		strings.HasPrefix(base, "test_"), strings.HasSuffix(stem, "_test"), strings.HasSuffix(stem, "_spec"),
		strings.HasSuffix(stem, "-spec"),
		base == "conftest.py":
		return true
	}
	for part := range strings.SplitSeq(path.Dir(p), "/") {
		switch strings.ToLower(part) {
		case "test", "tests", "testdata", "__tests__", "__fixtures__", "__mocks__", "fixtures", "fixture", "spec",
			"specs", "e2e", "testing", "integration-test", "integration-tests", "integration_test", "integration_tests",
			"integrationtest",
			"integrationtests",
			"mocks", "fakes", "testutil", "testutils", "test_utils", "test-utils", "testhelper", "testhelpers",
			"test_helpers", "test-helpers", "testsupport", "test_support":
			return true
		}
	}
	return false
}
