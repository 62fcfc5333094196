// Command agentdungeon shows the work of AI agents on a repository as a dungeon
// that people watch and take part in from a browser.
//
// This package owns flags, the logger, signals and the exit code; everything else
// is server/app.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"agentdungeon/client"
	"agentdungeon/server/app"
	"agentdungeon/shared/world"
)

// version is set by the build.
var version = "dev"

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// commands are what the program can be asked to do; the first is what it does unasked.
var commands = []struct {
	name, does string
	run        func(args []string, stdout, stderr io.Writer) error
}{
	{"serve", "serve the page and the realms (the default)", serve},
	{"realms", "list the realms of the worlds folder", realms},
	{"export", "write a realm's report", export},
	{"conversations", "list a realm's conversations, and what was said in them", conversations},
	{"erase", "erase a conversation, or a person's words and identity", erase},
	{"audit", "list who changed what in a realm", audit},
	{"retention", "mark and delete what is past its time", retain},
	{"check", "say what of a stopped realm is damaged and what an opening would do", check},
	{"repair", "make a whole copy of a damaged realm", repair},
	{"version", "say which build this is", func(_ []string, stdout, _ io.Writer) error {
		_, err := fmt.Fprintln(stdout, version)
		return err
	}},
}

// help lists the commands.
func help(w io.Writer) error {
	var out bytes.Buffer
	fmt.Fprintln(&out, "agentdungeon COMMAND [FLAGS]; agentdungeon COMMAND -help lists its flags.")
	for _, c := range commands {
		fmt.Fprintf(&out, "  %-15s%s\n", c.name, c.does)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// do runs a command.
func do(name string, args []string, stdout, stderr io.Writer) error {
	var names []string
	for _, c := range commands {
		if c.name == name {
			return c.run(args, stdout, stderr)
		}
		names = append(names, c.name)
	}
	if name == "help" {
		return help(stdout)
	}
	return usageError{fmt.Errorf("there is no command %q: %s", name, strings.Join(names, ", "))}
}

// run is the program: 0 after a clean stop with everything saved, 1 otherwise, 2
// for wrong usage.
func run(args []string, stdout, stderr io.Writer) int {
	name := commands[0].name
	if len(args) > 0 && len(args[0]) > 0 && args[0][0] != '-' {
		name, args = args[0], args[1:]
	}
	err := do(name, args, stdout, stderr)
	var usage usageError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp): // the flags have been listed
		return 0
	case errors.As(err, &usage):
		fmt.Fprintln(stderr, "agentdungeon:", world.Visible(err.Error()))
		return 2
	}
	var said app.Said
	if errors.As(err, &said) {
		fmt.Fprintln(stderr, world.Visible(said.Error()))
		return 1
	}
	fmt.Fprintln(stderr, "agentdungeon:", world.Visible(err.Error()))
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
	stop := untilSignal(log)

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
		a, err = app.Start(stop, cfg)
		return err
	})
	if err != nil {
		return err
	}
	failed := until(stop, a, cfg, stdout)
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

// until says where the server is and waits until it is to stop, or ends by itself, which
// is the error. A start that a signal ended says nothing: nobody could come in any more.
func until(stop context.Context, a *app.App, cfg app.Config, stdout io.Writer) error {
	if stop.Err() != nil {
		return nil
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
		fmt.Fprintln(stdout, world.Visible(note))
	}
	cfg.Log.Info().Str("addr", a.Addr()).Str("worlds", cfg.Worlds).Str("version", version).Msg("serving")
	select {
	case <-stop.Done():
		return nil
	case err := <-a.Failed():
		cfg.Log.Error().Err(err).Msg("the HTTP server ended")
		return err
	}
}
