package main

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/rs/zerolog"
)

var (
	logFormats = []string{"text", "json"}
	logLevels  = []string{"debug", "info", "warn", "error"}
)

// logger returns a logger that writes to w the lines of the level from and higher levels. format is "json" or
// "text"; "" stands for "text".
func logger(w io.Writer, format, from string) (zerolog.Logger, error) {
	if format != "" && !slices.Contains(logFormats, format) {
		return zerolog.Nop(), fmt.Errorf("-log-format %s: the format must be text or json", format)
	}
	level, err := zerolog.ParseLevel(from)
	if err != nil || from != "" && !slices.Contains(logLevels, from) {
		return zerolog.Nop(), fmt.Errorf("-log-level %s: the level must be debug, info, warn or error", from)
	}
	if format != "json" {
		times := time.RFC3339 // a log in a file is read on other days
		if isTerminal(w) {
			times = time.TimeOnly
		}
		w = zerolog.ConsoleWriter{Out: &terminal{out: w}, TimeFormat: times, NoColor: true}
	}
	return zerolog.New(w).Level(level).With().Timestamp().Logger(), nil
}
