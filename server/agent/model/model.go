package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"agentdungeon/server/driver"
	"agentdungeon/server/inspect"
	"agentdungeon/shared/world"
)

// Repositories opens linked folders for the tools that read. Only Close ends the use
// of a Repo; ctx bounds the opening and the use.
type Repositories interface {
	Open(ctx context.Context, path string) (*inspect.Repo, io.Closer, error)
}

// Config is what the flags say.
type Config struct {
	URL   string // of the API: http://localhost:11434/v1
	Model string // as the server calls it
	Key   Key

	Repositories Repositories // nil: the model has no tools that read

	// Transport, Wait and Jitter are for tests: nil means the network, timers, and chance
	// from 0 to 1.
	Transport http.RoundTripper
	Wait      func(ctx context.Context, d time.Duration) error
	Jitter    func() float64
}

// Agents plays any number of turns at once, in any number of realms.
type Agents struct {
	url, host, model string
	key              Key
	repos            Repositories
	http             *http.Client
	pause            func(context.Context, time.Duration) error
	jitter           func() float64
	noTools          atomic.Bool // the server has said that it takes none; kept for this life
}

// New checks the address and asks nobody. An error names what is wrong and shows no
// password.
func New(cfg Config) (*Agents, error) {
	u, err := url.Parse(cfg.URL)
	var parse *url.Error
	switch {
	case errors.As(err, &parse):
		return nil, fmt.Errorf("the model's address is no URL: %w", parse.Err) // the whole error repeats it
	case u.User != nil:
		return nil, errors.New("the model's address holds a user or a password; give the key by " + KeyVariable +
			" or a key file")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("the model's address %q must begin with http:// or https:// and a host, like "+
			"http://localhost:11434/v1", cfg.URL)
	case u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the model's address must end with its path, without ? and #")
	case cfg.Model == "" || len(cfg.Model) > world.MaxTitle || strings.TrimSpace(cfg.Model) != cfg.Model:
		return nil, fmt.Errorf("the model's name is missing, longer than %d bytes, or has blanks at an end", world.MaxTitle)
	}
	a := &Agents{
		url: strings.TrimSuffix(strings.TrimRight(cfg.URL, "/"), "/chat/completions"), host: u.Host, model: cfg.Model,
		key: cfg.Key, repos: cfg.Repositories, pause: cfg.Wait, jitter: cfg.Jitter,
	}
	if a.pause == nil {
		a.pause = pause
	}
	if a.jitter == nil {
		a.jitter = rand.Float64
	}
	transport := cfg.Transport
	if transport == nil {
		transport = newTransport()
	}
	a.http = &http.Client{Transport: transport, CheckRedirect: noRedirect}
	return a, nil
}

// Host is the server's, for logs: "localhost:11434".
func (a *Agents) Host() string { return a.host }

// Bare says that a key would go over a network unencrypted.
func (a *Agents) Bare() bool {
	if a.key.IsZero() || !strings.HasPrefix(strings.ToLower(a.url), "http://") {
		return false
	}
	host := (&url.URL{Host: a.host}).Hostname()
	return host != "localhost" && host != "::1" && !strings.HasPrefix(host, "127.")
}

// Driver plays every role, of a process or outside one.
func (a *Agents) Driver(*world.Template, world.Role) driver.Driver { return player{a} }

var (
	_ driver.Drivers = (*Agents)(nil)
	_ driver.Driver  = player{}
	_ driver.Modeled = player{}
	_ driver.Smith   = player{}
)

type player struct{ agents *Agents }

// Model is the model's name.
func (d player) Model() string { return d.agents.model }

// PlaysSmith: a model writes skills too.
func (d player) PlaysSmith() bool { return true }

// Run plays one turn. A failed one is a *driver.TurnError: world.ChatTimeout where the
// server was silent, world.ChatLimit where the model called tools without an end, else
// world.ChatModel. What was said before stays said.
func (d player) Run(ctx context.Context, req driver.Turn, emit func(driver.Chunk) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t := &turn{
		agents: d.agents, ctx: ctx, req: req, emit: emit,
		process: req.Kind == world.KindProcess || req.Kind == "",
	}
	t.signal = t.process && req.Completion == world.CompleteSignal
	defer t.close()
	if err := t.play(); err != nil {
		return t.failed(err)
	}
	return ctx.Err()
}

func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
