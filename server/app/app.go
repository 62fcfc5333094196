// Package app is the composition root: it creates the parts, connects their interfaces, and
// starts and stops them in order.
//
// It owns no state and decides nothing about realms. The main package calls Start with a
// Config made from flags; the end-to-end tests start the same App.
//
// # Where to look
//
//   - starting and stopping the server: app.go, resume.go; tenants and their tokens: tenants.go
//   - adapters between packages: wiring.go, board.go, agents.go, facts.go, memory.go
//   - templates and teams of the worlds folder: offered.go, timedread.go
//   - requests of the gate and of commands that concern one realm: audit.go, conversations.go, erase.go,
//     export.go, retention.go
//   - a realm that a command opens without a server: stopped.go
package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/server/agent/model"
	"agentdungeon/server/agent/review"
	"agentdungeon/server/agent/script"
	"agentdungeon/server/agenthook"
	"agentdungeon/server/driver"
	"agentdungeon/server/facts"
	"agentdungeon/server/folder"
	"agentdungeon/server/follow"
	"agentdungeon/server/gate"
	"agentdungeon/server/inspect/heroes"
	"agentdungeon/server/keeper"
	"agentdungeon/server/kinds"
	"agentdungeon/server/mirror"
	"agentdungeon/server/price"
	"agentdungeon/server/realm"
	"agentdungeon/server/store/files"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Config has the options of a server.
type Config struct {
	Addr   string   // host:port to listen on
	Worlds string   // the worlds folder
	Data   string   // folder into which a realm is written if its own folder is deleted while it is open, "" for none
	Repo   string   // a folder to link and open at the start, "" for none
	Offer  string   // a folder that the page offers to link, "" for none
	Hosts  []string // further host names that are accepted in the Host header
	Token  string   // token of the default tenant's hosts, "" to derive one from the secret key
	// Tenants has the names of the tenants besides the default one. Each tenant gets its own links.
	Tenants []string
	Pace    string // replaces the pace in the settings of all realms, "" to keep them
	Script  string // file of the script that plays the agents, "" for none
	// Model is the language model that plays the agents that neither a script nor a scout plays. If Model.URL
	// is empty, there is no model and the server sends no request. KeyFrom names the variable or file from
	// which Model.Key was read.
	Model   model.Config
	KeyFrom string
	Resume  Resume
	Redis   mirror.Address // Redis server that gets the boards; if it is zero, findings.json gets them
	Watch   bool           // watch linked folders; otherwise each is read once
	// Agents says which sessions of coding agents are read; "" means follow.Off. Getenv returns the environment
	// variables that name the folders of these sessions; nil stands for os.Getenv.
	Agents follow.Which
	Prices price.List // prices of the models that coding agents use
	Getenv func(string) string
	// Announce is set if commands of the same user shall be able to find the server; see server/rendezvous.
	Announce bool
	Page     fs.FS // the built page
	Version  string
	Log      zerolog.Logger

	// FS and Listen replace the disk and the TCP port in tests; nil means the real ones.
	FS     afero.Fs
	Listen func(addr string) (net.Listener, error)
}

// App is a running server.
type App struct {
	cfg     Config
	log     zerolog.Logger
	store   *files.Worlds
	watcher *folder.Watcher // nil if linked folders are read once
	keeper  *keeper.Keeper
	board   *mirror.Mirror
	gate    *gate.Gate
	http    *http.Server
	addr    net.Addr
	served  chan error
	driver  string         // driver that plays most roles that no person holds: a wire.Driver constant
	scouts  *review.Scouts // play code reviews unless a script plays the agents; they also measure files
	facts   *facts.Facts   // answers the questions of coding agents, for the default tenant
	note    string         // the result of Note
	leave   func()         // removes the file by which commands find the server
	// follower reads the sessions of coding agents.
	follower *follow.Follower
	hooks    *agenthook.Hooks // handles the hooks of coding agents, for the default tenant
}

// shutdownTime is the longest time that Stop waits for the sockets to close.
const shutdownTime = 3 * time.Second

