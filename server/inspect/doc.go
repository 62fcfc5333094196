// Package inspect is how a repository is looked at without a model: a read-only view
// of it (Repo), checks that look at the view and report what they found (Check), and
// a runner that bounds each check in time and keeps its failure to itself (Run).
//
// A check is honest or it is not here: it reports what can be seen at the line it
// names, quotes it, and stays silent where it would have to guess. Few and true beats
// many. The checks of each hero live in a package of their own below this one;
// inspect/heroes lists them all.
//
// It owns no state, knows no clock (Repo.Now is given), reads files only through the
// fs.FS that it is given, starts no process, and never writes. The scouts
// (server/agent/review) call it.
package inspect
