package flows

import (
	"cmp"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

// goCode has the Go packages of a repository in the form of the flow engine (Package). The body of a function is
// translated when the engine first needs it.
type goCode struct {
	packages map[string]*Package
	order    []*Package // the packages in which flows may begin
	set      *token.FileSet
	deep     int // number of expressions and statements that are nested too deeply
	rests    map[string]bool
}

// rest matches the part of a route's path that stands for the whole rest of the path: "/files/*name".
var rest = inspect.Pattern("[\"`][^\"`\\s]*/(\\*\\w*)[\"`]")

// goHints has words of which at least one is in every Go file in which a flow may begin.
var goHints = []string{"net/http", "gin-gonic/gin", "labstack/echo", "os.Args", "os.Getenv", "os.LookupEnv", `"flag"`,
	"go-chi/chi", "gorilla/mux", "spf13/pflag"}

func lowerGo(g *inspect.Golang, own func(*inspect.File) bool) *goCode {
	c := &goCode{packages: map[string]*Package{}, set: g.Fset, rests: map[string]bool{}}
	for _, dir := range slices.Sorted(maps.Keys(g.Packages)) {
		from := g.Packages[dir]
		p := &Package{
			Name: from.Import, Funcs: map[string]*Func{}, Types: map[string]string{}, rests: c.rests,
			declared: true,
		}
		if p.Name == "" {
			p.Name = "./" + dir
		}
		hinted := false
		for _, f := range from.Files {
			if !own(f.File) {
				continue
			}
			hinted = hinted || inspect.HasAny(f.Text, goHints...)
			for _, m := range rest.FindAllStringSubmatch(string(f.Text), -1) {
				c.rests[cmp.Or(m[1][1:], m[1])] = true
			}
			file := &File{Path: f.File.Path, Lang: "Go", Imports: f.Imports, Package: p, Quote: f.Quote}
			p.Files = append(p.Files, file)
			l := &goLowering{goCode: c, file: file}
			for _, d := range f.AST.Decls {
				l.declare(d)
			}
		}
		c.packages[p.Name] = p
		if hinted {
			c.order = append(c.order, p)
		}
	}
	return c
}

// goLowering translates one Go file into the engine's form (Expr, Stmt, Func).
type goLowering struct {
	*goCode
	file  *File
	depth int
}

// maxSyntax is the maximum depth of expressions and statements that are lowered.
const maxSyntax = 120

func (l *goLowering) line(n ast.Node) int { return l.set.Position(n.Pos()).Line }

// tooDeep enters one more level and reports whether the depth exceeds maxSyntax. The caller must defer l.up.
func (l *goLowering) tooDeep() bool {
	l.depth++
	if l.depth > maxSyntax {
		l.deep++
		return true
	}
	return false
}

func (l *goLowering) up() { l.depth-- }

func (l *goLowering) declare(d ast.Decl) {
	p := l.file.Package
	switch d := d.(type) {
	case *ast.FuncDecl:
		f := &Func{File: l.file, Line: l.line(d), lower: func() []Stmt {
			if d.Body == nil {
				return nil
			}
			return l.block(d.Body.List)
		}}
		l.signature(f, d.Type)
		name := d.Name.Name
		if d.Recv != nil && len(d.Recv.List) == 1 {
			recv, t := d.Recv.List[0], l.typeName(d.Recv.List[0].Type)
			self := Param{Name: "_", Type: t}
			if len(recv.Names) == 1 {
				self.Name = recv.Names[0].Name
			}
			f.Self, f.Params = self.Name, append([]Param{self}, f.Params...)
			name = strings.TrimPrefix(t, p.Name+".") + "." + name
		}
		f.Name = p.Name + "." + name
		p.Funcs[name] = f
		p.Order = append(p.Order, f)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.ValueSpec:
				for _, st := range l.values(s) {
					p.Init = append(p.Init, Init{l.file, st})
				}
			case *ast.TypeSpec:
				l.fields(s)
			}
		}
	}
}

