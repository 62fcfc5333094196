// Package wire is the contract between server and clients: every frame that is not a durable event
// (those are in world), every command, the codes of errors and closes, and the limits of fields.
// shared/schema.json and the page's types are generated from it.
//
// It has names, shapes and the decoding of client frames, and no behaviour. The gate decodes with
// it; the actor and the keeper fill its frames.
package wire
