// Package agents tests the server with the real coding agents ("make test-agents"): it installs Claude Code, Codex,
// OpenCode and Gemini CLI in the versions that are pinned here, runs them in terminals without a network against a
// model of its own, and holds what the server shows of them to what they do.
//
// Only tests use the package. Without AGENTDUNGEON_PROGRAMS, the folder where the programs are installed, they are
// skipped. At the end they print a table: which program ran which scenario. A program that cannot be installed is
// named there and fails nothing; one that is installed fails the run if it fails a scenario.
//
// Claude Code is proprietary: it is run, and nothing of it is kept in this repository.
//
// # Where to look
//
//   - programs.go: the programs, their versions, and how they are installed
//   - model.go: the model, which does what the prompt says; apis.go: how the programs talk to it
//   - terminal.go: a program in a terminal
package agents
