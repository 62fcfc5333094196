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

// logger returns a logger for text or JSON lines from a level on. An empty format means text.
func logger(w io.Writer, format, from string) (zerolog.Logger, error) {
	if format != "" && !slices.Contains(logFormats, format) {
		return zerolog.Nop(), fmt.Errorf("-log-format %s: it must be text or json", format)
	}
	level, err := zerolog.ParseLevel(from)
	if err != nil {
		return zerolog.Nop(), fmt.Errorf("-log-level %s: it must be debug, info, warn or error", from)
	}
	if format != "json" {
		w = zerolog.ConsoleWriter{Out: &terminal{out: w}, TimeFormat: time.TimeOnly, NoColor: true}
	}
	return zerolog.New(w).Level(level).With().Timestamp().Logger(), nil
}
