// Package realm is the actor that owns one realm: its world, its numbering, its
// conversations, its timers. Everything else sends it inputs through a bounded
// inbox and gets frames through a Viewer.
//
// It decides (with the pure plans of floor 1), folds with world.Apply, and lets
// out in one order: a durable event is a barrier in the outbox that opens when
// its commit returns. It never touches a socket, a file or a database: those are
// ports (ports.go). The keeper starts and stops it, the gate attaches viewers.
package realm
