package dungeon

import (
	"path"
	"strings"
)

// language is an index into the list languages. In a room, the files of one language stand together.
type language uint8

// languages has the names of languages on the wire, in the order in which a room shows the files of one kind. "",
// which comes last there, stands for all other languages and for files of none.
var languages = [...]string{
	"", "C", "C#", "C++", "CSS", "Go", "HTML", "INI", "JSON", "Java", "JavaScript", "Kotlin", "Markdown", "PHP", "Python",
	"Ruby", "Rust", "SQL", "Scala", "Shell", "Swift", "TOML", "TypeScript", "Vue", "XML", "YAML", "reStructuredText",
}

var languageExts = map[string][]string{
	"C": {".c", ".h"}, "C#": {".cs"}, "C++": {".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx"},
	"CSS": {".css", ".scss", ".sass", ".less"}, "Go": {".go"}, "HTML": {".html", ".htm", ".xhtml"},
	"INI": {".ini", ".cfg", ".conf", ".properties"}, "JSON": {".json", ".jsonc", ".json5"}, "Java": {".java"},
	"JavaScript": {".js", ".jsx", ".mjs", ".cjs"}, "Kotlin": {".kt", ".kts"}, "Markdown": {".md", ".mdx", ".markdown"},
	"PHP": {".php"}, "Python": {".py", ".pyi", ".pyw"}, "Ruby": {".rb", ".rake"}, "Rust": {".rs"}, "SQL": {".sql"},
	"Scala": {".scala", ".sc"}, "Shell": {".sh", ".bash", ".zsh", ".fish", ".ps1"}, "Swift": {".swift"}, "TOML": {".toml"},
	"TypeScript": {".ts", ".tsx", ".mts", ".cts"}, "Vue": {".vue"}, "XML": {".xml", ".xsd", ".xsl"},
	"YAML": {".yaml", ".yml"}, "reStructuredText": {".rst"},
}

var languageOfExt = func() map[string]language {
	out := map[string]language{}
	for i, name := range languages {
		for _, ext := range languageExts[name] {
			out[ext] = language(i)
		}
	}
	return out
}()

// languageOf returns the language of a file by the end of its name.
func languageOf(name string) language { return languageOfExt[strings.ToLower(path.Ext(name))] }
