package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// searching are the functions of bytes and strings that search, cut or join.
var searching = map[string]bool{
	"Index": true, "LastIndex": true, "Contains": true, "Cut": true, "CutPrefix": true, "CutSuffix": true,
	"HasPrefix": true, "HasSuffix": true, "TrimPrefix": true, "TrimSuffix": true, "Replace": true, "ReplaceAll": true,
	"Split": true, "Join": true, "Count": true,
}

// mayLookAtBytes has what is left out of the rule, with the reason.
var mayLookAtBytes = map[string]string{
	"server/reader/":              "server/decisions/2026-11-24-readers-look-first.md",
	"server/inspect/generated.go": "it recognises files of a linked folder by their first bytes",
	"server/app/conversations.go": "an export of transcripts can be larger than the memory, so it is written in pieces",
}

// encoded are the trees in which bytes are JSON: frames, worlds and what is made of them. No function of the package
// bytes may search there, whatever it looks for.
var encoded = []string{"shared/", "server/realm/", "server/ring/", "server/gate/", "server/keeper/", "server/facts/",
	"server/mirror/"}

// The program decodes and encodes JSON, and does not search it or build it from pieces. So no argument of a function
// in searching and no format contains a piece of JSON, and the trees in encoded call no such function with bytes.
func TestNoJSONIsSearchedByBytes(t *testing.T) {
	packages := program(t)
	met, excepted := map[string]bool{}, slices.Sorted(maps.Keys(mayLookAtBytes))
	for _, p := range packages {
		for _, f := range p.Files {
			within := slices.ContainsFunc(encoded, func(dir string) bool { return strings.HasPrefix(f.Path, dir) })
			for _, at := range jsonByBytes(f.tree, within) {
				i := slices.IndexFunc(excepted, func(prefix string) bool { return strings.HasPrefix(f.Path, prefix) })
				if i < 0 {
					t.Errorf("%s searches or builds JSON by bytes: decode or encode it", f.set.Position(at))
					continue
				}
				met[excepted[i]] = true
			}
		}
	}
	for _, prefix := range excepted {
		if !met[prefix] {
			t.Errorf("%s does not look at bytes of JSON any more: the exception can go", prefix)
		}
	}
}

// jsonByBytes finds a search of bytes for a text without a piece of JSON only where the bytes are JSON.
func TestSearchesOfFramesAreFound(t *testing.T) {
	const text = `package p
func f(raw []byte, name string) bool {
	return bytes.Contains(raw, []byte(privateID)) || strings.Contains(string(raw), privateID) || strings.HasPrefix(name, "x")
}`
	tree, err := parser.ParseFile(token.NewFileSet(), "p.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	if within, outside := jsonByBytes(tree, true), jsonByBytes(tree, false); len(within) != 2 || len(outside) != 0 {
		t.Errorf("%d searches are found where bytes are JSON, %d elsewhere", len(within), len(outside))
	}
}

// onBytes reports whether a call of a searching function is about bytes.
func onBytes(from string, args []ast.Expr) bool {
	return from == "bytes" || slices.ContainsFunc(args, func(arg ast.Expr) bool {
		call, ok := arg.(*ast.CallExpr)
		if !ok {
			return false
		}
		to, ok := call.Fun.(*ast.Ident)
		return ok && to.Name == "string"
	})
}

// jsonByBytes returns where a file passes a piece of JSON to a function that searches, or formats JSON. encoded is set if
// the file's bytes are JSON: then it also returns where the file searches bytes.
func jsonByBytes(tree *ast.File, encoded bool) (out []token.Pos) {
	ast.Inspect(tree, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		fun, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		from, _ := fun.X.(*ast.Ident)
		switch {
		case from == nil:
			return true
		case (from.Name == "bytes" || from.Name == "strings") && searching[fun.Sel.Name]:
			if encoded && onBytes(from.Name, call.Args) {
				out = append(out, call.Pos())
				return true
			}
		case from.Name == "fmt" && (strings.HasSuffix(fun.Sel.Name, "rintf") || fun.Sel.Name == "Appendf"):
		default:
			return true
		}
		for _, arg := range call.Args {
			ast.Inspect(arg, func(n ast.Node) bool {
				lit, ok := n.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING {
					return true
				}
				text, err := strconv.Unquote(lit.Value)
				if err == nil && (strings.Contains(text, `":`) || strings.Contains(text, `{"`)) {
					out = append(out, call.Pos())
				}
				return true
			})
		}
		return true
	})
	return out
}
