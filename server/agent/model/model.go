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

// Repositories opens linked folders for the tools that read files. ctx limits the opening and the use of a repository.
// The caller closes the io.Closer after its last use of the repository.
type Repositories interface {
	Open(ctx context.Context, path string) (*inspect.Repo, io.Closer, error)
}

// Config holds the settings of Agents that come from the flags and from this program.
type Config struct {
	URL   string // the address of the API, such as http://localhost:11434/v1
	Model string // the name of the model at that address
	Key   Key

	Repositories Repositories // if nil, the model has no tools that read files

	// Transport, Wait and Jitter are for tests. nil means the network, timers, and a random
	// number from 0 to 1.
	Transport http.RoundTripper
	Wait      func(ctx context.Context, d time.Duration) error
	Jitter    func() float64
}

// Agents is the driver. It plays any number of turns concurrently.
type Agents struct {
	url, host, model string
	key              Key
	repos            Repositories
	http             *http.Client
	pause            func(context.Context, time.Duration) error
	jitter           func() float64
	toolsRefused     atomic.Bool // the server refuses tools; remembered until the restart
}

// New checks the configuration without contacting the server. Errors reveal no password.
func New(cfg Config) (*Agents, error) {
	u, err := url.Parse(cfg.URL)
	var parse *url.Error
	switch {
	case errors.As(err, &parse):
		// Use parse.Err alone: the text of parse repeats the address, which may contain a password.
		return nil, fmt.Errorf("the model's address is not a valid URL: %w", parse.Err)
	case u.User != nil:
		return nil, errors.New("the model's address must not contain a user or a password; " +
			"set the key by " + KeyVariable + " or a key file")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("the model's address %q must begin with http:// or https:// and a host, like "+
			"http://localhost:11434/v1", cfg.URL)
	case u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the model's address must not contain a query (?) or a fragment (#)")
	case cfg.Model == "" || len(cfg.Model) > world.MaxTitle || strings.TrimSpace(cfg.Model) != cfg.Model:
		return nil, fmt.Errorf("the model's name is missing, longer than %d bytes, or begins or ends with a blank",
			world.MaxTitle)
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

// Host returns the server's host for logs, such as "localhost:11434".
func (a *Agents) Host() string { return a.host }

// Unencrypted reports whether the key would cross a network unencrypted.
func (a *Agents) Unencrypted() bool {
	if a.key.IsZero() || !strings.HasPrefix(strings.ToLower(a.url), "http://") {
		return false
	}
	host := (&url.URL{Host: a.host}).Hostname()
	return host != "localhost" && host != "::1" && !strings.HasPrefix(host, "127.")
}

// Driver returns the driver for every role and every kind of conversation.
func (a *Agents) Driver(*world.Template, world.Role) driver.Driver { return player{a} }

var (
	_ driver.Drivers = (*Agents)(nil)
	_ driver.Driver  = player{}
	_ driver.Modeled = player{}
	_ driver.Smith   = player{}
)

type player struct{ agents *Agents }

// Model returns the model's name.
func (d player) Model() string { return d.agents.model }

// PlaysSmith reports that a model can write skills.
func (d player) PlaysSmith() bool { return true }

// Run plays one turn. If the turn fails, it returns a *driver.TurnError with the code world.ChatTimeout if the server
// was silent, world.ChatLimit if the model reached a limit (of tool calls, rounds, arguments, or its own length), and
// world.ChatModel for any other reason. Words that were emitted before the error are not withdrawn.
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
