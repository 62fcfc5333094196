// Package inspect examines a repository without a model. It has a read-only view of the repository (Repo), checks that
// report what they find in it (Check), and a runner that turns panics of a check into errors (Run).
//
// A check reports only what can be seen at the line that it names, and it quotes that line. Where it would have to
// guess, it reports nothing: few findings, all true. The checks of each subject are in a package below this
// one; inspect/heroes lists them all. KindOf has the words by which people read what a check finds.
//
// The package owns no state. One commit has one result: checks use no clock (ages count from Repo.Now), and counts,
// not seconds, limit their work. Run ends a check that hangs. The package reads files only through the given fs.FS,
// starts no process, and never writes. The scouts (server/agent/review) call it.
package inspect
