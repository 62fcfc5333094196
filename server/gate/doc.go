// Package gate is the edge: HTTP and WebSocket, who may come in, who sits where,
// and the limits that keep one client from hurting the others.
//
// It serves the page, /healthz, /readyz, /ws and what lies under /api; it checks Host,
// Origin and tokens (access.go), decodes what clients send with shared/wire, gives
// people their seats (seat.go), and carries frames from a realm's viewer to its socket
// by pulling (writer.go). Which realm a socket watches is decided in moves.go.
//
// It never decides what a command means, never numbers or stores an event, and
// opens no realm by itself: realms and their keeper are ports (ports.go), the
// app hands them in. A socket has two goroutines, a reader and a writer; its long
// commands get a third, one at a time. All of them end when the socket ends, and
// Shutdown waits for them.
//
// Nothing here logs names, words, seats, tokens or addresses of people.
//
// # Where to look
//
//   - what it is made of, what it asks of others: gate.go, ports.go, keeper.go
//   - who comes in, and who sits where: access.go, seat.go
//   - a socket, from the first frame to the last: socket.go, commands.go, moves.go, link.go, gather.go, writer.go, nopath.go
//   - the page's files: page.go; what is there without a token: locked.go
//   - single questions under /api: api.go, export.go, lists.go, search.go, erase.go, retention.go
package gate
