package mistakes

import (
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/imports"
	"agentdungeon/server/syntax"
)

// builtins has the names of a file that always mean a module of Node.js or a member of such a module: fs means
// "fs", isDate means "util.isDate".
type builtins struct {
	of    map[string]string
	bound map[string]int // how often the file binds each name
}

// nodeNames returns the names by which a file imports modules of Node.js or their members.
func nodeNames(t *inspect.Tree) *builtins {
	b := &builtins{of: map[string]string{}, bound: map[string]int{}}
	given := map[string]int{}
	give := func(name, of string) {
		if of == "" || b.of[name] != "" && b.of[name] != of {
			given[name]-- // the file uses the name for different modules or members
			return
		}
		b.of[name] = of
		given[name]++
	}
	for n := range t.Root().All() {
		for _, field := range scriptNames.binds[n.Kind()] {
			at := n
			if field != "" {
				at = n.Child(field)
			}
			if k := at.Kind(); k != "member_expression" && k != "subscript_expression" {
				b.bind(at)
			}
		}
		switch n.Kind() {
		case "variable_declarator":
			from := required(n.Child("value"))
			switch name := n.Child("name"); {
			case from == "":
			case name.Kind() == "identifier":
				give(name.Text(), from)
			case name.Kind() == "object_pattern" && !strings.Contains(from, "."):
				for _, c := range name.Parts() {
					switch c.Kind() {
					case "shorthand_property_identifier_pattern":
						give(c.Text(), from+"."+c.Text())
					case "pair_pattern":
						give(c.Child("value").Text(), from+"."+c.Child("key").Text())
					}
				}
			}
		case "import_statement":
			b.imported(n, give)
		}
	}
	for name := range b.of {
		// Drop names that the file also binds to something else. If the file defines a function require itself, as
		// a bundle does, drop all names.
		if given[name] != b.bound[name] || b.bound["require"] > 0 {
			delete(b.of, name)
		}
	}
	return b
}

func (b *builtins) bind(n syntax.Node) {
	for c := range n.All() {
		switch c.Kind() {
		case "identifier", "shorthand_property_identifier_pattern":
			if n.Kind() != "import_clause" || c.Parent().Kind() == "import_clause" {
				b.bound[c.Text()]++
			}
		}
	}
}

func (b *builtins) imported(n syntax.Node, give func(name, of string)) {
	for _, im := range imports.At(n) {
		for i, name := range im.Names {
			of := strings.TrimPrefix(im.Module, "node:")
			if from := im.From[i]; from != "default" && from != "*" {
				of += "." + from
				if name != from {
					b.bound[from]--
				}
			}
			give(name, of)
		}
	}
}

// required returns the module that a call of require loads, or the member of it that the expression reads: "fs" or
// "fs.promises". It returns "" for other expressions.
func required(n syntax.Node) string {
	switch {
	case n.Kind() == "member_expression":
		if of := required(n.Child("object")); of != "" {
			return of + "." + n.Child("property").Text()
		}
	case n.IsCall() && n.Callee() == "require" && len(n.Args()) == 1:
		source, _ := n.Args()[0].Value()
		return strings.TrimPrefix(source, "node:")
	}
	return ""
}

// resolve returns the member of a module that an expression reads, such as "util.isDate", or "".
func (b *builtins) resolve(n syntax.Node) string {
	switch n.Kind() {
	case "identifier":
		if name := n.Text(); b.bound[name] == 0 && slices.Contains([]string{"process", "GLOBAL"}, name) {
			return name
		}
		return b.of[n.Text()]
	case "member_expression":
		if of := b.resolve(n.Child("object")); of != "" {
			return of + "." + n.Child("property").Text()
		}
	}
	if b.bound["require"] > 0 {
		return ""
	}
	return required(n)
}
