package mistakes

import (
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

// slip is a piece of code that certainly does something else than a reader expects.
type slip struct {
	title, advice string
	at            syntax.Node // its place, if that is not the examined node
	doubt         string      // why it may be harmless, "" if it never is
	likely        bool        // whether the harm depends on the values that the program gets
	why           string      // the harm
}

// slipsOf has the functions that look for slips, by the kind of the node that they examine. A function returns nil if
// the node is no slip.
var slipsOf = map[string][]func(syntax.Node) *slip{
	"if_statement": {repeated, lateTest}, "expression_statement": {unused},
	"binary_expression": {textAfterOr}, "string": {otherQuotes}, "await_expression": {forEachAwaited},
	"new_expression":   {lostArguments},
	"boolean_operator": {textAfterOr}, "call": {callSlip}, "binary_operator": {percentSlip},
	"except_clause": {lateHandler},
}

// findSlips reports the slips in one tree.
func findSlips(t *inspect.Tree, tell func(inspect.Finding)) {
	for n := range t.Root().All() {
		for _, look := range slipsOf[n.Kind()] {
			if s := look(n); s != nil {
				s.tell(t, n, tell)
			}
		}
	}
}

// tell reports the slip that was found in a node.
func (s *slip) tell(t *inspect.Tree, n syntax.Node, tell func(inspect.Finding)) {
	if !s.at.OK() {
		s.at = n
	}
	line := s.at.Line()
	if t.Accepted(line) || n.Unreachable() || n.Around("ERROR").OK() {
		return
	}
	out := inspect.Finding{
		Severity: inspect.Medium, Path: t.File.Path, Line: line, Evidence: t.Quote(line),
		Title:  inspect.Clip(s.title, 100),
		Why:    s.why,
		Advice: s.advice,
		Cause:  inspect.Cause{Key: "slip " + s.advice + " " + t.File.Path, Text: "slips of " + t.File.Base()},
	}
	if s.likely {
		out.Confidence = inspect.Likely
	}
	out.Suspect(s.doubt)
	tell(out)
}

// repeated looks in a chain of ifs for a condition that an earlier if of the chain has already tested, to do something
// else.
func repeated(n syntax.Node) *slip {
	if n.Parent().Kind() == "else_clause" {
		return nil // the first if of the chain reports the condition
	}
	seen := map[string]string{} // by the condition, what its branch does
	ask := func(x syntax.Node) bool {
		text := strings.Join(strings.Fields(x.Child("condition").Text()), " ")
		does := strings.Join(strings.Fields(x.Child("consequence").Text()), " ")
		if before, again := seen[text]; again {
			return before != does && sameAgain(x.Child("condition"))
		}
		seen[text] = does
		return false
	}
	again := func(x syntax.Node) *slip {
		return &slip{title: "A branch above has the same condition, so this branch never runs", at: x,
			why:    "For every value for which the condition holds, the branch above has run already.",
			advice: "Write the condition that was meant, or delete the branch that never runs."}
	}
	for x := n; x.OK(); {
		if ask(x) {
			return again(x)
		}
		next := syntax.Node{}
		for _, c := range x.Parts() {
			if c.Kind() == "elif_clause" && ask(c) {
				return again(c)
			}
			if c.Kind() == "else_clause" && c.First().Kind() == "if_statement" {
				next = c.First()
			}
		}
		x = next
	}
	return nil
}

// pure lists methods of strings that return a new string. Hardly any other type has methods with these names.
var pure = inspect.Words("strip lstrip rstrip toLowerCase toUpperCase trimEnd trimStart")

// unused looks for a statement that creates a text without using it.
func unused(n syntax.Node) *slip {
	x := n.First()
	callee, args := x.Callee(), x.Args()
	i := strings.LastIndexByte(callee, '.')
	if !x.IsCall() || i < 0 {
		return nil
	}
	method := callee[i+1:]
	if pure[method] && len(args) < 2 && !x.Child("arguments").Has("keyword_argument") ||
		method == "replace" && len(args) == 2 && replacesText(x, args) {
		return &slip{title: fmt.Sprintf("What %s returns is thrown away, and the text stays as it was",
			inspect.Clip(callee, 50)),
			why: "A text never changes: the method returns a new one. So the line does nothing, and the code below gets the " +
				"old text.",
			advice: "Assign the result if the code below copes with the changed text, else delete the line."}
	}
	return nil
}

// replacesText reports whether a call of replace is the method of strings. It requires constant arguments: a
// function as an argument may have effects, and other types have methods with this name.
func replacesText(call syntax.Node, args []syntax.Node) bool {
	if call.Kind() == "call" { // Python
		return args[0].Kind() == "string" && args[1].Kind() != "keyword_argument" && call.Callee() != "os.replace"
	}
	return (args[0].Kind() == "string" || args[0].Kind() == "regex") && args[1].Kind() == "string"
}

// textAfterOr looks for a condition such as a == "b" or "c", which is always true.
func textAfterOr(n syntax.Node) *slip {
	text, fixed := n.Child("right").Value()
	left := n.Child("left")
	if !n.Has("or") && !n.Has("||") || n.Child("right").Kind() != "string" || !fixed || text == "" ||
		left.Kind() != "comparison_operator" && !left.Has("===") && !left.Has("==") {
		return nil
	}
	p := n.Parent()
	for p.Kind() == "parenthesized_expression" {
		p = p.Parent()
	}
	if !slices.Contains([]string{"if_statement", "elif_clause", "while_statement"}, p.Kind()) {
		return nil
	}
	return &slip{title: "The condition is always true: a text after or is no comparison",
		why:    "Nothing compares the text, and it counts as true, so the code below runs for every value.",
		advice: "Compare the value with each text."}
}

var (
	errNames   = inspect.Pattern(`^(?:e|er|err|error|ex|exception)$`)
	errorTypes = inspect.Words("Error TypeError RangeError SyntaxError ReferenceError EvalError URIError")
	template   = inspect.Pattern(`[^\\\\]\$\{[a-z]\w*(?:\.\w+)*\}`)
	logs       = inspect.Pattern(`^(?:console|(?:\w+\.)?log(?:ger)?)\.(?:log|info|warn|error|debug)$`)
	cursors    = inspect.Pattern(`(?i)cursor|stream|find|aggregate|query|rows|collection`)
	inserts    = inspect.Pattern(`%[sdifjoO]`)
)

// otherQuotes looks for a message in JavaScript with ${...} between " or ', where no value replaces it.
func otherQuotes(n syntax.Node) *slip {
	in := n.Parent().Parent()
	if n.Parent().Kind() != "arguments" || !template.MatchString(n.Text()) ||
		!errorTypes[in.Child("constructor").Text()] && !logs.MatchString(in.Callee()) {
		return nil
	}
	return &slip{title: "The text says ${...} literally, because its quotes are not those of a template string",
		why:    "People read the name of the variable instead of its value.",
		advice: "Put the text between backticks."}
}

func forEachAwaited(n syntax.Node) *slip {
	c := n.First()
	if !strings.HasSuffix(c.Callee(), ".forEach") || len(c.Args()) == 0 || !c.Args()[0].Has("async") ||
		cursors.MatchString(c.Callee()) {
		return nil
	}
	return &slip{title: "await does not wait for what forEach starts: forEach returns nothing",
		why:    "The code below runs before the work is done, and an error of that work is an unhandled rejection.",
		advice: "Use for...of with await, or Promise.all with map."}
}

// lostArguments looks for the creation of an error with arguments that the error ignores.
func lostArguments(n syntax.Node) *slip {
	args := n.Child("arguments").Parts()
	if !errorTypes[n.Child("constructor").Text()] || len(args) < 2 {
		return nil
	}
	text, _ := args[0].Value()
	if k := args[1].Kind(); k == "object" || k == "spread_element" || !inserts.MatchString(text) && len(args) == 2 {
		return nil
	}
	return &slip{title: "An error loses what is behind its text: it takes one text and inserts nothing",
		why:    "The values that explain the error are in no message, no log and no field of the error.",
		advice: "Put the values into the text, with a template string."}
}

var (
	// wordStripped matches an argument of lstrip or rstrip that people mean as a word to remove, and not as a set of
	// letters.
	wordStripped = inspect.Pattern(`^[./:_-]*[A-Za-z]{3,}[\w./:-]*$`)
	flags        = inspect.Pattern(`^re\.[A-Z]+(?:\s*\|\s*re\.[A-Z]+)*$`)
)

// callSlip looks for calls of Python whose arguments mean something else than they seem to mean.
func callSlip(n syntax.Node) *slip {
	f, args := n.Child("function"), n.Args()
	if n.Child("arguments").Kind() != "argument_list" {
		return nil
	}
	switch method := f.Child("attribute").Text(); method {
	case "lstrip", "rstrip":
		if len(args) != 1 {
			break
		}
		text, fixed := args[0].Value()
		if fixed && wordStripped.MatchString(text) && strings.ContainsAny(text, "._:/-") {
			return stripSlip(n, method, text)
		}
	case "split", "sub":
		at := map[string]int{"split": 2, "sub": 3}[method]
		if f.Child("object").Text() == "re" && len(args) > at && flags.MatchString(args[at].Text()) {
			return &slip{title: fmt.Sprintf("re.%s takes %s for a number, because it is in the wrong place", method,
				inspect.Clip(args[at].Text(), 30)), advice: "Write flags= before it.",
				why: "The flags have no effect, and their number is the limit of how often the pattern applies."}
		}
	case "debug", "info", "warning", "warn", "error", "critical", "exception", "fatal":
		return logSlip(n, args)
	}
	return nil
}

// jsonBegins has the characters with which a JSON text begins.
const jsonBegins = "{[\"-0123456789tfn"

// stripSlip returns the slip of a call that takes away letters instead of a word.
func stripSlip(call syntax.Node, method, word string) *slip {
	kept := "q"
	if strings.Contains(word, kept) {
		kept = "v"
	}
	cut, test, rest, slice := "removesuffix", "endswith", "what comes before the text", fmt.Sprintf("[:-%d]", len(word))
	letter, place := word[len(word)-1:], "first"
	example := kept + letter + word
	if method == "lstrip" {
		cut, test, rest, slice = "removeprefix", "startswith", "what follows the text", fmt.Sprintf("[%d:]", len(word))
		letter, place = word[:1], "last"
		example = word + letter + kept
	}
	s := &slip{title: fmt.Sprintf("%s takes away any of the letters of %q, not this text", method, inspect.Clip(word, 30)),
		why: fmt.Sprintf("It also removes these letters from %s, such as the %s %q of %q, which becomes %q. "+
			"Values with such letters there come out wrong.", rest, place, letter, example, kept),
		advice: fmt.Sprintf("Use %s(%q), which Python has from 3.9 on, or after a test with %s the slice %s.", cut, word,
			test, slice),
		likely: beginsOrEnds(call, test, word)}
	parsed := call.Parent().Parent()
	switch {
	case call.Field() == "object" && call.Parent().Child("attribute").Text() == "strip":
		s.doubt = "strip removes white space next, and white space after the text would end the letters"
	case method == "rstrip" && !strings.ContainsAny(word[:1], "./:_-"):
		s.doubt = "a separator before the word, as in a path, would end the letters"
	case method == "lstrip" && lastOf(parsed.Callee()) == "loads" && !strings.ContainsAny(word, jsonBegins):
		s.doubt = "JSON begins with none of these letters"
	}
	return s
}

// beginsOrEnds reports whether the function around a call tests before it, by a method such as startswith, that the
// object of the call has the text.
func beginsOrEnds(call syntax.Node, method, word string) bool {
	object := call.Child("function").Child("object").Text()
	for n := range call.Around("function_definition", "module").All() {
		f, args := n.Child("function"), n.Args()
		if n.Kind() == "call" && f.Child("attribute").Text() == method && f.Child("object").Text() == object &&
			len(args) == 1 && n.Start() < call.Start() {
			if text, fixed := args[0].Value(); fixed && text == word {
				return true
			}
		}
	}
	return false
}

// logging matches calls that write to the log. Their text has the placeholders of the format operator.
var logging = inspect.Pattern(`^(?:self\.)?_?(?:log|logger|logging|LOG|LOGGER)\.`)

// logSlip compares the placeholders of a message of the log with the arguments after it.
func logSlip(call syntax.Node, args []syntax.Node) *slip {
	if len(args) < 2 || args[0].Kind() != "string" || !logging.MatchString(call.Callee()) ||
		strings.Contains(args[0].Text(), "{") {
		return nil
	}
	given := 0
	for _, a := range args[1:] {
		switch a.Kind() {
		case "keyword_argument", "line_continuation":
		case "list_splat", "dictionary_splat", "dictionary":
			return nil
		default:
			given++
		}
	}
	want, ok := placesIn(args[0])
	text := []byte(call.Around("module").Text())
	if !ok || given == 0 || given == want || !inspect.HasAny(text, "getLogger", "import logging") ||
		inspect.HasAny(text, "loguru", "Adapter") { // other styles of text
		return nil
	}
	return &slip{title: "A message of the log is lost: its arguments do not fit its text",
		advice: "Write a %s for each argument.",
		why: fmt.Sprintf("The text takes %d arguments and gets %d: the log has a report of this error instead of "+
			"the message.", want, given)}
}

var verb = inspect.Pattern(`%(?:\((\w*)\))?[-#0 +]*(\*|\d+)?(?:\.(\*|\d*))?[hlL]?([a-zA-Z%])`)

// placesIn returns the number of values that the format operator of Python inserts into a text. ok is false if the
// number does not follow from the text, or the values have names.
func placesIn(n syntax.Node) (want int, ok bool) {
	text, fixed := n.Value()
	if !fixed || strings.ContainsAny(n.Text()[:1], "bB") {
		return 0, false
	}
	for _, m := range verb.FindAllStringSubmatch(text, -1) {
		if m[1] != "" || strings.Contains(m[0], "(") || m[2] == "*" || m[3] == "*" {
			return 0, false
		}
		if m[4] != "%" {
			want++
		}
	}
	return want, true
}

// percentSlip compares the placeholders of a text with the values of the tuple after %.
func percentSlip(n syntax.Node) *slip {
	right := n.Child("right")
	if !n.Has("%") || right.Kind() != "tuple" {
		return nil
	}
	want, ok := placesIn(n.Child("left"))
	values := slices.DeleteFunc(right.Parts(), func(v syntax.Node) bool { return v.Kind() == "line_continuation" })
	if !ok || want == len(values) ||
		slices.ContainsFunc(values, func(v syntax.Node) bool { return v.Kind() == "list_splat" }) {
		return nil
	}
	return &slip{title: fmt.Sprintf("The text has %d places and gets %d values: the line raises a TypeError", want,
		len(values)), advice: "Give a value for each place.",
		why: "Whoever reaches this line gets that error instead of the text; often it hides the error that is reported."}
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

// lateHandler looks for a handler that never runs, because an earlier handler of the same try statement catches a
// base class of its exception.
func lateHandler(n syntax.Node) *slip {
	own := caught(n)
	if len(own) != 1 {
		return nil
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
			return &slip{title: fmt.Sprintf("The handler of %s never runs: one above it catches that already", own[0].Text()),
				why:    fmt.Sprintf("%s is a kind of %s, and Python takes the first handler that fits.", own[0].Text(), up),
				advice: "Put it above the handler of the wider exception."}
		}
	}
	return nil
}
