// Package inspect examines a repository without a model. It has a read-only view of the repository
// (Repo), checks that report what they find in it (Check), and a runner that limits the time of each
// check and contains its failures (Run).
//
// A check reports only what can be seen at the line that it names, quotes it, and stays silent where
// it would have to guess: few findings, all true. The checks of each hero are in a package below this
// one; inspect/heroes lists them all.
//
// The package owns no state, uses no clock (Repo.Now is given), reads files only through the given
// fs.FS, starts no process, and never writes. The scouts (server/agent/review) call it.
package inspect
