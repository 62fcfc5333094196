package flows

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"agentdungeon/server/inspect"
)

var tables = map[string]func() *table{
	"Go":         sync.OnceValue(goTable),
	"JavaScript": sync.OnceValue(scriptTable),
	"Python":     sync.OnceValue(pythonTable),
}

// result has the flows of a repository.
type result struct {
	flows []flow
	left  []string // sentences about the parts that were left out
}

// of returns the flows of a repository. It computes them once and caches them with the repository.
func of(ctx context.Context, r *inspect.Repo) *result {
	type key struct{}
	return inspect.Memo(r, key{}, func() *result { return follow(context.WithoutCancel(ctx), r) })
}

func follow(ctx context.Context, r *inspect.Repo) *result {
	res := &result{}
	own := func(f *inspect.File) bool { return !f.Vendored && !r.Generated(f) }
	code := lowerGo(r.Go(ctx), own)
	m := newMachine(ctx, tables["Go"](), func(name string) *Package { return code.packages[name] })
	for _, p := range code.order {
		m.examine(p)
	}
	res.take(m, "Go", code.deep)
	for _, c := range []*treeCode{
		{lang: "JavaScript", langs: inspect.Scripts, hints: scriptHints, ends: scriptEnds},
		{lang: "Python", langs: []string{"Python"}, hints: pythonHints, ends: []string{".py", "/__init__.py", ""}},
	} {
		c.ctx, c.repo = ctx, r
		m := newMachine(ctx, tables[c.lang](), c.find)
		for _, name := range c.roots(own) {
			if p := c.find(name); p != nil {
				m.examine(p)
			}
		}
		res.take(m, c.lang, c.deep)
		if c.unread > 0 {
			res.left = append(res.left, fmt.Sprintf("%d files of %s could not be parsed as a whole", c.unread,
				c.lang))
		}
		if c.dense > 0 {
			res.left = append(res.left, fmt.Sprintf("%d files of %s are too dense or too large to be written by people",
				c.dense, c.lang))
		}
		if c.parsed >= maxTrees {
			res.left = append(res.left, fmt.Sprintf("only %d files of %s are followed", maxTrees, c.lang))
		}
	}
	return res
}

// Words of which some are in every file in which a flow may begin: a word of requests, or a word of the operator's
// input (command line, environment) together with one of the few sinks in which that input does harm.
var (
	scriptHints = hints{
		request: append(prefixed("body query params headers url cookies files file get( param( path originalUrl hostname "+
			"payload json( formData( nextUrl", "req.", "request.", "ctx."), "express", "koa", "(req,", "searchParams",
			"formData", "FormData", "@nestjs", "hapi", "fastify", "hono", "socket.io", "\"ws\"", "'ws'", "event.body",
			"StringParameters", "use server", "createServer"),
		operator: []string{"process.argv", "process.env", "hgetall(", "hget(", "lrange(", "findOne(", "findById("},
		sinks:    []string{"child_process", "eval(", "execa", "new Function("},
	}
	pythonHints = hints{
		request: []string{"flask", "django", "fastapi", "starlette", "rest_framework", "quart", "aiohttp", "tornado",
			"bottle", "pyramid", "sanic", "cherrypy", "falcon", "http.server", "cgi.FieldStorage", "import web\n", "werkzeug",
			"StringParameters"},
		operator: []string{"sys.argv", "argparse", "os.environ", "os.getenv", " input(", "sys.stdin"},
		sinks:    []string{"subprocess", "os.system", "os.popen", " eval(", " exec("},
	}
	scriptEnds = []string{
		"", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", "/index.ts", "/index.tsx", "/index.js",
	}
)

// prefixed returns every combination of a prefix and a word of the text.
func prefixed(words string, prefixes ...string) (out []string) {
	for _, p := range prefixes {
		for w := range strings.FieldsSeq(words) {
			out = append(out, p+w)
		}
	}
	return out
}

