// Package imports reads the imports of files in JavaScript, TypeScript and Python, and finds the imported files in
// the repository. For Go see Golang.Packages. The package owns no state.
package imports

import (
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

// Import is an import of a module.
type Import struct {
	Node syntax.Node // the statement, or the call of require
	Line int         // the line of the module's name
	// Module is the module as it is written: "./draw", "react", "..shop.cart". It is "" for "from . import cart".
	Module string
	Dots   int // number of leading dots of a relative import in Python; Module does not include them
	// Names has the imported names as the file calls them; From has them as the module calls them: "default", "*" for
	// all names, "" for the module itself. Both are empty if no name is imported.
	Names, From []string
}

// Of returns the imports of a file, including those in functions. It omits dynamic imports, import("x"), and imports of
// types only.
func Of(t *inspect.Tree) []Import { return importsIn(t.Tree, false) }

// All also returns type-only and dynamic imports, and the names to which the results of require and import("x") are
// assigned.
func All(t *syntax.Tree) []Import { return importsIn(t, true) }

// At returns the imports of one statement or call, as All does.
func At(n syntax.Node) []Import { return at(n, true) }

func importsIn(t *syntax.Tree, all bool) []Import {
	var out []Import
	for n := range t.Root().All() {
		out = append(out, at(n, all)...)
	}
	return out
}

func at(n syntax.Node, all bool) []Import {
	switch n.Kind() {
	case "import_statement":
		if !n.Child("source").OK() {
			return plain(n)
		}
		return statement(n, all)
	case "export_statement":
		return statement(n, all)
	case "import_from_statement":
		return []Import{from(n)}
	case "call_expression":
		args := n.Args()
		if callee := n.Callee(); callee != "require" && (callee != "import" || !all) || len(args) != 1 {
			return nil
		}
		if module, ok := args[0].Value(); ok && args[0].Kind() == "string" {
			im := Import{Node: n, Line: args[0].Line(), Module: module}
			if all {
				bind(&im)
			}
			return []Import{im}
		}
	}
	return nil
}

// statement returns the import of a JavaScript statement "import ... from" or "export ... from".
func statement(n syntax.Node, all bool) []Import {
	source := n.Child("source")
	module, ok := source.Value()
	if !ok || n.Has("type") && !all {
		return nil
	}
	im := Import{Node: n, Line: source.Line(), Module: module}
	types := false
	for c := range n.All() {
		name, as := "", c
		switch c.Kind() {
		case "identifier":
			if c.Parent().Kind() != "import_clause" {
				continue
			}
			name = "default"
		case "namespace_import", "namespace_export":
			name, as = "*", c.First()
		case "import_specifier", "export_specifier":
			if c.Has("type") && !all {
				types = true
				continue
			}
			name = c.Child("name").Text()
			if as = c.Child("alias"); !as.OK() {
				as = c.Child("name")
			}
		default:
			continue
		}
		im.Names, im.From = append(im.Names, as.Text()), append(im.From, name)
	}
	if types && len(im.Names) == 0 {
		return nil
	}
	return []Import{im}
}

// bind records the names to which the result of require or import is assigned.
func bind(im *Import) {
	up := im.Node.Parent()
	if up.Kind() == "await_expression" {
		up = up.Parent()
	}
	if up.Kind() != "variable_declarator" {
		return
	}
	add := func(name, from string) { im.Names, im.From = append(im.Names, name), append(im.From, from) }
	to := up.Child("name")
	if to.Kind() == "identifier" {
		add(to.Text(), "*")
	}
	for _, c := range to.Parts() {
		switch c.Kind() {
		case "shorthand_property_identifier_pattern":
			add(c.Text(), c.Text())
		case "pair_pattern":
			add(c.Child("value").Text(), c.Child("key").Text())
		}
	}
}

// plain returns the modules of "import a, b.c as d" of Python.
func plain(n syntax.Node) (out []Import) {
	for _, c := range n.Parts() {
		name, as := c, c
		if c.Kind() == "aliased_import" {
			name, as = c.Child("name"), c.Child("alias")
		}
		im := Import{Node: n, Line: n.Line(), Module: name.Text(), Names: []string{as.Text()}, From: []string{""}}
		out = append(out, im)
	}
	return out
}

// from returns the import of "from a import b, c as d" of Python.
func from(n syntax.Node) Import {
	module := n.Child("module_name").Text()
	im := Import{Node: n, Line: n.Line(), Module: strings.TrimLeft(module, ".")}
	im.Dots = len(module) - len(im.Module)
	for c := range n.Children() {
		name, as := c, c
		switch {
		case c.Kind() == "wildcard_import":
		case c.Field() != "name":
			continue
		case c.Kind() == "aliased_import":
			name, as = c.Child("name"), c.Child("alias")
		}
		im.Names, im.From = append(im.Names, as.Text()), append(im.From, name.Text())
	}
	return im
}

var ends = []string{
	"", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", "/index.ts", "/index.tsx", "/index.js",
	"/index.jsx", "/index.mjs",
}

// compiled maps the extension of a compiled file, which a TypeScript import names, to the possible extensions of
// its source.
var compiled = map[string][]string{".js": {".ts", ".tsx"}, ".mjs": {".mts"}, ".cjs": {".cts"}, ".jsx": {".tsx"}}

// Script returns the path of the script that a file in a folder imports by a relative path, or "".
func Script(r *inspect.Repo, dir, module string) string {
	module, _, _ = strings.Cut(module, "?")
	p := path.Join("/", dir, module)[1:]
	if !strings.HasPrefix(module, ".") || strings.HasPrefix(path.Join(dir, module), "..") {
		return ""
	}
	var try []string
	for _, end := range ends {
		try = append(try, p+end)
	}
	for _, end := range compiled[path.Ext(p)] {
		try = append(try, strings.TrimSuffix(p, path.Ext(p))+end)
	}
	for _, t := range try {
		if f := r.File(t); f != nil && slices.Contains(inspect.Scripts, f.Lang) && !strings.Contains(f.Base(), ".d.") {
			return t
		}
	}
	return ""
}

// Python returns the path of the module that a file imports by a dotted name, or "". dots is the number of dots
// before the name. An absolute name is looked up in the folder that contains the outermost package of the file.
func Python(r *inspect.Repo, file string, dots int, name string) string {
	dir := path.Dir(file)
	for range dots - 1 {
		if dir == "." {
			return ""
		}
		dir = path.Dir(dir)
	}
	if dots == 0 {
		top := ""
		for ; r.File(path.Join(dir, "__init__.py")) != nil && dir != "."; dir = path.Dir(dir) {
			top = path.Base(dir)
		}
		if first, _, _ := strings.Cut(name, "."); top == "" || first != top {
			return ""
		}
	}
	base := path.Join(dir, strings.ReplaceAll(name, ".", "/"))
	for _, p := range []string{base + "/__init__.py", base + ".py"} {
		if r.File(p) != nil {
			return p
		}
	}
	return ""
}
