package main

import (
	"errors"
	"flag"
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

	"agentdungeon/server/agent/model"
	"agentdungeon/server/app"
	"agentdungeon/server/mirror"
	"agentdungeon/server/report"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// options are the flags of all commands. Each has a variable
// AGENTDUNGEON_NAME that a flag on the command line overrides.
type options struct {
	addr, worlds, repo, host, token, pace, script, logFormat, logLevel string
	modelURL, model, modelKeyFile                                      string
	tenant, tenants                                                    string // tenants of serve, tenant of all others
	realm                                                              string // of export, conversations, erase, audit, check and repair
	json                                                               bool   // of conversations, erase, audit, retention, check and repair
	format, out, session                                               string // of export; out also of repair
	content                                                            bool   // of conversations
	status                                                             string // of conversations
	conversation, person                                               string // of erase
	since                                                              string // of audit
	dryRun, force                                                      bool   // of retention
	resume                                                             resumeFlag
	team                                                               string
	noResume                                                           bool
}

// resumeFlag is -resume, -resume=ID and -resume ID.
type resumeFlag struct {
	wanted bool
	id     string
}

func (f *resumeFlag) String() string   { return f.id }
func (f *resumeFlag) IsBoolFlag() bool { return true }

// Set takes what strconv takes for a bool to be one; everything else is an id, and so is
// all that joinResume has found behind a space.
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

// joinResume makes "-resume ID" one argument: a flag that may stand alone takes no second.
func joinResume(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		if (args[i] == "-resume" || args[i] == "--resume") && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
			out = append(out, args[i]+"= "+args[i+1])
			i++
			continue
		}
		out = append(out, args[i])
	}
	return out
}

