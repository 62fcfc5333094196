package archaeologist

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/lex"
)

func commentedCode() inspect.Check {
	return inspect.Check{
		ID: hero + "/commented-code", Hero: hero, Local: true,
		Looks: "eight lines of code or more in a comment",
		Rule:  "Low; documentation with an example in it, settings to choose from, tests and examples are left out.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			for f, data := range r.All(ctx, "Go", "JavaScript", "TypeScript", "TSX", "JSX", "Python", "Java", "C#", "C", "C++", "Kotlin", "PHP", "Swift") {
				if lex.Product(f) && !lex.Dense(data) && !strings.Contains(strings.ToLower(f.Base()), "config") {
					findComments(f, data, tell)
				}
			}
			return ctx.Err()
		},
	}
}

// minLines is the minimum number of lines of a block that is reported.
const minLines = 8

// block is a sequence of comment lines, without the comment marks.
type block struct {
	line  int
	lines []string
}

func findComments(f *inspect.File, data []byte, tell func(inspect.Finding)) {
	s := lex.Scan(f.Lang, data)
	count, total := 0, 0
	var first block
	all := blocks(s)
	for i, b := range all {
		// Skip a block with a short comment directly above it, which explains the block.
		if i > 0 && len(all[i-1].lines) < minLines && all[i-1].line+len(all[i-1].lines)+1 >= b.line {
			continue
		}
		for len(b.lines) > 0 && strings.TrimSpace(b.lines[0]) == "" {
			b.line, b.lines = b.line+1, b.lines[1:]
		}
		n := 0
		for _, l := range b.lines {
			if strings.TrimSpace(l) != "" {
				n++
			}
		}
		// Skip a block that begins with a comment inside the commented code, which explains the block.
		if n < minLines || strings.HasPrefix(strings.TrimSpace(b.lines[0]), "//") && len(strings.Fields(b.lines[0])) > 4 || !isCode(f.Lang, b.lines) {
			continue
		}
		if count == 0 {
			first = b
		}
		count++
		total += n
	}
	if count == 0 {
		return
	}
	var quote []string
	for _, l := range first.lines[:min(len(first.lines), 4)] {
		quote = append(quote, inspect.Clip(l, 120))
	}
	title := fmt.Sprintf("%d lines of code stand in a comment", total)
	if count > 1 {
		title = fmt.Sprintf("%d lines of code stand in %d comments", total, count)
	}
	tell(inspect.Finding{
		Severity: inspect.Low, Path: f.Path, Line: first.line, Title: title, Evidence: strings.Join(quote, "\n"),
		Why:    "No compiler and no test checks it: the code around it changes, and readers must guess whether it is still meant.",
		Advice: "Delete it; the history keeps it.",
		Same:   "commented",
	})
}

// blocks returns the comments of a source: sequences of line comments that are alone on their lines, and block comments
// that are not documentation.
func blocks(s *lex.Source) []block {
	var out []block
	var run *block
	last := 0
	flush := func() {
		if run != nil {
			out = append(out, *run)
		}
		run = nil
	}
	for _, span := range s.Spans {
		if span.Kind != lex.Comment {
			continue
		}
		line := s.Line(span.From)
		from, _ := s.Bounds(line)
		alone := len(bytes.TrimSpace(s.Text[from:span.From])) == 0
		text := string(s.Text[span.From:span.To])
		if strings.HasPrefix(text, "/*") {
			flush()
			if !alone || strings.HasPrefix(text, "/**") || strings.HasPrefix(text, "/*!") {
				continue
			}
			out = append(out, block{line, strings.Split(strings.TrimSuffix(strings.TrimPrefix(text, "/*"), "*/"), "\n")})
			continue
		}
		mark := 2
		if text[0] == '#' {
			mark = 1
		}
		if !alone || strings.HasPrefix(text, "///") || strings.HasPrefix(text, "#!") || strings.HasPrefix(text, "#:") {
			flush()
			continue
		}
		if run == nil || line != last+1 {
			flush()
			run = &block{line: line}
		}
		run.lines = append(run.lines, strings.TrimRight(text[mark:], " \t\r\n"))
		last = line
	}
	flush()
	return out
}

