package house

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// The packages in kindless must not depend on a single kind of conversation: they work with
// the list of server/kinds. They may use neither kindConstants (of shared/world) nor
// kindStrings, and may not import kindPackages.
var (
	kindConstants = []string{"KindProcess", "KindCouncil", "KindChat", "KindParty", "KindForge", "KindCoding", "Kinds"}
	kindStrings   = []string{"process", "council", "chat", "party", "forge", "coding"}
	kindPackages  = []string{"server/process", "server/council", "server/chat", "server/party", "server/forge",
		"server/coding"}
	kindless = []string{"server/realm", "server/gate", "server/keeper", "server/store", "server/app"}
)

// Kinds counts the places where a package names a kind of conversation: a constant, a string
// literal, or an import of a kind's package. It is 0 for packages outside of kindless.
func (p *Package) Kinds() (n int) {
	within := func(dir string) bool { return p.Dir == dir || strings.HasPrefix(p.Dir, dir+"/") }
	if !slices.ContainsFunc(kindless, within) {
		return 0
	}
	for _, f := range p.Files {
		for _, imp := range f.tree.Imports {
			path, err := strconv.Unquote(imp.Path.Value)
			if err == nil && slices.Contains(kindPackages, strings.TrimPrefix(path, "agentdungeon/")) {
				n++
			}
		}
		ast.Inspect(f.tree, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.SelectorExpr:
				if x, ok := node.X.(*ast.Ident); ok && x.Name == "world" && slices.Contains(kindConstants, node.Sel.Name) {
					n++
				}
			case *ast.BasicLit:
				text, err := strconv.Unquote(node.Value)
				if node.Kind == token.STRING && err == nil && slices.Contains(kindStrings, text) {
					n++
				}
			}
			return true
		})
	}
	return n
}
