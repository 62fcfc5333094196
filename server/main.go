// Command agentdungeon shows the work of AI agents on a repository as a dungeon. People watch it and take part
// in it from a browser.
//
// This package has the commands and flags, the logger, the handling of signals, and the exit codes. Everything
// else is in server/app.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"agentdungeon/server/app"
	"agentdungeon/shared/world"
)

// version is the version of the program. The build sets it with -ldflags.
var version = "dev"

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// usageError is an error in the use of the command line. The exit code is 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// failure is an error that ends the program with exit code 2, for commands in which exit code 1 has another
// meaning.
type failure struct{ error }

func (e failure) Unwrap() error { return e.error }

// logged is an error that the log has already, in the form that was asked for. The exit code is that of any error.
type logged struct{ error }

func (e logged) Unwrap() error { return e.error }

// run runs the program with the arguments args and returns the exit code: 0 if the command has succeeded, 2
// for wrong usage and for a failure, and 1 after any other error.
func run(args []string, stdout, stderr io.Writer) int {
	if isHook(args) {
		return hook(args[1:], os.Getenv, os.Stdin, stdout, stderr)
	}
	p := &program{stdout: stdout, stderr: stderr}
	root := p.root()
	root.SetArgs(arguments(root, args))
	c, err := root.ExecuteC()
	var usage usageError
	var failed failure
	var fixed app.FixedError
	var said logged
	switch {
	case err == nil:
		return 0
	case !p.began:
		fmt.Fprintf(stderr, "agentdungeon: %s\n%s --help lists what there is\n", world.Visible(err.Error()), c.CommandPath())
		return 2
	case errors.As(err, &usage), errors.As(err, &failed):
		fmt.Fprintln(stderr, "agentdungeon:", world.Visible(err.Error()))
		return 2
	case errors.As(err, &said):
		return 1
	case errors.As(err, &fixed):
		fmt.Fprintln(stderr, world.Visible(fixed.Error()))
		return 1
	}
	fmt.Fprintln(stderr, "agentdungeon:", world.Visible(err.Error()))
	return 1
}
