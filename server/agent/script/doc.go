// Package script plays agents from a file: the driver behind `-script FILE`, for
// tests, demos and other people's checks. FORMAT.md is the file's format.
//
// It owns the reading of that file (Load, Parse: strict, every error names file
// and field) and the playing of a turn: words streamed at a pace, findings,
// artifacts, delays, errors, stalls, huge and empty answers. It never decides what
// a turn leads to, reads no clock but for its delays, writes nothing, logs
// nothing and starts no goroutine: a turn is played on the goroutine of Run.
//
// server/app loads the script and hands it to the realm as realm.Drivers.
package script
