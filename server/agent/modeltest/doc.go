// Package modeltest is a model's server for tests. It speaks the streaming format of OpenAI's chat completions and can
// produce every fault that a driver must tolerate.
//
// A Server owns its plays, which are the functions that answer requests, and keeps the recorded requests in memory. It
// checks requests as real servers do: it refuses the result of a tool call that the request does not contain. It
// contacts no other server. Tests use it over a socket (Serve) or in memory (Transport, also within a testing/synctest
// bubble); the product does not use it.
package modeltest
