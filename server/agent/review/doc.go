// Package review plays the heroes and the Oracle of a code review without a model:
// the embedded default. What a scout says is built from what the checks of
// server/inspect found in the linked repository, so it is true or it is not said.
//
// Scouts take part in every kind of conversation. In a process they play its stages. In
// a chat they answer a question that can be measured, with file and line, or say plainly
// that it is beyond them. In a council each turn tells something measured about the task,
// from the hero's own field, and nothing that an earlier turn of the council told.
//
// It owns the views of repositories under review or in talk, and the results of their checks,
// for as long as that goes on in this life of the server: all of it can be made
// again, and a turn that is taken again after a crash finds the same, under the same
// ids. It decides nothing about the process, writes nothing but through emit, and
// starts no goroutine that outlives a turn.
//
// server/app makes it, with a way to open repositories, and hands it to the realm as
// realm.Drivers.
package review
