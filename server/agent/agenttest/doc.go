// Package agenttest is the conformance test of driver.Driver: it checks what a realm relies on with every
// driver. It owns the checks and does not know how a driver works inside. The tests of the packages under
// server/agent call Conform.
//
// Every check runs in a testing/synctest bubble, in which waiting takes no time. A driver must not use real
// sockets or processes there; such a driver is tested with its other side in memory.
package agenttest
