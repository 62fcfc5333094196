// Package modeltest is a model's server for tests: it speaks the streaming format of
// OpenAI's chat completions, and every fault that a driver has to bear.
//
// It owns what it is told to play and what it was asked, in memory, and checks requests
// as real servers do: a tool's result without its call is refused. It reaches nobody.
// Tests use it over a socket (Serve) or in memory (Transport, also within a
// testing/synctest bubble); nothing of the product does.
package modeltest
