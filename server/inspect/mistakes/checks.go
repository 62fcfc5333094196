package mistakes

import (
	"context"
	"go/ast"
	"strings"

	"agentdungeon/server/inspect"
)

// These checks read syntax trees. One pass over the trees collects the findings of all of them.

// foundBy returns the Run function of a check. The function reports the findings that the shared pass has made for
// the check.
func foundBy(check string) func(context.Context, *inspect.Repo, func(inspect.Finding)) error {
	return func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
		pass(ctx, r).tell(check, tell)
		return ctx.Err()
	}
}

func unknownNames() inspect.Check {
	return inspect.Check{
		ID: "healer/unknown-name", Hero: "healer", Confidence: inspect.Likely,
		Looks: "names that are read and defined nowhere, so that the line fails when it runs (JavaScript, Python)",
		Rule: "Medium; names that something may define elsewhere, code for another version of the language, tests are left " +
			"out; a candidate where several files read the name, where a module that others import is started by hand, and " +
			"in examples and scripts.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			p := pass(ctx, r)
			tellUnknown(p.unknown, p.given, p.imported, tell)
			return ctx.Err()
		},
	}
}

func unfitCalls() inspect.Check {
	return inspect.Check{
		ID: "healer/unfit-call", Hero: "healer", Confidence: inspect.Likely,
		Looks: "calls whose arguments the own function does not take, so that the line fails when it runs (Python)",
		Rule: "Medium; functions with decorators, with namesakes or without a body, arguments that are spread, tests are " +
			"left out; a candidate in examples and scripts, where a module that others import is started by hand, and in a " +
			"class from which others derive.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			p := pass(ctx, r)
			tellUnfit(p.of["healer/unfit-call"], p.imported, p.bases, tell)
			return ctx.Err()
		},
	}
}

func definedTwice() inspect.Check {
	return inspect.Check{
		ID: "healer/defined-twice", Hero: "healer", Local: true,
		Looks: "functions, methods and keys that a later one of the same name replaces unseen (JavaScript, Python)",
		Rule: "Medium; definitions in branches, with decorators, that are used in between, tests are left out; a candidate " +
			"in examples and scripts.",
		Run: foundBy("healer/defined-twice"),
	}
}

func crashes() inspect.Check {
	return inspect.Check{
		ID: "healer/crash-from-outside", Hero: "healer", CWE: []int{248},
		Looks: "events in which what another side sends, or a failure that nobody looks at, ends the process: JSON that is " +
			"parsed, URLs that are decoded, files, connections (JavaScript)",
		Rule: "High if a client sends it, medium if a server answers it; what stands in a try, tests are left out; a " +
			"candidate where the program goes on after uncaught errors, and in examples and scripts.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			p := pass(ctx, r)
			for _, out := range p.of["healer/crash-from-outside"] {
				if p.caught {
					out.Suspect("the program has a handler of uncaught errors")
				}
				tell(out)
			}
			return ctx.Err()
		},
	}
}

func lostPromises() inspect.Check {
	return inspect.Check{
		ID: "healer/lost-promise", Hero: "healer",
		Looks: "asynchronous functions whose result is taken for a value, or whose failure nobody sees (JavaScript, Python)",
		Rule: "High for a condition that is always true because it asks a promise, and for a coroutine that never runs; " +
			"medium for a promise that never ends if its function fails; tests are left out; a candidate in examples and " +
			"scripts.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			p := pass(ctx, r)
			for _, out := range p.of["healer/lost-promise"] {
				name, by := strings.CutPrefix(out.Same, asyncOf)
				if !by || p.async[name] > 0 && p.others[name] == 0 {
					tell(out)
				}
			}
			return ctx.Err()
		},
	}
}

func wrongConditions() inspect.Check {
	return inspect.Check{
		ID: "healer/wrong-condition", Hero: "healer", Local: true,
		Looks: "conditions and statements that a slip made constant or useless: is with a literal, a text after or, the " +
			"same condition again in a chain, a result or an argument that is thrown away (JavaScript, Python)",
		Rule: "Medium; what stands in a try, tests are left out; a candidate in examples and scripts, where a class " +
			"raises NotImplemented, where CPython has one object for the value after is, and where a text that ends in " +
			"a.b is followed by || a.",
		Run: foundBy("healer/wrong-condition"),
	}
}

func logArguments() inspect.Check {
	return inspect.Check{
		ID: "healer/log-arguments", Hero: "healer", Local: true,
		Looks: "messages of logs whose arguments do not fit their text, so that they are lost (Python)",
		Rule: "Medium; texts of other styles, arguments that are spread, tests are left out; a candidate in examples and " +
			"scripts.",
		Run: foundBy("healer/log-arguments"),
	}
}

func removedAPIs() inspect.Check {
	return inspect.Check{
		ID: "healer/removed-api", Hero: "healer",
		Looks: "calls that current versions of Node.js refuse: of functions that were removed, and without a callback or " +
			"an argument that is now needed (JavaScript)",
		Rule: "High where every supported version of Node.js refuses the call, else medium; what stands in a try, behind a " +
			"question whether the function is there, tests are left out; a candidate where package.json limits the versions, " +
			"and in examples and scripts.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			tellRemoved(r, pass(ctx, r).of["healer/removed-api"], tell)
			return ctx.Err()
		},
	}
}

func doubleAnswers() inspect.Check {
	return inspect.Check{
		ID: "healer/double-answer", Hero: "healer", Local: true, CWE: []int{705},
		Looks: "handlers of requests and of results that answer with an error and then go on as if nothing was wrong " +
			"(Go, JavaScript)",
		Rule: "High; only where the same handler surely answers, or calls its callback, again, or goes on to work; tests " +
			"are left out; a candidate in examples and scripts.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			for f, body := range bodies(ctx, r) {
				inspect.Lists(body, func(list []ast.Stmt) { goesOn(f, list, tell) })
			}
			pass(ctx, r).tell("healer/double-answer", tell)
			return ctx.Err()
		},
	}
}

func removedNames() inspect.Check {
	return inspect.Check{
		ID: "healer/removed-name", Hero: "healer",
		Looks: "modules, functions and parameters that Python has removed, so that the line fails in later versions",
		Rule: "High if it fails in all versions of Python from 3.10 on, medium if only in later ones; what the file tries " +
			"or asks for, packages that end below that version, tests are left out; a candidate where the file asks for " +
			"the version, where a handler of everything is around it, and in examples and scripts.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			p := pass(ctx, r)
			p.pythonGone.tell(r, p.given, tell)
			return ctx.Err()
		},
	}
}
