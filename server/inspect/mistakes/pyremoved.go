package mistakes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/imports"
	"agentdungeon/server/syntax"
)

// use is a place that uses a removed name: a name of the standard library that a later version of Python lacks.
type use struct {
	file  *inspect.File
	name  string
	line  int
	quote string
	doubt string
	mend  inspect.Mend
	// instead has the replacements of those members of a removed module that the file uses, "" if none is known.
	instead string
}

// pythonUses has the uses of removed names in all files of a repository. back has the removed names that some file
// defines again. imported has the modules of the repository that some file imports; the value is true if every import
// of the module runs only in some versions of Python.
type pythonUses struct {
	uses     []use
	back     map[string]bool
	imported map[string]bool
	// shim is a file of the product that imports setuptools, "" if none does.
	shim string
}

var (
	// asks matches code that tests the version of Python. refuses matches code that ends the program in old
	// versions; such a test is ignored.
	asks    = inspect.Pattern(`version_info|hexversion|python_version|\bPY_?[23]\b|\bsix\b`)
	refuses = inspect.Pattern(`(?m)^if .*version_info.*<.*:\s*\n?\s*(?:print|sys\.exit|raise|exit|sys\.stderr).*$`)
	// asking matches conditions that may prevent a line from running in a version without the name.
	asking = inspect.Pattern(`(?i)version|py_?[23]|python|hasattr|\bsix\b|TYPE_CHECKING|compat|implementation|` +
		`\bin (?:dir|globals|locals|vars)\(|\bin sys\.modules`)
	// apart matches exception handlers that cannot catch the error of a removed name; missing matches handlers that
	// can.
	apart = inspect.Pattern(`^(?:\W|OSError|IOError|EnvironmentError|KeyError|ValueError|IndexError|KeyboardInterrupt|` +
		`SystemExit|StopIteration|Unicode\w*Error|(?:subprocess\.)?CalledProcessError|(?:socket|os)\.error|as\s+\w+|` +
		`FileNotFoundError|PermissionError|RuntimeError|EOFError)*$`)
	missing = inspect.Pattern(`Import|ModuleNotFound|Attribute|NameError|TypeError`)
	// replaced matches code that defines a removed module or member again. called matches code that calls a method that
	// Python 3 no longer calls. older matches code that is a syntax error in Python 3.
	replaced = inspect.Pattern(`sys\.modules\[['"]([\w.]+)['"]\]\s*=|setattr\(\w+,\s*['"](\w+)`)
	called   = inspect.Pattern(`\.(__(?:cmp|nonzero|div|getslice)__)\(`)
	older    = inspect.Pattern(`(?m)^[ \t]*(?:except[ \t]+[\w.]+[ \t]*,[ \t]*\w+[ \t]*:|raise[ \t]+[\w.]+[ \t]*,)|` +
		`\bur['"]`)
)

// copes reports whether the code around a node handles the absence of a removed name: by a condition, or by an
// exception handler. If a handler catches all errors, yes is false and doubt says so.
func copes(n syntax.Node) (yes bool, doubt string) {
	imports := strings.HasPrefix(n.Kind(), "import_")
	for p := n.Parent(); p.OK(); p = p.Parent() {
		asked := ""
		switch p.Kind() {
		case "try_statement":
			for _, c := range p.Parts() {
				if c.Kind() != "except_clause" {
					continue
				}
				head, _, _ := strings.Cut(strings.TrimPrefix(c.Text(), "except"), ":")
				switch {
				case strings.TrimSpace(head) != "" && apart.MatchString(head):
				case imports || missing.MatchString(head):
					return true, ""
				case n.Within(p.Child("body")) || n.Kind() == "identifier" && n.Within(c):
					doubt = "a handler around it catches all errors"
				}
			}
		case "if_statement", "elif_clause", "while_statement":
			asked = p.Child("condition").Text()
		case "conditional_expression", "boolean_operator":
			asked = p.Text()
		case "decorated_definition":
			asked = p.First().Text()
		}
		if asked != "" && asking.MatchString(asked) {
			return true, ""
		}
	}
	return false, doubt
}

// setuptools matches an import of a module of setuptools, which provides its own distutils for Python 3.12.
var setuptools = inspect.Pattern(`(?m)^\s*(?:import|from)\s+(?:setuptools|pkg_resources)\b`)

// builds matches an import of those modules of distutils that only the build of a package uses.
var builds = inspect.Pattern(`(?m)^\s*(?:import|from)\s+distutils(?:\.|\s+import\s+)` +
	`(?:cmd|command|core|dist|extension|ccompiler)\b`)

