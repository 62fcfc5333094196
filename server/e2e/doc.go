// Package e2e tests the real binary from outside: it is built once a run,
// started on a folder of its own, spoken to over real sockets as a foreign client
// would, and killed.
//
// It owns the test client (Tab), which holds every frame against the contract,
// and the memory of what was ever shown (Ledger), events and answers, which outlives every
// life of the server and is asked for again after a kill (AskAgain). Nothing of the product imports it; tests of other packages may.
//
// What it covers is in the tests' names and in the row ids beside them. What it
// does not: a disk that is slow but works. A real one is made so by a device mapper
// or a file system in user space, which wants rights that no test may ask for;
// the actor's own tests hold that with files behind a gate (S3-21). The idle hour
// is the app's, on a fake clock; here the kernel is asked for a few seconds.
//
// The page is opened in Chromium where there is one (browser_test.go); pictures go to
// test-artifacts at the root of the repository.
//
// Environment: AGENTDUNGEON_SEED repeats a run of the kill tests (each prints its
// own), AGENTDUNGEON_KILLS and _TALK_KILLS, _PARTY_KILLS, _REVIEW_KILLS set how many
// kills at random moments there are;
// CHROMIUM names the browser, and AGENTDUNGEON_REQUIRE_BROWSER=1 fails the page's tests
// where it is missing.
package e2e