// Start creates and starts all parts of the server. It opens the port before it restores the realms, so that a
// page that connects meanwhile waits and gets no error. If Start returns an error, it has stopped all parts.
// If ctx ends, Start begins no further part and returns the App with the parts that run; the caller must call
// Stop.
func Start(ctx context.Context, cfg Config) (*App, error) {
	if cfg.FS == nil {
		cfg.FS = afero.NewOsFs()
	}
	if cfg.Listen == nil {
		cfg.Listen = func(addr string) (net.Listener, error) { return net.Listen("tcp", addr) }
	}
	if err := CheckTenants(cfg.Tenants); err != nil {
		return nil, err
	}
	if err := cfg.Resume.check(); err != nil {
		return nil, err
	}
	a := &App{cfg: cfg, log: cfg.Log, served: make(chan error, 1), leave: func() {}}
	drivers, err := a.drivers()
	if err != nil {
		return nil, err
	}
	st, err := files.Open(cfg.FS, cfg.Worlds, cfg.Log)
	if err != nil {
		return nil, err
	}
	a.store = st
	a.nameUnserved()
	if err := a.open(ctx, drivers); err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return a, nil
}

// drivers returns the script as the only driver if cfg.Script is set. Otherwise it returns the scouts, which
// play code reviews, and the model if cfg.Model has a URL. The model plays everything else, and judges the candidates
// of code reviews.
func (a *App) drivers() (driver.Drivers, error) {
	a.scouts = review.New(a.repositories(), heroes.Checks(), a.cfg.Version)
	if a.cfg.Script != "" {
		s, err := script.Load(a.cfg.FS, a.cfg.Script)
		if err != nil {
			return nil, fmt.Errorf("load the script: %w", err)
		}
		a.driver = wire.DriverScript
		return s, nil
	}
	if a.cfg.Model.URL == "" {
		a.driver = wire.DriverScout
		return a.scouts, nil
	}
	cfg := a.cfg.Model
	cfg.Repositories = a.repositories()
	agents, err := model.New(cfg)
	if err != nil {
		return nil, err
	}
	a.log.Info().Str("server", agents.Host()).Str("model", cfg.Model).Str("key", cmp.Or(a.cfg.KeyFrom, "none")).
		Msg("a model plays the agents; in code reviews it only judges what the checks suspect; the model's " +
			"server gets the agents' prompts and the files that the agents read")
	if agents.Unencrypted() {
		a.log.Warn().Str("server", agents.Host()).
			Msg("the model's key goes over the network unencrypted: the model's address begins with http://")
	}
	a.driver = wire.DriverModel
	a.scouts.Judge = agents.Driver(nil, world.Role{})
	return scoutsAndModel{a.scouts, agents}, nil
}

func (a *App) open(ctx context.Context, drivers driver.Drivers) error {
	tokens := a.tokens()
	if err := gate.CheckListen(a.cfg.Addr, tokens...); err != nil {
		return err
	}
	listener, err := a.cfg.Listen(a.cfg.Addr)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", a.cfg.Addr, err)
	}
	a.addr = listener.Addr()
	addresses, port := reachable(a.addr)
	if err := a.store.SetAddress(a.addr.String()); err != nil {
		a.log.Warn().Err(err).Msg("the address of this server could not be written into the lock file; the lock is held, " +
			"but commands cannot find the server")
	}
	templates, teams := &templates{store: a.store, log: a.log, driver: a.driver, drivers: drivers},
		&teams{store: a.store, log: a.log}
	if s, ok := drivers.(*script.Script); ok {
		templates.written = s.Written
	}
	if a.cfg.Watch {
		// NewWatcher fails if the user has reached the kernel's limit of watchers; the server then starts without
		// one.
		if a.watcher, err = folder.NewWatcher(a.log); err != nil {
			a.log.Warn().Err(err).Msg("linked folders cannot be watched; maps show each folder as of the start")
			a.watcher = nil
		}
	}
	a.board = mirror.New(mirror.Config{Address: a.cfg.Redis, Realms: boards{a.store}, Log: a.log,
		Server: boardsOwner(a.store.Secret())})
	a.follower = newFollower(a.cfg, func(program, id string) bool { return a.hooks.Early(program, id) })
	a.keeper = keeper.New(keeper.Config{
		Store:   worlds{a.store, a.cfg.FS, a.log, rescueFolders(a.cfg.Data), &releaser{}},
		Folders: folders{a.cfg.Worlds, a.watcher, a.log}, Kinds: kinds.All(), Templates: templates,
		Teams: teams, Drivers: drivers, Peek: peek{}, Log: a.log, Pace: a.cfg.Pace, Afresh: a.cfg.Resume.None, Board: a.board,
		Retention: cleaning(a.store), Shadows: sessions{a.follower},
	})
	tenants, err := a.tenants(tokens, gate.About{Templates: templates.infos, Driver: a.driver, Offer: a.cfg.Offer})
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	a.gate = gate.New(gate.Config{
		Tenants: tenants, Page: a.cfg.Page, Key: a.store.Secret(),
		Hosts: a.cfg.Hosts, Addresses: addresses, Port: port, Version: a.cfg.Version, Log: a.log,
		Unsaved: a.unsaved, Export: a.export, Session: a.exportSession, Conversations: a.writeConversations,
		Erase: a.erase, Audit: a.audit, Retention: a.retain,
		File: a.fileText, Past: a.filePast, Files: a.filesFound, Accept: a.accept, Accepted: a.accepted,
	})
	a.http = a.gate.Server()
	go func() { a.served <- a.http.Serve(listener) }() // clients can connect now, and wait until SetReady
	templates.begin()
	teams.begin()
	a.keeper.Start(context.WithoutCancel(ctx)) // not cancelled by a stop, so that an opening that has begun is completed
	a.gate.SetReady()
	a.announce(gate.DeriveTokens(a.store.Secret(), world.DefaultTenant, a.cfg.Token).Host)
	if err := a.openRequested(ctx); err != nil && ctx.Err() == nil {
		_, stopErr := a.Stop()
		return errors.Join(err, stopErr)
	}
	return nil
}

