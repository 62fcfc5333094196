package failures

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

// Whether somebody who waits can end the wait: a person interrupts a command, but nobody interrupts a server.

var (
	// serves matches what a program calls that answers others, or that works without a person, for as long as it runs.
	serves = inspect.Pattern(`(?m)\.serve_forever\(|\bstart_server\(|\bweb\.run_app\(|\breactor\.(?:run|listen\w+)\(|` +
		`\bIOLoop\b|\buvicorn\.run\(|^from (?:flask|django|fastapi|celery|bottle|twisted) import|` +
		`\bDaemonContext\(|\b(?:Background|Blocking)Scheduler\(|\bschedule\.every\(|` +
		`\bsock(?:et)?\.listen\(|\bhttp\.(?:ListenAndServe|Serve)\w*\(|\bnet\.Listen\(|\.ListenAndServe(?:TLS)?\(`)
	// asks matches what reads the words of a command line.
	asks = inspect.Pattern(`\bargparse\b|\boptparse\b|\bsys\.argv\b|\bclick\.(?:command|group)\b|` +
		`\bimport click\b|\bdocopt\b|\btyper\b|` +
		`\bflag\.Parse\(|\bpflag\.|\bcobra\.Command\b|urfave/cli\b|\bos\.Args\b|kingpin`)
)

// callers says, for the programs of a repository, whether a person waits for what they do.
type callers struct {
	serving map[string]string // by the folder of a program: where it serves
	command bool              // code of the repository reads a command line
}

// callersOf reads the own code of a language.
func callersOf(ctx context.Context, r *inspect.Repo, lang string) *callers {
	c := &callers{serving: map[string]string{}}
	for f, data := range r.All(ctx, lang) {
		if f.Test || inspect.Shown(f) || inspect.Helps(f) || inspect.ByHand(f) {
			continue
		}
		c.command = c.command || asks.Match(data)
		if dir := top(r, f); c.serving[dir] == "" && !inspect.HasAny(data, "SimpleHTTPRequestHandler") {
			if at := serves.FindIndex(data); at != nil {
				c.serving[dir] = fmt.Sprintf("%s:%d", f.Path, 1+strings.Count(string(data[:at[0]]), "\n"))
			}
		}
	}
	return c
}

var command = inspect.Pattern(`(?m)^package main\b`)

// top returns the folder of the program or library that a file belongs to: the uppermost package of Python around it,
// or the folder of a Go command, or the repository.
func top(r *inspect.Repo, f *inspect.File) string {
	dir := f.Dir()
	if f.Lang == "Go" {
		if data, ok := r.Text(f.Path); !ok || !command.Match(data) {
			return ""
		}
		return dir
	}
	for dir != "" && r.File(path.Join(path.Dir(dir), "__init__.py")) != nil && path.Dir(dir) != "." {
		dir = path.Dir(dir)
	}
	return dir
}

// waits completes a finding by who waits without an end, or makes a candidate of it if a person can interrupt it.
func (c *callers) waits(r *inspect.Repo, f *inspect.File, out *inspect.Finding) {
	where := c.serving[top(r, f)]
	text, _ := r.Text(f.Path)
	switch {
	case asks.Match(text):
		out.Suspect("a person runs the command that the file reads, and can interrupt it")
	case where != "":
		out.Why += fmt.Sprintf(" Nobody is there to interrupt it: the program serves (%s).", where)
	case c.command:
		out.Suspect("a person runs the program and can interrupt it")
	default:
		out.Why += " This is a library: its callers cannot set the limit."
	}
}

// pyRequests matches the functions that send a request and wait for ever without a timeout. It is the third argument of
// urlopen.
var (
	pyRequests = inspect.Pattern(`^(requests\.(?:get|post|put|patch|delete|head|options|request)|(urllib2?\.)?` +
		`(request\.)?urlopen)$`)
	ownHost = inspect.Pattern(`^[fbr]*["']https?://(?:localhost|127\.0\.0\.1|\[::1\])`)
	// takes lists the arguments of urlopen besides the limit. With another one the call fails.
	takes = []string{"url", "data", "cafile", "capath", "cadefault", "context"}
)

// maxCalls is the maximum number of calls of a file that are told.
const maxCalls = 50

func pythonEndless(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) {
	var who *callers
	limited := false
	for f, data := range r.All(ctx, "Python") {
		limited = limited || !f.Test && inspect.HasAny(data, "setdefaulttimeout(")
	}
	sends := func(f *inspect.File, data []byte) bool {
		return !f.Test && inspect.HasAny(data, "requests.", "urlopen")
	}
	for t := range r.Trees(ctx, sends, "Python") {
		var calls []syntax.Node
		for n := range t.Root().All() {
			if name := n.Callee(); n.IsCall() && pyRequests.MatchString(name) && !t.Accepted(n.Line()) && unlimited(n) &&
				!(limited && strings.HasSuffix(name, "urlopen")) && len(calls) < maxCalls {
				calls = append(calls, n)
			}
		}
		for _, n := range besides(t, calls) {
			if who == nil {
				who = callersOf(ctx, r, "Python")
			}
			out := inspect.Finding{
				Severity: inspect.Medium, Path: t.File.Path, Line: n.Line(), Title: "A request has no time limit",
				Evidence: t.Quote(n.Line()), Why: clientWhy,
				Advice: "Pass timeout=, 10 seconds for instance: there is none by default.",
				Cause:  inspect.Cause{Key: "no time limit: " + top(r, t.File), Text: "requests without a time limit"},
			}
			who.waits(r, t.File, &out)
			tell(out)
		}
	}
}

// unlimited reports whether a call sends a request and may wait for ever.
func unlimited(n syntax.Node) bool {
	args := n.Args()
	opens := strings.HasSuffix(n.Callee(), "urlopen")
	if len(args) == 0 || opens && len(args) > 2 && args[2].Kind() != "keyword_argument" || n.Keyword("timeout").OK() {
		return false
	}
	return !slices.ContainsFunc(args, func(a syntax.Node) bool {
		switch a.Kind() {
		case "dictionary_splat":
			return true
		case "keyword_argument":
			return opens && !slices.Contains(takes, a.Child("name").Text())
		}
		return ownHost.MatchString(a.Text())
	})
}

var ends = inspect.Pattern(`\.join\(\s*(?:timeout\s*=|[\d.]+\s*\))|\bdaemon\s*=\s*True|setDaemon\(True`)

// besides returns the calls without those in functions that threads run for which nobody waits for ever.
func besides(t *inspect.Tree, calls []syntax.Node) []syntax.Node {
	if len(calls) == 0 || !ends.MatchString(t.Root().Text()) {
		return calls
	}
	targets, defs := map[string]bool{}, []syntax.Node(nil)
	for n := range t.Root().All() {
		switch {
		case n.Kind() == "function_definition":
			defs = append(defs, n)
		case n.Kind() == "keyword_argument" && n.Child("name").Text() == "target":
			targets[strings.TrimPrefix(n.Child("value").Text(), "self.")] = true
		}
	}
	return slices.DeleteFunc(calls, func(n syntax.Node) bool {
		return slices.ContainsFunc(defs, func(f syntax.Node) bool {
			return targets[f.Child("name").Text()] && f.Start() <= n.Start() && n.End() <= f.End()
		})
	})
}
