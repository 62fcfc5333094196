// Package reuse keeps the results of reviews on disk, and returns a result again instead of reviewing when nothing has
// changed on which it depends: the files, the history, the checks, the program itself, and the Go source outside of the
// repository. A result that is returned again equals that of a new review, except for its time.
//
// It decides nothing about findings, and it keeps no result of which a check could not look at everything. The command
// "agentdungeon review" calls it.
//
// Where to look: store.go (results on disk), key.go (what a result depends on), modules.go (which modules a review has
// asked for).
package reuse
