package dungeon

import (
	"path"
	"strings"
)

// Kind is the kind of a file, which tells what the file is for. A room groups its files by kind.
type Kind uint8

// The kinds, in the order in which a room shows them (PROTOCOL.md, "room").
const (
	KindDoc Kind = iota
	KindConfig
	KindFile
	KindTest
	KindLink
	kinds int = iota
)

var kindNames = [kinds]string{"doc", "config", "file", "test", "link"}

// String returns the kind's name on the wire.
func (k Kind) String() string { return kindNames[k] }

// purpose is a set of bits: what the names of the folders above a file say about the purpose of the file, such as
// tests.
type purpose uint8

const (
	amongDocs purpose = 1 << iota
	amongTests
)

// The method in returns p with the purpose that the name of a folder adds.
func (p purpose) in(name string) purpose {
	switch strings.ToLower(name) {
	case "doc", "docs", "documentation":
		return p | amongDocs
	case "test", "tests", "__tests__", "spec", "specs", "testdata", "e2e":
		return p | amongTests
	}
	return p
}

var docNames = map[string]bool{
	"readme": true, "license": true, "licence": true, "copying": true, "notice": true, "authors": true,
	"contributors": true, "contributing": true, "changelog": true, "changes": true, "history": true,
	"security": true, "code_of_conduct": true, "install": true, "todo": true, "news": true,
}

var docExts = map[string]bool{
	".md": true, ".mdx": true, ".markdown": true, ".rst": true, ".adoc": true, ".asciidoc": true,
	".org": true, ".txt": true, ".tex": true, ".pdf": true, ".1": true, ".3": true, ".5": true, ".8": true,
}

var configNames = map[string]bool{
	"makefile": true, "gnumakefile": true, "dockerfile": true, "containerfile": true, "jenkinsfile": true,
	"procfile": true, "rakefile": true, "gemfile": true, "vagrantfile": true, "brewfile": true, "justfile": true,
	"build": true, "build.bazel": true, "workspace": true, "cmakelists.txt": true, "requirements.txt": true,
	"constraints.txt": true, "go.mod": true, "go.sum": true, "go.work": true, "go.work.sum": true,
	"gradlew": true, "mvnw": true, "codeowners": true, "setup.py": true, "meson.build": true,
}

var configExts = map[string]bool{
	".json": true, ".jsonc": true, ".json5": true, ".yaml": true, ".yml": true, ".toml": true, ".ini": true,
	".cfg": true, ".conf": true, ".config": true, ".properties": true, ".env": true, ".lock": true, ".xml": true,
	".plist": true, ".gradle": true, ".mk": true, ".cmake": true, ".tf": true, ".tfvars": true, ".nix": true,
	".csproj": true, ".sln": true, ".vcxproj": true,
}

// kindOf returns the kind of a file. Its own name takes precedence over those of the folders above it, except that a
// data file such as x.json in a folder of tests is a test.
func kindOf(name string, folders purpose, link bool) Kind {
	if link {
		return KindLink
	}
	low := strings.ToLower(name)
	ext := path.Ext(low)
	stem := strings.TrimSuffix(low, ext)
	switch {
	case docNames[low], docNames[stem] && docExts[ext]:
		return KindDoc
	case testName(low, stem, ext):
		return KindTest
	case configNames[low], low[0] == '.', strings.HasPrefix(low, "dockerfile."), strings.HasSuffix(stem, ".config"):
		return KindConfig
	case docExts[ext]:
		return KindDoc
	case folders&amongTests != 0:
		return KindTest
	case configExts[ext]:
		return KindConfig
	case folders&amongDocs != 0:
		return KindDoc
	}
	return KindFile
}

func testName(low, stem, ext string) bool {
	if ext == "" {
		return false
	}
	return strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, ".test") ||
		strings.HasSuffix(stem, "_spec") || strings.HasSuffix(stem, ".spec") ||
		(strings.HasPrefix(low, "test_") && ext == ".py") || low == "conftest.py"
}
