package mistakes

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

// findPythonSlips reports Python code that certainly does something else than a reader expects.
func findPythonSlips(t *inspect.Tree, tell func(inspect.Finding)) {
	for n := range t.Root().All() {
		title, advice := pythonSlip(n)
		line := n.Line()
		if title == "" || t.Accepted(line) || n.Unreachable() || n.Around("ERROR").OK() {
			continue
		}
		out := inspect.Finding{
			Severity: inspect.Medium, Path: t.File.Path, Line: line, Evidence: t.Quote(line), Title: inspect.Clip(title, 100),
			Why:    "The line does something else than it seems to do, on every run that reaches it.",
			Advice: advice, Same: title + t.Quote(line),
			Cause: inspect.Cause{Key: "slip " + advice + t.File.Path, Text: "slips of " + t.File.Base()},
		}
		if n.Kind() == "comparison_operator" {
			out.Suspect("the value may always be the whole text")
		}
		tell(out)
	}
}

// pythonSlip returns the problem of a node and advice for a person, or "".
func pythonSlip(n syntax.Node) (title, advice string) {
	switch n.Kind() {
	case "call":
		return callSlip(n)
	case "comparison_operator":
		parts := n.Parts()
		if last := parts[len(parts)-1]; (n.Has("in") || n.Has("not in")) && len(parts) == 2 && parts[0].Kind() != "string" &&
			last.Kind() == "parenthesized_expression" {
			if text, fixed := last.First().Value(); fixed && option.MatchString(text) && !letters.MatchString(parts[0].Text()) {
				return fmt.Sprintf("in (%s) looks for a part of the text, because one text in brackets is no tuple",
						inspect.Clip(last.First().Text(), 30)),
					"Compare with ==, or write a comma before the closing bracket."
			}
		}
	case "raise_statement":
		if x := n.First(); x.Kind() == "string" || x.Kind() == "binary_operator" &&
			(x.Child("left").Kind() == "string" || x.Child("right").Kind() == "string") {
			return "A text is raised, which is no exception: Python raises a TypeError instead",
				"Raise an exception with the text."
		}
	case "binary_operator":
		if n.Child("operator").Text() == "%" || n.Has("%") {
			return percentSlip(n)
		}
	case "except_clause":
		return handlerSlip(n)
	case "else_clause":
		return elseSlip(n)
	}
	return "", ""
}

var (
	// option matches constants that people compare as a whole, such as "yes". letters matches names of variables
	// that have a single letter, for which "in" is right.
	option  = inspect.Pattern(`^(?:--?)?[A-Za-z][A-Za-z_ -]{2,}$`)
	letters = inspect.Pattern(`(?i)^.$|char|letter|digit|symbol|byte|\[`)
)

// wordStripped matches an argument of lstrip or rstrip that people mean as a word to remove, and not as a set of
// letters.
var wordStripped = inspect.Pattern(`^[./:_-]*[A-Za-z]{3,}[\w./:-]*$`)

func callSlip(n syntax.Node) (title, advice string) {
	f, args := n.Child("function"), n.Args()
	if f.Kind() != "attribute" || n.Child("arguments").Kind() != "argument_list" {
		return "", ""
	}
	of, method := f.Child("object"), f.Child("attribute").Text()
	switch method {
	case "lstrip", "rstrip":
		if len(args) != 1 {
			break
		}
		text, fixed := args[0].Value()
		if fixed && wordStripped.MatchString(text) && strings.ContainsAny(text, "._:/-") {
			return fmt.Sprintf("%s takes away any of the letters of %s, not this text", method,
					inspect.Clip(args[0].Text(), 30)),
				"Use removeprefix or removesuffix, or test the text and cut it."
		}
	case "split", "sub":
		at := map[string]int{"split": 2, "sub": 3}[method]
		if of.Text() == "re" && len(args) > at && flags.MatchString(args[at].Text()) {
			return fmt.Sprintf("re.%s takes %s for a number, because it stands in the wrong place", method,
				inspect.Clip(args[at].Text(), 30)), "Write flags= before it."
		}
	case "extend", "append", "sort":
		if p := n.Parent(); of.Kind() == "list" && (p.Kind() == "assignment" || p.Kind() == "return_statement") {
			return fmt.Sprintf("%s returns None, not the list", method), "Join the lists with +."
		}
	case "format":
		return formatSlip(n, of, args)
	}
	return "", ""
}

var (
	flags  = inspect.Pattern(`^re\.[A-Z]+(?:\s*\|\s*re\.[A-Z]+)*$`)
	fields = inspect.Pattern(`\{\{|\}\}|\{([^{}!:]*)(![rsa])?(:[^{}]*)?\}|[{}]`)
	nested = inspect.Pattern(`:[^{}]*\{`)
)

