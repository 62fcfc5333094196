package mistakes

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

// signature has the parameters of a function.
type signature struct {
	names []string // parameters that can be passed by position or by name, without self
	least int      // number of parameters without a default
	words map[string]bool
	line  int
}

// signatureOf reads the parameters of a function. ok is false if the function takes any number of arguments, or has
// another form that is not supported.
func signatureOf(def syntax.Node, method bool) (s signature, ok bool) {
	s.words, s.line = map[string]bool{}, def.Line()
	after := false
	for i, p := range def.Child("parameters").Parts() {
		name := p.Text()
		switch p.Kind() {
		case "identifier":
		case "typed_parameter":
			if name = p.First().Text(); p.First().Kind() != "identifier" {
				return s, false
			}
		case "default_parameter", "typed_default_parameter":
			name = p.Child("name").Text()
		case "keyword_separator":
			after = true
			continue
		default:
			return s, false
		}
		if i == 0 && method {
			continue
		}
		if after {
			s.words[name] = true
			continue
		}
		s.names = append(s.names, name)
		if !strings.Contains(p.Kind(), "default") {
			s.least++
		}
	}
	return s, true
}

// misfit returns the reason why a call does not fit the signature, "" if it does.
func (s *signature) misfit(args []syntax.Node) string {
	given, named := 0, map[string]bool{}
	for _, a := range args {
		switch a.Kind() {
		case "list_splat", "dictionary_splat":
			return ""
		case "line_continuation":
		case "keyword_argument":
			name := a.Child("name").Text()
			if !slices.Contains(s.names, name) && !s.words[name] {
				return "it takes no " + name
			}
			named[name] = true
		default:
			given++
		}
	}
	if given > len(s.names) {
		return fmt.Sprintf("it takes %d and gets %d", len(s.names), given)
	}
	for i, name := range s.names {
		if i < given && named[name] {
			return "it gets " + name + " twice"
		}
		if i >= given && i < s.least && !named[name] {
			return "it gets no " + name
		}
	}
	return ""
}

func findUnfit(t *inspect.Tree, tell func(inspect.Finding)) {
	funcs := map[string]signature{} // by name, with the class before that of a method
	count := pythonNames.bound(t, "function_definition")
	text := t.Root().Text()
	for n := range t.Root().All() {
		if left := n.Child("left"); n.Kind() == "assignment" && left.Kind() == "attribute" { // self.name = ...
			count[left.Child("attribute").Text()]++
		}
		if n.Kind() != "function_definition" {
			continue
		}
		name, in := n.Child("name").Text(), n.Parent()
		class := in.Parent()
		of := class.Child("name").Text()
		switch s, ok := signatureOf(n, in.Kind() != "module"); {
		case in.Kind() == "module":
			if count[name]++; ok {
				funcs[name] = s
			}
		case class.Kind() == "class_definition":
			// Subclasses may have methods with other parameters.
			if count[of+"."+name]++; ok && !stub(n) && !strings.Contains(text, "("+of+")") {
				funcs[of+"."+name] = s
			}
		default:
			count[name] += 2
		}
	}
	for n := range t.Root().All() {
		if n.Kind() != "call" {
			continue
		}
		callee := n.Callee()
		key := callee
		if name, is := strings.CutPrefix(callee, "self."); is {
			if count[name] > 0 {
				continue
			}
			key = n.Around("class_definition").Child("name").Text() + "." + name
		} else if strings.Contains(callee, ".") {
			continue
		}
		s, ok := funcs[key]
		if !ok || count[key] != 1 || n.Child("arguments").Kind() != "argument_list" || t.Accepted(n.Line()) ||
			guarded(n, callee) {
			continue
		}
		if why := s.misfit(n.Args()); why != "" {
			tell(inspect.Finding{
				Severity: inspect.Medium, Path: t.File.Path, Line: n.Line(), Evidence: t.Quote(n.Line()),
				Title: inspect.Clip(fmt.Sprintf("The call of %s fails: %s", callee, why), 100),
				Why: fmt.Sprintf("The function is defined on line %d with other parameters, so the call is a TypeError as "+
					"soon as it runs.", s.line),
				Advice: "Correct the arguments, or the parameters.",
			})
		}
	}
}

