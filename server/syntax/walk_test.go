package syntax_test

import (
	"slices"
	"strings"
	"testing"

	"agentdungeon/server/syntax"
)

// TestCode asserts that Code keeps the code at its place and blanks comments and the content of strings.
func TestCode(t *testing.T) {
	for _, c := range []struct {
		l          syntax.Language
		text, want string
	}{
		{syntax.JavaScript, "a('x') // b\n`c${d}e` /* f\ng */ + /h'/.i", "a(' ')     \n` ${d} `     \n     + /  /.i"},
		{syntax.TSX, "x = <A b='c'>it's {d} // e</A>", "x = <A b=' '>     {d}     </A>"},
		{syntax.Python, "# a\nf'b{c}' + '''d\ne'''", "   \nf' {c}' + ''' \n '''"},
	} {
		if got := string(parse(t, c.l, c.text).Code()); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// TestCalls asserts that a call tells its function, its arguments and its keywords, and a string literal its value.
func TestCalls(t *testing.T) {
	for _, c := range []struct {
		l            syntax.Language
		text, callee string
		args         []string
	}{
		{syntax.TypeScript, "a\n .b(c, [d, e], /* f */ (g) => h(g), 'i')", "a.b", []string{"c", "[d, e]", "(g) => h(g)", "'i'"}},
		{syntax.Python, "a.b(c, d=e, *f)", "a.b", []string{"c", "d=e", "*f"}},
		{syntax.Python, "a()", "a", nil},
	} {
		tree := parse(t, c.l, c.text)
		var call syntax.Node
		for n := range tree.Root().All() {
			if n.IsCall() && !call.OK() {
				call = n
			}
		}
		var args []string
		for _, a := range call.Args() {
			args = append(args, a.Text())
		}
		if call.Callee() != c.callee || !slices.Equal(args, c.args) {
			t.Errorf("%q calls %q with %q", c.text, call.Callee(), args)
		}
		if d := call.Keyword("d").Text(); (d == "e") != strings.Contains(c.text, "d=e") {
			t.Errorf("%q has the keyword d = %q", c.text, d)
		}
		for n := range tree.Root().All() {
			if v, ok := n.Value(); ok != (n.Text() == "'i'") || ok && v != "i" {
				t.Errorf("%q has the value %q, %v", n.Text(), v, ok)
			}
		}
	}
}

// TestEntry asserts that an object's own entries are found by their key, and nothing else is.
func TestEntry(t *testing.T) {
	tree := parse(t, syntax.TypeScript, "f({ a: 1, b: { c: 2 }, d, ...e })")
	for key, want := range map[string]string{"a": "1", "b": "{ c: 2 }", "c": "", "d": "", "e": ""} {
		for n := range tree.Root().All() {
			if n.IsCall() {
				if got := n.Args()[0].Entry(key).Text(); got != want {
					t.Errorf("%s has the value %q, want %q", key, got, want)
				}
			}
		}
	}
}