// take adds the flows that the engine has found in the code of one language.
func (res *result) take(m *machine, lang string, deep int) {
	res.flows = append(res.flows, m.flows...)
	if m.cut > 0 {
		res.left = append(res.left, fmt.Sprintf("%d functions of %s are too large to be followed to the end",
			m.cut, lang))
	}
	if deep > 0 {
		res.left = append(res.left, fmt.Sprintf("%d places in %s are nested too deeply", deep, lang))
	}
	if len(m.flows) >= maxFlows {
		res.left = append(res.left, fmt.Sprintf("only the first %d flows in %s are reported", maxFlows, lang))
	}
}

// Checks returns one check for each kind of harm, for a hero.
func Checks(hero string) []inspect.Check {
	var out []inspect.Check
	for i := range kindsOf {
		k := &kindsOf[i]
		less := ""
		if k.bit == files {
			less = "medium if it can only name files with a certain extension; "
		}
		out = append(out, inspect.Check{
			ID: hero + "/" + k.ID, Hero: hero, CWE: []int{k.cwe}, Precision: "high",
			Looks: "values from a request that reach a dangerous place, " +
				fmt.Sprintf("%s (CWE-%d; Go, JavaScript, TypeScript, Python)", k.Name, k.cwe),
			Rule: strings.ToUpper(k.severity[:1]) + k.severity[1:] + " for a value from a request; " + less + "low and a " +
				"candidate for one from the operator's own arguments; doubtful in tests and examples.",
			Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
				res := of(ctx, r)
				for i := range res.flows {
					if res.flows[i].kind == k {
						tell(res.flows[i].finding(r))
					}
				}
				if len(res.left) > 0 {
					return fmt.Errorf("left out: %s", strings.Join(res.left, "; "))
				}
				return ctx.Err()
			},
		})
	}
	return out
}

func (f *flow) finding(r *inspect.Repo) inspect.Finding {
	severity := f.kind.severity
	confidence, doubt := inspect.Sure, "" // Run lowers the confidence if the path shows that the file is an example
	if !f.source.request {
		severity = inspect.Low
	}
	why := f.kind.why
	if f.kind.bit == files && f.end != "" && severity == inspect.High {
		severity = inspect.Medium
		why = "With ../ or as an absolute path the value leads to files that nobody meant to share, but only to files " +
			"whose names end in " + f.end + "."
	}
	stored, handler := f.source.name == storedName, ""
	if stored {
		severity, handler = inspect.High, accepting(r)
	}
	if handler != "" {
		why += " An earlier request may have stored it: " + handler + " reads what clients send."
	}
	switch {
	case stored && handler == "":
		confidence, doubt = inspect.Doubtful, "no handler of requests was found that may have stored it"
	case f.source.name == operatorName:
		confidence, doubt = inspect.Doubtful, "a person who starts a program can usually run other programs too"
	case f.source.name == environment:
		confidence, doubt = inspect.Doubtful, "a person who sets the environment of a program can usually run "+
			"programs too"
	case f.doubt&outgoing != 0:
		confidence, doubt = inspect.Doubtful, "the program may send the request itself: the function cannot "+
			"answer it"
	case f.doubt&narrow != 0:
		confidence, doubt = inspect.Doubtful, "the value contains no path separator, or is relative to a folder"
	case f.tested():
		confidence, doubt = inspect.Doubtful, "a function whose name says so tests or cleans the value before"
	case f.doubt != 0:
		confidence, doubt = inspect.Doubtful, "something on the way may make the value harmless"
	}
	at := f.mend
	if file := r.File(at.file.Path); file != nil && file.Test {
		confidence, doubt = inspect.Doubtful, "it is in a test"
	}
	where, evidence := path.Base(at.file.Path), at.quote()
	if at.fn != nil && at.fn.Name != "" {
		where = "the function " + at.fn.Name
	}
	if at != f.last {
		evidence += "\nIt reaches " + f.sink + " at " + f.last.place() + "."
	}
	return inspect.Finding{
		Severity: severity, Confidence: confidence, Doubt: doubt, Path: at.file.Path, Line: at.line, Steps: f.steps(),
		Title:    fmt.Sprintf("%s: %s reaches %s", f.kind.Name, f.source.name, f.sink),
		Evidence: evidence,
		Why:      why, Advice: f.kind.advice,
		Same: f.same(),
		// All findings in one function have the same cause, because one correction of the function mends them all.
		Cause: inspect.Cause{Key: strings.Join([]string{"flow", f.kind.ID, at.file.Path, at.function()}, " "), Text: where},
	}
}

