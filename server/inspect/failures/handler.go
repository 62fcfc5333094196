package failures

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/lex"
)

func emptyHandlers() inspect.Check {
	return inspect.Check{
		ID: "healer/empty-handler", Hero: "healer", Local: true,
		Looks: "handlers of errors that do nothing and do not say why (Go, JavaScript, Python)",
		Rule:  "Medium; clean-up, tries of one statement, one exception by name, tests and examples are left out.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			for f := range code(ctx, r, r.Go(ctx)) {
				goHandlers(f, tell)
			}
			for f, data := range r.All(ctx, scripts...) {
				if lex.Product(f) && !lex.Dense(data) && bytes.Contains(data, []byte("catch")) {
					scriptHandlers(f, data, tell)
				}
			}
			for f, data := range r.All(ctx, "Python") {
				if lex.Product(f) && !lex.Dense(data) && bytes.Contains(data, []byte("except")) {
					pythonHandlers(f, data, tell)
				}
			}
			return ctx.Err()
		},
	}
}

// swallowed collects the empty handlers of one file, so that one finding reports them all.
type swallowed struct {
	lines []int
	first string
}

func (s *swallowed) tell(f *inspect.File, title, why string, tell func(inspect.Finding)) {
	if len(s.lines) == 0 {
		return
	}
	if n := len(s.lines); n > 1 {
		title = fmt.Sprintf("%s, %d times", title, n)
		var all []string
		for _, l := range s.lines[:min(n, 10)] {
			all = append(all, fmt.Sprint(l))
		}
		s.first += "\nlines " + strings.Join(all, ", ")
		if n > 10 {
			s.first += ", …"
		}
	}
	tell(inspect.Finding{
		Severity: inspect.Medium, Path: f.Path, Line: s.lines[0], Title: title, Evidence: s.first, Why: why,
		Advice: "Handle the error, pass it on, or write into the handler why it may be ignored.",
		Same:   "handlers",
	})
}

const handlerWhy = "Any failure in there, even a typing error, leaves no trace: the program goes on as if nothing had failed."

func goHandlers(f *lex.GoFile, tell func(inspect.Finding)) {
	var s swallowed
	ast.Inspect(f.AST, func(n ast.Node) bool {
		i, ok := n.(*ast.IfStmt)
		if !ok || len(i.Body.List) != 0 || i.Else != nil {
			return true
		}
		b, ok := i.Cond.(*ast.BinaryExpr)
		if !ok || b.Op != token.NEQ || f.Source(b.Y) != "nil" || !errName.MatchString(f.Source(b.X)) || explained(f, i) {
			return true
		}
		line := f.Line(i)
		s.lines = append(s.lines, line)
		if s.first == "" {
			s.first = f.Quote(line)
		}
		return true
	})
	s.tell(f.File, "An error is checked and nothing is done", "The condition has no effect: whoever reads it thinks that the error is handled.", tell)
}

var (
	jsCatch   = inspect.Pattern(`\bcatch\s*(?:\(\s*[\w$:\s]*\))?\s*\{(\s*)\}`)
	jsPromise = inspect.Pattern(`\.catch\s*\(\s*(?:async\s*)?(?:\(\s*[\w$]*\s*\)|[\w$]+)\s*=>\s*\{(\s*)\}\s*\)|\.catch\s*\(\s*function\s*\w*\s*\(\s*\w*\s*\)\s*\{(\s*)\}\s*\)`)
	// tidy matches calls that may fail without harm: clean-up and queries.
	tidy = inspect.Pattern(`(?i)(close|unlink|rmdir|\brm\b|rmSync|remove|delete|destroy|dispose|kill|cancel|abort|stop|\bend\(|cleanup|clear|release|detach|disconnect|localStorage|sessionStorage|storage|\bfocus|blur|select|scroll|require|import\(|supports|typeof|navigator\.|matchMedia|new URL|\.play\(|\.pause\(|vibrate|fullscreen|pointerCapture|mkdir|exists|stat\w*\(|access|\.log|console|debug|ping|exit|window|document|global|process\.|defineProperty|JSON\.parse|decodeURI|resolve|return|preload|dlopen)`)
)

func scriptHandlers(f *inspect.File, data []byte, tell func(inspect.Finding)) {
	src := lex.Scan(f.Lang, data)
	var s swallowed
	add := func(at int) {
		line := src.Line(at)
		s.lines = append(s.lines, line)
		if s.first == "" {
			s.first = src.Quote(line)
		}
	}
	for _, m := range jsCatch.FindAllSubmatchIndex(src.Code, lex.MaxCalls) {
		if src.CommentAt(m[0], m[1]) || src.Accepted(src.Line(m[0])) {
			continue
		}
		body, ok := tried(src, m[0])
		if !ok || attempt(body) || !acting(body) || tidy.Match(body) || src.CommentAt(lineBefore(src, m[0]), m[1]) || afterComment(src, m[1]) {
			continue
		}
		add(m[0])
	}
	for _, m := range jsPromise.FindAllIndex(src.Code, lex.MaxCalls) {
		if src.CommentAt(m[0], m[1]) || afterComment(src, m[1]) || src.Accepted(src.Line(m[0])) {
			continue
		}
		from, _ := src.Bounds(max(1, src.Line(m[0])-1))
		if tidy.Match(src.Code[from:m[0]]) || src.CommentAt(from, m[0]) {
			continue
		}
		add(m[0] + 1)
	}
	s.tell(f, "A handler drops every error in silence", handlerWhy, tell)
}

