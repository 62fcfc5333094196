package mistakes

import (
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

func scriptPromises(t *inspect.Tree, tell func(inspect.Finding)) {
	own := asyncNames(t, scriptNames, "function_declaration", "method_definition")
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

// Values of the result of asyncNames.
const (
	function = 1 + iota
	method
)

// asyncNames returns the names of a file's asynchronous functions and methods. It omits names that the file also
// uses for something else.
func asyncNames(t *inspect.Tree, s *speech, kinds ...string) map[string]int {
	out, count := map[string]int{}, s.bound(t, kinds...)
	for n := range t.Root().All() {
		if !slices.Contains(kinds, n.Kind()) {
			continue
		}
		name := n.Child("name").Text()
		if count[name]++; count[name] > 1 || !n.Has("async") || n.Has("*") {
			delete(out, name)
			continue
		}
		out[name] = function
		if n.Kind() == "method_definition" || n.Around("class_definition").OK() {
			out[name] = method
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
	own := asyncNames(t, pythonNames, "function_definition")
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
