package app

import (
	"os"
	"path/filepath"
	"testing"

	"agentdungeon/server/rendezvous"
)

// A server with Announce can be found until it stops, with a token of its own. If it cannot announce itself, it starts
// nevertheless. Without Announce nothing is written.
func TestCommandsFindTheServer(t *testing.T) {
	state := t.TempDir()
	getenv := func(name string) string { return map[string]string{"XDG_STATE_HOME": state}[name] }
	found := func(on bool) func(*Config) {
		return func(c *Config) { c.Getenv, c.Announce = getenv, on }
	}
	a := start(t, t.TempDir(), found(true))
	servers := rendezvous.Servers(getenv)
	if len(servers) != 1 || servers[0].Addr != a.Addr() || len(servers[0].Token) < 16 || servers[0].Worlds != a.cfg.Worlds {
		t.Errorf("servers: %+v", servers)
	}
	stop(t, a)
	if servers := rendezvous.Servers(getenv); len(servers) != 0 {
		t.Errorf("after the stop: %+v", servers)
	}
	state = filepath.Join(state, "unannounced")
	stop(t, start(t, t.TempDir(), found(false)))
	if _, err := os.Stat(state); !os.IsNotExist(err) {
		t.Errorf("a server that is not to be found has written: %v", err)
	}
	if err := os.WriteFile(state, nil, 0o600); err != nil { // a file in the place of the folder
		t.Fatal(err)
	}
	stop(t, start(t, t.TempDir(), found(true)))
}
