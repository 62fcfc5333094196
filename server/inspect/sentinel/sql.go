package sentinel

import (
	"context"
	"fmt"
	"go/ast"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/lex"
)

func sql() inspect.Check {
	return inspect.Check{
		ID: hero + "/query-of-text", Hero: hero, CWE: []int{89}, Confidence: inspect.Likely,
		Looks: "SQL statements with a value between quotes instead of a parameter (Go, JavaScript, Python)",
		Rule:  "High; names of tables and columns, which cannot be parameters, are left out, and so are tests.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			goSQL(ctx, r, tell)
			for f, data := range r.All(ctx, append([]string{"Python"}, scripts...)...) {
				if !f.Test && !lex.Dense(data) && hasSQL(data) {
					scriptSQL(f, data, tell)
				}
			}
			return ctx.Err()
		},
	}
}

var (
	statement = inspect.Pattern(`(?i)\b(?:select\s[^;]{1,300}?\sfrom\s|insert\s+into\s|update\s+\S+\s+set\s|delete\s+from\s)`)
	begins    = inspect.Pattern(`(?i)^[fFrRbB]*["'` + "`" + `\s]*(?:select\s[^;]*?\sfrom\s+[\w"\[{$%(.]|insert\s+into\s|update\s+\S+\s+set\s|delete\s+from\s)`)
	// quotedVerb matches a verb of a format string that stands between the quotes of an SQL value.
	quotedVerb = inspect.Pattern(`(?i)(?:=|<|>|\blike\b|\bin\s*\(|\bvalues\s*\(|,)\s*'(?:%%)?%[sv](?:%%)?'`)
	// opensQuote matches the end of a string that opens the quote of an SQL value.
	opensQuote = inspect.Pattern(`(?i)(?:=|<|>|\blike\b|\bin\s*\(|\bvalues\s*\([^()]*|,)\s*'%?$`)
)

// maxTold is the maximum number of findings in one file.
const maxTold = 20

// hasSQL reports whether a text contains an SQL statement and a quote before a possible value.
func hasSQL(data []byte) bool {
	return lex.HasAny(data, "'${", "'{", "'%", "'\"") && statement.Match(data)
}

func sqlFinding(f *inspect.File, line int, evidence, what string) inspect.Finding {
	return inspect.Finding{
		Severity: inspect.High, Path: f.Path, Line: line,
		Title:    inspect.Clip(fmt.Sprintf("An SQL statement has %s between quotes", strings.Join(strings.Fields(what), " ")), 100),
		Evidence: evidence,
		Why:      "A quote in the value ends the text, and what follows is read as SQL: at best the statement fails, at worst it does what the value says.",
		Advice:   "Write a placeholder there and pass the value as a parameter of the query.",
	}
}

func goSQL(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) {
	g := r.Go(ctx)
	for f := range goFiles(ctx, r, g) {
		if ctx.Err() != nil {
			return
		}
		if !hasSQL(f.Text) {
			continue
		}
		ast.Inspect(f.AST, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			what := f.quotedValue(e)
			line := f.Line(e)
			if what != "" && !f.Accepted(line) {
				tell(sqlFinding(f.File, line, f.Quote(line), what))
			}
			return what == ""
		})
	}
}

