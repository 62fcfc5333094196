package shell

import (
	"encoding/json"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"agentdungeon/shared/pattern"
	"agentdungeon/shared/world"
)

// Line returns the command line in the input of a tool call: the JSON field command or cmd, a text or a list of words.
// It returns "" for every other input.
func Line(input string) string {
	var in struct {
		Command json.RawMessage `json:"command"`
		Cmd     json.RawMessage `json:"cmd"`
	}
	if json.Unmarshal([]byte(input), &in) != nil {
		return ""
	}
	for _, raw := range []json.RawMessage{in.Command, in.Cmd} {
		var line string
		var words []string
		switch {
		case json.Unmarshal(raw, &line) == nil && line != "":
			return line
		case json.Unmarshal(raw, &words) == nil && len(words) > 0:
			if script, ok := Script(words); ok {
				return script
			}
			return strings.Join(words, " ")
		}
	}
	return ""
}

// Tests returns how the tests ended that a command line has run: one of world.TestsPassed and so on, "" if it runs
// none, or if the shell has not found their program. The status of the line says it if it is that of the tests; in a
// line such as "go test | tail" it is not. Otherwise the output says it, if it has the last words of a known program
// for tests. ended says whether the status is known, ok whether it is 0.
func Tests(line, output string, ended, ok bool) string {
	v := script(line, 0)
	if !v.runs {
		return ""
	}
	output = colour.ReplaceAllString(output[max(0, len(output)-maxLine):], "") // the end says how they ended
	switch {
	case ended && ok && v.passes:
		return world.TestsPassed
	case saysFailed.MatchString(output):
		return world.TestsFailed
	case notFound.MatchString(output) && !saysPassed.MatchString(output):
		return ""
	case ended && !ok && v.fails:
		return world.TestsFailed
	case !v.hides && saysPassed.MatchString(output):
		return world.TestsPassed
	}
	return world.TestsUnclear
}

// verdict is what the status of a line says about the tests that it runs.
type verdict struct {
	runs   bool // the line runs tests
	passes bool // the line succeeds only if the tests pass
	fails  bool // the line fails only if the tests fail
	hides  bool // the output lacks a part of what the tests say
}

// quietly is the verdict on a command that runs no tests and almost never fails, such as "cd".
var quietly = verdict{fails: true}

func script(text string, depth int) verdict {
	if len(text) > maxLine || depth > maxNested {
		return verdict{}
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return verdict{}
	}
	return list(file.Stmts, depth)
}

// list returns the verdict on statements that run one after the other.
func list(stmts []*syntax.Stmt, depth int) (v verdict) {
	for i, s := range stmts {
		now := statement(s, depth)
		v.runs, v.hides = v.runs || now.runs, v.hides || now.hides
		if i == len(stmts)-1 {
			v.passes, v.fails = now.passes, now.fails
		}
	}
	return v
}

func statement(s *syntax.Stmt, depth int) (v verdict) {
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		v = simple(c, depth)
	case *syntax.DeclClause:
		v = quietly
	case *syntax.Block:
		v = list(c.Stmts, depth)
	case *syntax.Subshell:
		v = list(c.Stmts, depth)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			v = statement(c.Stmt, depth)
		}
	case *syntax.BinaryCmd:
		x, y := statement(c.X, depth), statement(c.Y, depth)
		v.runs, v.hides = x.runs || y.runs, x.hides || y.hides
		switch c.Op {
		case syntax.AndStmt:
			v.passes, v.fails = x.passes || y.passes, x.fails && y.fails
		case syntax.Pipe, syntax.PipeAll:
			v.passes, v.fails = y.passes, y.fails && y.runs
			v.hides = v.hides || x.runs && !keeps.MatchString(nameOf(c.Y))
		}
	}
	if s.Negated || s.Background || s.Coprocess {
		v.passes, v.fails = false, false
	}
	return v
}

// simple returns the verdict on a simple command.
func simple(c *syntax.CallExpr, depth int) verdict {
	var p parser
	var words []string
	for _, w := range c.Args[:min(len(c.Args), maxWords)] {
		words = append(words, p.words(w)...)
	}
	if len(words) == 0 {
		return quietly
	}
	if text, ok := Script(words); ok {
		return script(text, depth+1)
	}
	switch words[0] {
	case "cd", "export", "set", "source", ".", "echo", "true", "mkdir", "sleep":
		return quietly
	}
	if runsTests(words) {
		return verdict{runs: true, passes: true, fails: true}
	}
	return verdict{}
}

