// Package forge makes skills (document 001): a guided conversation gathers what a new skill must do, and ends
// with a folder in the Agent Skills format (server/skill).
//
// It owns the states of that conversation and the moves between them (Moves), what is known so far
// (Context), and what is said and asked next (Step). It never reads a clock, a disk or a random source,
// calls no model and writes no file: after a step, the context says what the forge waits for, and the caller
// takes the next step with a person's words, a model's Answer, or the outcome of a save (Saved). The same
// step on the same context returns the same result. Step does not change its arguments.
//
// The context is the whole state of a forge. Context.Save encodes it as one blob without the messages,
// because the rows of the transcript store them (Load). With the blob and the rows, a forge continues in
// the state in which a crash of the server has left it (S1-02).
//
// Without a model, the forge asks structured questions, offers what it finds in the repository
// (server/hints) and fills the format itself (plain.go). With a model, it asks less and the model writes the
// body; name, description and tools stay as the person confirmed them.
//
// # Where to look
//
// The engine calls Forge through server/kind. The files, in the order of the calls:
//
//   - the kind, and its steps as events: kind.go, events.go
//   - one step, with the table of states: plan.go; words that do not answer the question: aside.go
//   - gathering_details: details.go (what is asked next, and the answer), change.go (words for another part)
//   - the other states: purpose.go and existing.go (what is it to do, is there one already), confirm.go,
//     save.go, make.go (writing and validating)
//   - what a model is asked, and how its answer is read: request.go; without a model: plain.go
//   - one part of the skill: answers.go (how an answer is stored), name.go, describe.go
//   - questions with proposals from the repository: questions.go
//   - what all states use: step.go, state.go (the states and their moves), context.go, shown.go, topics.go
//   - texts: markdown.go, words.go (people's words and keywords)
package forge
