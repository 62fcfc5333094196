// Package review is the driver that plays the heroes and the Oracle of a code review without a model. It is built
// in and used unless the flags say otherwise. All that a scout says follows from the files of the linked repository
// and from the findings of the checks in server/inspect. Only what these checks suspect and cannot prove is judged by
// a model, if there is one.
//
// Scouts take part in every kind of conversation. In a process they play the stages of a review. In a chat or a
// party they answer questions that can be measured, with file and line, and refuse others. In a council each turn
// reports a measurement about the task that no earlier turn has reported.
//
// The package owns views of the repositories under review, and the results of the checks on them, in memory only.
// After a restart it makes them anew; a repeated turn has the same findings with the same ids. It decides nothing
// about a process, has no effect except through emit, and starts no goroutine that outlives its turn, except to
// open and close views.
//
// server/app creates the scouts, with a way to open repositories, and passes them to the realms as driver.Drivers.
//
// # Where to look
//
//   - views of repositories and results of checks: scout.go; one turn: player.go, speaker.go
//   - stages of a review: survey.go, analyse.go, compare.go, angle.go (what a hero adds to findings of others),
//     oracle.go, present.go; the numbers at the end of the report: numbers.go; what a hero knows of its last review,
//     and how a finding is checked again: again.go; how a model judges candidates: candidates.go
//   - questions: ask.go (which answer), own.go (what a hero says of its own subject), subject.go (about what),
//     measure.go and figures.go, where.go (where a name is defined); all that is known of a file, for other programs:
//     known.go
//   - the questions that people ask first: first.go (which), entries.go (what this is, and where programs begin),
//     opening.go (what a README says of it), howto.go (how to run it and its tests), guide.go (where to begin to read,
//     what is risky, who knows it, what processes have come to); the questions that an answer offers: next.go
//   - councils: council.go
//   - helpers: census.go (counts of a repository), findings.go, words.go
package review
