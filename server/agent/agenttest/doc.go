// Package agenttest is the conformance test of realm.Driver: what a realm relies
// on, whoever plays the turn. It owns the checks; it never knows how a driver
// works inside. The tests of the packages under server/agent call Conform.
//
// Every check runs in a testing/synctest bubble: waiting takes no time, and a
// driver may use nothing that a bubble cannot see through (real sockets,
// processes); such a driver is tested with its other side in memory.
package agenttest
