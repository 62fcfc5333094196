package syntax

import (
	"bytes"
	"iter"
	"sort"
)

// Tree is the syntax tree of a text. It is immutable.
type Tree struct {
	Language Language
	Text     []byte
	// Cut is set if the tree does not have all nodes: see MaxNodes and MaxDepth.
	Cut bool

	names   *grammar
	nodes   []node
	parents []int32
	lines   []uint32 // offsets at which lines begin
}

// node is a node as the module writes it. The nodes of a subtree follow each other; size is their number.
type node struct {
	kind, field      uint16
	start, end, size uint32
}

func newTree(l Language, names *grammar, text []byte, nodes []node, cut bool) *Tree {
	t := &Tree{Language: l, Text: text, Cut: cut, names: names, nodes: nodes, parents: make([]int32, len(nodes))}
	t.parents[0] = -1
	for i := range nodes {
		for child := i + 1; child < i+int(nodes[i].size); child += int(nodes[child].size) {
			t.parents[child] = int32(i)
		}
	}
	t.lines = append(t.lines, 0)
	for at := 0; ; {
		n := bytes.IndexByte(text[at:], '\n')
		if n < 0 {
			return t
		}
		at += n + 1
		t.lines = append(t.lines, uint32(at))
	}
}

// Root returns the node of the whole text.
func (t *Tree) Root() Node { return Node{t, 0} }

// Broken returns the nodes for syntax errors: text that fits no rule of the grammar, and nodes that the text should
// have and lacks.
func (t *Tree) Broken() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		for i := range t.nodes {
			if t.nodes[i].kind >= missing && !yield(Node{t, int32(i)}) {
				return
			}
		}
	}
}

// Node is a node of a tree. The zero Node is no node: its kind is "" and it has no children.
type Node struct {
	tree *Tree
	at   int32
}

// OK reports whether n is a node.
func (n Node) OK() bool { return n.tree != nil }

// Kind returns the name that the grammar gives to the node, such as "call_expression". Punctuation and words of the
// language are named by their text. A broken node has the kind "ERROR" or "MISSING".
func (n Node) Kind() string {
	if n.tree == nil {
		return ""
	}
	switch k := n.tree.nodes[n.at].kind; {
	case k == broken:
		return "ERROR"
	case k == missing:
		return "MISSING"
	default:
		return n.tree.names.kinds[k]
	}
}

// Named reports whether the node is more than a word of the language or a punctuation mark; a broken node is not named.
// Of nodes that are not named, the tree has the words of the language, and punctuation that has a field, such as the
// operator of an expression.
func (n Node) Named() bool {
	if n.tree == nil {
		return false
	}
	k := n.tree.nodes[n.at].kind
	return k < missing && n.tree.names.named[k]
}

// Field returns the node's role in its parent, such as "left", or "".
func (n Node) Field() string {
	if n.tree == nil {
		return ""
	}
	return n.tree.names.fields[n.tree.nodes[n.at].field]
}

// Start returns the offset in the text at which the node begins.
func (n Node) Start() int { return int(n.tree.nodes[n.at].start) }

// End returns the offset after the node.
func (n Node) End() int { return int(n.tree.nodes[n.at].end) }

// Text returns the text of the node, "" for the zero Node.
func (n Node) Text() string {
	if n.tree == nil {
		return ""
	}
	return string(n.tree.Text[n.Start():n.End()])
}

// Line returns the line in which the node begins, from 1.
func (n Node) Line() int { return n.tree.LineAt(n.Start()) }

// LastLine returns the line in which the node ends, from 1.
func (n Node) LastLine() int { return n.tree.LineAt(max(n.Start(), n.End()-1)) }

// LineAt returns the line of an offset, from 1.
func (t *Tree) LineAt(offset int) int {
	return sort.Search(len(t.lines), func(i int) bool { return int(t.lines[i]) > offset })
}

// Parent returns the parent of the node, or the zero Node for the root.
func (n Node) Parent() Node {
	if n.tree == nil || n.tree.parents[n.at] < 0 {
		return Node{}
	}
	return Node{n.tree, n.tree.parents[n.at]}
}

// Children returns the children of the node.
func (n Node) Children() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		if n.tree == nil {
			return
		}
		end := n.at + int32(n.tree.nodes[n.at].size)
		for at := n.at + 1; at < end; at += int32(n.tree.nodes[at].size) {
			if !yield(Node{n.tree, at}) {
				return
			}
		}
	}
}

// Child returns the first child with that field (see Field), or the zero Node.
func (n Node) Child(field string) Node {
	for c := range n.Children() {
		if c.Field() == field {
			return c
		}
	}
	return Node{}
}

// All returns the node and all nodes below it, in the order of the text.
func (n Node) All() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		if n.tree == nil {
			return
		}
		for at := n.at; at < n.at+int32(n.tree.nodes[n.at].size); at++ {
			if !yield(Node{n.tree, at}) {
				return
			}
		}
	}
}

// Within reports whether n is the node other or below it.
func (n Node) Within(other Node) bool {
	return n.tree != nil && n.tree == other.tree &&
		n.at >= other.at && n.at < other.at+int32(other.tree.nodes[other.at].size)
}
