package mistakes

import (
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/imports"
	"agentdungeon/server/syntax"
)

// dotted resolves names in one Python file to dotted names of the standard library: t.isAlive to
// "threading.Thread().isAlive" if t is a thread. It follows the imports of the file and the values that are
// assigned to variables.
type dotted struct {
	imports map[string]string // the module or member that an imported name means, "" if imports differ
	bound   map[string]bool   // names that are bound by something other than an import
	// values has the values that are assigned to each variable. The first key is the offset of the function (-1:
	// outside of functions) or, for fields such as "self.x", of the class.
	values  map[int]map[string][]given
	classes map[string]syntax.Node
	stars   bool // the file imports all names of a module
	known   map[variable]string
	members map[int]map[string]bool // the names that each class of the file defines, by the offset of the class
}

// variable is a variable of a function, or a field of a class.
type variable struct {
	scope int
	name  string
}

// given is a node whose value is assigned to a variable. If each is set, the elements of the value are assigned one
// after the other. The zero node means an unknown value.
type given struct {
	node syntax.Node
	each bool
}

// results maps calls to the types of their results, as far as these are types of the standard library.
var results = map[string]string{
	"xml.etree.ElementTree.parse()":                      "xml.etree.ElementTree.ElementTree()",
	"xml.etree.ElementTree.fromstring()":                 "xml.etree.ElementTree.Element()",
	"xml.etree.ElementTree.XML()":                        "xml.etree.ElementTree.Element()",
	"xml.etree.ElementTree.SubElement()":                 "xml.etree.ElementTree.Element()",
	"xml.etree.ElementTree.ElementTree().getroot()":      "xml.etree.ElementTree.Element()",
	"xml.etree.ElementTree.Element().find()":             "xml.etree.ElementTree.Element()",
	"xml.etree.ElementTree.ElementTree().find()":         "xml.etree.ElementTree.Element()",
	"each xml.etree.ElementTree.Element()":               "xml.etree.ElementTree.Element()",
	"each xml.etree.ElementTree.Element().findall()":     "xml.etree.ElementTree.Element()",
	"each xml.etree.ElementTree.Element().iter()":        "xml.etree.ElementTree.Element()",
	"each xml.etree.ElementTree.ElementTree().findall()": "xml.etree.ElementTree.Element()",
	"each xml.etree.ElementTree.ElementTree().iter()":    "xml.etree.ElementTree.Element()",
	"each xml.etree.ElementTree.Element().getchildren()": "xml.etree.ElementTree.Element()",
	"builtins.dict().copy()":                             "builtins.dict()",
	"threading.Timer()":                                  "threading.Thread()",
	"configparser.SafeConfigParser()":                    "configparser.RawConfigParser()",
	"configparser.ConfigParser()":                        "configparser.RawConfigParser()",
}

// literals has the types of literals by the kinds of their nodes.
var literals = map[string]string{"string": "builtins.str()", "dictionary": "builtins.dict()", "list": "builtins.list()",
	"set": "builtins.set()", "dictionary_comprehension": "builtins.dict()", "list_comprehension": "builtins.list()"}

func dottedNames(t *inspect.Tree) *dotted {
	d := &dotted{imports: map[string]string{}, bound: map[string]bool{}, values: map[int]map[string][]given{},
		classes: map[string]syntax.Node{}, known: map[variable]string{}, members: map[int]map[string]bool{}}
	for n := range t.Root().All() {
		switch n.Kind() {
		case "wildcard_import":
			d.stars = true
		case "import_statement", "import_from_statement":
			d.imported(n)
		case "assignment":
			if left := n.Child("left"); n.Child("right").OK() {
				d.set(n, left, given{n.Child("right"), false})
			}
		case "for_statement", "for_in_clause":
			d.set(n, n.Child("left"), given{n.Child("right"), true})
		case "augmented_assignment":
			d.set(n, n.Child("left"), given{})
		case "named_expression":
			d.set(n, n.Child("name"), given{n.Child("value"), false})
		case "as_pattern":
			d.set(n, n.Child("alias").First(), given{n.First(), false})
		case "class_definition", "function_definition":
			name := n.Child("name").Text()
			if n.Kind() == "class_definition" && !d.bound[name] {
				d.classes[name] = n
			} else {
				delete(d.classes, name)
			}
			d.bound[name] = true
		case "parameters", "lambda_parameters", "case_pattern", "global_statement", "nonlocal_statement":
			for c := range n.All() {
				if c.Kind() == "identifier" {
					d.set(n, c, given{})
				}
			}
		}
	}
	return d
}

// imported records which module or member each name of an import means.
func (d *dotted) imported(n syntax.Node) {
	for _, im := range imports.At(n) {
		for i, name := range im.Names {
			of := strings.Repeat(".", im.Dots) + im.Module
			switch from := im.From[i]; {
			case from == "*":
				continue
			case from != "":
				of += "." + from
			case name == im.Module: // "import a.b" binds the name a
				name, _, _ = strings.Cut(name, ".")
				of = name
			}
			if had, ok := d.imports[name]; ok && had != of {
				of = ""
			}
			d.imports[name] = of
		}
	}
}

