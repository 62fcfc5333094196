// Package world is the state of a realm and the events that make it.
//
// It has the data types (World, Conversation, Message, Run, Event and the body of every durable
// event), the fold (Apply), the invariants of every world (Validate), the settings
// (SettingRules), and what of all this is personal and how an erasure removes it (Personal,
// Scope, Redactor). It decides nothing: it has no clock, disk, log, goroutine or random source.
// The realm actor and the store call it. The page has the same fold in client/src/state; both
// must agree on recorded journals.
//
// # Where to look
//
//   - the state and its invariants: world.go, validate.go, clone.go, grid.go, country.go, process.go,
//     party.go, forge.go, instance.go, object.go
//   - events, their frames and the fold: event.go, events_*.go; what else each type declares: facts.go
//   - conversations, messages and runs: conversation.go
//   - what the store and the actor exchange: saved.go, receipt.go
//   - what is personal, and how it is removed: personal.go, scope.go
//   - settings, times, texts: settings.go, time.go, text.go, visible.go
package world