// formatSlip compares the placeholders of a text with the arguments of its method format.
func formatSlip(n, of syntax.Node, args []syntax.Node) (title, advice string) {
	text, fixed := of.Value()
	if !fixed || nested.MatchString(text) {
		return "", ""
	}
	want, next := 0, 0
	words := map[string]bool{}
	for _, m := range fields.FindAllStringSubmatch(text, -1) {
		if m[0] == "{{" || m[0] == "}}" {
			continue
		}
		if m[0] == "{" || m[0] == "}" {
			return "", ""
		}
		name := m[1]
		if i := strings.IndexAny(name, ".["); i >= 0 {
			name = name[:i]
		}
		if name == "" {
			next++
			want = max(want, next)
		} else if i, err := strconv.Atoi(name); err == nil {
			want = max(want, i+1)
		} else {
			words[name] = true
		}
	}
	given := 0
	for _, a := range args {
		switch a.Kind() {
		case "line_continuation":
		case "list_splat", "dictionary_splat", "generator_expression":
			return "", ""
		case "keyword_argument":
			delete(words, a.Child("name").Text())
		default:
			given++
		}
	}
	switch {
	case given < want:
		return fmt.Sprintf("The text has %d places and gets %d values: format raises an IndexError", want, given),
			"Give a value for each place."
	case len(words) > 0:
		return "The text has a place that gets no value: format raises a KeyError", "Give a value for each place."
	case given > want:
		return fmt.Sprintf("The text has %d places and gets %d values: the last ones are lost", want, given),
			"Write a place {} for each value."
	}
	return "", ""
}

// percentSlip compares the placeholders of a text with the values of the tuple after %.
func percentSlip(n syntax.Node) (title, advice string) {
	text, fixed := n.Child("left").Value()
	right := n.Child("right")
	if !fixed || right.Kind() != "tuple" || strings.ContainsAny(n.Child("left").Text()[:1], "bB") {
		return "", ""
	}
	want := 0
	for _, m := range verb.FindAllStringSubmatch(text, -1) {
		if m[1] != "" || strings.Contains(m[0], "(") || m[2] == "*" || m[3] == "*" {
			return "", ""
		}
		if m[4] != "%" {
			want++
		}
	}
	values := slices.DeleteFunc(right.Parts(), func(v syntax.Node) bool { return v.Kind() == "line_continuation" })
	if want == len(values) || slices.ContainsFunc(values, func(v syntax.Node) bool { return v.Kind() == "list_splat" }) {
		return "", ""
	}
	return fmt.Sprintf("The text has %d places and gets %d values: the line raises a TypeError", want, len(values)),
		"Give a value for each place."
}

// derived maps Python's exceptions to the exceptions from which they derive.
var derived = map[string]string{
	"FileNotFoundError": "OSError", "PermissionError": "OSError", "FileExistsError": "OSError", "TimeoutError": "OSError",
	"ConnectionError": "OSError", "ConnectionRefusedError": "OSError", "ConnectionResetError": "OSError",
	"BrokenPipeError": "OSError", "IsADirectoryError": "OSError", "NotADirectoryError": "OSError",
	"shutil.Error": "OSError",
	"KeyError":     "LookupError", "IndexError": "LookupError", "UnicodeDecodeError": "ValueError",
	"UnicodeEncodeError": "ValueError", "json.JSONDecodeError": "ValueError", "ZeroDivisionError": "ArithmeticError",
	"OSError": "Exception", "IOError": "Exception", "ValueError": "Exception", "LookupError": "Exception",
	"TypeError": "Exception", "AttributeError": "Exception", "RuntimeError": "Exception", "ImportError": "Exception",
}

// caught returns the names of the exceptions that a handler catches.
func caught(handler syntax.Node) []syntax.Node {
	head := handler.First()
	if head.Kind() == "as_pattern" {
		head = head.First()
	}
	if head.Kind() == "tuple" {
		return head.Parts()
	}
	return []syntax.Node{head}
}

// handlerSlip looks for a handler that never runs, because an earlier handler of the same try statement catches a
// base class of its exception.
func handlerSlip(n syntax.Node) (title, advice string) {
	own := caught(n)
	if len(own) != 1 {
		return "", ""
	}
	seen := map[string]bool{}
	for _, c := range n.Parent().Parts() {
		if c.Kind() != "except_clause" || c.Start() >= n.Start() {
			continue
		}
		for _, name := range caught(c) {
			seen[name.Text()] = true
		}
	}
	for up := derived[own[0].Text()]; up != ""; up = derived[up] {
		if seen[up] || up == "OSError" && (seen["IOError"] || seen["EnvironmentError"]) {
			return fmt.Sprintf("The handler of %s never runs: one above it catches that already", own[0].Text()),
				"Put it above the handler of the wider exception."
		}
	}
	return "", ""
}

var nothing = inspect.Pattern(`(?i)\b(?:no|not|none|nothing|empty|missing|cannot|unable)\b`)

// elseSlip looks for a loop without a break whose else says that nothing was found. Such an else always runs.
func elseSlip(n syntax.Node) (title, advice string) {
	loop := n.Parent()
	if loop.Kind() != "for_statement" {
		return "", ""
	}
	for c := range loop.Child("body").All() {
		switch c.Kind() {
		case "break_statement", "return_statement", "raise_statement", "yield":
			return "", ""
		case "call":
			if strings.Contains(c.Callee(), "exit") {
				return "", ""
			}
		}
	}
	for c := range n.All() {
		if c.Kind() == "string" && nothing.MatchString(c.Text()) {
			return "The else of the loop always runs, because the loop has no break",
				"Ask after the loop whether there was anything."
		}
	}
	return "", ""
}
