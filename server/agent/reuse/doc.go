// Package reuse keeps the results of reviews on disk. It returns a kept result instead of a new review if nothing
// has changed on which the result depends: the files, the history, the checks, the program itself, and the Go
// source outside of the repository. A kept result equals that of a new review, except for its time.
//
// It decides nothing about findings. It keeps a result only if every check has looked at everything. The command
// "agentdungeon review" calls it.
//
// Where to look: store.go (results on disk), key.go (what a result depends on), modules.go (which Go modules a
// review has read).
package reuse
