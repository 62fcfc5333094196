package mistakes

import (
	"fmt"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

var (
	requests  = inspect.Pattern(`^(?:req|request|message|msg|ctx\.req)$`)
	answers   = inspect.Pattern(`^(?:res|resp|response)$`)
	sockets   = inspect.Pattern(`^(?:ws|wss|socket|conn|connection|client)$`)
	listening = inspect.Pattern(`(?:require\(|from )['"](?:ws|websocket|faye-websocket)['"]|` +
		`WebSocketServer|WebSocket\.Server`)
)

// findCrashes reports input and failures that end a process of Node.js, because no code handles the error.
func findCrashes(t *inspect.Tree, tell func(inspect.Finding)) {
	names, servers, listens := nodeNames(t), 0, listening.Match(t.Text)
	for n := range t.Root().All() {
		if !n.IsCall() || t.Accepted(n.Line()) {
			continue
		}
		at, out := n, inspect.Finding{}
		switch member := names.resolve(n.Child("function")); {
		case n.Callee() == "JSON.parse" && len(n.Args()) > 0:
			at, out = brokenJSON(t, n, listens)
		case servers < maxServers &&
			(member == "http.createServer" || member == "https.createServer" || takesRequests(t, n)):
			servers++
			at, out = brokenURL(t, n, names)
		case len(n.Args()) > 0:
			at, out = unreadFailure(n, member)
		}
		if out.Title == "" || t.Commented(at.Line(), at.Line()) {
			continue
		}
		out.Path, out.Line, out.Evidence = t.File.Path, at.Line(), t.Quote(at.Line())
		tell(out)
	}
}

var functions = []string{
	"arrow_function", "function_expression", "function_declaration", "generator_function", "method_definition",
}

// brokenJSON returns a finding if a call of JSON.parse in an event handler gets a text of a client or a server, and is
// outside of a try block or has a result that is read without a test for null.
func brokenJSON(t *inspect.Tree, call syntax.Node, server bool) (at syntax.Node, out inspect.Finding) {
	fn := call.Around(functions...)
	if tried := call.Around("try_statement"); tried.OK() && tried.Within(fn) {
		if at = readAfter(tried, call, fn); !at.OK() {
			return at, out
		}
		who, severity := sender(t, fn, server)
		if who == "" {
			return at, out
		}
		return at, inspect.Finding{
			Severity: severity, Title: "The text null ends the process",
			Why: "JSON.parse returns null for this text, and this line reads a field of the result in an event handler, " +
				"where no code catches the error: one answer or message of " + who + " ends the program for all.",
			Advice: "Test the result for null first, or read it in the try block.",
		}
	}
	who, severity := listener(fn, server)
	if who == "" {
		return call, out
	}
	return call, inspect.Finding{
		Severity: severity, Title: "Text that is not JSON ends the process",
		Why: "JSON.parse throws in an event handler, where no code catches the error: one answer or message of " + who +
			" that is not JSON ends the program for all.",
		Advice: "Parse the text in a try block, and report the error.",
	}
}

// readAfter returns the place after a try statement that reads a field of the result of a call in its block, if
// nothing uses the result before. It returns the zero Node if there is no such place.
func readAfter(tried, call, fn syntax.Node) (at syntax.Node) {
	to := call.Parent().Child("name")
	if call.Parent().Kind() == "assignment_expression" {
		to = call.Parent().Child("left")
	}
	if to.Kind() != "identifier" || !call.Within(tried.Child("body")) {
		return at
	}
	for c := range fn.Child("body").All() {
		if c.Kind() != "identifier" || c.Text() != to.Text() || c.Start() < call.End() {
			continue
		}
		p := c.Parent()
		if c.Start() > tried.End() && p.Kind() == "member_expression" && c.Field() == "object" &&
			!p.Has("optional_chain") && !c.Around("try_statement").Within(fn) && c.Around(functions...) == fn {
			return c
		}
		return at
	}
	return at
}

// sender returns who sends the text that a function parses, and the severity of a crash, if the function is an event
// handler or event handlers call it outside of try blocks; "" for other functions.
func sender(t *inspect.Tree, fn syntax.Node, server bool) (who, severity string) {
	name := fn.Child("name").Text()
	if who, severity = listener(fn, server); who != "" || name == "" || declaredFunction(t, name) != fn {
		return who, severity
	}
	for n := range t.Root().All() {
		in := n.Around(functions...)
		if n.IsCall() && n.Callee() == name && in.OK() && !n.Around("try_statement").Within(in) {
			if who, severity = listener(in, server); who != "" {
				return who, severity
			}
		}
	}
	return "", ""
}

// listener returns who sends the data of the event that a function handles, and the severity of a crash; "" for
// other functions.
func listener(fn syntax.Node, server bool) (who, severity string) {
	if !fn.OK() || fn.Parent().Kind() != "arguments" {
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

// maxServers is the maximum number of servers in a file whose handlers are examined.
const maxServers = 20

// readers lists functions whose callback (error, result) gets an undefined result if they fail.
var readers = inspect.Words(`fs.readFile fs.readdir fs.stat fs.lstat fs.readlink fs.realpath request request.get
	dns.lookup dns.resolve dns.reverse`)

// partial matches functions whose callback (error, result) gets a result even if they fail: what a command has
// written, or the results of the calls before the failure.
var partial = inspect.Pattern(`(?:^|\.)(?:exec|execFile|map|mapLimit|mapSeries|parallel|parallelLimit|series|` +
	`waterfall|auto|concat|filter|reduce|each\w*|times)$`)

// unreadFailure looks for a callback that reads the result of a call without first testing whether the call failed.
// The callback of a function that is not one of the readers must use the error later, which shows that it may fail.
func unreadFailure(call syntax.Node, member string) (at syntax.Node, out inspect.Finding) {
	args := call.Args()
	fn := args[len(args)-1]
	params := fn.Child("parameters").Parts()
	if !literal(fn) || len(params) < 2 || params[0].Kind() != "identifier" {
		return at, out
	}
	failure, results, result := params[0].Text(), map[string]bool{}, ""
	for _, p := range params[1:] {
		results[p.Text()] = true
	}
	body, later := fn.Child("body"), false
	for c := range body.All() {
		if c.Kind() == "identifier" && c.Text() == failure && !noted(c, body) {
			if later = at.OK() && taker(c, failure) == fn && !c.Around("catch_clause").Within(body); !at.OK() || later {
				break
			}
		}
		if !at.OK() && c.Kind() == "identifier" && results[c.Text()] && fails(c, body) {
			at, result = c, c.Text()
		}
	}
	if !at.OK() ||
		!readers[member] && (!later || !errNames.MatchString(failure) || partial.MatchString(call.Callee())) {
		return at, out
	}
	if member == "" {
		member = inspect.Clip(call.Callee(), 40)
	}
	return at, inspect.Finding{
		Severity: inspect.Medium, Title: fmt.Sprintf("A failure of %s ends the process", member),
		Why: fmt.Sprintf("If the call fails, %s is undefined. Reading it throws in a callback, where no code "+
			"catches the error: the process ends, and the reason in %s is lost.", result, failure),
		Advice: fmt.Sprintf("Test %s first, and return or pass it on.", failure),
		Cause:  inspect.Cause{Key: "unread failure " + member, Text: "the callbacks of " + member},
	}
}

// noted reports whether the use n of an error only tests or logs the error, so that the code continues as if the
// call had succeeded.
func noted(n, body syntax.Node) bool {
	s := n.Around("if_statement")
	if !s.OK() || s.Parent().Start() != body.Start() || asksError(s.Child("condition")) != n.Text() {
		return false
	}
	for _, x := range branch(s) {
		if x.Kind() != "expression_statement" || !logs.MatchString(x.First().Callee()) {
			return false
		}
	}
	return len(branch(s)) > 0
}

// fails reports whether the statement that reads a value always runs, and throws if the value is undefined.
func fails(n, body syntax.Node) bool {
	p := n.Parent()
	parsed := p.Kind() == "arguments" && p.Parent().Callee() == "JSON.parse"
	if !parsed && (p.Kind() != "member_expression" || n.Field() != "object" || p.Has("optional_chain")) {
		return false
	}
	for ; p.OK() && p.Start() >= body.Start() && !(p.Start() == body.Start() && p.End() == body.End()); p = p.Parent() {
		switch k := p.Kind(); k {
		case "if_statement", "ternary_expression", "try_statement", "for_statement", "while_statement", "switch_statement",
			"arrow_function", "function_expression", "function_declaration":
			return false
		case "binary_expression":
			if p.Has("&&") || p.Has("||") || p.Has("??") {
				return false
			}
		}
	}
	return !leftBefore(n, body)
}

// leftBefore reports whether a statement before the node n may leave the body or assign a value to the variable n.
func leftBefore(n, body syntax.Node) bool {
	for c := range body.All() {
		if c.Start() >= n.Start() {
			return false
		}
		if leavesFunction(c) || c.Kind() == "assignment_expression" && c.Child("left").Text() == n.Text() {
			return true
		}
	}
	return false
}

// takesRequests reports whether a call gives a server its handler of requests.
func takesRequests(t *inspect.Tree, n syntax.Node) bool {
	if !strings.HasSuffix(n.Callee(), ".on") || len(n.Args()) != 2 || !inspect.HasAny(t.Text, "createServer(") {
		return false
	}
	event, _ := n.Args()[0].Value()
	return event == "request" || event == "upgrade"
}

// handler returns the function that an argument means: a literal, a name of the file, or a method of this.
func handler(t *inspect.Tree, n syntax.Node) (fn syntax.Node) {
	if strings.HasSuffix(n.Callee(), ".bind") {
		n = n.Child("function").Child("object")
	}
	switch {
	case n.Kind() == "identifier":
		return declaredFunction(t, n.Text())
	case n.Kind() != "member_expression" || n.Child("object").Kind() != "this":
		return n
	}
	count, name := 0, n.Child("property").Text()
	for c := range t.Root().All() {
		left := c.Child("left")
		switch {
		case c.Kind() == "method_definition" && c.Child("name").Text() == name:
			fn = c
			count++
		case c.Kind() == "assignment_expression" && left.Child("property").Text() == name && literal(c.Child("right")):
			fn = c.Child("right")
			count++
		}
	}
	if count != 1 {
		return syntax.Node{}
	}
	return fn
}

// brokenURL looks for a server's handler that decodes the URL of a request outside of a try block.
func brokenURL(t *inspect.Tree, server syntax.Node, names *builtins) (at syntax.Node, out inspect.Finding) {
	args := server.Args()
	if len(args) == 0 {
		return at, out
	}
	fn := handler(t, args[len(args)-1])
	params := fn.Child("parameters").Parts()
	if len(params) == 0 || !fn.Child("body").OK() {
		return at, out
	}
	request := params[0].Text()
	sent := map[string]bool{}
	carries := func(n syntax.Node) bool {
		for c := range n.All() {
			if c.Kind() == "member_expression" && c.Text() == request+".url" || c.Kind() == "identifier" && sent[c.Text()] {
				return true
			}
		}
		return false
	}
	for c := range fn.Child("body").All() {
		switch k := c.Kind(); {
		case k == "variable_declarator" && c.Child("name").Kind() == "identifier" && carries(c.Child("value")):
			sent[c.Child("name").Text()] = true
		case !(c.IsCall() || k == "new_expression") || c.Around(functions...).Start() != fn.Start():
		case c.Around("try_statement").Within(fn):
		case c.IsCall() && (c.Callee() == "decodeURIComponent" || c.Callee() == "decodeURI") && len(c.Args()) == 1 &&
			carries(c.Args()[0]):
			return c, crash(c.Callee() + " throws for a % that is not followed by two digits")
		case c.IsCall() && c.Callee() == "JSON.parse" && len(c.Args()) == 1 && carries(c.Args()[0]):
			return c, crash("JSON.parse throws for a text that is not JSON")
		case k == "new_expression" && c.Child("constructor").Text() == "URL" && len(c.Child("arguments").Parts()) > 0 &&
			c.Child("arguments").Parts()[0].Text() == request+".url":
			return c, crash("new URL throws for the path //")
		case c.IsCall() && names.resolve(c.Child("function")) == "url.parse" && len(c.Args()) > 0 &&
			c.Args()[0].Text() == request+".url":
			return c, crash("url.parse throws for the path //%@a/, because it decodes the part before @")
		}
	}
	return at, out
}

func crash(how string) inspect.Finding {
	return inspect.Finding{
		Severity: inspect.High, Title: "A URL that is not valid ends the process",
		Why: how + ". The server's handler does not catch this error, so one request of a client ends the " +
			"program for all clients.",
		Advice: "Decode it in a try, and answer with 400.",
	}
}

// declaredFunction returns the function of a file with a name, or the zero Node if there is none or more than one.
func declaredFunction(t *inspect.Tree, name string) (fn syntax.Node) {
	count := 0
	for n := range t.Root().All() {
		switch k := n.Kind(); {
		case k == "function_declaration" && n.Child("name").Text() == name:
			fn = n
			count++
		case k == "variable_declarator" && n.Child("name").Text() == name:
			fn = n.Child("value")
			count++
		}
	}
	if count != 1 {
		return syntax.Node{}
	}
	return fn
}
