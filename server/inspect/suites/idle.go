package suites

import (
	"cmp"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

var (
	scriptPrints = inspect.Pattern(`\bconsole\s*\.\s*(?:log|dir|info|table)\s*\(`)
	plainCall    = inspect.Pattern(`(^|[^\w$.])([A-Za-z_$][\w$]*)\s*\(`)
	oddScript    = inspect.Pattern(`(?i)expect|assert|should|throw|fail|reject|verif|check|ensure|must|validat|compar|` +
		`equal|` +
		`same|match|snapshot|wait|sinon|\bcy\b|\bpage\b|\bok\b|\bis\b|\bt\.|return\b|yield|golden|diff|contain|type|` +
		`promise|await|done|test|spec|run\b|<`)
	ofTests     = inspect.Pattern(`(?i)test|helper|util|fixture|support|setup|spec`)
	pythonPrint = inspect.Pattern(`^print\s*\(.*[\w]`)
	oddPython   = inspect.Pattern(`(?i)assert|raise|fail|expect|check|verif|should|must|ensure|equal|compar|validat|` +
		`mock|` +
		`patch|warn|approx|snapshot|benchmark|yield|match|skip|except|self\.\w+\(|self\.\w*test|await|return|test_|_test|` +
		`run|lambda|with\b|golden|diff|contain|subprocess|timeout|thread|del\b|gc\.|\bin\b|compile|parse|exec|eval|import`)
	plainClass = inspect.Pattern(`^class\s+\w+\s*(?:\(\s*(?:[\w.]*TestCase|object)?\s*\))?\s*:`)
)

// maxBody is the maximum size in bytes of a test's body that is searched. Without a limit, nested groups would be
// searched again for each group around them.
const maxBody = 20_000

// idle returns the tests of a file that check nothing, or nil.
func (f *testFile) idle() *idle {
	var out *idle
	for i := range f.tests {
		t, kind := &f.tests[i], busy
		if body := t.body; t.group || !body.OK() || t.node.Unreachable() || body.End()-body.Start() > maxBody ||
			meant.MatchString(t.title) {
			continue
		} else if f.File.Lang == "Python" {
			kind = f.pythonIdle(t)
		} else {
			kind = f.scriptIdle(t)
		}
		if kind == busy {
			continue
		}
		if out == nil {
			out = &idle{path: f.File.Path, line: t.line(), evidence: f.Quote(t.line()), kind: kind}
		}
		out.names = append(out.names, cmp.Or(t.title, "without a title"))
	}
	return out
}

func (f *testFile) scriptIdle(t *test) kind {
	if len(t.params) > 0 || t.skips() || strings.Contains(t.mods, "todo") || strings.Contains(t.mods, "fail") ||
		strings.Contains(f.File.Path, "-d.") || f.Commented(t.body.Line(), t.body.LastLine()) {
		return busy
	}
	if len(t.body.Parts()) == 0 {
		if t.hooked() {
			return busy
		}
		return empty
	}
	body := f.source(t.body)
	if !scriptPrints.MatchString(body) || oddScript.MatchString(body) || f.callsOwn(t, body) {
		return busy
	}
	return prints
}

var hook = inspect.Pattern(`^(?:before|after|setup|teardown)(?:Each|All)?$`)

// hooked reports whether a group around a test has its own function that runs before or after each test. This
// function may make the check that the test's name promises.
func (t *test) hooked() bool {
	for n := range above(t.node) {
		if n.Kind() == "statement_block" && slices.ContainsFunc(n.Parts(), func(s syntax.Node) bool {
			return hook.MatchString(s.First().Callee())
		}) {
			return true
		}
	}
	return false
}

// callsOwn reports whether a body calls a function that may check something: one that the file declares or imports from
// a file that helps tests, or a parameter of the test.
func (f *testFile) callsOwn(t *test, body string) bool {
	return slices.ContainsFunc(plainCall.FindAllStringSubmatch(body, -1), func(m []string) bool {
		return f.declared[m[2]] || slices.Contains(t.params, m[2])
	})
}

func (f *testFile) pythonIdle(t *test) kind {
	if t.nested() || !strings.HasPrefix(t.name, "test_") || t.outer() != t.node {
		return busy
	}
	parts := t.body.Parts()
	body := f.source(t.body)
	if text := strings.TrimSpace(body); len(parts) == 1 && (text == "pass" || text == "...") {
		// Skip an empty method of a subclass: it may disable the test of the same name in the base class.
		if owner := t.node.Around("class_definition"); owner.OK() && !plainClass.MatchString(owner.Text()) ||
			f.Commented(t.line(), t.body.LastLine()) {
			return busy
		}
		return empty
	}
	shows := slices.ContainsFunc(parts, func(n syntax.Node) bool { return pythonPrint.MatchString(f.source(n)) })
	if !shows || oddPython.MatchString(body) || strings.Contains(body, "[") || f.callsOwn(t, body) {
		return busy
	}
	return prints
}
