// Package agents tests the server with the real coding agents ("make test-agents"): it installs Claude Code, Codex,
// OpenCode and Gemini CLI in the versions that are pinned here, runs them in terminals without a network, against a
// model that the package plays itself, and compares what the server shows with what they do.
//
// Only tests use the package. They are skipped unless AGENTDUNGEON_PROGRAMS names the folder where the programs are
// installed. At the end they print a table: which program ran which scenario. If a program cannot be installed, the
// table says so and the tests do not fail; if an installed program fails a scenario, they fail.
//
// Claude Code is proprietary: the tests run it, and this repository keeps nothing of it.
//
// # Where to look
//
//   - programs.go: the programs, their versions, and how they are installed
//   - model.go: the model, which does what the prompt says; apis.go: how the programs talk to it
//   - terminal.go: a program in a terminal
package agents
