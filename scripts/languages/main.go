// Languages writes server/inspect/languages_gen.go: the language of a file by its extension
// or name, that of a program by its interpreter, and patterns of paths with third-party code.
// The data is that of github/linguist, taken from go-enry.
//
// The server does not link go-enry because go-enry fills all its tables at every start of a
// program. This takes 16 MB and tens of milliseconds, and a review needs few of the tables.
// This command chooses a language where linguist lists several, and omits some patterns; the
// server only looks things up in the tables. "make generate" and "make check", which compares
// the result, call the command from the root of the repository:
//
//	go run ./scripts/languages [-o FILE]
package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/go-enry/go-enry/v2/data"
)

func main() {
	out := flag.String("o", "server/inspect/languages_gen.go", "file to write")
	flag.Parse()
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, "languages:", err)
		os.Exit(1)
	}
}

func run(out string) error {
	text, err := generate()
	if err != nil {
		return err
	}
	if err := os.WriteFile(out, text, 0o644); err != nil {
		return fmt.Errorf("write tables of languages: %w", err)
	}
	return nil
}

// meant maps an extension for which linguist lists several languages to the language that files with this extension
// usually have. An extension that is not in the table gets the alphabetically first of its languages.
var meant = map[string]string{
	".asc": "AsciiDoc", ".bas": "BASIC", ".cake": "C#", ".cfg": "INI", ".cs": "C#", ".d": "D", ".ddl": "SQL", ".ex": "Elixir", ".frag": "GLSL",
	".gd": "GDScript", ".gs": "JavaScript", ".h": "C", ".hh": "C++", ".html": "HTML", ".inc": "PHP", ".jq": "jq", ".json": "JSON", ".ls": "LiveScript", ".m": "Objective-C",
	".md": "Markdown", ".ml": "OCaml", ".mm": "Objective-C++", ".nr": "Noir", ".nu": "Nushell", ".odin": "Odin", ".php": "PHP", ".pkl": "Pkl", ".pl": "Perl", ".plist": "XML Property List",
	".pp": "Puppet", ".prc": "SQL", ".properties": "Java Properties", ".r": "R", ".re": "Reason", ".rpy": "Ren'Py", ".rs": "Rust", ".scm": "Scheme", ".sol": "Solidity", ".spec": "RPM Spec", ".sql": "SQL",
	".star": "Starlark", ".toc": "TeX", ".ts": "TypeScript", ".tsp": "TypeSpec", ".tsx": "TSX", ".txt": "Text", ".typ": "Typst", ".v": "Verilog", ".vba": "VBA", ".yaml": "YAML",
	".yml": "YAML", ".yy": "Yacc",
}

// open lists the extensions that programs in any language can have. The tables omit them, so that the interpreter
// in the first line of the file determines the language.
var open = []string{".cgi", ".fcgi"}

// meantInterpreters maps an interpreter to its language where the alphabetically first language that linguist lists is
// another.
var meantInterpreters = map[string]string{"perl6": "Raku"}

// added maps extensions to the languages that linguist does not list for them.
var added = map[string]string{".cts": "TypeScript", ".mts": "TypeScript"}

// ours holds those of linguist's patterns for third-party code that also match a project's own files. The tables
// omit them, because a review must not skip these files.
var ours = map[string]bool{
	`(.*?)\.d\.ts$`:     true,                                                         // types of a module; people often write them by hand
	`(^|/)cache/`:       true,                                                         // a project can have a package with this name
	`(^|/)env/`:         true,                                                         // the same; foreign finds virtual environments by site-packages
	`(^|/)effects\.js$`: true, `(^|/)controls\.js$`: true, `(^|/)dragdrop\.js$`: true, // common names of own files
	`([^\s]*)import\.(css|less|scss|styl)$`: true,
	`(^|/)Vagrantfile$`:                     true, `(^|/)Jenkinsfile$`: true, `(^|/)fabfile\.py$`: true, // these files describe how a project is built
	`(^|/)proguard\.pro$`: true, `(^|/)proguard-rules\.pro$`: true,
	`(^|/)\.github/`:           true,
	`(^|/)testdata/`:           true, // files that tests read; File.Test marks them
	`(^|/)activator$`:          true,
	`(^|/)[Tt]ests?/fixtures/`: true, `(^|/)[Ss]pecs?/fixtures/`: true,
}