func lineBefore(s *lex.Source, off int) int {
	from, _ := s.Bounds(max(1, s.Line(off)-1))
	return from
}

// afterComment reports whether a comment follows offset off on the same line.
func afterComment(s *lex.Source, off int) bool {
	_, to := s.Bounds(s.Line(off))
	return s.CommentAt(off, max(off, to))
}

// acts matches a line that begins with a call. A try block without such a line only computes a value; if the block
// fails, the variable keeps its default value.
var acts = inspect.Pattern(`(?m)^[ \t]*(?:await[ \t]+)?[\w$][\w.$\[\]"' ]*\(`)

func acting(body []byte) bool {
	for _, m := range acts.FindAll(body, -1) {
		word, _, _ := strings.Cut(strings.Trim(string(m), " \t("), " ")
		switch word {
		case "if", "elif", "for", "while", "with", "return", "switch", "else", "yield", "raise", "throw", "assert", "not":
		default:
			return true
		}
	}
	return false
}

// attempt reports whether a try block contains a single statement. Such a block is often a query: the code tries one
// thing and continues if it fails.
func attempt(body []byte) bool {
	lines := 0
	for line := range bytes.Lines(body) {
		if len(bytes.Trim(line, " \t\r\n(){}[];,:")) > 0 {
			lines++
		}
	}
	return lines < 3
}

// tried returns the code of the try block that ends before offset end.
func tried(s *lex.Source, end int) ([]byte, bool) {
	code := bytes.TrimRight(s.Code[:end], " \t\r\n")
	if len(code) == 0 || code[len(code)-1] != '}' {
		return nil, false
	}
	depth := 0
	for i := len(code) - 1; i >= 0 && i > len(code)-20_000; i-- {
		switch code[i] {
		case '}':
			depth++
		case '{':
			if depth--; depth == 0 {
				if !bytes.HasSuffix(bytes.TrimRight(code[:i], " \t\r\n"), []byte("try")) {
					return nil, false
				}
				return code[i+1 : len(code)-1], true
			}
		}
	}
	return nil, false
}

var (
	pyExcept = inspect.Pattern(`(?m)^([ \t]*)except(?:[ \t]*|[ \t]+\(?(?:Base)?Exception\)?(?:[ \t]+as[ \t]+\w+)?[ \t]*):[ \t]*(?:pass[ \t]*$|\n([ \t]*)pass[ \t]*$)`)
	pyTidy   = inspect.Pattern(`(?i)(close|unlink|remove|rmtree|rmdir|kill|terminate|shutdown|cleanup|stop|disconnect|release|delete|import |\.flush|log|print|quit|exit|atexit|return|__version__|locale)`)
)

func pythonHandlers(f *inspect.File, data []byte, tell func(inspect.Finding)) {
	src := lex.Scan(f.Lang, data)
	var s swallowed
	for _, m := range pyExcept.FindAllSubmatchIndex(src.Code, lex.MaxCalls) {
		_, to := src.Bounds(src.Line(m[1]))
		above, _ := src.Bounds(max(1, src.Line(m[0])-8))
		if src.CommentAt(above, to) || commentNext(src, src.Line(m[1])) {
			continue
		}
		if body, ok := pyTried(src, m[0], m[3]-m[2]); !ok || attempt(body) || !acting(body) || pyTidy.Match(body) {
			continue
		}
		line := src.Line(m[2])
		s.lines = append(s.lines, line)
		if s.first == "" {
			s.first = src.Quote(line)
		}
	}
	s.tell(f, "A handler drops every exception in silence", handlerWhy, tell)
}

func commentNext(s *lex.Source, line int) bool {
	from, to := s.Bounds(line + 1)
	return to > from && len(bytes.TrimSpace(s.Code[from:to])) == 0 && s.CommentAt(from, to)
}

// pyTried returns the body of the try block whose except clause is at offset off and has the given indent.
func pyTried(s *lex.Source, off, indent int) ([]byte, bool) {
	for n := s.Line(off); n > 0 && n > s.Line(off)-200; n-- {
		from, to := s.Bounds(n)
		line := s.Code[from:to]
		body := bytes.TrimLeft(line, " \t")
		if len(line)-len(body) == indent && bytes.HasPrefix(body, []byte("try")) && bytes.Contains(body, []byte(":")) {
			return s.Code[to:off], true
		}
	}
	return nil, false
}