// folder matches the folder of the program that a command names.
var folder = pattern.New(`^[^\s=]*/`)

// keeps matches the programs that print the end of their input.
var keeps = pattern.New(`^(?:tail|cat|tee|ts)$`)

// nameOf returns the name of the program that a statement runs, "" if it is no simple command.
func nameOf(s *syntax.Stmt) string {
	if c, ok := s.Cmd.(*syntax.CallExpr); ok && len(c.Args) > 0 {
		return c.Args[0].Lit()
	}
	return ""
}

// prefixes matches programs that run the program which their arguments name.
var prefixes = pattern.New(`^(?:env|time|nice|timeout|npx|pnpx|bunx|xvfb-run|(?:bundle|npm|pnpm|yarn) exec|` +
	`(?:uv|poetry|pipenv|hatch|pdm) run|pnpm dlx|python[\d.]* -m)(?: (?:-\S*|\S+=\S*|[\d.]+[smh]?))* `)

// suites matches the commands of the usual programs that run tests.
var suites = pattern.New(`^(?:(?:pytest|py\.test|unittest|nose2|tox|nox|jest|vitest|mocha|ava|rspec|phpunit|pest|` +
	`ctest|gotestsum|ginkgo|bats|cypress run|cargo nextest|` +
	`(?:go|swift|dotnet|deno|mix|zig|dart|flutter|bazel|playwright|cargo|stack|cabal) test)(?: |$)|` +
	`(?:npm|pnpm|yarn|bun|composer)(?: (?:--prefix|-C|--filter|--workspace|-w|--?\S+=)[ =]?\S+| --?\S+)*(?: run)? ` +
	`(?:t|tst|test)(?:[:_ -]|$)|(?:node|ruby) .*--test(?: |$)|` +
	`g?make(?: -\S+)*(?: \S+)* (?:check|test\S*)(?: |$)|(?:just|task|rails) test|rake (?:test|spec)|` +
	`(?:mvnw?|gradlew?)(?: \S+)* \S*(?:test|check|verify)(?: |$))`)

// quotes matches options by which a program only says something about itself or about the tests.
var quotes = pattern.New(` (?:--version|--help|-h|--collect-only|--co|--listTests|--list|--no-run|-list)(?: |$)`)

// runsTests reports whether the words of a simple command run tests. It knows the usual programs by name.
func runsTests(words []string) bool {
	line := strings.Join(words, " ")
	for range 4 { // such as "timeout 60 npx"
		line = prefixes.ReplaceAllString(folder.ReplaceAllString(line, ""), "")
	}
	return suites.MatchString(line) && !quotes.MatchString(line)
}

// What programs for tests say in the end.
var (
	colour     = pattern.New(`\x1b\[[0-9;]*m`)
	saysFailed = pattern.New(`(?m)^(?:--- FAIL: |FAIL(?:$|\t)|FAILED \(|FAILURES!|test result: FAILED|` +
		`(?:=+ )?(?:\d+ \w+, )*[1-9]\d* (?:failed|errors?)\b.* in [\d.]+s|` +
		`\s*Tests:?\s.*\b[1-9]\d* failed|\s*[1-9]\d* failing$|(?:#|ℹ) fail [1-9]|` +
		`\d+ examples?, [1-9]\d* failures?|BUILD FAIL(?:ED|URE)|\[INFO\] BUILD FAILURE|Failed!  - )`)
	saysPassed = pattern.New(`(?m)^(?:ok\s+\S+\s+(?:[\d.]+s|\(cached\))|PASS$|OK(?:$| \()|test result: ok|` +
		`(?:=+ )?\d+ passed\b.* in [\d.]+s|` +
		`\s*Tests:?\s.*\b\d+ passed|\s*\d+ passing\b|(?:#|ℹ) fail 0$|` +
		`\d+ examples?, 0 failures|(?:\[INFO\] )?BUILD SUCCESS|Passed!  - )`)
	// notFound matches what shells, make and Claude Code say of a program that does not exist.
	notFound = pattern.New(`(?m)^(?:Exit code 127|make.* Error 127|` +
		`\S*sh: (?:(?:line )?\d+: )?\S+: (?:command )?not found|zsh:\d+: command not found: \S+)\r?$`)
)
