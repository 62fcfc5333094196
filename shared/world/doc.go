// Package world is the state of a realm and the events that make it.
//
// It owns the data types (World, Conversation, Message, Run, Event and every
// durable event body), the one fold (Apply), what any fold must keep true
// (Validate), which settings there are (SettingRules), and what in all of this is
// personal and how an erasure takes it out (Personal, Scope, Redactor). It never
// decides: no clock, no disk, no log, no goroutine, no random source, no arithmetic on
// outcomes. The realm actor and the store call it; the page mirrors Apply in
// client/src/state and both must agree on recorded journals.
//
// # Where to look
//
//   - the state, and what it may hold: world.go, validate.go, clone.go, grid.go, country.go, process.go, party.go, forge.go,
//     instance.go, object.go
//   - events, their frames and the fold: event.go, events_*.go; what else each type declares: facts.go
//   - conversations, messages and runs: conversation.go
//   - what the store and the actor hand each other: saved.go, receipt.go
//   - what is personal, and how it is taken out: personal.go, scope.go
//   - settings, times, texts: settings.go, time.go, text.go, visible.go
package world
