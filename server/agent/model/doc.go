// Package model lets a language model play agents: the driver behind -model-url, one for
// every server that speaks the OpenAI chat completions API (OpenAI, OpenRouter, Ollama,
// vLLM, LM Studio and others).
//
// It owns what is sent to that server and nothing else is sent anywhere: what the turn
// says (realm.TurnRequest), and what the model reads through its tools of the linked
// repository. It bounds what comes back: lines, waiting, retries, tools. It keeps the
// server's key, which is never part of what it emits or of an error. It writes nothing,
// logs nothing, reads no clock but for waiting, and leaves nothing behind a turn.
//
// It decides nothing about the process: the model's tools are chunks (a finding, a
// seal, an artifact), and the realm makes of them what it makes of everybody's.
//
// server/app makes it from the flags, with a way to open repositories, and hands it to
// the realm as realm.Drivers.
package model
