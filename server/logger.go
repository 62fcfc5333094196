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
	if err != nil {
		return zerolog.Nop(), fmt.Errorf("-log-level %s: the level must be debug, info, warn or error", from)
	}
	if format != "json" {
		w = zerolog.ConsoleWriter{Out: &terminal{out: w}, TimeFormat: time.TimeOnly, NoColor: true}
	}
	return zerolog.New(w).Level(level).With().Timestamp().Logger(), nil
}
