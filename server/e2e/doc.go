// Package e2e tests the server's binary from outside: a run of the tests builds the binary once, starts it on worlds
// folders of its own, talks to it over sockets as any client does, and kills it.
//
// The package owns the test client (Tab), which checks every frame against the protocol, and the record of all events
// and answers that clients were shown (Ledger). A life is one process of the server, from its start to its end. A
// Ledger outlives the servers; after a kill, AskAgain asks the next server for everything in it. Only tests import
// the package.
//
// The names of the tests and the ids of rules beside them say what is covered. Not covered is a slow disk: making a
// disk slow needs a device mapper or a file system in user space, and both need rights that a test must not require.
// The tests of server/realm cover it with files that block (S3-21). The tests of server/app cover an idle hour with a
// fake clock; here a test watches an idle server for a few seconds only.
//
// The tests of the page need Chromium (browser_test.go). They write pictures to the folder test-artifacts in the root
// folder of the repository.
//
// Environment variables:
//
//   - AGENTDUNGEON_SEED repeats the kill tests of an earlier run, each of which logs its seed.
//   - AGENTDUNGEON_KILLS, AGENTDUNGEON_TALK_KILLS, AGENTDUNGEON_PARTY_KILLS and AGENTDUNGEON_REVIEW_KILLS set the
//     number of kills at random times.
//   - CHROMIUM names the browser. If AGENTDUNGEON_REQUIRE_BROWSER is 1, the tests of the page fail without a browser.
package e2e