// same returns the text that identifies a flow in the file of its mend: source, sink, the function of the source, and
// the lines from the source to the mend. Another source by the same helper is another finding, and a finding that was
// accepted comes back if one of these lines gets another text.
func (f *flow) same() string {
	lines, on := []string{f.source.name, f.sink, f.last.first().function()}, false
	for s := f.last; s != nil; s = s.prev {
		if on = on || s == f.mend; on {
			lines = slices.Insert(lines, 3, s.quote())
		}
	}
	return strings.Join(strings.Fields(strings.Join(lines, " ")), " ")
}

// asked matches a call of a function whose name says that it tests or cleans a value. Its groups are the names that
// may be the value: the variable to which the result is assigned, the object of the method, and the first argument.
// The engine itself knows what such a function does only if the function is in the repository.
var asked = inspect.Pattern(`(?i)(?:\b(\w+)(?:\[\w+\])?\s*:?=\s*)?\b(?:([\w.]+)\.)?` +
	`\w*(?:travers|inside|within|valid|sanit|slugif|safe|allow|permit|forbid)\w*\(+\)?\(?\s*([\w.]*)`)

var askedPath = inspect.Pattern(`(?i)\bif\b.*?\b\w*path\w*\(\s*()()([\w.]+)\s*\)`)

// dotted matches names with their fields.
var dotted = inspect.Pattern(`[\w.]+`)

// maxBefore is the number of lines before a step of a flow that are searched for a test of the value.
const maxBefore = 25

// tested reports whether a line at or before a step of the flow seems to test or clean a value of the step: asked or
// askedPath matches the line, and a group of the match is a name in the step, as in existsUpPath(req.path).
func (f *flow) tested() bool {
	for s := f.last; s != nil; s = s.prev {
		quote := s.quote()
		for n := max(1, s.line-maxBefore); n <= s.line; n++ {
			line := s.file.Quote(n)
			m := asked.FindStringSubmatch(line)
			if m == nil && f.kind.bit == files {
				m = askedPath.FindStringSubmatch(line)
			}
			for _, name := range m[min(len(m), 1):] {
				if name != "" && slices.ContainsFunc(dotted.FindAllString(quote, -1), func(x string) bool {
					return x == name || strings.HasPrefix(x, name+".") // x is a field or a method of name
				}) {
					return true
				}
			}
		}
	}
	return false
}

// accepting returns the path of the first of the project's own files that reads the body of a request, or "".
func accepting(r *inspect.Repo) string {
	type key struct{}
	return inspect.Memo(r, key{}, func() string {
		for f, data := range r.All(context.Background(), inspect.Scripts...) {
			if !f.Test && !inspect.Shown(f) && inspect.HasAny(data, "req.body", "request.body", "ctx.request.body") {
				return f.Path
			}
		}
		return ""
	})
}

// steps returns the places of a flow from the source to the sink.
func (f *flow) steps() []inspect.Step {
	var out []inspect.Step
	for s := f.last; s != nil; s = s.prev {
		out = append(out, inspect.Step{Path: s.file.Path, Line: s.line, Quote: s.quote()})
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	if n := len(out); n > 0 {
		out[0].Note, out[n-1].Note = f.source.name, "reaches "+f.sink
	}
	return out
}
