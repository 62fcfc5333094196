// Package syntax parses JavaScript, TypeScript, TSX and Python into syntax trees. Go has go/parser.
//
// The parsers are tree-sitter and its grammars, compiled to a WASI module (scripts/grammars) that wazero runs without
// cgo, with no files, no network, no clock, a limited memory and a limited number of steps. A tree is the same on every
// machine and under every load. Broken text gets a tree with broken nodes.
//
// The package owns the compiled module and its idle instances, and nothing else; it reads no file and keeps no tree.
// server/inspect calls it.
//
//   - languages, Parse and its limits: syntax.go
//   - nodes and how to walk them: tree.go
//   - the module and its instances: module.go
package syntax

import (
	"context"
	"errors"
	"fmt"
)

// Language is a language that Parse knows.
type Language int

// Languages, in the order of scripts/grammars/parsers.c.
const (
	JavaScript Language = iota // with JSX
	TypeScript
	TSX
	Python

	languages = int(iota)
)

// String returns the language's name.
func (l Language) String() string {
	return [languages]string{"JavaScript", "TypeScript", "TSX", "Python"}[l]
}

// named has the languages by the names that server/inspect gives to files.
var named = map[string]Language{
	"JavaScript": JavaScript, "JSX": JavaScript, "TypeScript": TypeScript, "TSX": TSX, "Python": Python,
}

// LanguageOf returns the language with a name, as in inspect.File.Lang.
func LanguageOf(name string) (l Language, ok bool) {
	l, ok = named[name]
	return l, ok
}

// Limits of a text and its tree. They are counts and not times, so that the same text always has the same result.
const (
	MaxText  = 1 << 20 // bytes; server/inspect reads no larger text
	MaxNodes = 1 << 20 // maximum number of nodes; if there are more, Tree.Cut is set
	MaxDepth = 1024    // children of deeper nodes are left out; see deepest in scripts/grammars/parsers.c
	// leastSteps and stepsPerByte limit the parser's work; see steps in scripts/grammars/parsers.c. Ordinary text needs
	// 50 to 310 steps a byte, and a step takes 3 to 8 ns.
	leastSteps   = 5_000_000
	stepsPerByte = 600
)

// Errors of Parse.
var (
	ErrTooLarge   = fmt.Errorf("larger than %d KB", MaxText>>10)
	ErrTooComplex = errors.New("too complex to parse")
)

// Parse returns the syntax tree of a UTF-8 text, which the caller must not modify afterwards. An error wraps
// ErrTooLarge, ErrTooComplex or the error of ctx, or means that the module cannot run on this machine. Parse checks ctx
// only before the parser begins; the parser itself stops at the limits above.
func Parse(ctx context.Context, l Language, text []byte) (*Tree, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(text) > MaxText {
		return nil, ErrTooLarge
	}
	m, err := compiled()
	if err != nil {
		return nil, fmt.Errorf("the parsers: %w", err)
	}
	// Hide the end of ctx from the module: an instance whose function was stopped cannot be used again.
	ctx = context.WithoutCancel(ctx)
	in, err := m.take(ctx)
	if err != nil {
		return nil, fmt.Errorf("the parsers: %w", err)
	}
	budget := leastSteps + stepsPerByte*uint64(len(text))
	nodes, cut, err := in.parse(ctx, l, text, budget, MaxNodes)
	if err != nil {
		_ = in.Close(ctx)
		return nil, err
	}
	m.leave(ctx, in)
	return newTree(l, &m.names[l], text, nodes, cut), nil
}
