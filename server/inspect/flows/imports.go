package flows

import (
	"path"
	"strings"

	"agentdungeon/server/syntax"
)

// imports records the names that an import statement binds, in JavaScript or Python.
func (l *lowering) imports(n syntax.Node) {
	switch source := n.Child("source"); {
	case n.Kind() == "import_from_statement":
		l.importFrom(n)
	case n.Kind() != "import_statement":
	case source.OK():
		l.importScript(n, l.module(unquoted(source)))
	default:
		for _, c := range kids(n, "name") {
			dotted := child(c, "name").Text()
			if dotted == "" {
				dotted = c.Text()
			}
			name := c.Child("alias").Text()
			if name == "" { // "import a.b" binds the name a
				name, _, _ = strings.Cut(dotted, ".")
				dotted = name
			}
			l.file.Imports[name] = l.ownModule(dotted)
		}
	}
}

func (l *lowering) importScript(n syntax.Node, module string) {
	for c := range n.All() {
		switch c.Kind() {
		case "identifier":
			switch c.Parent().Kind() {
			case "import_clause": // the default export of a library usually stands for the library itself
				l.file.Imports[c.Text()] = module
				if strings.HasPrefix(module, "./") {
					l.file.Imports[c.Text()] = module + ".default"
				}
			case "namespace_import":
				l.file.Imports[c.Text()] = module
			}
		case "import_specifier":
			name := c.Child("name").Text()
			l.file.Imports[alias(c, name)] = module + "." + name
		}
	}
}

func alias(n syntax.Node, name string) string {
	if a := n.Child("alias"); a.OK() {
		return a.Text()
	}
	return name
}

func (l *lowering) importFrom(n syntax.Node) {
	from := n.Child("module_name")
	module := from.Text()
	if rest := strings.TrimLeft(module, "."); rest != module {
		module = l.relative(strings.Repeat("../", len(module)-len(rest)-1) + strings.ReplaceAll(rest, ".", "/"))
	} else {
		module = l.ownModule(module)
	}
	for _, c := range kids(n, "name") {
		name := c.Text()
		if c.Kind() == "aliased_import" {
			name = c.Child("name").Text()
		}
		dotted := module + "." + name
		if strings.HasPrefix(module, "./") && l.files[module+"/"+name] != nil {
			dotted = module + "/" + name
		}
		l.file.Imports[alias(c, name)] = dotted
	}
	if word(n, "wildcard_import") {
		l.file.Stars = append(l.file.Stars, module)
	}
}

// relative returns the name of the package for a relative import path, which begins with "." or "..".
func (l *lowering) relative(to string) string {
	return "./" + strings.TrimPrefix(path.Join(path.Dir(l.file.Path), to), "./")
}

// module returns the dotted name for the module that a script imports: a package of the repository, or a library
// under its own name.
func (l *lowering) module(from string) string {
	if strings.HasPrefix(from, ".") {
		return l.relative(strings.TrimSuffix(from, ".js"))
	}
	if rest, ok := strings.CutPrefix(strings.Replace(from, "~/", "@/", 1), "@/"); ok { // usual prefixes of the root
		for _, to := range []string{rest, "src/" + rest} {
			if name := l.above(to); name != "" {
				return name
			}
		}
	}
	return strings.TrimPrefix(from, "node:")
}

// ownModule returns the name of the repository's package for a Python module, or the module's own name if the
// repository does not have it.
func (l *lowering) ownModule(dotted string) string {
	if name := l.above(strings.ReplaceAll(dotted, ".", "/")); name != "" {
		return name
	}
	return dotted
}

// above returns the name of a package in the folder of the file or in a folder above it; "" if there is none.
func (l *lowering) above(to string) string {
	for dir := "."; strings.Count(dir, "/") < 6; dir += "/.." {
		name := l.relative(dir + "/" + to)
		if strings.HasPrefix(name, "./..") {
			break
		}
		if l.python() && l.repo.File(path.Join(l.relative(dir), "__init__.py")) != nil {
			continue // modules of a package are imported by the package's name
		}
		if l.files[name] != nil {
			return name
		}
	}
	return ""
}
