package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/rs/zerolog"
)

// untilSignal returns a context that ends with the first SIGINT, SIGTERM or SIGHUP. A second signal ends the process
// at once, even if the server is still starting. Under nohup, SIGHUP stays ignored.
func untilSignal(log zerolog.Logger) context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	came := make(chan os.Signal, 2)
	signal.Notify(came, syscall.SIGINT, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(came, syscall.SIGHUP)
	}
	go func() {
		sig := <-came
		log.Info().Str("signal", sig.String()).Msg("stopping; a second signal exits at once")
		cancel()
		<-came
		os.Exit(1)
	}()
	return ctx
}
