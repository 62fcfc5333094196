package alchemist

import (
	"go/ast"
	"go/types"
	"strings"
	"unicode"
)

// many lists words, in the singular, for things that may be numerous, such as lines or files. Loops over other things,
// such as roles or flags, may be quadratic too, but the number of these things is small.
var many = set("line row record file filename entry event message user customer edge vertex vertice point token packet " +
	"pixel commit document post transaction tile chunk")

func set(words string) map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		out[word] = true
	}
	return out
}

// namesMany reports whether an identifier in a piece of code contains a word of the list many.
func namesMany(code string) bool {
	for _, id := range strings.FieldsFunc(code, func(r rune) bool { return !unicode.IsLetter(r) }) {
		start := 0
		for i := 1; i <= len(id); i++ {
			if i < len(id) && (id[i] < 'A' || id[i] > 'Z') {
				continue
			}
			if isMany(strings.ToLower(id[start:i])) {
				return true
			}
			start = i
		}
		if isMany(strings.ToLower(id)) {
			return true
		}
	}
	return false
}

func isMany(word string) bool {
	return many[word] || many[strings.TrimSuffix(word, "s")] || many[strings.TrimSuffix(word, "es")] || strings.HasSuffix(word, "ies") && many[strings.TrimSuffix(word, "ies")+"y"]
}

// overMany reports whether a loop reads input, or goes over a collection whose name contains a word of the list many.
func (fn *goFunc) overMany(loop ast.Stmt) bool {
	switch l := loop.(type) {
	case *ast.RangeStmt:
		code := types.ExprString(l.X)
		if l.Value != nil {
			code += " " + types.ExprString(l.Value)
		}
		return len(code) < 400 && namesMany(code)
	case *ast.ForStmt:
		if fn.readsInput(loop) {
			return true
		}
		code := ""
		if l.Cond != nil {
			code = types.ExprString(l.Cond)
		}
		return len(code) < 400 && namesMany(code)
	}
	return false
}
