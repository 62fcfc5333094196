package syntax_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"agentdungeon/server/syntax"
)

func parse(t *testing.T, l syntax.Language, text string) *syntax.Tree {
	t.Helper()
	tree, err := syntax.Parse(context.Background(), l, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// outline writes the named nodes of a tree with their fields, as tree-sitter's own tools do.
func outline(n syntax.Node) string {
	var b strings.Builder
	b.WriteString("(" + n.Kind())
	for c := range n.Children() {
		if !c.Named() {
			continue
		}
		b.WriteByte(' ')
		if f := c.Field(); f != "" {
			b.WriteString(f + ": ")
		}
		b.WriteString(outline(c))
	}
	return b.String() + ")"
}

// Each language has its own grammar, and nodes have fields.
func TestLanguages(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
	}{
		{"JavaScript", "f(`a${b}`)", "(program (expression_statement (call_expression function: (identifier) " +
			"arguments: (arguments (template_string (string_fragment) (template_substitution (identifier)))))))"},
		{"JSX", "x = <A b={c}/>", "(program (expression_statement (assignment_expression left: (identifier) " +
			"right: (jsx_self_closing_element name: (identifier) attribute: (jsx_attribute (property_identifier) " +
			"(jsx_expression (identifier)))))))"},
		{"TypeScript", "let a = <T>b", "(program (lexical_declaration (variable_declarator name: (identifier) " +
			"value: (type_assertion (type_arguments (type_identifier)) (identifier)))))"},
		{"TSX", "let a: T = <b/>", "(program (lexical_declaration (variable_declarator name: (identifier) " +
			"type: (type_annotation (type_identifier)) value: (jsx_self_closing_element name: (identifier)))))"},
		{"Python", "def f(a):\n  return f'{a}'\n", "(module (function_definition name: (identifier) " +
			"parameters: (parameters (identifier)) body: (block (return_statement (string (string_start) " +
			"(interpolation expression: (identifier)) (string_end))))))"},
	} {
		l, ok := syntax.LanguageOf(c.name)
		if !ok {
			t.Fatalf("%s is not known", c.name)
		}
		if got := outline(parse(t, l, c.text).Root()); got != c.want {
			t.Errorf("%s: %s\nis\n%s, want\n%s", c.name, c.text, got, c.want)
		}
	}
	if _, ok := syntax.LanguageOf("Go"); ok {
		t.Error("Go has two parsers")
	}
}

// A node has its place in the text and its parent, and a node for its operator.
func TestNodes(t *testing.T) {
	tree := parse(t, syntax.Python, "# ä\nif a:\n    b = c + 'd'\n")
	var sum syntax.Node
	for n := range tree.Root().All() {
		if n.Kind() == "binary_operator" {
			sum = n
		}
	}
	if sum.Text() != "c + 'd'" || sum.Line() != 3 || sum.LastLine() != 3 || sum.Child("operator").Kind() != "+" {
		t.Errorf("%q in the lines %d to %d, operator %q", sum.Text(), sum.Line(), sum.LastLine(), sum.Child("operator").Kind())
	}
	if p := sum.Parent(); p.Kind() != "assignment" || !sum.Within(p) || p.Within(sum) || p.Child("left").Text() != "b" {
		t.Errorf("the parent is %s %q", p.Kind(), p.Text())
	}
	if n := sum.Child("no such field"); n.OK() || n.Kind() != "" || n.Text() != "" || n.Parent().OK() {
		t.Error("a node that does not exist has a content")
	}
	if tree.Root().Parent().OK() || tree.Cut {
		t.Error("the root has a parent, or the tree is cut")
	}
}

// Broken text has a tree too: it has the parts that are correct, and Broken returns the others.
func TestBrokenText(t *testing.T) {
	tree := parse(t, syntax.TypeScript, "const a = 1;\nconst b = ;\nfunction f( {\n")
	broken := 0
	for range tree.Broken() {
		broken++
	}
	correct := false
	for n := range tree.Root().All() {
		correct = correct || n.Kind() == "variable_declarator" && n.Text() == "a = 1"
	}
	if broken == 0 || !correct {
		t.Errorf("%d broken nodes; the correct declaration is there: %t", broken, correct)
	}
	for range parse(t, syntax.TypeScript, "const a = 1;\n").Broken() {
		t.Error("correct text is broken")
	}
}

// Parse ends at its limits for hostile texts too, and parses the next text as ever.
func TestHostileTexts(t *testing.T) {
	const size = 64 << 10
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	for name, text := range map[string]string{
		"parentheses": fill("("), "brackets": fill("["), "braces": fill("{"), "strings": fill(`"`), "templates": fill("`${"),
		"one line": fill("a+"), "one name": fill("a"), "tags": fill("<a>"), "arrows": fill("a=>"), "zeros": fill("\x00"),
		"generics": fill("a<"), "indents": fill(" \n"), "ternaries": fill("a?b:"), "no UTF-8": fill("\xff\xfe"),
		"a literal": `x = "` + strings.Repeat("a", syntax.MaxText-10) + `"`,
		"deeper":    deeper(size), "casts": fill("<T>"), "statements": fill("a;"), "lambdas": fill("lambda:"), "regexps": fill("/("),
	} {
		for l := syntax.JavaScript; l <= syntax.Python; l++ {
			tree, err := syntax.Parse(context.Background(), l, []byte(text))
			switch {
			case err != nil && !errors.Is(err, syntax.ErrTooComplex):
				t.Errorf("%s in %s: %v", name, l, err)
			case err == nil:
				nodes := 0
				for range tree.Root().All() {
					nodes++
				}
				if nodes > syntax.MaxNodes {
					t.Errorf("%s in %s: %d nodes", name, l, nodes)
				}
			}
		}
	}
	if _, err := syntax.Parse(context.Background(), syntax.JavaScript, []byte(fill(`"`))); !errors.Is(err, syntax.ErrTooComplex) {
		t.Errorf("a text on which the parser's time grows with the square of the length: %v", err)
	}
	if _, err := syntax.Parse(context.Background(), syntax.Python, make([]byte, syntax.MaxText+1)); !errors.Is(err, syntax.ErrTooLarge) {
		t.Errorf("a text that is too large: %v", err)
	}
	if got := outline(parse(t, syntax.Python, "a = 1").Root()); got !=
		"(module (expression_statement (assignment left: (identifier) right: (integer))))" {
		t.Errorf("afterwards: %s", got)
	}
}

// deeper returns Python blocks that are each one space deeper.
func deeper(size int) string {
	var b strings.Builder
	for n := 0; b.Len() < size; n++ {
		b.WriteString(strings.Repeat(" ", n) + "if a:\n")
	}
	return b.String()
}

// Cut is set for a tree that is deeper than MaxDepth.
func TestCut(t *testing.T) {
	deep := parse(t, syntax.Python, "a = "+strings.Repeat("(", 2000)+"b"+strings.Repeat(")", 2000))
	if !deep.Cut || strings.Contains(outline(deep.Root()), "(identifier) (identifier)") {
		t.Error("a tree that is deeper than the limit does not say so")
	}
	if parse(t, syntax.Python, "a = "+strings.Repeat("(", 500)+"b"+strings.Repeat(")", 500)).Cut {
		t.Error("a tree within the limit is cut")
	}
}

// Any number of texts can be parsed at the same time.
func TestParallel(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			text := strings.Repeat("a = b\n", 1+i)
			tree, err := syntax.Parse(context.Background(), syntax.Python, []byte(text))
			if err != nil {
				t.Error(err)
				return
			}
			n := 0
			for range tree.Root().Children() {
				n++
			}
			if n != i+1 {
				t.Errorf("%d statements, want %d", n, i+1)
			}
		})
	}
	wg.Wait()
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := syntax.Parse(ended, syntax.Python, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
}

// The module is the one that was made of the sources in scripts/grammars.
func TestModuleIsOfItsSources(t *testing.T) {
	sums, err := os.ReadFile("parsers.sum")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"parsers.wasm.gz", "../../scripts/grammars/parsers.c", "../../scripts/grammars/package-lock.json"} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		if want := hex.EncodeToString(sum[:]) + "  " + filepath.Base(file); !strings.Contains(string(sums), want) {
			t.Errorf("%s has changed: run scripts/grammars/build.sh", file)
		}
	}
}