// openRequested opens the realm of cfg.Repo, if it is set, and resumes the session that cfg.Resume selects.
func (a *App) openRequested(ctx context.Context) (err error) {
	if a.cfg.Repo != "" {
		home, err := a.home()
		var r *realm.Realm
		if err == nil {
			r, err = home.Link(ctx, a.cfg.Repo, func(wire.RealmProgress) {})
		}
		var refused *wire.Error
		switch {
		case errors.As(err, &refused): // a sentence that names the folder
			return fmt.Errorf("-repo: %s", refused.Message)
		case err != nil:
			return fmt.Errorf("link %s: %w", a.cfg.Repo, err)
		}
		a.gate.Opened(world.DefaultTenant, gate.RealmOf(r)) // switches clients that have already connected to the realm
	}
	a.note, err = a.resumeSession(ctx, a.cfg.Resume)
	return err
}

// Addr returns the address on which the server listens.
func (a *App) Addr() string { return a.addr.String() }

// Links returns the links of each tenant, the default tenant first. A tenant has links for hosts and, if
// tokens are in use, links for spectators.
func (a *App) Links() []gate.Links {
	addresses, _ := reachable(a.addr)
	return a.gate.Links(addresses)
}

// Note returns a note for the operator, which main prints: the team of the party has an earlier session, which -resume
// would restore. It returns "" if there is none.
func (a *App) Note() string { return a.note }

// Failed returns a channel that receives the error if the HTTP server ends by itself.
func (a *App) Failed() <-chan error { return a.served }

// Stop closes the sockets with a close code that tells clients to reconnect, ends the drivers, saves
// everything and closes the worlds folder. unshown is the number of events that were neither sent to clients
// nor saved.
func (a *App) Stop() (unshown int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTime)
	defer cancel()
	a.leave()
	if e := a.gate.Shutdown(ctx); e != nil {
		a.log.Warn().Err(e).Msg("not every socket closed in time")
	}
	if e := a.http.Close(); e != nil {
		a.log.Warn().Err(e).Msg("the HTTP server could not be closed")
	}
	a.facts.Close()
	unshown, err = a.keeper.Stop()
	err = errors.Join(err, a.board.Close(), a.scouts.Close())
	if a.watcher != nil {
		err = errors.Join(err, a.watcher.Close())
	}
	return unshown, errors.Join(err, a.store.Close())
}

// unsaved returns a sentence that says why nothing can be saved now, "" if nothing is known that prevents it. The gate
// calls it; the sentence has no path and names no realm, because everybody may read it.
func (a *App) unsaved() string {
	if reason := a.keeper.Failing(); reason != "" {
		return reason
	}
	if err := a.store.Unsaved(); err != nil {
		return cmp.Or(wire.DiskReason(err), "The worlds folder cannot be written; the log says why.")
	}
	return ""
}

// reachable returns the addresses ("host:port") at which clients can reach a listener on addr, and the port.
// The port is 0 if addr is not a TCP address.
func reachable(addr net.Addr) ([]string, int) {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok {
		return []string{addr.String()}, 0
	}
	port := strconv.Itoa(tcp.Port)
	if !tcp.IP.IsUnspecified() {
		return []string{net.JoinHostPort(tcp.IP.String(), port)}, tcp.Port
	}
	out := []string{}
	own, err := net.InterfaceAddrs()
	if err != nil {
		return out, tcp.Port
	}
	for _, n := range own {
		if ip, ok := n.(*net.IPNet); ok && !ip.IP.IsLinkLocalUnicast() {
			out = append(out, net.JoinHostPort(ip.IP.String(), port))
		}
	}
	return out, tcp.Port
}
