// Package forge is the plan of a forge (document 001): a guided conversation that
// gathers what a skill is to be and writes it in the Agent Skills format (server/skill).
//
// It owns the states of that conversation and the moves between them (Moves), what is
// known so far (Context), and what is said and asked next (Step). It never reads a clock,
// a disk or a random source, calls no model and writes no file: Step returns what is
// asked of a model (Request) or of the disk (Save), and is called again with the Answer or
// with Saved. The same step on the same context gives the same result, and the context that
// is handed in is never changed.
//
// What Step returns as Context is all that there is to keep, as one blob (Context.Save);
// only what was said is not in it, because the transcript's rows hold it already (Load).
// So from the blob and the rows alone the next message goes on in whatever state the
// server died (S1-02).
//
// Without a model it asks structured questions, offers what the repository shows
// (server/hints) and fills the format itself (Plain). With one it asks less and the model
// writes the body; name, description and tools stay what a person confirmed.
//
// Forge is the kind of conversation that the engine drives (server/kind): it takes what
// people say to Step, tells what comes of it as events, and asks for the Request or the
// Save once those are durable.
//
// # Where to look
//
//   - the kind, and its steps as events: kind.go, exchange.go
//   - the states, one step from each, and the types of the stages: state.go, step.go
//   - the topics of questions: topics.go
//   - what each step asks and takes in, in their order: ask.go, existing.go, details.go, confirm.go, make.go, aside.go
//   - what is known so far, and what others see of it: context.go, shown.go
//   - commands of the repository: commands.go
//   - with a model, and without one: model.go, plain.go
//   - words of people and keywords: words.go
package forge
