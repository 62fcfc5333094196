package structure

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/lex"
)

var scriptCycle = inspect.Check{
	ID: "architect/script-cycle", Hero: "architect",
	Looks: "JavaScript and TypeScript files that import each other in a circle, by relative paths and for values; imports of types and imports on demand do not count",
	Rule:  "Medium if a class in the circle extends a class that it gets from the circle, else low.",
	Run: func(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
		files := map[string]*script{}
		var names []string
		for f, data := range r.All(ctx, lex.Scripts...) {
			if f.Test || strings.Contains(f.Base(), ".d.") || strings.Contains(f.Base(), ".min.") || made(f.Path) {
				continue
			}
			names = append(names, f.Path)
			files[f.Path] = readScript(r, f, data)
		}
		g := newGraph(names)
		for _, n := range names {
			for _, im := range files[n].imports {
				g.add(n, im.to)
			}
		}
		for _, set := range g.circles() {
			in := map[string]bool{}
			for _, v := range set {
				in[g.names[v]] = true
			}
			ring := g.shortest(set)
			first, second := g.names[ring[0]], g.names[ring[1]]
			severity, why := inspect.Low, "Which of the files runs first depends on which is imported first, so a value that is used while the files load can still be undefined."
			evidence := g.way(ring)
			for _, v := range set {
				if base, from := files[g.names[v]].extends(in); base != "" {
					severity = inspect.Medium
					why = "A class must be defined before another extends it. Whether it is depends on which file of the circle is imported first."
					evidence += fmt.Sprintf("; in %s a class extends %s of %s", g.names[v], base, from)
					break
				}
			}
			if len(set) > len(ring) {
				evidence += fmt.Sprintf(" (the shortest way round; %d files hang together)", len(set))
			}
			report(inspect.Finding{
				Severity: severity,
				Title:    fmt.Sprintf("%d files import each other in a circle", len(set)),
				Path:     first, Line: files[first].lineOf(second),
				Evidence: evidence, Why: why,
				Advice: fmt.Sprintf("Move what both need into a file that imports neither, so that %s no longer has to import %s.", path.Base(first), path.Base(second)),
				Same:   "circle",
			})
		}
		return ctx.Err()
	},
}

// made reports whether a file is in a folder for generated files.
func made(p string) bool {
	for part := range strings.SplitSeq(path.Dir(p), "/") {
		switch part {
		case "generated", "__generated__", "gen", "built", "dist", "build", "out":
			return true
		}
	}
	return false
}

// script is a file with its imports of values from other files of the repository.
type script struct {
	imports []scriptImport
	bases   []string // names that its classes extend
}

type scriptImport struct {
	to    string
	line  int
	names []string // the imported names, as this file calls them
}

func (s *script) lineOf(to string) int {
	for _, im := range s.imports {
		if im.to == to {
			return im.line
		}
	}
	return 0
}

// extends looks for a class of this file that extends a class of another file in the set. It returns the name of the
// extended class as base and the path of its file as from, or "" twice. It skips classes that come from index and
// internal files: these files re-export other files and so fix the order in which the files load, so that a circle
// through them works.
func (s *script) extends(in map[string]bool) (base, from string) {
	for _, im := range s.imports {
		for _, n := range im.names {
			if stem, _, _ := strings.Cut(path.Base(im.to), "."); stem == "index" || strings.HasPrefix(stem, "internal") {
				continue
			}
			if in[im.to] && slices.Contains(s.bases, n) {
				return n, im.to
			}
		}
	}
	return "", ""
}

var (
	importFrom  = inspect.Pattern(`^(import|export)\s+(type\s+)?([^'"();=]*?)\s*\bfrom\s*(['"])`)
	importBare  = inspect.Pattern(`^import\s*(['"])`)
	requireCall = inspect.Pattern(`^require\s*\(\s*(['"])`)
	classBase   = inspect.Pattern(`\bclass\b(?:\s+[\w$]+)?(?:\s*<[^{;]{0,200}>)?\s+extends\s+([\w$]+)`)
)

// maxImport is the maximum number of bytes of an import statement, maxImports the maximum number of statements that are
// read in one file, and maxNames the maximum number of names in one statement.
const (
	maxImport  = 16 << 10
	maxImports = 2_000
	maxNames   = 200
)

func readScript(r *inspect.Repo, f *inspect.File, data []byte) *script {
	s := &script{}
	if !bytes.Contains(data, []byte("import")) && !bytes.Contains(data, []byte("require")) && !bytes.Contains(data, []byte("from")) {
		return s
	}
	masked := lex.Scan(f.Lang, data).Code
	for _, m := range classBase.FindAllSubmatch(masked, -1) {
		s.bases = append(s.bases, string(m[1]))
	}
	var known map[string]bool
	typed := f.Lang != "JavaScript" && f.Lang != "JSX"
	depth, line, tried := 0, 1, 0
	for i := 0; i < len(masked) && tried < maxImports; i++ {
		switch c := masked[i]; {
		case c == '\n':
			line++
		case c == '{':
			depth++
		case c == '}':
			depth--
		case depth <= 0 && (c == 'i' || c == 'e' || c == 'r') && (i == 0 || !lex.Word(masked[i-1]) && masked[i-1] != '.'):
			if rest := masked[i:]; !bytes.HasPrefix(rest, []byte("import")) && !bytes.HasPrefix(rest, []byte("export")) && !bytes.HasPrefix(rest, []byte("require")) {
				continue
			}
			tried++
			window := masked[i:min(i+maxImport, len(masked))]
			spec, clause, ok := statement(window, data[i:])
			if !ok || !strings.HasPrefix(spec, ".") {
				continue
			}
			to := resolve(r, f.Dir(), spec)
			if to == "" || to == f.Path {
				continue
			}
			var used map[string]bool // nil: no import is dropped
			if typed && c == 'i' {
				if known == nil {
					known = valueWords(masked)
				}
				used = known
			}
			names, values := valuesOf(clause, used)
			if values {
				s.imports = append(s.imports, scriptImport{to, line, names})
			}
		}
	}
	return s
}