// stub reports whether a method has no body of its own, because subclasses define it.
func stub(def syntax.Node) bool {
	return strings.Contains(def.Child("body").Text(), "NotImplemented") || hollow(def)
}

// hollow reports whether a function does nothing, except perhaps to say that it is not implemented.
func hollow(def syntax.Node) bool {
	return !slices.ContainsFunc(def.Child("body").Parts(), func(n syntax.Node) bool {
		switch n.Kind() {
		case "pass_statement", "comment":
			return false
		case "expression_statement":
			return n.First().Kind() != "string" && n.First().Kind() != "ellipsis"
		case "raise_statement":
			return !strings.Contains(n.First().Text(), "NotImplemented")
		}
		return true
	})
}

func findTwice(t *inspect.Tree, tell func(inspect.Finding)) {
	for n := range t.Root().All() {
		k := n.Kind()
		if k != "module" && k != "block" && k != "class_body" ||
			k == "block" && n.Parent().Kind() != "class_definition" {
			continue
		}
		seen := map[string]syntax.Node{}
		for _, c := range n.Parts() {
			name, _ := entry(c)
			if name == "" {
				continue
			}
			first, ok := seen[name]
			seen[name] = c
			if !ok || alike(first, c) || hollow(first) || t.Accepted(c.Line()) || t.Accepted(first.Line()) ||
				c.Kind() == "function_definition" && used(n, first, c, name) {
				continue
			}
			tell(inspect.Finding{
				Severity: inspect.Medium, Path: t.File.Path, Line: c.Line(), Same: name + " " + n.Parent().Child("name").Text(),
				Evidence: t.Quote(first.Line()) + "\n" + t.Quote(c.Line()),
				Title: inspect.Clip(fmt.Sprintf("%s is defined twice, and the first one is lost", name),
					100),
				Why: fmt.Sprintf("This line replaces the definition on line %d before any code uses that definition, "+
					"and the two differ.",
					first.Line()),
				Advice: "If both are meant, give one of them another name. Else delete the first one: the program " +
					"then does what it does today.",
				Cause: inspect.Cause{Key: "defined twice " + t.File.Path, Text: t.File.Path},
			})
		}
	}
}

// entry returns the name that a function or a method defines, and the text of its body; "" for all other nodes.
func entry(c syntax.Node) (name, value string) {
	switch c.Kind() {
	case "function_definition":
		return c.Child("name").Text(), strings.Join(strings.Fields(c.Child("body").Text()), " ")
	case "method_definition":
		kind := ""
		for _, word := range []string{"static", "get", "set"} {
			if c.Has(word) {
				kind += word + " "
			}
		}
		if !c.Child("body").OK() || c.Child("name").Kind() == "computed_property_name" {
			return "", ""
		}
		return kind + c.Child("name").Text(), c.Child("body").Text()
	}
	return "", ""
}

// alike reports whether two definitions have the same body; in Python also if only their parameters are named
// differently.
func alike(first, second syntax.Node) bool {
	_, a := entry(first)
	_, b := entry(second)
	return a == b || second.Kind() == "function_definition" && numbered(first) == numbered(second)
}

// numbered returns the body of a function of Python with a number in place of each parameter.
func numbered(def syntax.Node) string {
	body := strings.Join(strings.Fields(def.Child("body").Text()), " ")
	for i, p := range def.Child("parameters").Parts() {
		if p.Kind() == "identifier" {
			body = regexp.MustCompile(`\b`+p.Text()+`\b`).ReplaceAllString(body, fmt.Sprintf("parameter %d", i))
		}
	}
	return body
}

// used reports whether a name is read between two definitions of it.
func used(in, first, second syntax.Node, name string) bool {
	for n := range in.All() {
		if n.Kind() == "identifier" && n.Text() == name && n.Start() > first.Child("name").End() &&
			n.Start() < second.Start() {
			return true
		}
	}
	return false
}
