// Package modeltest is a model's server for tests. It speaks the streaming format of OpenAI's chat
// completions and can produce every fault that a driver must tolerate.
//
// It owns the plays and the recorded requests, in memory, and checks requests as real servers do: it
// refuses a tool's result without its call. It contacts nobody. Tests use it over a socket (Serve) or in
// memory (Transport, also within a testing/synctest bubble); the product does not use it.
package modeltest
