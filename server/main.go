// Command agentdungeon shows the work of AI agents on a repository as a dungeon that people watch and
// take part in from a browser.
//
// This package has commands and flags, the logger, signals and the exit code; everything else is in
// server/app.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"agentdungeon/server/app"
	"agentdungeon/shared/world"
)

// version is set by the build.
var version = "dev"

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// usageError is an error with exit code 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// run runs the program. It returns 0 after a clean stop with everything saved, 2 for wrong usage, and
// 1 otherwise.
func run(args []string, stdout, stderr io.Writer) int {
	p := &program{stdout: stdout, stderr: stderr}
	root := p.root()
	root.SetArgs(arguments(root, args))
	c, err := root.ExecuteC()
	var usage usageError
	var fixed app.FixedError
	switch {
	case err == nil:
		return 0
	case !p.began:
		fmt.Fprintf(stderr, "agentdungeon: %s\n%s --help lists what there is\n", world.Visible(err.Error()), c.CommandPath())
		return 2
	case errors.As(err, &usage):
		fmt.Fprintln(stderr, "agentdungeon:", world.Visible(err.Error()))
		return 2
	case errors.As(err, &fixed):
		fmt.Fprintln(stderr, world.Visible(fixed.Error()))
		return 1
	}
	fmt.Fprintln(stderr, "agentdungeon:", world.Visible(err.Error()))
	return 1
}
