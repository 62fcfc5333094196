package mistakes

import (
	"context"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

// classHead matches the head of a class in Python. Its groups are the name of the class and its bases.
var classHead = inspect.Pattern(`(?m)^[ \t]*class[ \t]+(\w+)[ \t]*\(([^()]*)\)`)

// basesOf returns the last parts of the names of the bases of each class in the Python files of a repository.
func basesOf(ctx context.Context, repo *inspect.Repo) map[string][]string {
	type key struct{}
	return inspect.Memo(repo, key{}, func() map[string][]string {
		out := map[string][]string{}
		for _, data := range repo.All(ctx, "Python") {
			for _, m := range classHead.FindAllSubmatch(data, -1) {
				for base := range strings.SplitSeq(string(m[2]), ",") {
					out[string(m[1])] = append(out[string(m[1])], lastOf(strings.TrimSpace(base)))
				}
			}
		}
		return out
	})
}

// compares reports whether some code, tests aside, compares or sorts objects of a class or of its subclasses. It sees
// only objects that the same file creates, and self in the methods of these classes.
func compares(ctx context.Context, repo *inspect.Repo, class string) bool {
	kin := []string{class}
	for again := true; again; {
		again = false
		for sub, bases := range basesOf(ctx, repo) {
			known := func(name string) bool { return slices.Contains(kin, name) }
			if !known(sub) && slices.ContainsFunc(bases, known) {
				kin, again = append(kin, sub), true
			}
		}
	}
	named := func(f *inspect.File, data []byte) bool { return !f.Test && inspect.HasAny(data, kin...) }
	for t := range repo.Trees(ctx, named, "Python") {
		c := &compared{kin: kin, held: map[string]bool{}}
		for n := range t.Root().All() {
			c.hold(n)
		}
		for n := range t.Root().All() {
			if c.in(n) {
				return true
			}
		}
	}
	return false
}

// compared looks in one file for comparisons of the objects of some classes.
type compared struct {
	kin  []string
	held map[string]bool // the texts of the expressions that are such objects, or lists of them
}

// is reports whether an expression is an object of the classes, or a list of such objects.
func (c *compared) is(n syntax.Node) bool {
	switch n.Kind() {
	case "call":
		callee := lastOf(n.Callee())
		return slices.Contains(c.kin, callee) ||
			(callee == "sorted" || callee == "list") && slices.ContainsFunc(n.Args(), c.is)
	case "list", "set", "tuple":
		return slices.ContainsFunc(n.Parts(), c.is)
	case "list_comprehension", "set_comprehension", "generator_expression":
		return c.is(n.Child("body"))
	case "identifier":
		if n.Text() == "self" && slices.Contains(c.kin, n.Around("class_definition").Child("name").Text()) {
			return true
		}
	}
	return c.held[n.Text()]
}

// hold records the expressions to which a node gives such objects.
func (c *compared) hold(n syntax.Node) {
	switch n.Kind() {
	case "assignment", "for_statement", "for_in_clause":
		if c.is(n.Child("right")) {
			c.held[n.Child("left").Text()] = true
		}
	case "call":
		f := n.Child("function")
		m := f.Child("attribute").Text()
		if (m == "append" || m == "add" || m == "insert") && slices.ContainsFunc(n.Args(), c.is) {
			c.held[f.Child("object").Text()] = true
		}
	}
}

// in reports whether a node compares or sorts such objects, other than by a key or by identity.
func (c *compared) in(n syntax.Node) bool {
	switch n.Kind() {
	case "comparison_operator":
		return !n.Has("is") && !n.Has("is not") && !n.Has("None") && slices.ContainsFunc(n.Parts(), c.is)
	case "call":
		f, args := n.Child("function"), n.Args()
		if slices.ContainsFunc(args, func(a syntax.Node) bool { return a.Child("name").Text() == "key" }) {
			return false
		}
		switch {
		case f.Kind() == "attribute":
			m := f.Child("attribute").Text()
			return (m == "sort" || m == "index" || m == "remove" || m == "count") &&
				(c.is(f.Child("object")) || slices.ContainsFunc(args, c.is))
		case f.Text() == "sorted" || f.Text() == "min" || f.Text() == "max" || f.Text() == "cmp":
			return slices.ContainsFunc(args, c.is)
		}
	}
	return false
}
