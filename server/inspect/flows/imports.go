package flows

import (
	"path"
	"strings"

	"agentdungeon/server/inspect/imports"
	"agentdungeon/server/syntax"
)

// imports records the names that an import, or an export of another module, binds in JavaScript or Python.
func (l *lowering) imports(n syntax.Node) {
	for _, im := range imports.At(n) {
		module := ""
		switch {
		case !l.python():
			module = l.module(im.Module)
		case im.Dots > 0:
			module = l.relative(strings.Repeat("../", im.Dots-1) + strings.ReplaceAll(im.Module, ".", "/"))
		default:
			module = l.ownModule(im.Module)
		}
		for i, name := range im.Names {
			switch from := im.From[i]; {
			case from == "*" && l.python():
				l.file.Stars = append(l.file.Stars, module)
			case from == "" && name == im.Module: // "import a.b" binds the name a
				name, _, _ = strings.Cut(name, ".")
				l.file.Imports[name] = l.ownModule(name)
			case from == "", from == "*", from == "default" && !strings.HasPrefix(module, "./"):
				l.file.Imports[name] = module // the default export of a library usually stands for the library itself
			case l.python() && strings.HasPrefix(module, "./") && l.files[module+"/"+from] != nil:
				l.file.Imports[name] = module + "/" + from
			default:
				l.file.Imports[name] = module + "." + from
			}
		}
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
