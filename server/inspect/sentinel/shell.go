package sentinel

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/lex"
)

func shell() inspect.Check {
	return inspect.Check{
		ID: hero + "/shell-command", Hero: hero, CWE: []int{78}, Confidence: inspect.Likely,
		Looks: "shell commands that are joined from text and values (Go, JavaScript, Python)",
		Rule:  "High if the value comes straight from a request or the command line, else medium; programs of the user's choice, scripts that are run by hand, tests are left out.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			goShell(ctx, r, tell)
			scriptShell(ctx, r, tell)
			pythonShell(ctx, r, tell)
			return ctx.Err()
		},
	}
}

// program matches names of values that hold a program or command which the user chooses.
var program = inspect.Pattern(`(?i)^(?:self\.|this\.)?_?(?:editor|pager|cmd|command|shell|browser|viewer)$`)

// meant reports whether code joins a command on purpose: the command runs a program that the user chooses, or it has no
// untrusted input and is in a script that only the project's own people run.
func meant(f *inspect.File, parts []string) bool {
	return slices.ContainsFunc(parts, program.MatchString) || inspect.ByHand(f) && !fromOutside(parts)
}

func shellFinding(f *inspect.File, line int, evidence string, parts []string) inspect.Finding {
	sev := inspect.Medium
	if fromOutside(parts) {
		sev = inspect.High
	}
	return inspect.Finding{
		Severity: sev, Path: f.Path, Line: line,
		Title:    inspect.Clip(fmt.Sprintf("A shell command is put together with %s", first(parts)), 100),
		Evidence: evidence,
		Why:      "The shell reads the value too: a space cuts it in two, and ; or $( in it runs another command.",
		Advice:   "Start the program without a shell and pass the value as an argument of its own.",
	}
}

// first returns the first of some values, on one line and clipped.
func first(parts []string) string {
	return inspect.Clip(strings.Join(strings.Fields(parts[0]), " "), 40)
}

var goShells = map[string]bool{"sh": true, "bash": true, "/bin/sh": true, "/bin/bash": true, "zsh": true, "cmd": true, "cmd.exe": true, "powershell": true}

func goShell(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) {
	g := r.Go(ctx)
	for f := range goFiles(ctx, r, g) {
		if ctx.Err() != nil {
			return
		}
		ast.Inspect(f.AST, func(n ast.Node) bool {
			c, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			args := c.Args
			switch pkg, name := f.Call(c); {
			case pkg != "os/exec":
				return true
			case name == "CommandContext" && len(args) > 0:
				args = args[1:]
			case name != "Command":
				return true
			}
			if len(args) < 3 {
				return true
			}
			prog, ok := lex.Literal(args[0])
			flag, ok2 := lex.Literal(args[1])
			if !ok || !ok2 || !goShells[prog] || !strings.EqualFold(flag, "-c") && !strings.EqualFold(flag, "/c") && !strings.EqualFold(flag, "-command") {
				return true
			}
			if parts := variable(f.piecesOf(args[2])); len(parts) > 0 {
				line := f.Line(c)
				if !f.Accepted(line) && !meant(f.File, parts) {
					tell(shellFinding(f.File, line, f.Quote(line), parts))
				}
			}
			return true
		})
	}
}

var (
	childProcess = []byte("child_process")
	jsExec       = inspect.Pattern(`(?:^|[^.\w$]|\b(?:cp|child_process|childProcess|shell|proc)\.)(?:exec|execSync)\s*\(`)
	pyShell      = inspect.Pattern(`\b(?:os\.(?:system|popen)|subprocess\.(?:run|call|Popen|check_call|check_output|getoutput|getstatusoutput))\s*\(`)
	shellTrue    = inspect.Pattern(`^shell\s*=\s*True$`)
)

func scriptShell(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) {
	for f, data := range r.All(ctx, scripts...) {
		if f.Test || lex.Dense(data) || !bytes.Contains(data, childProcess) {
			continue
		}
		s := lex.Scan(f.Lang, data)
		for _, args := range s.Calls(jsExec) {
			if len(args) == 0 {
				continue
			}
			if parts := pieces(s, args[0]); len(parts) > 0 {
				line := s.Line(args[0].From)
				if !s.Accepted(line) && !meant(f, parts) {
					tell(shellFinding(f, line, s.Quote(line), parts))
				}
			}
		}
	}
}

func pythonShell(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) {
	for f, data := range r.All(ctx, "Python") {
		if f.Test || lex.Dense(data) || !bytes.Contains(data, []byte("subprocess")) && !bytes.Contains(data, []byte("os.")) {
			continue
		}
		s := lex.Scan(f.Lang, data)
		for from, args := range s.Calls(pyShell) {
			if len(args) == 0 {
				continue
			}
			if s.Code[args[0].From] == '[' {
				continue // a list of arguments
			}
			name := string(s.Code[from:args[0].From])
			in := strings.HasPrefix(name, "os.") || strings.Contains(name, "getoutput") || strings.Contains(name, "getstatusoutput")
			for _, a := range args[1:] {
				in = in || shellTrue.Match(bytes.TrimSpace(s.Code[a.From:a.To]))
			}
			if !in {
				continue
			}
			if parts := pyPieces(s, args[0]); len(parts) > 0 {
				line := s.Line(from)
				if !s.Accepted(line) && !meant(f, parts) {
					tell(shellFinding(f, line, s.Quote(line), parts))
				}
			}
		}
	}
}