func (l *goLowering) signature(f *Func, t *ast.FuncType) {
	for _, field := range t.Params.List {
		dotted := l.typeName(field.Type)
		for _, n := range field.Names {
			f.Params = append(f.Params, Param{Name: n.Name, Type: dotted})
		}
		if len(field.Names) == 0 {
			f.Params = append(f.Params, Param{Name: "_", Type: dotted})
		}
	}
	if t.Results == nil {
		return
	}
	for _, field := range t.Results.List {
		for range max(1, len(field.Names)) {
			f.Results = append(f.Results, l.typeName(field.Type))
		}
	}
}

func (l *goLowering) fields(s *ast.TypeSpec) {
	t, ok := s.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, field := range t.Fields.List {
		dotted := l.typeName(field.Type)
		if dotted == "" {
			continue
		}
		for _, n := range field.Names {
			l.file.Package.Types[s.Name.Name+"."+n.Name] = dotted
		}
		if at := strings.LastIndexByte(dotted, '.'); at >= 0 && len(field.Names) == 0 {
			l.file.Package.Types[s.Name.Name+dotted[at:]] = dotted
		}
	}
}

var goBasic = inspect.Words(`string bool byte rune error any int int8 int16 int32 int64 uint uint8 uint16 uint32
	uint64 uintptr float32 float64 complex64 complex128`)

// typeName returns the dotted name of a type, or of the type that a pointer points to; "" if it has no name.
func (l *goLowering) typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		switch {
		case e.Name == "string" || e.Name == "any":
			return ""
		case goBasic[e.Name]:
			return e.Name
		}
		return l.file.Package.Name + "." + e.Name
	case *ast.SelectorExpr:
		if id, ok := e.X.(*ast.Ident); ok && l.file.Imports[id.Name] != "" {
			return l.file.Imports[id.Name] + "." + e.Sel.Name
		}
	case *ast.StarExpr:
		return l.typeName(e.X)
	case *ast.ParenExpr:
		return l.typeName(e.X)
	case *ast.IndexExpr:
		return l.typeName(e.X)
	}
	return ""
}

func (l *goLowering) values(s *ast.ValueSpec) []Stmt {
	st := Stmt{Kind: Assign, Line: l.line(s)}
	for _, n := range s.Names {
		st.To = append(st.To, l.expr(n))
	}
	if s.Type != nil {
		st.Type = l.typeName(s.Type)
	}
	switch {
	case len(s.Values) == 1:
		st.From = l.expr(s.Values[0])
	case len(s.Values) > 1:
		st.From = &Expr{Kind: List, Line: st.Line, Args: l.exprs(s.Values)}
	}
	return []Stmt{st}
}

func (l *goLowering) block(list []ast.Stmt) []Stmt {
	var out []Stmt
	for _, s := range list {
		out = append(out, l.stmt(s)...)
	}
	return out
}

