package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/afero"
	"github.com/spf13/cobra"

	"agentdungeon/client"
	"agentdungeon/server/agent/model"
	"agentdungeon/server/app"
	"agentdungeon/server/follow"
	"agentdungeon/server/mirror"
	"agentdungeon/server/price"
	"agentdungeon/shared/world"
)

// serveFlags has the flags of serve.
type serveFlags struct {
	repo                                      []string // at most one; more are a mistake
	addr, worlds, host, tenants, pace, script string
	tokens                                    tokenFlags
	modelURL, model, modelKeyFile             string
	resume                                    resumeFlag
	noResume                                  bool
	team, logFormat, logLevel, agents, prices string
}

func serveCommand(p *program) *cobra.Command {
	o := &serveFlags{}
	c := p.command("serve", "serve the page and the realms (the default)", func() error { return p.serve(o) })
	o.define(c)
	return c
}

func (o *serveFlags) define(c *cobra.Command) {
	set := c.Flags()
	set.StringVar(&o.addr, "addr", defaultAddr(), "`host:port` to listen on; PORT sets the port")
	worldsFlag(c, &o.worlds)
	set.StringArrayVar(&o.repo, "repo", nil, "`folder` to link and open at once")
	set.StringVar(&o.tenants, "tenants", "", "further `names` of tenants, with commas: each gets links of its own")
	set.StringVar(&o.host, "host", "", "further `names` for the Host header, with commas")
	o.tokens.define(c, "the hosts' `token`; needed or made for addresses that are not loopback")
	set.StringVar(&o.pace, "pace", "", "`watchable` or instant: overrides the realms' setting")
	set.StringVar(&o.script, "script", "",
		"`file` of a script that plays the roles that nobody holds and that it has words for, instead of scouts and a model")
	set.StringVar(&o.modelURL, "model-url", "",
		"`URL` of an OpenAI-compatible API whose model plays the agents that nobody else plays, like "+
			"http://localhost:11434/v1")
	set.StringVar(&o.model, "model", "", "`name` of that model")
	set.StringVar(&o.modelKeyFile, "model-key-file", "",
		"`file` (mode 0600) with its key, where neither "+model.KeyVariable+" nor "+model.OpenAIKeyVariable+" has it")
	set.Var(&o.resume, "resume", "take up the latest session of the party again, or the one of this `id`")
	set.Lookup("resume").NoOptDefVal = "true"
	set.BoolVar(&o.noResume, "no-resume", false, "open no realm at the start; nothing is deleted")
	set.StringVar(&o.team, "team", "",
		"`id` of the team whose session --resume takes up (default that of the realm's party)")
	set.StringVar(&o.agents, "agents", string(follow.Here),
		"`here`, all or off: show coding agents that run in the linked folder, on this machine, or none")
	set.StringVar(&o.prices, "prices", "", "`file` with prices of models, which take precedence over the built-in ones")
	set.StringVar(&o.logFormat, "log-format", "text", "`text` or json")
	set.StringVar(&o.logLevel, "log-level", "info", "`debug`, info, warn or error")
	// A flag of the command line takes precedence over the environment variable of the opposite flag.
	c.PreRun = func(*cobra.Command, []string) {
		set.Lookup("resume").Changed = set.Changed("resume") || o.noResume
		set.Lookup("no-resume").Changed = set.Changed("no-resume") || o.resume.wanted
	}
	offer(c, "pace", paces...)
	offer(c, "agents", follow.Values...)
	offer(c, "log-format", logFormats...)
	offer(c, "log-level", logLevels...)
	offerFolders(c, "repo")
}

var paces = []string{world.PaceWatchable, world.PaceInstant}

func defaultAddr() string {
	if port := os.Getenv("PORT"); port != "" {
		return "127.0.0.1:" + port
	}
	return "127.0.0.1:3001"
}

