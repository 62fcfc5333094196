// Package gate is the HTTP and WebSocket edge of the server: access, identity, and the
// limits that keep one client from hurting the others.
//
// It serves the page, /healthz, /readyz, /ws and /api. It checks Host, Origin and tokens
// (access.go), decodes the clients' frames with shared/wire, identifies people by their
// seats (seat.go), and writes the frames that a realm's viewer yields (writer.go).
// moves.go decides which realm a socket watches.
//
// It does not interpret commands, number or store events, or open realms: realms and their
// keeper are interfaces (ports.go) that the app implements. A socket has two goroutines, a
// reader and a writer; its long commands get a third, one at a time. All of them end with
// the socket, and Shutdown waits for them.
//
// The log never has names, words, seats, tokens or addresses of people.
//
// # Where to look
//
//   - configuration, limits and counters: gate.go; interfaces: ports.go, keeper.go
//   - access and identity: access.go, seat.go; what is refused: refusals.go
//   - which request is answered where, start and stop: http.go
//   - a socket: accept.go (its start), socket.go (its state and its end), commands.go (the reader),
//     moves.go (linking, opening and removing realms), writer.go, frames.go
//   - the connection below it: link.go, gather.go
//   - the page's files: page.go; their policy: policy.go; the page without a token: locked.go; its addresses: place.go
//   - requests under /api: api.go (the routes), answer.go, export.go, lists.go, search.go, removal.go,
//     share.go, offer.go, hook.go, file.go
package gate