func (l *goLowering) stmt(s ast.Stmt) []Stmt {
	if s == nil {
		return nil
	}
	defer l.up()
	if l.tooDeep() {
		return nil
	}
	line := l.line(s)
	switch s := s.(type) {
	case *ast.AssignStmt:
		return l.assign(s)
	case *ast.ExprStmt:
		return l.do(s.X)
	case *ast.GoStmt:
		return l.do(s.Call)
	case *ast.DeferStmt:
		return l.do(s.Call)
	case *ast.ReturnStmt:
		return []Stmt{{Kind: Return, Line: line, From: l.tuple(s.Results, line)}}
	case *ast.DeclStmt:
		var out []Stmt
		if d, ok := s.Decl.(*ast.GenDecl); ok {
			for _, spec := range d.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok {
					out = append(out, l.values(v)...)
				}
			}
		}
		return out
	case *ast.BlockStmt:
		return l.block(s.List)
	case *ast.LabeledStmt:
		return l.stmt(s.Stmt)
	case *ast.BranchStmt:
		if s.Tok == token.CONTINUE {
			return []Stmt{{Kind: Leave, Line: line}}
		}
	case *ast.IfStmt:
		return append(l.stmt(s.Init), Stmt{Kind: If, Line: line, Cond: l.expr(s.Cond), Then: l.block(s.Body.List),
			Else: l.stmt(s.Else)})
	case *ast.ForStmt:
		out := l.stmt(s.Init)
		if s.Cond != nil {
			out = append(out, l.do(s.Cond)...)
		}
		return append(out, Stmt{Kind: If, Line: line, Then: append(l.block(s.Body.List), l.stmt(s.Post)...)})
	case *ast.RangeStmt:
		return l.ranged(s)
	case *ast.SwitchStmt:
		return append(l.stmt(s.Init), l.cases(s)...)
	case *ast.TypeSwitchStmt:
		return append(append(l.stmt(s.Init), l.stmt(s.Assign)...), l.arms(s.Body.List)...)
	case *ast.SelectStmt:
		return l.arms(s.Body.List)
	case *ast.SendStmt:
		return l.do(s.Value)
	}
	return nil
}

func (l *goLowering) assign(s *ast.AssignStmt) []Stmt {
	line := l.line(s)
	st := Stmt{Kind: Assign, Line: line, To: l.exprs(s.Lhs), From: l.tuple(s.Rhs, line)}
	switch s.Tok {
	case token.ADD_ASSIGN:
		st.Kind = Add
	case token.ASSIGN, token.DEFINE:
	default:
		return nil
	}
	return []Stmt{st}
}

// do translates an expression that is a statement, such as a call.
func (l *goLowering) do(e ast.Expr) []Stmt {
	return []Stmt{{Kind: Do, Line: l.line(e), From: l.expr(e)}}
}

func (l *goLowering) tuple(list []ast.Expr, line int) *Expr {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return l.expr(list[0])
	}
	return &Expr{Kind: List, Line: line, Args: l.exprs(list)}
}

func (l *goLowering) ranged(s *ast.RangeStmt) []Stmt {
	line := l.line(s)
	over := l.expr(s.X)
	var in []Stmt
	if s.Value != nil {
		in = append(in, Stmt{Kind: Assign, Line: line, To: []*Expr{l.expr(s.Value)}, From: &Expr{Kind: Spread,
			Line: line, X: over}})
	} else {
		in = append(in, Stmt{Kind: Do, Line: line, From: over})
	}
	if s.Key != nil {
		in = append(in, Stmt{Kind: Assign, Line: line, To: []*Expr{l.expr(s.Key)}, From: &Expr{Kind: Opaque,
			Line: line}})
	}
	return []Stmt{{Kind: If, Line: line, Then: append(in, l.block(s.Body.List)...)}}
}

func (l *goLowering) cases(s *ast.SwitchStmt) []Stmt {
	var subject *Expr
	if s.Tag != nil {
		subject = l.expr(s.Tag)
	}
	var arms []arm
	for _, st := range s.Body.List {
		if c, ok := st.(*ast.CaseClause); ok {
			arms = append(arms, arm{l.line(c), l.exprs(c.List), l.block(c.Body), c.List == nil})
		}
	}
	return switched(subject, arms)
}

func (l *goLowering) arms(list []ast.Stmt) []Stmt {
	var out []Stmt
	for _, s := range list {
		switch c := s.(type) {
		case *ast.CaseClause:
			out = append(out, Stmt{Kind: If, Line: l.line(c), Then: l.block(c.Body)})
		case *ast.CommClause:
			out = append(out, Stmt{Kind: If, Line: l.line(c), Then: append(l.stmt(c.Comm), l.block(c.Body)...)})
		}
	}
	return out
}

func (l *goLowering) exprs(list []ast.Expr) []*Expr {
	out := make([]*Expr, len(list))
	for i, e := range list {
		out[i] = l.expr(e)
	}
	return out
}

