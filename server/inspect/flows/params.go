package flows

import (
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

// routing matches a decorator that registers a function as a handler of requests.
var routing = inspect.Pattern(`\.(?:route|get|post|put|delete|patch|websocket|api_route|expose)\(`)

// param lowers a parameter. pattern is the destructuring pattern of a parameter without a name.
func (l *lowering) param(c syntax.Node, route string) (p Param, pattern syntax.Node) {
	name, typ, value := c, c.Child("type").Text(), c.Child("value").Text()
	switch c.Kind() {
	case "default_parameter", "typed_default_parameter":
		name = c.Child("name")
	case "required_parameter", "optional_parameter":
		name = c.Child("pattern")
	case "assignment_pattern":
		name = c.Child("left")
	case "typed_parameter", "list_splat_pattern", "dictionary_splat_pattern", "rest_pattern":
		name = first(c)
	}
	p.Type = l.typeName(typ)
	switch name.Kind() {
	case "object_pattern", "array_pattern":
		return p, name
	case "rest_pattern", "list_splat_pattern":
		name = first(name)
	}
	p.Name = name.Text()
	for _, d := range named(c) { // @Query("name") name: string
		if d.Kind() == "decorator" && !parsing.MatchString(d.Text()) {
			text, _, _ := strings.Cut(strings.TrimPrefix(d.Text(), "@"), "(")
			p.From = l.file.Imports[text]
		}
	}
	switch {
	case route == "" || p.Name == "self":
	case l.uses("fastapi"):
		endpoint(&p, typ, value)
	case l.uses("flask"):
		p.From = patternSource(route, p.Name)
	}
	return p, syntax.Node{}
}

var (
	// parsing matches decorators that convert a parameter to something without text.
	parsing = inspect.Pattern(`\bParse(?:Int|Float|Bool|UUID|Enum|Date)Pipe\b`)
	// plain matches types that FastAPI converts, so that no text gets through, unless texts matches too. given matches
	// parameters whose values do not come from the request.
	plain = inspect.Pattern(`\b(?:int|float|bool|UUID|Literal|Enum|date|datetime|Decimal)\b`)
	texts = inspect.Pattern(`\b(?:str|Any)\b`)
	given = inspect.Pattern(`\bDepends\(|\bSecurity\(|BackgroundTasks|Response$`)
)

// endpoint sets the source of a parameter of a FastAPI function. FastAPI fills a parameter from the request if it has
// no type, an unknown type, or a type that the repository declares.
func endpoint(p *Param, typ, value string) {
	own := p.Type == "" || strings.HasPrefix(p.Type, "./")
	switch {
	case given.MatchString(typ + " " + value):
	case plain.MatchString(typ) && !texts.MatchString(typ) || strings.Contains(typ+value, "pattern="):
		p.Type = "int"
	case own && typ != "", typ == "":
		p.From = "fastapi.Param"
	}
}

var (
	inPath  = inspect.Pattern(`<(?:(\w+)(?:\([^)]*\))?:)?(\w+)>`)
	bounded = inspect.Words("int float uuid any")
	inRegex = inspect.Pattern(`\(\?P<(\w+)>((?:[^()]|\([^()]*\))*)\)`)
)

// patternSource returns the source of a part of a path by the pattern of the path: "/<int:id>" or "(?P<id>\d+)". It
// returns "" if the pattern does not have the part, or if the part contains no text.
func patternSource(pattern, name string) string {
	for _, m := range inPath.FindAllStringSubmatch(pattern, -1) {
		switch {
		case m[2] != name || strings.Contains(pattern, "P<"+name+">") || bounded[m[1]]:
		case m[1] == "path":
			return "path.Rest"
		default:
			return "path.Part"
		}
	}
	for _, m := range inRegex.FindAllStringSubmatch(pattern, -1) {
		if m[1] != name {
			continue
		}
		switch k, _ := matching(m[2], test{true, true}); {
		case k&all == all:
		case k&files != 0 || !admits(m[2], "/"):
			return "path.Part"
		default:
			return "path.Rest"
		}
	}
	return ""
}

// shape has the parameter names of a framework's handlers, and their types. A function with these parameter names
// gets these types. The name "" matches any parameter.
type shape struct {
	uses         []string // the file must import one of these libraries; nil for any file
	names, types []string
}

const requestNames, responseNames = "req|request|_req", "res|response|reply|_res"

var shapes = map[string][]shape{
	"JavaScript": {
		{nil, []string{requestNames, responseNames}, []string{"express.Request", "express.Response"}},
		{nil, []string{"", requestNames, responseNames}, []string{"", "express.Request", "express.Response"}},
		{[]string{"@hapi/hapi", "hapi"}, []string{"request", "h"}, []string{"hapi.Request", ""}},
		{[]string{"koa", "@koa/router", "koa-router", "koa-body"}, []string{"ctx|context"}, []string{"koa.Context"}},
		{nil, []string{"ctx", "next"}, []string{"koa.Context", ""}},
		{[]string{"hono"}, []string{"c"}, []string{"hono.Context"}},
	},
	"Python": {
		{[]string{"django", "rest_framework"}, []string{"request"}, []string{"django.http.HttpRequest"}},
		{[]string{"aiohttp"}, []string{"request"}, []string{"aiohttp.web.Request"}},
		{[]string{"starlette"}, []string{"request"}, []string{"starlette.requests.Request"}},
		{[]string{"pyramid"}, []string{"request"}, []string{"pyramid.request.Request"}},
		{[]string{"sanic"}, []string{"request"}, []string{"sanic.request.Request"}},
		{[]string{"falcon"}, []string{"req", "resp"}, []string{"falcon.Request", ""}},
	},
}

// requests sets the types of the parameters of a function that handles requests.
func (l *lowering) requests(f *Func, name string) {
	params := f.Params
	if f.Self != "" {
		params = params[1:]
	}
	give := func(types ...string) {
		for i := range min(len(params), len(types)) {
			if t := &params[i].Type; types[i] != "" && (strings.HasPrefix(*t, "./") || !strings.ContainsAny(*t, "./")) {
				*t = types[i]
			}
		}
	}
	stem := strings.TrimSuffix(path.Base(l.file.Path), path.Ext(l.file.Path))
	switch {
	case name == "handler" || name == "lambda_handler":
		if len(params) > 0 && params[0].Name == "event" {
			give("lambda.Event")
		}
	case l.python():
	case name == "getServerSideProps":
		give("next.Props")
	case name == "loader" || name == "action" || strings.HasPrefix(stem, "+"): // of Remix and SvelteKit
		give("next.Event")
	case stem == "route" && slices.Contains([]string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"}, name):
		give("next.Request", "next.Context")
	case (stem == "page" || stem == "layout") && name != "" && (name == "default" || name[0] >= 'A' && name[0] <= 'Z'):
		give("next.Props")
	}
	for _, s := range shapes[l.file.Lang] {
		if (s.uses == nil || l.uses(s.uses...)) && s.fits(params) {
			give(s.types...)
			return
		}
	}
}

func (s *shape) fits(params []Param) bool {
	if len(params) < len(s.names) {
		return false
	}
	for i, names := range s.names {
		if names != "" && !slices.Contains(strings.Split(names, "|"), params[i].Name) {
			return false
		}
	}
	return true
}

var (
	// wrapped matches types that contain the type of the value: Optional[T], T | None, Promise<T>.
	wrapped = inspect.Pattern(`^(?:Optional\[|Promise<|Readonly<)(.*)[\]>]$|` +
		`^(.*?)\s*\|\s*(?:None|null|undefined)$`)
	qualified = inspect.Pattern(`^[A-Za-z_$][\w$.]*`)
)

// typeName returns the dotted name of a type. It returns "" for a type without a name and for strings.
func (l *lowering) typeName(text string) string {
	if len(text) > maxSymbol {
		return ""
	}
	text = strings.Trim(text, ": '\"\n")
	if m := wrapped.FindStringSubmatch(text); m != nil {
		text = m[1] + m[2]
	}
	name := qualified.FindString(text)
	rest := text[len(name):]
	if name == "" || rest != "" && (l.python() || rest[0] != '<') {
		return ""
	}
	head, member, dotted := strings.Cut(name, ".")
	switch to := l.file.Imports[head]; {
	case to != "" && dotted:
		return to + "." + member
	case to != "":
		return to
	case name == "str" || name == "object" || name == "string" || name == "any" || dotted:
		return ""
	case name == "int" || name == "float" || name == "bool":
		return name
	case l.python() || l.file.Package.Bases[name] != nil:
		return l.file.Package.Name + "." + name
	}
	return name
}

// fieldTypes records the types of the fields that a constructor assigns: self.db = Database().
func fieldTypes(in *File, class string, f *Func) {
	for _, st := range f.Body() {
		if st.Kind != Assign || len(st.To) != 1 || st.To[0].Kind != Field || st.From == nil || st.From.Kind != Call {
			continue
		}
		to, key := st.To[0], class+"."+st.To[0].Text
		t := typeOf(in, st.From.X)
		if t != "" && to.X.Kind == Name && to.X.Text == f.Self && in.Package.Types[key] == "" {
			in.Package.Types[key] = t
		}
	}
}

// typeOf returns the type of the value that a library call returns, or the class of the repository that is called;
// "" for other calls.
func typeOf(in *File, x *Expr) string {
	switch p := in.Package; {
	case x == nil:
	case x.Kind == Field:
		if base := strings.TrimSuffix(typeOf(in, x.X), "()"); base != "" {
			return base + "." + x.Text + "()"
		}
	case x.Kind == Name && p.Bases[x.Text] != nil:
		return p.Name + "." + x.Text
	case x.Kind == Name && strings.HasPrefix(in.Imports[x.Text], "./"):
		return in.Imports[x.Text]
	case x.Kind == Name && in.Imports[x.Text] != "":
		return in.Imports[x.Text] + "()"
	}
	return ""
}