// mark records what a file says about removed names in other files.
func (r *pythonUses) mark(t *inspect.Tree) {
	for _, m := range replaced.FindAllSubmatch(t.Text, -1) {
		r.back[string(m[1])+string(m[2])] = true
	}
	for _, m := range called.FindAllSubmatch(t.Text, -1) {
		r.back[string(m[1])] = true
	}
	if r.shim == "" && t.File.Base() != "setup.py" && setuptools.Match(t.Text) {
		r.shim = t.File.Path
	}
}

// pythonFile has the uses of removed names in one file.
type pythonFile struct {
	t       *inspect.Tree
	asked   bool // the file tests the version of Python and goes on in an old one
	uses    []use
	members map[string][]string // the replacements of members that the file uses, by the removed module
}

// asksVersion reports whether code tests the version of Python and goes on in an old one.
func asksVersion(code []byte) bool {
	return asks.MatchString(refuses.ReplaceAllString(string(code), ""))
}

// note records that a node uses a name, if the name is a removed one.
func (f *pythonFile) note(n syntax.Node, name string) {
	fact, ok := pythonRemovals()[name]
	if !ok {
		return
	}
	line := n.Line()
	yes, doubt := copes(n)
	if yes || f.t.Accepted(line) || n.Unreachable() {
		return
	}
	if modules := removedModules(name, fact.minor); n.Kind() == "attribute" && len(modules) > 0 {
		for _, module := range modules {
			f.members[module] = append(f.members[module], fmt.Sprintf("%s for %s", fact.instead, lastOf(name)))
		}
		return
	}
	in := n.Around("function_definition").Child("name").Text()
	if stead[in] != "" && in != "next" && n.Kind() != "function_definition" {
		return // Python 3 does not call that method
	}
	u := use{file: f.t.File, name: name, line: line, quote: f.t.Quote(line), doubt: doubt}
	last := lastOf(name)
	if strings.HasPrefix(name, "class.") && fact.renamed {
		u.mend = inspect.Mend{Old: "def " + last + "(", New: "def " + fact.instead + "("}
	}
	if n.Kind() == "attribute" {
		u.line = n.Child("attribute").Line()
		u.quote = f.t.Quote(u.line)
		if fact.renamed {
			u.mend = inspect.Mend{Old: "." + last, New: "." + fact.instead}
		}
	}
	switch {
	case strings.HasPrefix(name, "distutils") && builds.Match(f.t.Text):
		u.doubt = "the file is part of the build, which usually has setuptools"
	case f.asked && (n.Parent().Kind() != "module" || asksVersion(f.t.Text[:n.Start()])):
		u.doubt = "the file tests the version of Python"
	case inspect.HasAny(f.t.Text, "'"+last+"'", `"`+last+`"`) && n.Kind() == "attribute":
		u.doubt = "the file tests for the name in another place"
	}
	f.uses = append(f.uses, u)
}

// find collects the uses of removed names in one file, and returns them.
func (r *pythonUses) find(repo *inspect.Repo, t *inspect.Tree) []use {
	r.mark(t)
	if older.Match(t.Text) {
		return nil
	}
	d := dottedNames(t)
	in := &pythonFile{t: t, asked: asksVersion(t.Text), members: map[string][]string{}}
	note := in.note
	for n := range t.Root().All() {
		switch n.Kind() {
		case "print_statement", "exec_statement":
			return nil // the file is written for Python 2
		case "import_statement", "import_from_statement":
			note(n, removedImport(n))
			r.imports(repo, t.File, n)
		case "attribute":
			of := d.of(n, 0)
			if n.Field() == "left" && n.Parent().Kind() == "assignment" {
				r.back[of] = true
			} else if of != "" {
				note(n, of)
			}
		case "identifier":
			name := n.Text()
			_, imported := d.imports[name]
			if k := n.Parent().Kind(); !imported && !d.bound[name] && !d.stars && n.Field() != "name" && k != "dotted_name" &&
				!pythonNames.skip(n) {
				note(n, "builtins."+name)
			}
		case "subscript":
			if of := d.of(n.Child("value"), 0); of != "" {
				note(n, of+"[]")
			}
		case "class_definition":
			for name, c := range ignored(n) {
				note(c, "class."+name)
			}
		case "call":
			for _, name := range removedParameters(d, n) {
				note(n, name)
			}
		}
	}
	for i := range in.uses {
		all := in.members[in.uses[i].name]
		slices.Sort(all)
		in.uses[i].instead = strings.Join(slices.Compact(all), ", ")
	}
	r.uses = append(r.uses, in.uses...)
	return in.uses
}