// check returns an error if a flag has an invalid value that config and logger would not detect.
func (o *serveFlags) check() error {
	if _, _, err := net.SplitHostPort(o.addr); o.addr != "" && err != nil {
		return fmt.Errorf("-addr %s: the address must have the form host:port", o.addr)
	}
	if len(o.repo) > 1 {
		return errors.New("-repo is given twice: a start links one folder; link the others on the page")
	}
	if o.pace != "" && !slices.Contains(paces, o.pace) {
		return fmt.Errorf("-pace %s: the pace must be watchable or instant", o.pace)
	}
	for _, name := range names(o.host) {
		if strings.ContainsAny(name, "/?#@ ") {
			return fmt.Errorf("-host %s: it must be the name of a host, without https:// and a path", name)
		}
	}
	if !slices.Contains(follow.Values, o.agents) {
		return fmt.Errorf("-agents %s: it must be here, all or off", o.agents)
	}
	if err := app.CheckTenants(names(o.tenants)); err != nil {
		return fmt.Errorf("-tenants: %w", err)
	}
	switch {
	case o.modelURL != "" && o.model == "":
		return errors.New("-model-url needs -model, the name of the model")
	case o.modelURL == "" && (o.model != "" || o.modelKeyFile != ""):
		return errors.New("-model and -model-key-file need -model-url, the address of the model's API")
	}
	return nil
}

// names returns the names in a list with commas, without spaces and empty names.
func names(list string) (out []string) {
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			out = append(out, name)
		}
	}
	return out
}

// config makes the configuration of the app from the flags and from environment variables.
func (o *serveFlags) config() (app.Config, error) {
	worlds, err := worldsFolder(o.worlds)
	if err != nil {
		return app.Config{}, err
	}
	token, err := o.tokens.read(afero.NewOsFs())
	if err != nil {
		return app.Config{}, err
	}
	cfg := app.Config{Addr: o.addr, Worlds: worlds, Token: token, Pace: o.pace, Script: o.script, Watch: true,
		Agents: follow.Which(o.agents), Announce: true}
	cfg.Hosts, cfg.Tenants = names(o.host), names(o.tenants)
	cfg.Resume = app.Resume{Team: o.team, Wanted: o.resume.wanted, Session: o.resume.id, None: o.noResume}
	if cfg.Redis, err = mirror.ParseAddress(os.Getenv(mirror.Variable)); err != nil {
		return cfg, usageError{fmt.Errorf("%s: %w", mirror.Variable, err)}
	}
	if o.modelURL != "" {
		cfg.Model = model.Config{URL: o.modelURL, Model: o.model}
		if cfg.Model.Key, cfg.KeyFrom, err = model.ReadKey(os.Getenv, afero.NewOsFs(), o.modelKeyFile); err != nil {
			return cfg, usageError{err}
		}
		if _, err := model.New(cfg.Model); err != nil {
			return cfg, usageError{fmt.Errorf("-model-url, -model: %w", err)}
		}
	}
	if cfg.Prices, err = readPrices(o.prices); err != nil {
		return cfg, usageError{fmt.Errorf("-prices: %w", err)}
	}
	if len(o.repo) > 0 && o.repo[0] != "" {
		if cfg.Repo, err = filepath.Abs(o.repo[0]); err != nil {
			return cfg, usageError{fmt.Errorf("-repo: %w", err)}
		}
	}
	if cfg.Data, err = dataFolder(); err != nil {
		cfg.Data = "" // without a data folder, realms are rescued to the temporary folder
	}
	if cfg.Offer, err = os.Getwd(); err != nil {
		cfg.Offer = "" // the page then asks the person for a path
	}
	return cfg, nil
}

// readPrices returns the built-in prices of models. If file is not "", the prices in that file take precedence.
func readPrices(file string) (price.List, error) {
	list := price.Default()
	if file == "" {
		return list, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return list, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, price.MaxFile+1))
	if err != nil {
		return list, err
	}
	return list.With(file, data)
}

