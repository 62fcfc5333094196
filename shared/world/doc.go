// Package world is the state of a realm and the events that make it.
//
// It owns the data types (World, Conversation, Message, Run, Event and every
// durable event body), the one fold (Apply), and what any fold must keep true
// (Validate). It never decides: no clock, no disk, no log, no goroutine, no
// random source, no arithmetic on outcomes. The realm actor and the recovery
// code call it; the page mirrors Apply in client/src/state and both must agree
// on recorded journals.
package world
