package flows

import (
	"strings"

	"agentdungeon/server/syntax"
)

func (l *pyLowering) pyImport(n syntax.Node) {
	for _, c := range kids(n, "name") {
		dotted, alias := c.Text(), ""
		if c.Kind() == "aliased_import" {
			dotted, alias = c.Child("name").Text(), c.Child("alias").Text()
		}
		if alias == "" {
			alias, _, _ = strings.Cut(dotted, ".")
			if l.pyModule(dotted) == dotted {
				dotted = alias
			}
		}
		l.file.Imports[alias] = l.pyModule(dotted)
	}
}

func (l *pyLowering) pyFrom(n syntax.Node) {
	from := n.Child("module_name")
	module := from.Text()
	if from.Kind() == "relative_import" {
		dots := len(module) - len(strings.TrimLeft(module, "."))
		module = l.relative(strings.Repeat("../", dots-1) + strings.ReplaceAll(module[dots:], ".", "/"))
	} else {
		module = l.pyModule(module)
	}
	for _, c := range kids(n, "name") {
		name, alias := c.Text(), c.Text()
		if c.Kind() == "aliased_import" {
			name, alias = c.Child("name").Text(), c.Child("alias").Text()
		}
		dotted := module + "." + name
		if strings.HasPrefix(module, "./") && l.pyFile(module+"/"+name) {
			dotted = module + "/" + name
		}
		l.file.Imports[alias] = dotted
	}
}

func (l *pyLowering) pyFile(name string) bool {
	for _, end := range l.code.ends {
		if l.code.repo.File(strings.TrimPrefix(name, "./")+end) != nil {
			return true
		}
	}
	return false
}

// pyModule returns the name of the repository's package for a module, or the module's own name. Modules lie in the
// folder of the file or in one above it.
func (l *pyLowering) pyModule(dotted string) string {
	slashed := strings.ReplaceAll(dotted, ".", "/")
	for dir := "."; strings.Count(dir, "/") < 6; dir += "/.." {
		name := l.relative(dir + "/" + slashed)
		if strings.HasPrefix(name, "./..") {
			break
		}
		if l.pyFile(name) {
			return name
		}
	}
	return dotted
}

func (l *pyLowering) pyParam(c syntax.Node, route string) Param {
	p := Param{Name: c.Text()}
	value := c.Child("value").Text()
	var typ syntax.Node
	switch c.Kind() {
	case "default_parameter":
		p.Name = c.Child("name").Text()
	case "typed_default_parameter":
		p.Name, typ = c.Child("name").Text(), c.Child("type")
	case "typed_parameter":
		p.Name, typ = first(c).Text(), c.Child("type")
	case "list_splat_pattern", "dictionary_splat_pattern":
		p.Name = first(c).Text()
	}
	p.Type = l.pyType(typ)
	switch {
	case p.Name == "request" && l.uses("django", "rest_framework") && p.Type == "":
		p.Type = "django.http.HttpRequest"
	case route == "":
	case l.uses("fastapi"):
		p.Type = fastType(p, value, typ)
	case l.uses("flask"):
		switch {
		case strings.Contains(route, "<path:"+p.Name+">"):
			p.Type = "flask.PathParam"
		case strings.Contains(route, "<"+p.Name+">"), strings.Contains(route, "<string:"+p.Name+">"):
			p.Type = "flask.Param"
		}
	}
	return p
}

// fastType returns the type of a parameter of a FastAPI function: what has no type of its own comes from the request.
func fastType(p Param, value string, typ syntax.Node) string {
	text := typ.Text()
	switch {
	case strings.Contains(value, "Depends(") || strings.Contains(text, "Depends("), strings.Contains(text,
		"BackgroundTasks"), strings.HasSuffix(text, "Response"):
		return p.Type
	case p.Type == "int", strings.HasSuffix(p.Type, ".Request"), strings.HasSuffix(p.Type, ".UploadFile"):
		return p.Type
	case strings.Contains(text, "int") || strings.Contains(text, "float") || strings.Contains(text, "bool") ||
		strings.Contains(text, "UUID") ||
		strings.Contains(text, "Literal") || strings.Contains(text, "Enum") || strings.Contains(text, "date") ||
		strings.Contains(value, "pattern="):
		return "int"
	case text == "" || strings.Contains(text, "str") || strings.Contains(text, "dict") || strings.Contains(text,
		"Dict") || strings.HasPrefix(p.Type, "./"):
		return "fastapi.Param"
	}
	return p.Type
}

func (l *pyLowering) pyType(t syntax.Node) string {
	text := t.Text()
	if text == "" || strings.ContainsAny(text, "[|\"' ") {
		return ""
	}
	head, rest, dotted := strings.Cut(text, ".")
	if to := l.file.Imports[head]; to != "" {
		if dotted {
			return to + "." + rest
		}
		if at := strings.LastIndexByte(to, '.'); strings.HasPrefix(to, "./") && at > 1 {
			if p := l.code.find(to[:at]); p != nil && p.Types[to[at+1:]] != "" {
				return p.Types[to[at+1:]]
			}
		}
		return to
	}
	if text == "str" || text == "object" || dotted {
		return ""
	}
	if text == "int" || text == "float" || text == "bool" {
		return text
	}
	if known := l.file.Package.Types[text]; known != "" {
		return known
	}
	return l.file.Package.Name + "." + text
}

// percent splits a format of % into its texts and the arguments that it inserts.
func percent(format *Expr, args []*Expr) []*Expr {
	var out []*Expr
	text, next := format.Text, 0
	for {
		before, rest, ok := strings.Cut(text, "%")
		out = append(out, &Expr{Kind: Const, Line: format.Line, Text: before})
		if !ok {
			return out
		}
		if strings.HasPrefix(rest, "(") { // %(name)s
			if _, after, ok := strings.Cut(rest, ")"); ok {
				rest = after
			}
		}
		rest = strings.TrimLeft(rest, "+-# 0123456789.")
		if rest == "" {
			return out
		}
		text = rest[1:]
		switch {
		case rest[0] == '%':
			out = append(out, &Expr{Kind: Const, Line: format.Line, Text: "%"})
		case len(args) > 0:
			arg := args[min(next, len(args)-1)]
			if rest[0] != 's' && rest[0] != 'r' {
				arg = &Expr{Line: arg.Line, Args: []*Expr{arg}}
			}
			out = append(out, arg)
			next++
		}
	}
}
