// Package erasure owns how a realm erases conversations or a person (P16.3, S1-19): which
// erasure is under way and which wait, what memory forgets, and the tables that nobody reads
// while they are redacted.
//
// Two types share the work. Erasures is the state; the realm's actor calls its methods, and
// they return what is to be done: events, what to begin, who is to be answered. Worker looks
// things up and redacts in a goroutine of its own and posts each result to the actor. It has no
// way to the state. Neither decides who may erase what, numbers an event or shows a frame.
//
// An erasure goes through these steps, each of which a report ends:
//
//		Worker.Find    what is asked for exists and is noted durably      Found
//		Worker.Scope   what goes on in it has stopped; what it covers     Scoped
//		Worker.Redact  history:erased is durable; rows, then bases, files Redacted, Ended
//
//	  - erasures.go: the state; stops.go: the events that end what goes on in what is erased
//	  - worker.go: the steps; tables.go: the tables, closed while they are redacted
//	  - midway.go: what runs that began before an erasure still say
//	  - silence.go: what retention must leave alone
package erasure
