package mistakes

import (
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

var (
	requests  = inspect.Pattern(`^(?:req|request|message|msg|ctx\.req)$`)
	answers   = inspect.Pattern(`^(?:res|resp|response)$`)
	sockets   = inspect.Pattern(`^(?:ws|wss|socket|conn|connection|client)$`)
	listening = inspect.Pattern(`require\(['"]ws['"]\)|from ['"]ws['"]|WebSocketServer|WebSocket\.Server`)
	looksUp   = inspect.Pattern(`\b(?:stat|statSync|exists|existsSync|access|accessSync|pathExists)\(|\bstat\b`)
)

func findCrashes(t *inspect.Tree, tell func(inspect.Finding)) {
	text := t.Root().Text()
	server := listening.MatchString(text)
	if !strings.Contains(text, "require(") && !strings.Contains(text, "import ") {
		return // the code runs in a page, where an error does not end a process
	}
	for n := range t.Root().All() {
		if !n.IsCall() {
			continue
		}
		args, callee := n.Args(), n.Callee()
		switch {
		case callee == "JSON.parse" && len(args) > 0:
			who, severity := sender(n, server)
			if who == "" || t.Accepted(n.Line()) || t.Commented(n.Line(), n.Line()) {
				continue
			}
			tell(inspect.Finding{
				Severity: severity, Path: t.File.Path, Line: n.Line(), Evidence: t.Quote(n.Line()),
				Title: "Text that is not JSON ends the process",
				Why: "JSON.parse throws in an event handler, where no code catches the error: one answer or message " +
					"of " + who +
					" that is not JSON ends the program for all.",
				Advice: "Parse the text in a try block, and report the error.",
			})
		case strings.HasSuffix(callee, ".pipe") && len(args) == 1 && answers.MatchString(args[0].Text()):
			stream := n.Child("function").Child("object")
			if !strings.HasSuffix(stream.Callee(), "createReadStream") || !serving(n) {
				continue
			}
			tell(inspect.Finding{
				Severity: inspect.Medium, Path: t.File.Path, Line: n.Line(), Evidence: t.Quote(n.Line()),
				Title: "A file that cannot be read ends the process",
				Why: "The stream has no handler of the event error, so a file that is missing or may not be read is " +
					"an uncaught error, which ends the server for all clients.",
				Advice: "Handle the event error of the stream, or use stream.pipeline, and answer with 404 or 500.",
				Cause:  inspect.Cause{Key: "stream without a handler " + t.File.Path, Text: "streams of " + t.File.Base()},
			})
		}
	}
}

var functions = []string{
	"arrow_function", "function_expression", "function_declaration", "generator_function", "method_definition",
}

// sender returns who sends the text that a call in an event handler parses, and the severity of a crash; "" for
// other calls.
func sender(n syntax.Node, server bool) (who, severity string) {
	fn := n.Around(functions...)
	if tried := n.Around("try_statement"); tried.OK() && tried.Within(fn) {
		return "", ""
	}
	if !fn.OK() || fn.Parent().Kind() != "arguments" || strings.HasPrefix(fn.Text(), "async") {
		return "", ""
	}
	on := fn.Parent().Parent()
	args := on.Args()
	if !strings.HasSuffix(on.Callee(), ".on") || len(args) < 2 {
		return "", ""
	}
	event, _ := args[0].Value()
	from := on.Child("function").Child("object").Text()
	switch {
	case event == "end" && requests.MatchString(from):
		return "a client", inspect.High
	case event == "end" && answers.MatchString(from):
		return "the server that answers", inspect.Medium
	case event == "message" && server && sockets.MatchString(from):
		return "a client", inspect.High
	}
	return "", ""
}

// serving reports whether a call answers a request with a file without a check that the file exists.
func serving(n syntax.Node) bool {
	fn := n.Around(functions...)
	params := fn.Child("parameters").Text()
	if !fn.OK() || !strings.Contains(params, "req") || !strings.Contains(params, "res") {
		return false
	}
	return !looksUp.MatchString(fn.Text())
}

func scriptPromises(t *inspect.Tree, tell func(inspect.Finding)) {
	own := asyncNames(t, "function_declaration", "method_definition")
	for n := range t.Root().All() {
		if t.Accepted(n.Line()) {
			continue
		}
		switch n.Kind() {
		case "new_expression":
			args := n.Child("arguments").Parts()
			if n.Child("constructor").Text() != "Promise" || len(args) != 1 || !strings.HasPrefix(args[0].Text(), "async") ||
				!awaitsOthers(args[0]) {
				continue
			}
			tell(inspect.Finding{
				Severity: inspect.Medium, Path: t.File.Path, Line: n.Line(), Evidence: t.Quote(n.Line()),
				Title: "A promise never ends if its async function fails",
				Why: "An error in the async function does not reject the promise around it: code that awaits the " +
					"promise waits forever, and the unhandled rejection ends a process of Node.js.",
				Advice: "Call the async function without new Promise, or catch in it and call reject.",
				Cause:  inspect.Cause{Key: "async in new Promise", Text: "async functions that make promises"},
			})
		case "if_statement", "while_statement":
			cond := n.Child("condition")
			for cond.Kind() == "parenthesized_expression" || cond.Kind() == "unary_expression" {
				cond = cond.First()
			}
			name := strings.TrimPrefix(cond.Callee(), "this.")
			if !cond.IsCall() || own[name] == 0 || strings.HasPrefix(cond.Callee(), "this.") != (own[name] == method) {
				continue
			}
			tell(inspect.Finding{
				Severity: inspect.High, Path: t.File.Path, Line: cond.Line(), Evidence: t.Quote(cond.Line()),
				Title: inspect.Clip(fmt.Sprintf("The condition asks the promise of %s, which is always true", cond.Callee()), 100),
				Why: "The function is async: without await the condition tests the promise, and not the result of " +
					"the function.",
				Advice: "Await the call.",
			})
		}
	}
}

// asyncNames has these values for asynchronous functions.
const (
	function = 1 + iota
	method
)

// asyncNames returns the names of a file's asynchronous functions and methods. It omits names that the file also
// uses for something else.
func asyncNames(t *inspect.Tree, kinds ...string) map[string]int {
	out, count := map[string]int{}, map[string]int{}
	for n := range t.Root().All() {
		if k := n.Kind(); k == "variable_declarator" || k == "required_parameter" || k == "identifier" &&
			n.Parent().Kind() == "formal_parameters" || k == "import_specifier" {
			count[n.Child("name").Text()] += 2
			count[n.Text()] += 2
		}
		if !slices.Contains(kinds, n.Kind()) {
			continue
		}
		name := n.Child("name").Text()
		count[name]++
		if !n.Has("async") || n.Has("*") {
			continue
		}
		out[name] = function
		if n.Kind() == "method_definition" || n.Around("class_definition").OK() {
			out[name] = method
		}
	}
	for name := range out {
		if count[name] > 1 {
			delete(out, name)
		}
	}
	return out
}

// others matches names of calls to other programs or to the disk, which sometimes fail. Other awaited calls may
// never fail.
var others = inspect.Pattern(`(?i)\b(?:fetch|axios|got|request|connect|query|exec\w*|read\w*|write\w*|post|put|get|` +
	`send|open|launch|download|upload|find\w*|save|load\w*|import|mkdir\w*|unlink|stat|access)$`)

// awaitsOthers reports whether a function awaits a call that others matches, outside of a try block.
func awaitsOthers(fn syntax.Node) bool {
	for n := range fn.All() {
		if n.Kind() != "await_expression" {
			continue
		}
		if in := n.Around(functions...); in.Start() != fn.Start() || !others.MatchString(n.First().Callee()) {
			continue
		}
		if tried := n.Around("try_statement"); (!tried.OK() || !tried.Within(fn)) && !strings.Contains(n.Text(), ".catch(") {
			return true
		}
	}
	return false
}

func coroutines(t *inspect.Tree, tell func(inspect.Finding)) {
	own := asyncNames(t, "function_definition")
	for n := range t.Root().All() {
		if n.Kind() != "expression_statement" || !n.First().IsCall() || t.Accepted(n.Line()) {
			continue
		}
		callee := n.First().Callee()
		name := strings.TrimPrefix(callee, "self.")
		if own[name] == 0 || strings.HasPrefix(callee, "self.") != (own[name] == method) || decorated(t, name) {
			continue
		}
		tell(inspect.Finding{
			Severity: inspect.High, Path: t.File.Path, Line: n.Line(), Evidence: t.Quote(n.Line()),
			Title:  inspect.Clip(fmt.Sprintf("The coroutine %s never runs, because nothing awaits it", callee), 100),
			Why:    "A call of an async function only creates a coroutine: without await its code never runs.",
			Advice: "Await the call, or start it with asyncio.create_task and keep the task.",
		})
	}
}

// decorated reports whether a function of the file has a decorator, which may start it.
func decorated(t *inspect.Tree, name string) bool {
	for n := range t.Root().All() {
		if n.Kind() == "decorated_definition" && n.Child("definition").Child("name").Text() == name {
			return true
		}
	}
	return false
}
