// Package agenttest is the conformance test of driver.Driver: it checks that a driver behaves as every realm expects.
// It owns the checks and does not know how a driver works inside. The tests of the packages under server/agent call
// Conform.
//
// Every check runs in a testing/synctest bubble, in which waiting takes no time. A driver must not use real sockets or
// processes in a bubble; the test of a driver that talks to a server gives it an in-memory server instead.
package agenttest
