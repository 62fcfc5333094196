// Package scout plays the heroes and the Oracle of a code review without a model:
// the embedded default. What a scout says is built from what the checks of
// server/inspect found in the linked repository, so it is true or it is not said.
//
// It owns the views of repositories under review and the results of their checks,
// for as long as a review goes on in this life of the server: all of it can be made
// again, and a turn that is taken again after a crash finds the same, under the same
// ids. It decides nothing about the process, writes nothing but through emit, and
// starts no goroutine that outlives a turn.
//
// server/app makes it, with a way to open repositories, and hands it to the realm as
// realm.Drivers.
package scout