// set records that a statement assigns the value v to the target left.
func (d *dotted) set(n, left syntax.Node, v given) {
	scope := -1
	switch left.Kind() {
	case "identifier":
		if f := n.Around("function_definition", "lambda"); f.OK() {
			scope = f.Start()
		}
		if n.Kind() == "parameters" || n.Kind() == "lambda_parameters" {
			scope = n.Parent().Start()
		}
		d.bound[left.Text()] = true
	case "attribute":
		class := n.Around("class_definition")
		if left.Child("object").Text() != "self" || !class.OK() {
			return
		}
		scope = class.Start()
	case "subscript", "":
		return
	default: // a pattern such as "a, b"
		for _, c := range left.Parts() {
			d.set(n, c, given{})
		}
		return
	}
	if d.values[scope] == nil {
		d.values[scope] = map[string][]given{}
	}
	d.values[scope][left.Text()] = append(d.values[scope][left.Text()], v)
}

// maxDotted is the maximum number of assignments, imports and base classes that are followed from a name.
const maxDotted = 8

// of returns the dotted name of an expression, or "" if the name is unknown. The name of a call's result ends with
// "()".
func (d *dotted) of(n syntax.Node, steps int) string {
	if steps > maxDotted {
		return ""
	}
	switch k := n.Kind(); k {
	case "identifier":
		return d.name(n, steps)
	case "attribute":
		field := n.Child("attribute").Text()
		if n.Child("object").Text() == "self" {
			class := n.Around("class_definition")
			if len(d.values[start(class)][n.Text()]) > 0 {
				return d.same(variable{start(class), n.Text()}, steps)
			}
			return d.member(class, field, steps)
		}
		of := d.of(n.Child("object"), steps+1)
		if class, ok := d.classes[strings.TrimSuffix(of, "()")]; ok && strings.HasSuffix(of, "()") {
			return d.member(class, field, steps)
		}
		if of != "" {
			return of + "." + field
		}
	case "call":
		if of := d.of(n.Child("function"), steps+1); of != "" {
			if to := results[of+"()"]; to != "" {
				return to
			}
			return of + "()"
		}
	case "parenthesized_expression":
		return d.of(n.First(), steps+1)
	case "string":
		if strings.ContainsAny(n.Text()[:2], "bBfF") {
			return ""
		}
		return literals[k]
	default:
		return literals[k]
	}
	return ""
}

// name returns the dotted name that a name means: an import, a variable's value, a class of the file or a builtin.
func (d *dotted) name(n syntax.Node, steps int) string {
	name := n.Text()
	if of, ok := d.imports[name]; ok {
		if d.bound[name] {
			return ""
		}
		return of
	}
	for p := n; p.OK(); {
		p = p.Around("function_definition", "lambda")
		scope := -1
		if p.OK() {
			scope = p.Start()
		}
		if len(d.values[scope][name]) > 0 {
			return d.same(variable{scope, name}, steps)
		}
	}
	switch {
	case d.classes[name].OK():
		return name
	case d.bound[name] || d.stars:
		return ""
	}
	return "builtins." + name
}

// same returns the dotted name of a variable's values. All of them must have the same name; None is ignored.
func (d *dotted) same(of variable, steps int) (name string) {
	if known, ok := d.known[of]; ok {
		return known
	}
	d.known[of] = "" // ends the recursion if the variable's value is computed from the variable
	for _, v := range d.values[of.scope][of.name] {
		if v.node.Kind() == "none" {
			continue
		}
		to := ""
		if v.node.OK() {
			to = d.of(v.node, steps+1)
		}
		if v.each {
			to = results["each "+to]
		}
		if to == "" || name != "" && name != to {
			return ""
		}
		name = to
	}
	d.known[of] = name
	return name
}

// member returns the dotted name of a field of an object whose class the file defines, if the field is inherited
// from a class of the standard library.
func (d *dotted) member(class syntax.Node, field string, steps int) string {
	if !class.OK() || steps > maxDotted {
		return ""
	}
	own := d.members[class.Start()]
	if own == nil {
		own = map[string]bool{}
		d.members[class.Start()] = own
		for n := range class.Child("body").All() {
			if k := n.Kind(); k == "function_definition" || k == "class_definition" {
				own[n.Child("name").Text()] = true
			} else if k == "assignment" {
				own[n.Child("left").Text()] = true
			}
		}
	}
	if own[field] || own["__getattr__"] {
		return ""
	}
	bases := class.Child("superclasses").Parts()
	if len(bases) != 1 {
		return ""
	}
	of := d.of(bases[0], steps+1)
	if base, ok := d.classes[of]; ok {
		return d.member(base, field, steps+1)
	}
	if of == "" {
		return ""
	}
	if to := results[of+"()"]; to != "" {
		return to + "." + field
	}
	return of + "()." + field
}

// start returns the offset of a node, or -2 if there is no node.
func start(n syntax.Node) int {
	if !n.OK() {
		return -2
	}
	return n.Start()
}
