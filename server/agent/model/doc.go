// Package model is the driver that lets a language model play agents (-model-url). It works with every server that has
// the OpenAI chat completions API (OpenAI, OpenRouter, Ollama, vLLM, LM Studio and others).
//
// It sends two things to that server and nothing to anybody else: the request of the turn (driver.Turn), and what the
// model reads of the linked repository with its tools. It limits the length of the lines that the server sends, the
// time for which it waits, the retries and the tool calls. The server's key never appears in an error or in what the
// package emits. The package writes no file and no log, uses the clock only for waiting, and keeps nothing after a
// turn.
//
// It decides nothing about a process. The model's tools become chunks (a finding, a seal, an artifact), which the realm
// treats like those of any driver.
//
// server/app creates the driver from the flags, with a way to open repositories, and gives it to the realm.
package model
