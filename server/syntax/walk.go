package syntax

import (
	"slices"
	"strings"
)

// Parts returns the named children of the node, without comments.
func (n Node) Parts() []Node {
	var out []Node
	for c := range n.Children() {
		if c.Named() && c.Kind() != "comment" {
			out = append(out, c)
		}
	}
	return out
}

// First returns the first of Parts, or the zero Node.
func (n Node) First() Node {
	if parts := n.Parts(); len(parts) > 0 {
		return parts[0]
	}
	return Node{}
}

// Has reports whether the node has a child of a kind, such as a word of the language.
func (n Node) Has(kind string) bool {
	for c := range n.Children() {
		if c.Kind() == kind {
			return true
		}
	}
	return false
}

// Around returns the nearest node around n that is of one of the kinds, or the zero Node.
func (n Node) Around(kinds ...string) Node {
	for p := n.Parent(); p.OK(); p = p.Parent() {
		if slices.Contains(kinds, p.Kind()) {
			return p
		}
	}
	return Node{}
}

// Unreachable reports whether the node never runs: a statement before it in the same block or in one around it always
// leaves that block, or it is the branch of an if whose condition is the constant false or 0. A function that is
// declared after such a statement can run all the same.
func (n Node) Unreachable() bool {
	for p := n.Parent(); p.OK(); n, p = p, p.Parent() {
		switch p.Kind() {
		case "if_statement":
			if n.Field() == "consequence" && isFalse(p.Child("condition")) {
				return true
			}
		case "statement_block", "block":
			for _, s := range p.Parts() {
				if s.Start() >= n.Start() || n.Kind() == "function_declaration" {
					break
				}
				if s.leaves() {
					return true
				}
			}
		}
	}
	return false
}

// Bare returns the expression without the parentheses around it.
func (n Node) Bare() Node {
	for n.Kind() == "parenthesized_expression" {
		n = n.First()
	}
	return n
}

func isFalse(n Node) bool {
	n = n.Bare()
	return n.Kind() == "false" || n.Text() == "0"
}

// leaves reports whether a statement always leaves the block around it.
func (n Node) leaves() bool {
	switch n.Kind() {
	case "return_statement", "throw_statement", "raise_statement", "continue_statement", "break_statement":
		return true
	case "expression_statement":
		switch n.First().Callee() {
		case "process.exit", "sys.exit", "os._exit":
			return true
		}
	case "statement_block", "block", "else_clause":
		parts := n.Parts()
		return len(parts) > 0 && parts[len(parts)-1].leaves()
	case "elif_clause":
		return n.Child("consequence").leaves()
	case "if_statement":
		last := Node{}
		for _, c := range n.Parts() {
			if c.Field() == "condition" {
				continue
			}
			if last = c; !c.leaves() {
				return false
			}
		}
		return last.Kind() == "else_clause"
	}
	return false
}

// IsCall reports whether the node calls a function.
func (n Node) IsCall() bool { return n.Kind() == "call_expression" || n.Kind() == "call" }

// Callee returns the called function of a call as written, without white space: "a.b".
func (n Node) Callee() string {
	f := n.Child("function")
	if !f.OK() {
		return ""
	}
	return strings.Join(strings.Fields(f.Text()), "")
}

// Args returns the arguments of a call.
func (n Node) Args() []Node { return n.Child("arguments").Parts() }

// Keyword returns the value of a keyword argument of a call in Python, or the zero Node.
func (n Node) Keyword(name string) Node {
	for _, a := range n.Args() {
		if a.Kind() == "keyword_argument" && a.Child("name").Text() == name {
			return a.Child("value")
		}
	}
	return Node{}
}

// Entry returns the value that an object of JavaScript has for a key as written, or the zero Node. It does not find
// keys in quotes.
func (n Node) Entry(key string) Node {
	for c := range n.Children() {
		if c.Kind() == "pair" && c.Child("key").Text() == key {
			return c.Child("value")
		}
	}
	return Node{}
}

// Value returns the text of a string literal without escapes or inserted values. ok is false for any other node.
func (n Node) Value() (text string, ok bool) {
	if n.Kind() != "string" && n.Kind() != "template_string" {
		return "", false
	}
	for c := range n.Children() {
		switch c.Kind() {
		case "string_fragment", "string_content":
			text += c.Text()
		case "string_start", "string_end":
		default:
			return "", false
		}
	}
	return text, true
}

// prose lists the kinds of nodes that contain text instead of code, such as comments and strings.
var prose = []string{
	"comment", "html_comment", "hash_bang_line", "string_fragment", "string_content", "escape_sequence", "regex_pattern",
	"jsx_text",
}

// Code returns a copy of the text with blanks in place of comments and of the content of strings and regular
// expressions, and of the text between tags of JSX. Line ends stay, so that offsets are the same.
func (t *Tree) Code() []byte {
	out := slices.Clone(t.Text)
	for n := range t.Root().All() {
		if !slices.Contains(prose, n.Kind()) {
			continue
		}
		for i := n.Start(); i < n.End(); i++ {
			if out[i] != '\n' && out[i] != '\r' {
				out[i] = ' '
			}
		}
	}
	return out
}
