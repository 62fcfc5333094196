// Package forge is the plan of a forge (document 001): a guided conversation that gathers what a skill is
// to be and writes it in the Agent Skills format (server/skill).
//
// It owns the states of that conversation and the moves between them (Moves), what is known so far
// (Context), and what is said and asked next (Step). It never reads a clock, a disk or a random source,
// calls no model and writes no file: Step returns a request to a model (Request) or to the disk (Save), and
// the caller calls Step again with the Answer or with Saved. The same step on the same context returns the
// same result. Step does not change its arguments.
//
// Result.Context is the whole state of a forge. Context.Save encodes it as one blob without the messages,
// because the rows of the transcript store them (Load). With the blob and the rows, a forge continues in
// whatever state the server died (S1-02).
//
// Without a model, the forge asks structured questions, offers what it finds in the repository
// (server/hints) and fills the format itself (Plain). With a model, it asks less and the model writes the
// body; name, description and tools stay as the person confirmed them.
//
// Forge is the kind of conversation that the engine drives (server/kind). It passes what people say to
// Step, turns the result into events, and carries out the Request or the Save once those events are
// durable.
//
// # Where to look
//
//   - the kind, and its steps as events: kind.go, exchange.go
//   - the states, one step from each, and the types of the stages: state.go, step.go
//   - the topics of questions: topics.go
//   - the questions and how answers are handled, in order: ask.go, existing.go, details.go, confirm.go,
//     make.go, aside.go
//   - what is known so far, and what others see of it: context.go, shown.go
//   - commands of the repository: commands.go
//   - with a model, and without one: model.go, plain.go
//   - words of people and keywords: words.go
package forge