// statement parses an import, an export or a require at the start of a window of the text. It returns the imported path
// and the clause between the keyword and "from".
func statement(window, data []byte) (spec, clause string, ok bool) {
	quote := -1
	switch {
	case bytes.HasPrefix(window, []byte("import")), bytes.HasPrefix(window, []byte("export")):
		if m := importFrom.FindSubmatchIndex(window); m != nil {
			clause = string(window[m[6]:m[7]])
			if m[4] >= 0 && clause != "" {
				return "", "", false // import type { A } from, export type * from
			}
			if m[4] >= 0 {
				clause = "type" // import type from: a value with the name "type"
			}
			quote = m[8]
		} else if m := importBare.FindSubmatchIndex(window); m != nil {
			quote = m[2]
		}
	case bytes.HasPrefix(window, []byte("require")):
		if m := requireCall.FindSubmatchIndex(window); m != nil {
			quote = m[2]
		}
	}
	if quote < 0 {
		return "", "", false
	}
	end := bytes.IndexByte(window[quote+1:], window[quote])
	if end < 0 || end > 500 {
		return "", "", false
	}
	return string(data[quote+1 : quote+1+end]), clause, true
}

// valuesOf returns the names that the clause of an import binds. values reports whether the compiled program keeps the
// import. The TypeScript compiler drops an import whose names are used only as types. So for TypeScript used holds the
// names that are surely used as values, and values is set only if one of them is bound. For other languages used is nil
// and values is set.
func valuesOf(clause string, used map[string]bool) (names []string, values bool) {
	if clause == "" {
		return nil, true // import "./x", require("./x")
	}
	for part := range strings.SplitSeq(strings.NewReplacer("{", ",", "}", ",").Replace(clause), ",") {
		words := strings.Fields(part)
		if len(words) == 0 || len(names) == maxNames || words[0] == "type" && len(words) > 1 {
			continue
		}
		name := words[len(words)-1]
		values = values || name == "*" || used == nil || used[name]
		names = append(names, name)
	}
	return names, values
}

// valueWords returns the names that a masked text surely uses as values: names that it calls, creates with new or
// extends, and names of which it selects a member in a place where no type is allowed.
func valueWords(masked []byte) map[string]bool {
	out := map[string]bool{}
	for at := 0; at < len(masked); at++ {
		if !lex.Word(masked[at]) {
			continue
		}
		end := at + 1
		for end < len(masked) && lex.Word(masked[end]) {
			end++
		}
		if end-at <= 100 && (at == 0 || masked[at-1] != '.') && !out[string(masked[at:end])] && isValue(masked, at, end) {
			out[string(masked[at:end])] = true
		}
		at = end
	}
	return out
}

func isValue(masked []byte, at, end int) bool {
	before := bytes.TrimRight(masked[max(0, at-40):at], " \t\n\r")
	after := bytes.TrimLeft(masked[end:min(len(masked), end+40)], " \t")
	switch {
	case endsWithWord(before, "new"), endsWithWord(before, "instanceof"), endsWithWord(before, "await"):
		return true
	case bytes.HasPrefix(after, []byte("(")):
		return !bytes.HasSuffix(before, []byte("}")) && !endsWithWord(before, "typeof")
	case bytes.HasPrefix(after, []byte(".")):
		return bytes.HasSuffix(before, []byte("(")) || bytes.HasSuffix(before, []byte("{")) || bytes.HasSuffix(before, []byte(";")) || endsWithWord(before, "return")
	case endsWithWord(before, "extends"):
		return bytes.Contains(lineBefore(masked, at), []byte("class "))
	}
	return false
}

func endsWithWord(b []byte, word string) bool {
	return bytes.HasSuffix(b, []byte(word)) && (len(b) == len(word) || !lex.Word(b[len(b)-len(word)-1]))
}

func lineBefore(text []byte, at int) []byte {
	from := max(0, at-200)
	if n := bytes.LastIndexByte(text[from:at], '\n'); n >= 0 {
		from += n + 1
	}
	return text[from:at]
}

var scriptEnds = []string{"", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", "/index.ts", "/index.tsx", "/index.js", "/index.jsx", "/index.mjs"}

// resolve returns the path of the script that a relative import means, or "".
func resolve(r *inspect.Repo, dir, spec string) string {
	spec, _, _ = strings.Cut(spec, "?")
	p := strings.TrimPrefix(path.Join(dir, spec), "/")
	if p == ".." || strings.HasPrefix(p, "../") {
		return ""
	}
	try := []string{}
	for _, end := range scriptEnds {
		try = append(try, p+end)
	}
	for from, to := range map[string]string{".js": ".ts", ".mjs": ".mts", ".cjs": ".cts", ".jsx": ".tsx"} {
		if stem, ok := strings.CutSuffix(p, from); ok { // a TypeScript import names the compiled file
			try = append(try, stem+to)
			if from == ".js" {
				try = append(try, stem+".tsx")
			}
		}
	}
	for _, t := range try {
		if f := r.File(t); f != nil && lex.IsScript(f.Lang) && !strings.Contains(f.Base(), ".d.") {
			return t
		}
	}
	return ""
}
