// Package world defines the state of a realm and the events that change it.
//
// It owns the data types (World, Conversation, Message, Run, Event and the body of every durable event), the
// function that applies an event to a world (Apply), the invariants of a world (Validate), the settings
// (SettingRules), and the erasure of personal data (Personal, Scope, Redactor). It decides nothing and uses no
// clock, disk, log, goroutine or random source. The realm actor and the store call it. The page has its own version
// of Apply in client/src/state; tests check that both agree on recorded journals.
//
// # Where to look
//
//   - the state and its invariants: world.go, validate.go, clone.go, grid.go, country.go, process.go,
//     party.go, forge.go, instance.go, object.go
//   - events, their frames and Apply: event.go, events_*.go; the facts of each event type: facts.go
//   - conversations, messages and runs: conversation.go
//   - data that the store and the actor exchange: saved.go, receipt.go
//   - personal fields and their redaction: personal.go, scope.go
//   - settings, times, texts, lists: settings.go, time.go, text.go
package world