func parse(name string, args []string, stderr io.Writer) (*options, error) {
	o := &options{}
	set := flag.NewFlagSet("agentdungeon "+name, flag.ContinueOnError)
	set.SetOutput(&terminal{out: stderr})
	set.StringVar(&o.worlds, "worlds", "", "the worlds `folder` (default ./worlds where it exists, else the user's data folder)")
	if name != "serve" {
		set.StringVar(&o.tenant, "tenant", world.DefaultTenant, "the tenant's `name`")
	}
	switch name {
	case "export", "conversations", "audit":
		set.StringVar(&o.realm, "realm", "", "the realm's `id` (default the last active one)")
	case "erase", "repair":
		set.StringVar(&o.realm, "realm", "", "the realm's `id`")
	case "check":
		set.StringVar(&o.realm, "realm", "", "the realm's `id` (default all realms of the tenant)")
	}
	switch name {
	case "conversations", "erase", "audit", "retention":
		set.BoolVar(&o.json, "json", false, "as JSON")
		set.StringVar(&o.token, "token", "", "the hosts' `token` of the server that has the folder open, if it wants one")
	}
	switch name {
	case "check", "repair":
		set.BoolVar(&o.json, "json", false, "as JSON")
	}
	switch name {
	case "repair":
		set.StringVar(&o.out, "o", "", "`folder` to make, which must not be there (default REALM.repaired-TIME beside the realm's)")
	case "export":
		set.StringVar(&o.format, "format", report.FormatMarkdown, "`markdown`, json, sarif or svg (the map)")
		set.StringVar(&o.session, "session", "", "write the session of a party of this `id`, as a file for a realm's sessions folder, instead of the report")
		set.StringVar(&o.out, "o", "", "`file` to write, the map of a markdown report beside it (default standard output, without the map)")
		set.StringVar(&o.token, "token", "", "a `token` of the server that has the folder open, if it wants one")
	case "conversations":
		set.BoolVar(&o.content, "content", false, "also what was said")
		set.StringVar(&o.status, "status", "", "only those of this `status`, like active or abandoned")
	case "erase":
		set.StringVar(&o.conversation, "conversation", "", "the `id` of a conversation to erase")
		set.StringVar(&o.person, "person", "", "the `id` (spectatorId) of a person whose words and identity to erase")
	case "audit":
		set.StringVar(&o.since, "since", "", "only from this `time` on, like 2026-01-31 or 2026-01-31T10:00:00Z, or a duration back from now, like 24h")
	case "retention":
		set.BoolVar(&o.dryRun, "dry-run", false, "only say what would go, and when")
		set.BoolVar(&o.force, "force", false, "do it although the clock has jumped or nobody knows how long the server was away")
	case "serve":
		set.StringVar(&o.addr, "addr", defaultAddr(), "`host:port` to listen on; PORT sets the port")
		set.StringVar(&o.repo, "repo", "", "`folder` to link and open at once")
		set.StringVar(&o.tenants, "tenants", "", "further `names` of tenants, with commas: each gets links of its own")
		set.StringVar(&o.host, "host", "", "further `names` for the Host header, with commas")
		set.StringVar(&o.token, "token", "", "the hosts' `token`; needed or made for addresses that are not loopback")
		set.StringVar(&o.pace, "pace", "", "`watchable` or instant: overrides the realms' setting")
		set.StringVar(&o.script, "script", "", "`file` of a script that plays the roles that nobody holds and that it has words for, instead of scouts and a model")
		set.StringVar(&o.modelURL, "model-url", "", "`URL` of an OpenAI-compatible API whose model plays the agents that nobody else plays, like http://localhost:11434/v1")
		set.StringVar(&o.model, "model", "", "`name` of that model")
		set.StringVar(&o.modelKeyFile, "model-key-file", "", "`file` (mode 0600) with its key, where neither "+model.KeyVariable+" nor "+model.OpenAIKeyVariable+" has it")
		set.Var(&o.resume, "resume", "take up the latest session of the party again, or the one of this `id`")
		set.BoolVar(&o.noResume, "no-resume", false, "open no realm at the start; nothing is deleted")
		set.StringVar(&o.team, "team", "", "`id` of the team whose session -resume takes up (default that of the realm's party)")
		set.StringVar(&o.logFormat, "log-format", "text", "`text` or json")
		set.StringVar(&o.logLevel, "log-level", "info", "`debug`, info, warn or error")
	}
	if name == "serve" {
		args = joinResume(args)
	}
	if err := set.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil, err
		}
		return nil, usageError{err}
	}
	if err := variables(set, o.overruled()...); err != nil {
		return nil, usageError{err}
	}
	if set.NArg() > 0 {
		return nil, usageError{fmt.Errorf("%s takes no argument %q", name, set.Arg(0))}
	}
	if name != "serve" && !wire.ValidTenant(o.tenant) { // S1-08: an empty one is none
		return nil, usageError{fmt.Errorf("-tenant %q: it must be 1 to 64 of a-z, 0-9, - and _", o.tenant)}
	}
	if o.status != "" && !slices.Contains(world.ConversationStatuses, o.status) {
		return nil, usageError{fmt.Errorf("-status %q: it must be one of %s", o.status, strings.Join(world.ConversationStatuses, ", "))}
	}
	if o.session != "" && o.format != report.FormatMarkdown {
		return nil, usageError{errors.New("-session and -format exclude each other: a session has one format")}
	}
	if name == "repair" && o.realm == "" {
		return nil, usageError{errors.New("repair wants the realm named: -realm ID")}
	}
	return o, o.check()
}

// variables sets the flags that the command line has not set from theirs, but for those
// that it overrules. An empty one of a flag that is on or off is none.
func variables(set *flag.FlagSet, overruled ...string) error {
	given := map[string]bool{} // at most as many as there are flags
	set.Visit(func(f *flag.Flag) { given[f.Name] = true })
	var bad error
	set.VisitAll(func(f *flag.Flag) {
		key := "AGENTDUNGEON_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		v, ok := os.LookupEnv(key)
		if onOff, is := f.Value.(interface{ IsBoolFlag() bool }); is && onOff.IsBoolFlag() && v == "" {
			ok = false
		}
		if !ok || given[f.Name] || bad != nil || slices.Contains(overruled, f.Name) {
			return
		}
		if err := set.Set(f.Name, v); err != nil {
			bad = fmt.Errorf("%s: %w", key, err)
		}
	})
	return bad
}

