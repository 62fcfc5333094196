// Package inspect examines a repository without a model. It has a read-only view of the repository (Repo), checks that
// report what they find in it (Check), and a runner that limits the time of each check and turns its panics into errors
// (Run).
//
// A check reports only what can be seen at the line that it names, and it quotes that line. Where it would have to
// guess, it reports nothing: few findings, all true. The checks of each hero are in a package below this one;
// inspect/heroes lists them all.
//
// The package owns no state. Checks use no clock: the caller sets Repo.Now. Run measures and limits the time of a
// check. The package reads files only through the given fs.FS, starts no process, and never writes. The scouts
// (server/agent/review) call it.
package inspect