func (l *goLowering) expr(e ast.Expr) *Expr {
	defer l.up()
	out := &Expr{}
	if e == nil || l.tooDeep() {
		return out
	}
	out.Line = l.line(e)
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, ok := inspect.Literal(e); ok {
			out.Kind, out.Text = Const, text
		}
	case *ast.Ident:
		if e.Name != "nil" && e.Name != "true" && e.Name != "false" && e.Name != "iota" {
			out.Kind, out.Text = Name, e.Name
		}
	case *ast.SelectorExpr:
		out.Kind, out.Text, out.X = Field, e.Sel.Name, l.expr(e.X)
		out.Line = l.line(e.Sel)
	case *ast.ParenExpr:
		return l.expr(e.X)
	case *ast.StarExpr:
		return l.expr(e.X)
	case *ast.TypeAssertExpr:
		return l.expr(e.X)
	case *ast.SliceExpr:
		return l.expr(e.X)
	case *ast.IndexExpr:
		out.Kind, out.X, out.Args = Index, l.expr(e.X), []*Expr{l.expr(e.Index)}
	case *ast.UnaryExpr:
		switch e.Op {
		case token.AND, token.ARROW:
			return l.expr(e.X)
		case token.NOT:
			out.Kind, out.X = Not, l.expr(e.X)
		default:
			out.Args = []*Expr{l.expr(e.X)}
		}
	case *ast.BinaryExpr:
		out.Args = []*Expr{l.expr(e.X), l.expr(e.Y)}
		if e.Op != token.REM && e.Op != token.QUO { // these operators have no strings in Go
			out.Kind = operators[e.Op.String()]
		}
		if e.Op == token.NEQ {
			out.Text = "!="
		}
	case *ast.CompositeLit:
		l.composite(out, e)
	case *ast.FuncLit:
		out.Kind = Closure
		out.Func = &Func{File: l.file, Line: out.Line, lower: func() []Stmt { return l.block(e.Body.List) }}
		l.signature(out.Func, e.Type)
	case *ast.CallExpr:
		return l.call(out, e)
	}
	return out
}

func (l *goLowering) composite(out *Expr, e *ast.CompositeLit) {
	out.Kind = List
	_, isMap := e.Type.(*ast.MapType)
	if t := l.typeName(e.Type); t != "" {
		out.Kind, out.Text = Dict, t
	}
	for _, x := range e.Elts {
		kv, ok := x.(*ast.KeyValueExpr)
		if !ok {
			out.Args, out.Keys = append(out.Args, l.expr(x)), append(out.Keys, "")
			continue
		}
		out.Kind = Dict
		k := ""
		if id, ok := kv.Key.(*ast.Ident); ok && !isMap {
			k = id.Name
		} else if text, ok := inspect.Literal(kv.Key); ok {
			k = text
		}
		out.Args, out.Keys = append(out.Args, l.expr(kv.Value)), append(out.Keys, k)
	}
}

func (l *goLowering) call(out *Expr, e *ast.CallExpr) *Expr {
	switch fun := e.Fun.(type) {
	case *ast.ArrayType: // a conversion
		if len(e.Args) == 1 {
			return l.expr(e.Args[0])
		}
	case *ast.Ident:
		if fun.Name == "new" && len(e.Args) == 1 {
			out.Kind, out.Text = Dict, l.typeName(e.Args[0])
			return out
		}
	}
	if fun, ok := e.Fun.(*ast.SelectorExpr); ok && fun.Sel.Name == "Sprintf" && len(e.Args) > 0 {
		out.Kind, out.Args = Join, l.exprs(e.Args)
		if format, ok := inspect.Literal(e.Args[0]); ok {
			out.Args = verbs(format, out.Args[1:], out.Line)
		}
		return out
	}
	out.Kind, out.X, out.Args = Call, l.expr(e.Fun), l.exprs(e.Args)
	out.Line = out.X.Line
	return out
}
