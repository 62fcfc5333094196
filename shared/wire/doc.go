// Package wire defines the contract between the server and its clients: the commands of clients (client.go), the
// server's frames (server.go), the codes of errors and closes and the limits of fields (codes.go). Durable events
// are in shared/world. shared/schema.json and the page's types are generated from both packages.
//
// The package decodes and checks commands (decode.go) and has no other behaviour. The gate calls Decode; the actor
// and the keeper fill the frames.
package wire
