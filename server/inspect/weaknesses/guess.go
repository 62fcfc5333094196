package weaknesses

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

func guessable() inspect.Check {
	return inspect.Check{
		ID: "sentinel/guessable", Hero: "sentinel", CWE: []int{338}, Local: true, Confidence: inspect.Likely,
		Looks: "tokens drawn from math/rand and passwords kept as an MD5 or SHA-1 sum (Go)",
		Rule: "High; only where the function's name says that it creates a token or stores a password, and not where it " +
			"also uses bcrypt, scrypt, argon2 or PBKDF2 or queries Have I Been Pwned.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			for f := range productGo(ctx, r) {
				if ctx.Err() != nil {
					break
				}
				findGuessable(f, tell)
			}
			return ctx.Err()
		},
	}
}

var (
	makes    = []string{"generate", "gen", "new", "make", "create", "random", "rand", "build"}
	valuable = []string{"token", "secret", "password", "passwd", "apikey", "otp", "csrf", "salt"}
	keeps    = []string{"hash", "encrypt", "encode", "check", "verify", "compare", "digest", "make"}
	passes   = []string{"password", "passwd", "pwd", "pass"}
)

func anyOf(list, wanted []string) bool {
	return slices.ContainsFunc(list, func(w string) bool { return slices.Contains(wanted, w) })
}

func findGuessable(f *inspect.GoFile, tell func(inspect.Finding)) {
	for _, d := range f.AST.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		names := words(fn.Name.Name)
		token := anyOf(names, makes) && anyOf(names, valuable) && givesText(fn)
		pass := anyOf(names, keeps) && anyOf(names, passes)
		if !token && !pass {
			continue
		}
		// A password that is hashed for a query to Have I Been Pwned is not stored, and one that is encrypted is not
		// hashed: the padding OAEP takes a hash function.
		done := pass && !token && (readsOld(f, fn) || bytes.Contains(f.Text, []byte("pwnedpasswords")) ||
			strings.Contains(f.Source(fn.Body), "OAEP("))
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			c, ok := n.(*ast.CallExpr)
			if !ok || done {
				return !done
			}
			pkg, name := f.Call(c)
			line := f.Line(c)
			if pkg == "" || f.Accepted(line) {
				return true
			}
			switch {
			case token && (pkg == "math/rand" || pkg == "math/rand/v2") && name != "NewSource" && name != "Seed" &&
				name != "New":
				done = true
				tell(inspect.Finding{
					Severity: inspect.High, Path: f.File.Path, Line: line, Evidence: f.Quote(line),
					Title: inspect.Clip(fmt.Sprintf("Predictable random numbers: %s draws from %s", fn.Name.Name, pkg), 100),
					Why: "Its documentation says that the numbers of math/rand may be predictable, however it is seeded. " +
						"Who predicts them has " +
						"the tokens.",
					Advice: "Read the bytes from crypto/rand.",
				})
			case pass && (pkg == "crypto/md5" || pkg == "crypto/sha1") && (name == "Sum" || name == "New"):
				done = true
				tell(inspect.Finding{
					Severity: inspect.High, Path: f.File.Path, Line: line, Evidence: f.Quote(line),
					Title:  inspect.Clip(fmt.Sprintf("Weak password hash: %s keeps a sum of %s", fn.Name.Name, pkg), 100),
					Why:    "A graphics card tries billions of passwords a second against such a sum.",
					Advice: "Use bcrypt, scrypt or argon2id, each with a salt of its own.",
				})
			}
			return true
		})
	}
}

// slow lists packages with slow hashes, which are made for passwords.
var slow = []string{"golang.org/x/crypto/bcrypt", "golang.org/x/crypto/scrypt", "golang.org/x/crypto/argon2",
	"golang.org/x/crypto/pbkdf2", "crypto/pbkdf2"}

// readsOld reports whether a function also uses a slow hash. Such a function needs the fast hash to check passwords
// that were stored earlier.
func readsOld(f *inspect.GoFile, fn *ast.FuncDecl) bool {
	found := false
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			pkg, _ := f.Call(c)
			found = found || slices.Contains(slow, pkg)
		}
		return !found
	})
	return found
}

// givesText reports whether a function returns a string or bytes.
func givesText(fn *ast.FuncDecl) bool {
	if fn.Type.Results == nil {
		return false
	}
	for _, r := range fn.Type.Results.List {
		switch t := r.Type.(type) {
		case *ast.Ident:
			if t.Name == "string" {
				return true
			}
		case *ast.ArrayType:
			if id, ok := t.Elt.(*ast.Ident); ok && id.Name == "byte" {
				return true
			}
		}
	}
	return false
}

// words splits a name into words: "hashPassword" into hash and password.
func words(name string) []string {
	var out []string
	from := 0
	for i := 1; i <= len(name); i++ {
		if i == len(name) || name[i] == '_' || upper(name[i]) && !upper(name[i-1]) ||
			upper(name[i]) && i+1 < len(name) && !upper(name[i+1]) && name[i+1] != '_' {
			if w := strings.Trim(name[from:i], "_"); w != "" {
				out = append(out, strings.ToLower(w))
			}
			from = i
		}
	}
	return out
}

func upper(b byte) bool { return b >= 'A' && b <= 'Z' }
