// Package e2e tests the real binary from outside: it is built once a run,
// started on a folder of its own, spoken to over real sockets as a foreign client
// would, and killed.
//
// It owns the test client (Tab), which holds every frame against the contract,
// and the memory of what was ever shown (Ledger), which outlives every life of
// the server. Nothing of the product imports it; tests of other packages may.
//
// What it covers is in the tests' names and in the row ids beside them. What it
// does not: a disk that is slow but works. Nothing simple makes a real one slow,
// and the actor's own tests hold that with a gated journal (S3-21). The idle hour
// is the app's, on a fake clock; here the kernel is asked for a few seconds.
//
// Environment: AGENTDUNGEON_SEED repeats a run of the kill tests (each prints its
// own), AGENTDUNGEON_KILLS sets how many kills at random moments there are.
package e2e