// serve runs the server until a signal comes or the server fails.
func (p *program) serve(o *serveFlags) error {
	if err := o.check(); err != nil {
		return usageError{err}
	}
	log, err := logger(p.stderr, o.logFormat, o.logLevel)
	if err != nil {
		return usageError{err}
	}
	err = p.serveUntil(untilSignal(log), o, log)
	var usage usageError
	var fixed app.FixedError // its text is for people
	if err != nil && o.logFormat == "json" && !errors.As(err, &usage) && !errors.As(err, &fixed) {
		log.Error().Err(err).Msg("the server ended with an error")
		return logged{err}
	}
	return err
}

// serveUntil runs the server until the context stop ends or the server fails.
func (p *program) serveUntil(stop context.Context, o *serveFlags, log zerolog.Logger) error {
	cfg, err := o.config()
	if err != nil {
		return err
	}
	cfg.Page, cfg.Version, cfg.Log = client.Page(), version, log
	if o.modelKeyFile != "" && cfg.KeyFrom != o.modelKeyFile {
		log.Warn().Str("key", cfg.KeyFrom).Msg("the file of -model-key-file is not read, because a variable has the key")
	}
	var a *app.App
	err = withoutCollector(func() (err error) {
		a, err = app.Start(stop, cfg)
		return err
	})
	if err != nil {
		return err
	}
	failed := until(stop, a, cfg, p.stdout)
	began := time.Now()
	unshown, err := a.Stop()
	if unshown > 0 {
		err = errors.Join(err, fmt.Errorf("%d events were never shown and are not saved", unshown))
	}
	if err != nil {
		return fmt.Errorf("stop: %w", err)
	}
	log.Info().Stringer("took", time.Since(began).Round(time.Millisecond)).Msg("everything is saved")
	return failed
}

// until prints the links to the server and waits until a signal stops the server or the server fails. If a signal
// came during the start, until returns at once and prints nothing.
func until(stop context.Context, a *app.App, cfg app.Config, stdout io.Writer) error {
	if stop.Err() != nil {
		return nil
	}
	open := true // no tenant has tokens
	for _, links := range a.Links() {
		open = open && len(links.Spectator) == 0
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
	if len(cfg.Hosts) > 0 && open {
		cfg.Log.Warn().Strs("host", cfg.Hosts).Msg("the server has no tokens of its own: who comes by a name of -host, " +
			"or through a proxy, needs the token of the printed link and is host; a token by -token-file makes links for " +
			"hosts and spectators")
	}
	if note := a.Note(); note != "" {
		fmt.Fprintln(stdout, world.Visible(note))
	}
	cfg.Log.Info().Str("addr", a.Addr()).Str("worlds", cfg.Worlds).Str("version", version).
		Msg("the server accepts connections")
	select {
	case <-stop.Done():
		return nil
	case err := <-a.Failed():
		cfg.Log.Error().Err(err).Msg("the HTTP server ended")
		return err
	}
}

// resumeFlag is the value of the flag -resume, which may be given as -resume, -resume=ID or -resume ID.
type resumeFlag struct {
	wanted bool
	id     string
}

func (f *resumeFlag) String() string { return f.id }

// Type returns "bool", because for a boolean flag the help shows no required value.
func (f *resumeFlag) Type() string { return "bool" }

// Set sets the flag from its value. If strconv.ParseBool accepts the value, it says whether to resume a session. Any
// other value is the id of the session to resume, except that an empty one stands for no session. A value that begins
// with a space is always an id; arguments adds the space.
func (f *resumeFlag) Set(s string) error {
	on, err := strconv.ParseBool(s)
	id, spaced := strings.CutPrefix(s, " ")
	switch {
	case spaced:
		*f = resumeFlag{wanted: true, id: id}
	case s == "":
		*f = resumeFlag{}
	case err == nil:
		*f = resumeFlag{wanted: on}
	default:
		*f = resumeFlag{wanted: true, id: s}
	}
	return nil
}
