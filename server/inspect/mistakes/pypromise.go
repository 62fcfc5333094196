package mistakes

import (
	"fmt"
	"strconv"
	"strings"

	"agentdungeon/server/inspect"
)

// promise has the versions of Python for which the code of a repository is written.
type promise struct {
	three string          // the reason why the code runs on Python 3, "" if there is none
	below int             // the first minor version of Python 3 that the manifests exclude, noCap for none
	names map[string]bool // the names of the modules and packages of the repository, without enclosing packages
	needs string          // the texts of the manifests, in lower case
	shim  bool            // the package depends on setuptools, which provides its own distutils
}

const noCap = 1000

var (
	wanted = inspect.Pattern(`(?m)(?:^Requires-Python:|^requires-python\s*=|python_requires\s*=|^python\s*=|` +
		`^X-Python3-Version:)\s*\(?['"]?([^'"\n]*)`)
	threes = inspect.Pattern(`Programming Language :: Python :: 3|^X-Python3-Version|python3:Depends`)
	bound3 = inspect.Pattern(`(<=?|==|~|\^|~=)\s*(\d+)(?:\.(\d+))?`)
	// shims matches manifests with setuptools among what the package needs when it runs, and not only to be built.
	shims = inspect.Pattern(`(?im)^requires-dist:\s*setuptools\b|^setuptools\b|install_requires[^\]]*?\bsetuptools\b|` +
		`^dependencies\s*=\s*\[[^\]]*\bsetuptools\b`)
	isTwo = inspect.Pattern(`^#!.*python2`)
	isNow = inspect.Pattern(`^#!.*python3|\bf['"]|(?m:^[ \t]*(?:async def|nonlocal) )|` +
		`\bdef \w+\([^()]*\) ?->|\byield from\b|` +
		`\bprint\([^()\n]*\b(?:file|end)=|(?m:^[ \t]*raise .+ from \w+$)|\bmetaclass=|\bsuper\(\)\.`)
)

// promises reads the supported versions of Python from the manifests of a repository.
func promises(r *inspect.Repo) *promise {
	p := &promise{below: noCap, names: map[string]bool{}}
	for i := range r.Files {
		f := &r.Files[i]
		if f.Lang == "Python" {
			name := strings.TrimSuffix(f.Base(), ".py")
			if name == "__init__" {
				name = f.Dir()[strings.LastIndexByte(f.Dir(), '/')+1:]
			}
			p.names[name] = true
		}
		switch f.Base() {
		case "pyproject.toml", "setup.py", "setup.cfg", "METADATA", "PKG-INFO", "requirements.txt", "Pipfile", "control",
			"requires.txt":
		default:
			continue
		}
		data, ok := r.Text(f.Path)
		if !ok || f.Vendored || f.Test {
			continue
		}
		text := string(data)
		p.needs += strings.ToLower(text) + "\n"
		p.shim = p.shim || shims.MatchString(text)
		if threes.MatchString(text) {
			p.three = f.Path + " names Python 3"
		}
		for _, m := range wanted.FindAllStringSubmatch(text, -1) {
			p.read(m[1], f.Path)
		}
	}
	return p
}

// read reads a list of supported versions from a manifest, such as ">=3.6,<3.12".
func (p *promise) read(versions, path string) {
	if strings.Contains(versions, "3") {
		p.three = fmt.Sprintf("%s wants Python %s", path, strings.TrimSpace(versions))
	}
	for _, m := range bound3.FindAllStringSubmatch(versions, -1) {
		minor, err := strconv.Atoi(m[3])
		switch op := m[1]; {
		case m[2] < "3" && !strings.HasPrefix(op, ">"):
			p.below = 0
		case m[2] != "3" || err != nil || op == "^" || op == "~=":
		case op == "<":
			p.below = min(p.below, minor)
		default:
			p.below = min(p.below, minor+1)
		}
	}
}

// runs returns the reason why a file certainly runs on a minor version of Python 3, or "".
func (p *promise) runs(f *inspect.File, text []byte, minor int) string {
	switch {
	case p.below <= minor || isTwo.Match(text):
		return ""
	case p.three != "":
		return p.three
	case strings.Contains(f.Path, "lib/python3/"):
		return "it is installed for Python 3"
	case isNow.Match(text):
		return "it is written for Python 3"
	}
	return ""
}

// own reports whether the repository has a module with the name of a removed one, or depends on a package that
// provides the module.
func (p *promise) own(module string) bool {
	top, _, _ := strings.Cut(module, ".")
	if p.names[top] || top == "distutils" && p.shim {
		return true
	}
	for _, name := range []string{"standard-" + top, "legacy-" + top, "zombie-" + top, top + "-lts", top + "_r"} {
		if strings.Contains(p.needs, name) {
			return true
		}
	}
	return strings.HasPrefix(top, "async") && strings.Contains(p.needs, "py"+top)
}
