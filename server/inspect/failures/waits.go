package failures

import (
	"context"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

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
			tell(inspect.Finding{
				Severity: inspect.Medium, Path: t.File.Path, Line: n.Line(), Title: "A request has no time limit",
				Evidence: t.Quote(n.Line()), Why: clientWhy,
				Advice: "Pass timeout=, 10 seconds for instance: there is none by default.",
				Cause:  endlessCause(clientWhy),
			})
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