// quotedValue returns the first value that an expression inserts between SQL quotes, or "".
func (f *goFile) quotedValue(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.CallExpr:
		if pkg, name := f.Call(e); pkg != "fmt" || name != "Sprintf" || len(e.Args) < 2 {
			return ""
		}
		format, ok := lex.Literal(e.Args[0])
		at := quotedVerb.FindStringIndex(format)
		if !ok || !begins.MatchString(format) || at == nil {
			return ""
		}
		// The number of verbs up to the quoted verb is the index of the argument for the quoted verb.
		i := len(verbs(strings.TrimRight(format[:at[1]-1], "%"))) // "%%" after the verb is no verb
		if i < 1 || i >= len(e.Args) || f.fixed(e.Args[i]) || tamed.MatchString(f.Source(e.Args[i])) {
			return ""
		}
		return inspect.Clip(f.Source(e.Args[i]), 40)
	case *ast.BinaryExpr:
		left := ast.Expr(e)
		for b, ok := left.(*ast.BinaryExpr); ok; b, ok = left.(*ast.BinaryExpr) {
			left = ast.Unparen(b.X)
		}
		if text, ok := lex.Literal(left); !ok || !begins.MatchString(text) {
			return ""
		}
		parts := flat(e)
		for i := range parts {
			text, ok := lex.Literal(parts[i])
			if !ok || i+1 == len(parts) || !opensQuote.MatchString(text) || f.fixed(parts[i+1]) || tamed.MatchString(f.Source(parts[i+1])) {
				continue
			}
			return inspect.Clip(f.Source(parts[i+1]), 40)
		}
	}
	return ""
}

// scriptSQL searches the strings of a script for SQL statements with an inserted value between quotes. In a JavaScript
// template the value is between two strings, in a Python f-string it is inside the string, and in a concatenation it
// follows a +.
func scriptSQL(f *inspect.File, data []byte, tell func(inspect.Finding)) {
	s := lex.Scan(f.Lang, data)
	begun := false // whether the current template is an SQL statement
	told := 0
	for i, str := range s.Spans {
		if str.Kind != lex.String {
			continue
		}
		text := string(data[str.From:str.To])
		if goesOn := str.From > 0 && data[str.From-1] == '}' && f.Lang != "Python" && begun; !goesOn {
			begun = begins.MatchString(text)
		}
		if !begun {
			continue
		}
		what := ""
		if f.Lang == "Python" {
			what = pyQuoted(s, str, text)
		}
		rest := string(s.Text[str.To:min(len(s.Text), str.To+200)])
		switch {
		case what != "":
		case f.Lang != "Python" && strings.HasPrefix(rest, "${") && opensQuote.MatchString(text):
			what, _, _ = strings.Cut(rest[2:], "}")
		case opensQuote.MatchString(strings.TrimRight(text, "\"")) && strings.HasSuffix(text, "\"") && strings.HasPrefix(strings.TrimSpace(rest), "+"):
			what = strings.TrimSpace(strings.TrimSpace(rest)[1:])
			what, _, _ = strings.Cut(what, "+")
			what, _, _ = strings.Cut(what, "\n")
		}
		what = strings.TrimSpace(what)
		if what == "" || i == 0 && f.Lang == "" || constant.MatchString(what) || tamed.MatchString(what) {
			continue
		}
		line := s.Line(str.From)
		if !s.Accepted(line) {
			tell(sqlFinding(f, line, s.Quote(line), inspect.Clip(what, 40)))
		}
		begun = false
		if told++; told == maxTold {
			return
		}
	}
}

var (
	pyQuotedHole = inspect.Pattern(`(?i)(?:=|<|>|\blike\b|\bin\s*\(|\bvalues\s*\(|,)\s*'%?\{([^{}]*)\}%?'`)
	pyPercent    = inspect.Pattern(`^\s*%\s*([^\n]+)`)
	pyDotFormat  = inspect.Pattern(`^\s*\.format\(([^\n]+)`)
)

func pyQuoted(s *lex.Source, str lex.Span, text string) string {
	rest := string(s.Text[str.To:min(len(s.Text), str.To+200)])
	hole := pyQuotedHole.FindStringSubmatch(text)
	mark := strings.ToLower(string(s.Text[max(0, str.From-2):str.From]))
	switch {
	case hole != nil && strings.HasSuffix(strings.TrimRight(mark, "rb"), "f"):
		return hole[1]
	case hole != nil && pyDotFormat.MatchString(rest):
		return strings.TrimRight(pyDotFormat.FindStringSubmatch(rest)[1], ") ")
	case quotedVerb.MatchString(text) && pyPercent.MatchString(rest):
		return strings.Trim(pyPercent.FindStringSubmatch(rest)[1], "() ")
	}
	return ""
}
