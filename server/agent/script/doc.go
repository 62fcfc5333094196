// Package script is the driver that plays agents from a file (-script FILE), for tests, for demos, and for people
// who want to check the server. FORMAT.md describes the file.
//
// It reads the file strictly (Load, Parse: every error names file and field) and plays turns: words streamed at a
// pace, findings, artifacts, delays, errors, stalls, huge and empty answers. It does not decide what follows from a
// turn, uses the clock only for its delays, writes and logs nothing, and starts no goroutine: Run plays the turn
// itself.
//
// server/app loads the script and gives it to the realm as a driver.
package script
