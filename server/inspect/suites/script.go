package suites

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/imports"
	"agentdungeon/server/syntax"
)

var (
	scriptName = inspect.Pattern(`^[xf]?(?:it|test|specify|describe|context|suite)$`)
	groupName  = inspect.Pattern(`^[xf]?(?:describe|context|suite)$`)
	scriptMods = inspect.Pattern(`^(?:\.(?:only|skip|todo|each|concurrent|sequential|failing|fails|serial|parallel|` +
		`skipIf|runIf|for))*$`)
)

func (f *testFile) readScript() {
	for n := range f.Root().All() {
		switch n.Kind() {
		case "call_expression":
			f.readCall(n)
		case "function_declaration", "class_declaration":
			f.declared[n.Child("name").Text()] = true
		case "variable_declarator":
			if n.Child("value").Callee() != "require" || helps(n.Child("value").Args()) {
				for c := range n.Child("name").All() {
					f.declared[c.Text()] = true
				}
			}
		}
	}
	for _, im := range imports.Of(f.Tree) {
		for _, name := range im.Names {
			f.declared[name] = f.declared[name] || ofTests.MatchString(im.Module)
		}
	}
}

// helps reports whether the first argument of require names a file that helps tests.
func helps(args []syntax.Node) bool { return len(args) == 0 || ofTests.MatchString(args[0].Text()) }

func (f *testFile) readCall(n syntax.Node) {
	name, mods := calledScript(n.Child("function"))
	args := n.Args()
	if !scriptName.MatchString(name) || !scriptMods.MatchString(mods) || len(args) == 0 ||
		!strings.HasSuffix(args[0].Kind(), "string") {
		return
	}
	title := strings.Join(strings.Fields(strings.Trim(args[0].Text(), "\"'`")), " ")
	t := test{node: n, name: name, mods: mods, title: inspect.Clip(title, 60), group: groupName.MatchString(name)}
	i := slices.IndexFunc(args, func(a syntax.Node) bool {
		return strings.Contains(a.Kind(), "function")
	})
	if i > 0 {
		if b := args[i].Child("body"); b.Kind() == "statement_block" {
			t.body = b
		}
		for _, p := range append(args[i].Child("parameters").Parts(), args[i].Child("parameter")) {
			if p.OK() {
				t.params = append(t.params, p.Text())
			}
		}
	}
	f.tests = append(f.tests, t)
}

// calledScript returns the name and the modifiers of a called function: "it" and ".only.each" for it.only.each(x).
func calledScript(n syntax.Node) (name, mods string) {
	switch n.Kind() {
	case "identifier":
		return n.Text(), ""
	case "member_expression":
		name, mods = calledScript(n.Child("object"))
		return name, mods + "." + n.Child("property").Text()
	case "call_expression":
		if name, mods = calledScript(n.Child("function")); strings.HasSuffix(mods, ".each") ||
			strings.HasSuffix(mods, ".for") || strings.HasSuffix(mods, "If") {
			return name, mods
		}
	}
	return "", ""
}

func (t *test) skips() bool {
	return strings.HasPrefix(t.name, "x") || strings.Contains(t.mods, ".skip") && !strings.Contains(t.mods, "skipIf")
}

func (t *test) focuses() bool {
	return strings.HasPrefix(t.name, "f") || strings.Contains(t.mods, ".only")
}

// focus is the first focused test of a file. others is the number of tests that it keeps from running.
type focus struct {
	line, others   int
	name, evidence string
}

// focused returns the first focused test, or nil, and the number of tests without a focus of their own.
func (f *testFile) focused() (first *focus, tests int) {
	groups := map[syntax.Node]bool{}
	others, whole := 0, false
	for i := range f.tests {
		t := &f.tests[i]
		switch {
		case t.node.Unreachable():
		case t.focuses():
			groups[t.node] = t.group
			if first == nil {
				first, whole = &focus{line: t.line(), name: cmp.Or(t.title, t.name), evidence: f.Quote(t.line())}, t.body.OK()
			}
		case !t.group:
			tests++
			if !slices.ContainsFunc(slices.Collect(above(t.node)), func(n syntax.Node) bool { return groups[n] }) {
				others++
			}
		}
	}
	if first == nil || others == 0 && !whole {
		return nil, tests
	}
	first.others = others
	return first, tests
}

// above yields the nodes around a node.
func above(n syntax.Node) iter.Seq[syntax.Node] {
	return func(yield func(syntax.Node) bool) {
		for p := n.Parent(); p.OK() && yield(p); p = p.Parent() {
		}
	}
}