// removedModules returns the module of a name and the packages around it, if the same version or an earlier one has
// removed them too. Their import is reported then.
func removedModules(name string, minor int) (out []string) {
	for i, c := range name {
		if of, ok := pythonRemovals()[name[:i]]; c == '.' && ok && of.module && of.minor <= minor {
			out = append(out, name[:i])
		}
	}
	return out
}

// imports records the modules of the repository that a statement imports.
func (r *pythonUses) imports(repo *inspect.Repo, f *inspect.File, n syntax.Node) {
	in := n.Around("if_statement", "except_clause")
	yes := in.Kind() == "except_clause" || asking.MatchString(in.Child("condition").Text())
	for _, im := range imports.At(n) {
		for _, from := range append(im.From, "") {
			module := strings.Trim(im.Module+"."+from, ".")
			if p := imports.Python(repo, f.Path, im.Dots, module); p != "" {
				all, known := r.imported[p]
				r.imported[p] = yes && (all || !known)
			}
		}
	}
}

// rest matches classes that may get the method that Python 3 calls (see stead) in another way than by its definition.
var rest = inspect.Pattern(`(?m)^\s*(?:__(?:next|bool|eq|lt|truediv|getitem)__\s*=)`)

// itself matches a method that returns self. An object is an iterator only if its __iter__ does this.
var itself = inspect.Pattern(`\breturn\s+self\s*(?:#.*)?(?:\n|$)`)

// stead maps methods that Python 3 no longer calls to the methods that it calls instead.
var stead = map[string]string{"__cmp__": "__eq__ __lt__ __hash__", "__nonzero__": "__bool__ __len__",
	"__div__": "__truediv__ __floordiv__", "__getslice__": "__getitem__", "next": "__next__"}

// ignored returns the methods of a class that Python 3 never calls, with their definitions. It omits a method if
// the class also has one of the methods that Python 3 calls instead, and all methods of a class with a decorator, which
// may add such methods.
func ignored(class syntax.Node) map[string]syntax.Node {
	own := map[string]syntax.Node{}
	for _, c := range class.Child("body").Parts() {
		switch name := c.Child("name"); c.Kind() {
		case "decorated_definition":
			own[c.Child("definition").Child("name").Text()] = c
		case "expression_statement":
			own[c.First().Child("left").Text()] = c
		default:
			own[name.Text()] = c
		}
	}
	out := map[string]syntax.Node{}
	plain := class.Parent().Kind() != "decorated_definition" && !rest.MatchString(class.Text())
	for name, others := range stead {
		c, has := own[name]
		for other := range strings.FieldsSeq(others) {
			has = has && !own[other].OK()
		}
		if has && plain && (name != "next" || itself.MatchString(own["__iter__"].Text())) &&
			c.Kind() == "function_definition" {
			out[name] = c
		}
	}
	return out
}

// removedImport returns the removed module or member that an import statement imports, or "".
func removedImport(n syntax.Node) string {
	module := n.Child("module_name").Text()
	if strings.HasPrefix(module, ".") {
		return ""
	}
	for c := range n.Children() {
		if c.Field() != "name" {
			continue
		}
		name := c
		if c.Kind() == "aliased_import" {
			name = c.Child("name")
		}
		full := strings.TrimPrefix(module+"."+name.Text(), ".")
		for ; full != ""; full = full[:max(0, strings.LastIndexByte(full, '.'))] {
			if _, ok := pythonRemovals()[full]; ok {
				return full
			}
		}
	}
	return ""
}

// removedParameters returns the removed parameters that a call uses, as removedTable writes them.
func removedParameters(d *dotted, call syntax.Node) (out []string) {
	args := call.Args()
	of := d.of(call.Child("function"), 0)
	if of == "" || !parameters()[of] || call.Child("arguments").Kind() != "argument_list" {
		return nil
	}
	digest, splat := len(args) >= 3, false
	for i, a := range args {
		name, v := "", a
		switch a.Kind() {
		case "keyword_argument":
			name, v = a.Child("name").Text(), a.Child("value")
			out = append(out, of+"("+name+"=)")
		case "list_splat", "dictionary_splat":
			splat = true
		}
		text, fixed := v.Value()
		if of == "builtins.open" && fixed && (i == 1 && name == "" || name == "mode") && strings.Contains(text, "U") {
			out = append(out, "builtins.open(U)")
		}
		digest = digest || name == "digestmod"
		if of == "random.sample" && i == 0 && d.of(v, 0) == "builtins.set()" {
			out = append(out, "random.sample(set)")
		}
	}
	if of == "builtins.sorted" && len(args) > 1 && args[1].Kind() != "keyword_argument" && !splat {
		out = append(out, "builtins.sorted(cmp=)")
	}
	if of == "hmac.new" && !digest && !splat {
		out = append(out, "hmac.new()")
	}
	return out
}