func isCode(lang string, lines []string) bool {
	switch lang {
	case "Go":
		return isGo(lines)
	case "Python":
		return share(lines, pyLine, pyProse)
	}
	return share(lines, curlyLine, curlyProse) && balanced(lines)
}

// isGo reports whether the lines parse as declarations or as statements.
func isGo(lines []string) bool {
	text := strings.Join(lines, "\n")
	if len(text) > 64<<10 || strings.Count(text, "(") > 2000 || deep(text) {
		return false
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", "package p\n"+text, parser.SkipObjectResolution)
	if err != nil {
		file, err = parser.ParseFile(fset, "", "package p\nfunc _() {\n"+text+"\n}", parser.SkipObjectResolution)
	}
	if err != nil {
		return false
	}
	// The lines must do or declare something, because single words and "name: word" also parse as Go.
	doing := 0
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt, *ast.CallExpr, *ast.ReturnStmt, *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt:
			doing++
		case *ast.GenDecl:
			if n.Tok != token.IMPORT {
				doing++
			}
		}
		return true
	})
	return doing >= 4
}

// deep reports whether a text nests brackets more than 100 levels deep, which no person does.
func deep(text string) bool {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(', '[', '{':
			if depth++; depth > 100 {
				return true
			}
		case ')', ']', '}':
			depth--
		}
	}
	return false
}

var (
	curlyLine  = inspect.Pattern(`(;|\{|\}|\}\)|\},|\);|=>|\($|\[$|\],?)\s*(//.*)?$|^\s*(if|for|while|return|else|import|export|const|let|var|case|break)\b.*[(){};=]`)
	curlyStops = inspect.Pattern(`(;|\)\s*\{|\}\))\s*$`)
	pyLine     = inspect.Pattern(`^\s*((def|class)\s+\w+.*:|(if|elif|for|while|with|except|try|else|finally)\b.*:|return\b.*|import\s+[\w., ]+|from\s+[\w.]+\s+import\s.*|raise\s+\w+.*|[\w.\[\]"']+(\s*,\s*[\w.]+)*\s*[-+*/|&]?=[^=].*|[\w.]+\(.*\)?|pass|break|continue|@[\w.]+.*|[)\]}]+,?|.*[,(\[{])\s*$`)
	never      = inspect.Pattern(`^\s*@\w+\{|>>>|^\s*\$ |@param|@return`)
	pyProse    = inspect.Pattern(`^\s*[A-Z]?[a-z']+(\s+[a-z']+){3,}|>>>|^\s*\$ |[a-z]\.$|^\s*[-*] `)
	curlyProse = inspect.Pattern(`^\s*[A-Z]?[a-z']+(\s+[a-z']+){3,}|@param|@return|^\s*[-*] [A-Za-z]|[a-z]{3}\.\s*$|^\s*\|`)
)

// share reports whether nearly all lines look like code and none looks like prose.
func share(lines []string, code, prose *inspect.Regexp) bool {
	total, good, stops := 0, 0, 0
	for _, l := range lines {
		if strings.TrimSpace(l) == "" {
			continue
		}
		l = inspect.Clip(l, 400)
		total++
		if never.MatchString(l) {
			return false
		}
		if prose.MatchString(l) && !strings.ContainsAny(l, "=():;{}[]") {
			return false
		}
		if code.MatchString(l) {
			good++
		}
		if curlyStops.MatchString(l) || code == pyLine && strings.ContainsAny(l, "(=") {
			stops++
		}
	}
	return total >= minLines && good*10 >= total*9 && stops*3 >= total
}

func balanced(lines []string) bool {
	text := strings.Join(lines, "\n")
	return strings.Count(text, "{") == strings.Count(text, "}") && strings.Count(text, "(") == strings.Count(text, ")")
}
