package mistakes

import (
	"context"
	"go/ast"

	"agentdungeon/server/inspect"
)

// The checks in this file read syntax trees of JavaScript, TypeScript and Python. One pass over the trees collects the
// findings of all of them.

// foundBy returns the Run function of a check. The function reports the findings that the shared pass has made for
// the check.
func foundBy(check string) func(context.Context, *inspect.Repo, func(inspect.Finding)) error {
	return func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
		for _, f := range pass(ctx, r).of[check] {
			tell(f)
		}
		return ctx.Err()
	}
}

// aside ends the rules of these checks: it says where their findings are only candidates.
const aside = "in examples, in scripts, and in code that nothing in the repository runs."

func unknownNames() inspect.Check {
	return inspect.Check{
		ID: "healer/unknown-name", Hero: "healer", Confidence: inspect.Likely,
		Looks: "names that are read and defined nowhere, so that the line fails when it runs (JavaScript, Python)",
		Rule: "Medium. Left out: names that something outside of the file may define, code for another version " +
			"of the language, code that cannot be reached, tests. A candidate if several files read the name or if " +
			"it loads modules, and " + aside,
		Run: foundBy("healer/unknown-name"),
	}
}

func unfitCalls() inspect.Check {
	return inspect.Check{
		ID: "healer/unfit-call", Hero: "healer", Confidence: inspect.Likely,
		Looks: "calls of functions of the same module with arguments that the function does not take, so that " +
			"the line fails when it runs (Python)",
		Rule: "Medium. Left out: functions with decorators or without a body, names that the module defines more " +
			"than once, spread arguments, tests. A candidate " + aside,
		Run: foundBy("healer/unfit-call"),
	}
}

func definedTwice() inspect.Check {
	return inspect.Check{
		ID: "healer/defined-twice", Hero: "healer",
		Looks: "functions and methods that a later definition of the same name replaces (JavaScript, Python)",
		Rule: "Medium. Left out: definitions in branches or with decorators, definitions that do nothing or are used " +
			"before the later one, tests. A candidate " + aside,
		Run: foundBy("healer/defined-twice"),
	}
}

func crashes() inspect.Check {
	return inspect.Check{
		ID: "healer/crash-from-outside", Hero: "healer", CWE: []int{248},
		Looks: "input from outside, or a failure that no code handles, that ends the process: JSON that is " +
			"parsed, URLs that are decoded or parsed, results that are read before the error is tested (JavaScript)",
		Rule: "High if a client sends the input, else medium. Left out: code in a try block, tests. A candidate " +
			"if the program handles uncaught errors, and " + aside,
		Run: foundBy("healer/crash-from-outside"),
	}
}

func lostPromises() inspect.Check {
	return inspect.Check{
		ID: "healer/lost-promise", Hero: "healer",
		Looks: "asynchronous functions whose promise is used as a condition, whose failure no code handles, or that " +
			"never run (JavaScript, Python)",
		Rule: "High for a promise as a condition, which is always true, and for a coroutine that never runs; medium for " +
			"a promise that never ends if its function fails. Left out: tests. A candidate " + aside,
		Run: foundBy("healer/lost-promise"),
	}
}

func wrongConditions() inspect.Check {
	return inspect.Check{
		ID: "healer/wrong-condition", Hero: "healer",
		Looks: "code that does not do what it seems to do: a text after \"or\", the same condition " +
			"twice in a chain, a test for null after a read of the value, a result that is not used, " +
			"messages of a log whose arguments do not fit (JavaScript, Python)",
		Rule: "Medium. Left out: tests. A candidate if something may end the letters that strip takes away, " +
			"and " + aside,
		Run: foundBy("healer/wrong-condition"),
	}
}

func removedAPIs() inspect.Check {
	return inspect.Check{
		ID: "healer/removed-api", Hero: "healer",
		Looks: "calls that fail in current versions of Node.js: of removed functions, without a callback that is " +
			"now required, and with a number as the content of a file (JavaScript)",
		Rule: "High if the call fails in every supported version of Node.js, else medium. Left out: code in a " +
			"try block, code behind a test whether the function exists, tests. A candidate " + aside,
		Run: foundBy("healer/removed-api"),
	}
}

func doubleAnswers() inspect.Check {
	return inspect.Check{
		ID: "healer/double-answer", Hero: "healer", CWE: []int{705},
		Looks: "handlers and callbacks that answer with an error and then continue as if nothing was wrong (Go, " +
			"JavaScript)",
		Rule: "High, and only if the same handler certainly answers again, calls its callback again, or " +
			"continues its work. Left out: tests. A candidate " + aside,
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			if err := foundBy("healer/double-answer")(ctx, r, tell); err != nil {
				return err
			}
			return r.Go(ctx).Functions(ctx, r, func(f *inspect.GoFile, _ ast.Node, body *ast.BlockStmt) {
				inspect.Lists(body, func(list []ast.Stmt) { goesOn(f, list, tell) })
			})
		},
	}
}

func removedNames() inspect.Check {
	return inspect.Check{
		ID: "healer/removed-name", Hero: "healer",
		Looks: "modules, functions and parameters that Python has removed, so that the line fails in later versions",
		Rule: "High if the line fails in all versions of Python from 3.10 on, medium if only in later ones, and " +
			"for methods that Python no longer calls. Left out: lines behind a test or an exception handler for the " +
			"missing name, packages that do not support that version, tests. A candidate if the file tests the version, " +
			"if a handler of all exceptions is around the line, for distutils if a file imports setuptools, for " +
			"__cmp__, which matters only to code that compares or sorts the objects, and " + aside,
		Run: foundBy("healer/removed-name"),
	}
}