// tell reports the uses that fail in a supported version of Python. given has the names that some file adds to the
// builtins.
func (r *pythonUses) tell(repo *inspect.Repo, given map[string]bool, tell func(inspect.Finding)) {
	if len(r.uses) == 0 {
		return
	}
	promised := promises(repo)
	uses, runs := r.failing(repo, promised, given)
	families := familiesOf(uses)
	for i, u := range uses {
		fact := pythonRemovals()[u.name]
		shown, instead, key := fact.shownAs(u.name), cmp.Or(u.instead, fact.instead, "something else"), u.name
		top, _, _ := strings.Cut(u.name, ".")
		if family := familyOf(u.name, fact.minor); len(families[family]) > 1 {
			shown, instead = several(families[family])
			key = family
		}
		version := "Python 3"
		if fact.minor > 0 {
			version = fmt.Sprintf("Python 3.%d", fact.minor)
		}
		out := inspect.Finding{
			Severity: inspect.Medium, Path: u.file.Path, Line: u.line, Evidence: u.quote, Same: u.name, Mend: u.mend,
			Title: inspect.Clip(version+" has no "+shown, 100),
			Why: fmt.Sprintf("%s removed it: the line fails in that version and in every later one, and no code "+
				"around it handles this. The project supports that version: %s.", version, runs[i]),
			Advice: fmt.Sprintf("Use %s.", instead),
			Cause:  inspect.Cause{Key: "removed " + key, Text: "the removed " + shown},
		}
		if fact.minor <= 10 {
			out.Severity = inspect.High
		}
		if top == "class" {
			out.Severity = inspect.Medium
			out.Why = fmt.Sprintf("Python no longer calls this method, so the method has no effect, and no error "+
				"reports this. The project supports such a version: %s.", runs[i])
			if u.name == "class.__cmp__" {
				u.doubt = cmp.Or(u.doubt, "it matters only if the program compares or sorts objects of the class")
			}
		}
		if top == "distutils" {
			out.Confidence = inspect.Likely
			out.Why += " Where setuptools is installed, it provides a distutils of its own, but no manifest asks for it."
			if r.shim != "" {
				u.doubt = cmp.Or(u.doubt, r.shim+" imports setuptools, which provides its own distutils")
			}
		}
		if r.imported[u.file.Path] {
			u.doubt = "other files import the module only in some versions of Python"
		}
		out.Suspect(u.doubt)
		tell(out)
	}
}

// failing returns the uses that fail in a supported version of Python, and for each the fact that says so.
func (r *pythonUses) failing(repo *inspect.Repo, promised *promise, given map[string]bool) (out []use, why []string) {
	for _, u := range r.uses {
		fact := pythonRemovals()[u.name]
		text, _ := repo.Text(u.file.Path)
		runs := promised.runs(u.file, text, fact.minor)
		top, _, _ := strings.Cut(u.name, ".")
		if runs == "" || promised.own(top) || r.back[u.name] || r.back[lastOf(u.name)] || given[fact.shownAs(u.name)] ||
			u.file.Base() == "setup.py" && top == "distutils" {
			continue
		}
		out, why = append(out, u), append(why, runs)
	}
	return out, why
}

// familyOf returns the same text for the names that a version removed from one module, because one change replaces
// them all; "" for other names.
func familyOf(name string, minor int) string {
	of, member, ok := strings.Cut(name, ".")
	if !ok || strings.ContainsAny(member, ".([") || of == "builtins" || of == "class" || pythonRemovals()[name].module {
		return ""
	}
	return fmt.Sprintf("%s 3.%d", of, minor)
}

// familiesOf returns the names of some uses by family, sorted, each name once.
func familiesOf(uses []use) map[string][]string {
	out := map[string][]string{}
	for _, u := range uses {
		if family := familyOf(u.name, pythonRemovals()[u.name].minor); family != "" {
			out[family] = append(out[family], u.name)
		}
	}
	for family, names := range out {
		slices.Sort(names)
		out[family] = slices.Compact(names)
	}
	return out
}

// several returns what a finding says of at least two names of one family: their list and their replacements.
func several(names []string) (shown, instead string) {
	var uses []string
	for _, name := range names {
		uses = append(uses, pythonRemovals()[name].instead+" for "+lastOf(name))
	}
	of, _, _ := strings.Cut(names[0], ".")
	shown = names[0] + " and " + names[1]
	if left := len(names) - 2; left > 0 {
		shown = fmt.Sprintf("%s, %s and %d more of %s", names[0], names[1], left, of)
	}
	return shown, strings.Join(uses, ", ")
}
