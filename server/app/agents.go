package app

import (
	"cmp"
	"context"
	"os"
	"slices"
	"time"

	"agentdungeon/server/agenthook"
	"agentdungeon/server/folder"
	"agentdungeon/server/follow"
	"agentdungeon/server/gate"
	"agentdungeon/server/hooks"
	"agentdungeon/server/keeper"
	"agentdungeon/server/reader/claude"
	"agentdungeon/server/reader/codex"
	"agentdungeon/server/reader/gemini"
	"agentdungeon/server/reader/opencode"
	"agentdungeon/server/realm"
	"agentdungeon/server/rendezvous"
	"agentdungeon/server/shadow"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// sessions implements keeper.Shadows: its Follower reads the sessions of coding agents for a realm.
type sessions struct{ follower *follow.Follower }

func (s sessions) Follow(tenant string, r *realm.Realm) (end func()) {
	return s.follower.Follow(tenant, r)
}

// environment returns cfg.Getenv, or os.Getenv if it is nil.
func (cfg Config) environment() func(string) string {
	if cfg.Getenv == nil {
		return os.Getenv
	}
	return cfg.Getenv
}

// announce writes a file with the address of the server and a token. Commands of the same user find the server by this
// file (package rendezvous). An error is only logged, because the server also works without the file.
func (a *App) announce(token string) {
	if !a.cfg.Announce {
		return
	}
	leave, err := rendezvous.Announce(a.cfg.environment(), a.addr, token, a.cfg.Worlds)
	if err != nil {
		a.log.Warn().Err(err).Msg("the hooks of coding agents cannot find this server")
	}
	a.leave = leave
}

// newFollower returns the Follower of a server, with a reader for each program that it knows. heard reports whether a
// hook of a session has sent something before the follower found the session.
func newFollower(cfg Config, heard func(program, sessionID string) bool) *follow.Follower {
	getenv := cfg.environment()
	readers := []func() shadow.Reader{
		func() shadow.Reader { return claude.New(claude.Config{Homes: claude.Homes(getenv)}) },
		func() shadow.Reader { return codex.New(codex.Config{Homes: codex.Homes(getenv)}) },
		func() shadow.Reader { return gemini.New(gemini.Config{Homes: gemini.Homes(getenv)}) },
	}
	if home := getenv("HOME"); home != "" || getenv("XDG_DATA_HOME") != "" {
		readers = append(readers, func() shadow.Reader {
			return opencode.New(opencode.Config{Homes: opencode.Homes(home, getenv)})
		})
	}
	return follow.New(follow.Config{
		Which: cmp.Or(cfg.Agents, follow.Off), Readers: readers,
		Checkout: func(root string) follow.Checkout { return folder.CheckoutOf(root) },
		Ignored:  folder.Ignored, Heard: heard, Prices: cfg.Prices, Log: cfg.Log,
	})
}

// listSessions returns the function that answers session:list for a tenant. The answer has the sessions that the
// follower reads for a realm, and then the other sessions that the realm knows. installed returns
// wire.CodingProgram.Hooks for a program.
func listSessions(f *follow.Follower, t *keeper.Tenant, calls gate.Hooks, installed func(program string) string) func(
	context.Context, string) (wire.SessionsListed, error) {
	return func(ctx context.Context, realmID string) (wire.SessionsListed, error) {
		out := wire.SessionsListed{Sessions: []wire.CodingSession{}, Programs: []wire.CodingProgram{}}
		r, err := t.Open(ctx, realmID)
		if err != nil {
			return out, err
		}
		shown, err := r.Shown(ctx)
		if err != nil {
			return out, err
		}
		known := map[string]world.Session{}
		for _, s := range shown.Sessions {
			known[s.AgentID] = s
		}
		for _, s := range f.Followed(realmID) {
			id := shadow.AgentID(s.Program, s.ID)
			one := wire.CodingSession{
				Program: s.Program, SessionID: s.ID, AgentID: id, ConversationID: known[id].ConversationID,
				Parent: known[id].Parent, Title: s.Title, Dir: s.Dir, State: s.State.Name, Wait: s.State.Wait,
				Source: s.State.Source, Alive: s.Alive, Hears: known[id].Hears, Terminal: s.Terminal,
			}
			if !s.State.Since.IsZero() {
				one.Since = world.TimeOf(s.State.Since)
			}
			delete(known, id)
			out.Sessions = append(out.Sessions, one)
		}
		for _, s := range slices.Backward(shown.Sessions) {
			if _, left := known[s.AgentID]; left && len(out.Sessions) < wire.MaxListed {
				out.Sessions = append(out.Sessions, wire.CodingSession{
					Program: s.Program, SessionID: s.SessionID, AgentID: s.AgentID, ConversationID: s.ConversationID,
					Parent: s.Parent, Hears: s.Hears,
				})
			}
		}
		heard := calls.Heard()
		for _, m := range f.Met() {
			out.Programs = append(out.Programs, wire.CodingProgram{
				Program: m.Program, Sessions: m.Sessions, Followed: m.Followed, Unknown: m.Counts.Unknown,
				Broken: m.Counts.Broken, TooLong: m.Counts.TooLong, Hidden: m.Counts.Hidden, Errors: m.Errors,
				Refused: m.Refused, Heard: heard[m.Program], Hooks: installed(m.Program),
			})
		}
		return out, nil
	}
}

// installedHooks returns a function that says whether the settings of a program have hooks of this server now: see
// wire.CodingProgram.Hooks. It reads the settings at each call, because people change them while the server runs.
func installedHooks(getenv func(string) string) func(program string) string {
	return func(program string) string {
		i := slices.IndexFunc(hooks.Programs, func(p hooks.Program) bool { return p.Name == program })
		if i < 0 {
			return ""
		}
		p := hooks.Programs[i]
		file := p.File(getenv)
		binary, err := os.Executable()
		if file == "" || err != nil {
			return ""
		}
		settings, err := hooks.Read(file)
		if err != nil {
			return ""
		}
		switch state, err := p.Installed(settings, binary); {
		case err != nil:
			return ""
		case state == hooks.None:
			return wire.HooksNone
		}
		return wire.HooksInstalled
	}
}

// newHooks returns the handler of the hooks of coding agents, for the open realms of a tenant.
func newHooks(t *keeper.Tenant, f *follow.Follower) *agenthook.Hooks {
	return agenthook.New(func() []agenthook.Realm {
		var out []agenthook.Realm
		for _, r := range t.Opened() {
			out = append(out, r)
		}
		return out
	}, time.Now, folder.Ignored, f.ListSoon)
}