// foreign lists patterns for third-party code that linguist lacks.
var foreign = []string{`(^|/)site-packages/`}

func generate() ([]byte, error) {
	extensions := map[string]string{}
	for ext, langs := range data.LanguagesByExtension {
		extensions[ext] = langs[0]
	}
	for ext, lang := range meant {
		if !slices.Contains(data.LanguagesByExtension[ext], lang) {
			return nil, fmt.Errorf("the table meant gives %s to %s, but linguist does not list that language", ext, lang)
		}
		extensions[ext] = lang
	}
	for _, ext := range open {
		delete(extensions, ext)
	}
	maps.Copy(extensions, added)
	interpreters := map[string]string{}
	for name, langs := range data.LanguagesByInterpreter {
		interpreters[name] = langs[0]
	}
	maps.Copy(interpreters, meantInterpreters)
	names := map[string]string{}
	for name, langs := range data.LanguagesByFilename {
		if len(langs) == 1 && !strings.HasSuffix(name, ".json") { // JSON, with or without comments
			names[name] = langs[0]
		}
	}
	var patterns []string
	left := maps.Clone(ours)
	for _, m := range data.VendorMatchers {
		switch p := m.String(); {
		case ours[p]:
			delete(left, p)
		case !strings.HasPrefix(p, `(^|/)\.git`):
			patterns = append(patterns, p)
		}
	}
	for p := range left {
		return nil, fmt.Errorf("the table ours has the pattern %s, but linguist no longer has it", p)
	}
	var b bytes.Buffer
	b.WriteString("// Code generated by scripts/languages from github.com/go-enry/go-enry/v2; DO NOT EDIT.\n\npackage inspect\n\n")
	table(&b, "extensionTable", "languages, each with the extensions that mean it", extensions)
	table(&b, "nameTable", "languages, each with the names of files that mean it", names)
	table(&b, "interpreterTable", "languages, each with the interpreters that mean it", interpreters)
	b.WriteString("// vendorTable are patterns of paths that hold somebody else's code, one a line.\nconst vendorTable = ``")
	for _, p := range append(patterns, foreign...) {
		if strings.ContainsAny(p, "`\n") {
			return nil, fmt.Errorf("the pattern %q has a backquote or a line end, which the table cannot hold", p)
		}
		fmt.Fprintf(&b, " +\n\t`%s` + \"\\n\"", p)
	}
	b.WriteString("\n\n// programmingTable has the languages of the tables that programs are written in.\nconst programmingTable = \"\"")
	used := slices.Concat(slices.Collect(maps.Values(extensions)), slices.Collect(maps.Values(names)),
		slices.Collect(maps.Values(interpreters)))
	slices.Sort(used)
	for _, lang := range slices.Compact(used) {
		if data.LanguagesType[lang] == programming {
			fmt.Fprintf(&b, " +\n\t%q", lang+"\n")
		}
	}
	b.WriteString("\n")
	return format.Source(b.Bytes())
}

// programming is go-enry's number for programming languages. It is copied, because a program that imports the package
// with go-enry's constant loads all tables of go-enry when it starts.
const programming = 2

// table writes the constant name. It has one line for each language: the language's name and the keys that langs maps
// to it, separated by tabs. doc completes the comment of the constant.
func table(b *bytes.Buffer, name, doc string, langs map[string]string) {
	by := map[string][]string{}
	for key, lang := range langs {
		by[lang] = append(by[lang], key)
	}
	fmt.Fprintf(b, "// %s has %s.\nconst %s = \"\"", name, doc, name)
	for _, lang := range slices.Sorted(maps.Keys(by)) {
		slices.Sort(by[lang])
		fmt.Fprintf(b, " +\n\t%q", lang+"\t"+strings.Join(by[lang], "\t")+"\n")
	}
	b.WriteString("\n\n")
}
