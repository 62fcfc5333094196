package weaknesses

import (
	"context"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/lex"
)

// goFile is a Go file with its imports and constants.
type goFile struct{ *lex.GoFile }

// goFiles yields the project's Go files that are part of the product.
func goFiles(ctx context.Context, r *inspect.Repo, g *inspect.Golang) func(yield func(*goFile) bool) {
	return func(yield func(*goFile) bool) {
		for f := range lex.GoFiles(ctx, r, g) {
			if !f.File.Test && !yield(&goFile{f}) {
				return
			}
		}
	}
}

// words splits a name into words: "hashPassword" into hash and password.
func words(name string) []string {
	var out []string
	from := 0
	for i := 1; i <= len(name); i++ {
		if i == len(name) || name[i] == '_' || upper(name[i]) && !upper(name[i-1]) || upper(name[i]) && i+1 < len(name) && !upper(name[i+1]) && name[i+1] != '_' {
			if w := strings.Trim(name[from:i], "_"); w != "" {
				out = append(out, strings.ToLower(w))
			}
			from = i
		}
	}
	return out
}

func upper(b byte) bool { return b >= 'A' && b <= 'Z' }
