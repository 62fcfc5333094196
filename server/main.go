// Command agentdungeon shows the work of AI agents on a repository as a dungeon
// that people watch and take part in from a browser.
//
// This package owns flags, the logger, signals and the exit code; everything else
// is server/app.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"agentdungeon/client"
	"agentdungeon/server/app"
	"agentdungeon/shared/world"
)

// version is set by the build.
var version = "dev"

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is the program: 0 after a clean stop with everything saved, 1 otherwise, 2
// for wrong usage.
func run(args []string, stdout, stderr io.Writer) int {
	name := "serve"
	if len(args) > 0 && len(args[0]) > 0 && args[0][0] != '-' {
		name, args = args[0], args[1:]
	}
	var err error
	switch name {
	case "serve":
		err = serve(args, stdout, stderr)
	case "realms":
		err = realms(args, stdout, stderr)
	case "export":
		err = export(args, stdout, stderr)
	case "conversations":
		err = conversations(args, stdout, stderr)
	case "erase":
		err = erase(args, stdout, stderr)
	case "audit":
		err = audit(args, stdout, stderr)
	case "retention":
		err = retain(args, stdout, stderr)
	case "version":
		_, err = fmt.Fprintln(stdout, version)
	case "help":
		err = flag.ErrHelp
	default:
		err = usageError{fmt.Errorf("there is no command %q: serve, realms, export, conversations, erase, audit, retention, version", name)}
	}
	var usage usageError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, flag.ErrHelp):
		return 0
	case errors.As(err, &usage):
		fmt.Fprintln(stderr, "agentdungeon:", err)
		return 2
	}
	var said app.Said
	if errors.As(err, &said) {
		fmt.Fprintln(stderr, said)
		return 1
	}
	fmt.Fprintln(stderr, "agentdungeon:", err)
	return 1
}

// usageError ends with exit code 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func serve(args []string, stdout, stderr io.Writer) error {
	o, err := parse("serve", args, stderr)
	if err != nil {
		return err
	}
	log := o.logger(stderr)
	stop := make(chan os.Signal, 2)
	signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM)
	defer signal.Stop(stop)

	cfg, err := o.config()
	if err != nil {
		return err
	}
	cfg.Page, cfg.Version, cfg.Log = client.Page(), version, log
	if o.modelKeyFile != "" && cfg.KeyFrom != o.modelKeyFile {
		log.Warn().Str("key", cfg.KeyFrom).Msg("the file of -model-key-file is not read: a variable has the model's key")
	}
	var a *app.App
	err = withoutCollector(func() (err error) {
		a, err = app.Start(context.Background(), cfg)
		return err
	})
	if err != nil {
		return err
	}
	for _, links := range a.Links() {
		of := ""
		if links.Tenant != world.DefaultTenant {
			of = " (" + links.Tenant + ")"
		}
		for _, link := range links.Host {
			fmt.Fprintln(stdout, "open"+of+":", link)
		}
		for _, link := range links.Spectator {
			fmt.Fprintln(stdout, "spectators"+of+":", link)
		}
	}
	if note := a.Note(); note != "" {
		fmt.Fprintln(stdout, note)
	}
	log.Info().Str("addr", a.Addr()).Str("worlds", cfg.Worlds).Str("version", version).Msg("serving")

	var failed error
	select {
	case sig := <-stop:
		log.Info().Str("signal", sig.String()).Msg("stopping; a second signal exits at once")
	case failed = <-a.Failed():
		log.Error().Err(failed).Msg("the HTTP server ended")
	}
	go func() {
		<-stop
		os.Exit(1)
	}()
	unshown, err := a.Stop()
	if unshown > 0 {
		err = errors.Join(err, fmt.Errorf("%d events were never shown and are not saved", unshown))
	}
	if err != nil {
		return fmt.Errorf("stop: %w", err)
	}
	log.Info().Msg("everything is saved")
	return failed
}