// overruled are the flags whose opposite stands on the command line: that counts, not
// their variables. It is asked while only the command line is read.
func (o *options) overruled() (names []string) {
	if o.noResume {
		names = append(names, "resume")
	}
	if o.resume.wanted {
		names = append(names, "no-resume")
	}
	return names
}

// names takes a list with commas apart.
func names(list string) (out []string) {
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			out = append(out, name)
		}
	}
	return out
}

func defaultAddr() string {
	if port := os.Getenv("PORT"); port != "" {
		return "127.0.0.1:" + port
	}
	return "127.0.0.1:3001"
}

func (o *options) check() error {
	if o.addr != "" {
		if _, _, err := net.SplitHostPort(o.addr); err != nil {
			return usageError{fmt.Errorf("-addr %s: it must be host:port", o.addr)}
		}
	}
	switch o.pace {
	case "", world.PaceWatchable, world.PaceInstant:
	default:
		return usageError{fmt.Errorf("-pace %s: it must be watchable or instant", o.pace)}
	}
	if err := app.CheckTenants(names(o.tenants)); err != nil {
		return usageError{fmt.Errorf("-tenants: %w", err)}
	}
	switch {
	case o.modelURL != "" && o.model == "":
		return usageError{errors.New("-model-url needs -model, the model's name")}
	case o.modelURL == "" && (o.model != "" || o.modelKeyFile != ""):
		return usageError{errors.New("-model and -model-key-file need -model-url, the address of the model's server")}
	}
	if o.format != "" && !slices.Contains(report.Formats, o.format) {
		return usageError{fmt.Errorf("-format %s: it must be one of %s", o.format, strings.Join(report.Formats, ", "))}
	}
	switch o.logFormat {
	case "", "text", "json":
	default:
		return usageError{fmt.Errorf("-log-format %s: it must be text or json", o.logFormat)}
	}
	if _, err := zerolog.ParseLevel(o.logLevel); err != nil {
		return usageError{fmt.Errorf("-log-level %s: it must be debug, info, warn or error", o.logLevel)}
	}
	return nil
}

func (o *options) logger(w io.Writer) zerolog.Logger {
	if o.logFormat != "json" {
		w = zerolog.ConsoleWriter{Out: &terminal{out: w}, TimeFormat: time.TimeOnly, NoColor: true}
	}
	level, err := zerolog.ParseLevel(o.logLevel)
	if err != nil {
		level = zerolog.InfoLevel // check has refused it
	}
	return zerolog.New(w).Level(level).With().Timestamp().Logger()
}

func (o *options) config() (app.Config, error) {
	worlds, err := o.worldsFolder()
	if err != nil {
		return app.Config{}, err
	}
	cfg := app.Config{Addr: o.addr, Worlds: worlds, Token: o.token, Pace: o.pace, Script: o.script, Watch: true}
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
	if o.repo != "" {
		if cfg.Repo, err = filepath.Abs(o.repo); err != nil {
			return cfg, usageError{fmt.Errorf("-repo: %w", err)}
		}
	}
	if cfg.Data, err = dataFolder(); err != nil {
		cfg.Data = "" // rescued realms go to the temporary folder
	}
	if cfg.Offer, err = os.Getwd(); err != nil {
		cfg.Offer = "" // the page then asks for a path
	}
	return cfg, nil
}

// dataFolder is this program's part of the user's data folder.
func dataFolder() (string, error) {
	if data := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(data) {
		return filepath.Join(data, "agentdungeon"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".local", "share", "agentdungeon"), nil
}

// worldsFolder is absolute: ./worlds where that exists, as in a checkout, else the
// user's data folder, so that a stranger's repository is never littered.
func (o *options) worldsFolder() (string, error) {
	dir := o.worlds
	if dir == "" {
		if info, err := os.Stat("worlds"); err == nil && info.IsDir() {
			dir = "worlds"
		} else {
			data, err := dataFolder()
			if err != nil {
				return "", fmt.Errorf("no folder for the worlds (name one with -worlds): %w", err)
			}
			dir = filepath.Join(data, "worlds")
		}
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("-worlds: %w", err)
	}
	return abs, nil
}
