package inspect

import (
	"path"
	"regexp"
	"strings"
	"sync"
)

// The tables of languages_gen.go are constants: they cost nothing until a repository is
// looked at, and are taken apart then, once.
var (
	extensionLangs = sync.OnceValue(func() map[string]string { return langTable(extensionTable) })
	nameLangs      = sync.OnceValue(func() map[string]string { return langTable(nameTable) })
	vendors        = sync.OnceValue(compileVendors)
	programming    = sync.OnceValue(func() map[string]bool {
		out := map[string]bool{}
		for lang := range strings.Lines(programmingTable) {
			out[strings.TrimSuffix(lang, "\n")] = true
		}
		for _, lang := range builds {
			delete(out, lang)
		}
		for _, lang := range []string{"Vue", "Svelte", "SQL"} { // markup and data to linguist
			out[lang] = true
		}
		return out
	})
)

// builds are programming languages to linguist that say how a project is built, not what
// it does.
var builds = []string{"Makefile", "Dockerfile", "CMake", "Just", "Ninja", "Meson", "Starlark", "Gradle", "M4", "M4Sugar"}

// IsCode says whether programs are written in a language.
func IsCode(lang string) bool { return programming()[lang] }

// langTable gives the language of each extension or name; at most the few thousand of
// the table.
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

// languageOf gives the language that a file's name tells, "" where it tells none. Of an
// extension with several dots the longest counts: "a.html.erb".
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

// vendorPatterns say of a folder's path, with a slash at its end, and of a file's path
// that it is somebody else's. They are apart because a folder is asked once for all of
// its files.
type vendorPatterns struct{ folder, file *regexp.Regexp }

// compileVendors makes two patterns of the many. Most begin at a part of the path, and
// what they share is written once: it is looked for once at every place.
func compileVendors() vendorPatterns {
	var folder, file [2][]string // that begin at a part of the path, and the others
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

// vendored says which paths hold somebody else's code. It keeps an answer for each
// folder that it was asked about: as many as the repository has.
type vendored map[string]bool

func (v vendored) is(p string) bool {
	dir, base := path.Split(p)
	if strings.HasPrefix(base, ".") || strings.HasPrefix(p, ".github/") || isOwnTest(p) {
		return false // a project's own settings and fixtures
	}
	inside, known := v[dir]
	if !known {
		inside = vendors().folder.MatchString(dir)
		v[dir] = inside
	}
	return inside || vendors().file.MatchString(p)
}

// isOwnTest: a fixture may look like anything and is the project's all the same.
func isOwnTest(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if part == "vendor" || part == "node_modules" || part == "third_party" || part == "site-packages" {
			return false
		}
	}
	return isTest(p)
}

// isTest says whether a path is a test's or what tests read. Examples are no tests:
// people copy them. A folder "mock" or "fake" may be what a project is about; in the
// plural it holds what its tests need.
func isTest(p string) bool {
	base := path.Base(p)
	stem := strings.TrimSuffix(base, path.Ext(base))
	switch {
	case strings.HasSuffix(base, "_test.go"), strings.HasSuffix(stem, ".test"), strings.HasSuffix(stem, ".spec"),
		strings.HasPrefix(base, "test_"), strings.HasSuffix(stem, "_test"), strings.HasSuffix(stem, "_spec"), base == "conftest.py":
		return true
	}
	for part := range strings.SplitSeq(path.Dir(p), "/") {
		switch strings.ToLower(part) {
		case "test", "tests", "testdata", "__tests__", "__fixtures__", "__mocks__", "fixtures", "fixture", "spec", "specs", "e2e", "testing",
			"integration-test", "integration-tests", "integration_test", "integration_tests", "integrationtest", "integrationtests",
			"mocks", "fakes", "testutil", "testutils", "test_utils", "test-utils", "testhelper", "testhelpers", "test_helpers", "test-helpers", "testsupport", "test_support":
			return true
		}
	}
	return false
}
