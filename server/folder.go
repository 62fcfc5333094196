package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"github.com/spf13/afero"
	"github.com/spf13/cobra"

	"agentdungeon/server/app"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/lock"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// tenantFlags has the flags of all commands that work on a worlds folder, except serve: the worlds folder and the
// tenant.
type tenantFlags struct{ worlds, tenant string }

func (o *tenantFlags) define(c *cobra.Command) {
	worldsFlag(c, &o.worlds)
	c.Flags().StringVar(&o.tenant, "tenant", world.DefaultTenant, "the tenant's `name`")
}

func worldsFlag(c *cobra.Command, dir *string) {
	c.Flags().StringVar(dir, "worlds", "",
		"the worlds `folder` (default ./worlds where it exists, else the user's data folder)")
	offerFolders(c, "worlds")
}

// check returns an error if the tenant's name is invalid (S1-08).
func (o *tenantFlags) check() error {
	if !wire.ValidTenant(o.tenant) {
		return usageError{fmt.Errorf("-tenant %q: the name must have 1 to 64 characters of a-z, 0-9, - and _", o.tenant)}
	}
	return nil
}

// realmFlags has the flags that select the realm of a command, and the token for a server that uses the worlds
// folder.
type realmFlags struct {
	tenantFlags
	realm  string
	tokens tokenFlags
	json   bool
}

func (o *realmFlags) realmFlag(c *cobra.Command, otherwise string) {
	c.Flags().StringVar(&o.realm, "realm", "", "the realm's `id`"+otherwise)
}

func (o *realmFlags) jsonFlag(c *cobra.Command) {
	c.Flags().BoolVar(&o.json, "json", false, "as JSON")
}

func (o *realmFlags) tokenFlag(c *cobra.Command, whose string) {
	o.tokens.define(c, whose+" `token` of the server that has the folder open, if it wants one")
}

// folder is the worlds folder that a command works on. If a server has locked the folder, the command sends
// requests to that server.
type folder struct {
	*realmFlags
	fs    afero.Fs
	dir   string // absolute
	token string // that of -token or -token-file, "" for none
	held  bool   // whether a server held the folder when it was looked up
	addr  string // address of the server that holds the folder; "" if the server has not written it yet
}

// folder returns the worlds folder of -worlds, and finds out whether a server has locked it.
func (o *realmFlags) folder() (*folder, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	dir, err := worldsFolder(o.worlds)
	if err != nil {
		return nil, err
	}
	f := &folder{realmFlags: o, fs: afero.NewOsFs(), dir: dir}
	if f.token, err = o.tokens.read(f.fs); err != nil {
		return nil, err
	}
	if err := files.CheckFolder(f.fs, dir); err != nil {
		return nil, err
	}
	holder, held, err := lock.ReadLock(f.fs, dir)
	f.held, f.addr = held && !lock.ReadOnly(f.fs, dir), holder.Address
	return f, err
}

// stopped returns the realm of -realm for commands that read the disk. No server may use the worlds folder.
func (f *folder) stopped() app.Stopped {
	return app.Stopped{FS: f.fs, Worlds: f.dir, Tenant: f.tenant, Realm: f.realm}
}

// dataFolder returns this program's folder in the user's data folder.
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

// worldsFolder returns the absolute path of the worlds folder. If dir is empty, this is ./worlds if that
// exists, as in a checkout, and otherwise a folder in the user's data folder, so that the program writes
// nothing into a repository in which it is started.
func worldsFolder(dir string) (string, error) {
	if dir == "" {
		if info, err := os.Stat("worlds"); err == nil && info.IsDir() {
			dir = "worlds"
		} else {
			data, err := dataFolder()
			if err != nil {
				return "", fmt.Errorf("find a folder for the realms (the flag -worlds sets it): %w", err)
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

// askRealm requests a resource of a realm, named by what, from the server. The realm is that of -realm or, without
// it, the last active one.
func (f *folder) askRealm(ctx context.Context, what string, query url.Values) (io.ReadCloser, error) {
	id := f.realm
	if id == "" {
		var err error
		if id, err = files.LastActiveIn(f.fs, f.dir, f.tenant); err != nil {
			return nil, err
		}
	}
	if id == "" {
		return nil, fmt.Errorf("tenant %s in %s has no last active realm; name a realm with -realm", f.tenant, f.dir)
	}
	return f.ask(ctx, http.MethodGet, "/api/realms/"+id+"/"+what, query, nil)
}

// copyRealm requests a resource of the realm from the server, for example its report, and writes the answer to w: as
// JSON if -json is set, else as text.
func (f *folder) copyRealm(ctx context.Context, w io.Writer, resource string, query url.Values) error {
	query.Set("format", "text")
	if f.json {
		query.Set("format", "json")
	}
	body, err := f.askRealm(ctx, resource, query)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, body)
	return errors.Join(err, body.Close())
}

// errAbsent reports that the server answered 404.
var errAbsent = errors.New("the server has no such resource")

// maxRefusal limits the bytes that are read of such an answer, and of any other that refuses a request.
const maxRefusal = 4096

// refusal is the answer of a server that did not do what a command asked for, as a sentence for people.
type refusal struct {
	text   string
	status int
}

func (e *refusal) Error() string { return e.text }

func (e *refusal) Is(target error) bool {
	return target == errAbsent && e.status == http.StatusNotFound
}

// refused returns the error for an answer of the server. If the server says that there is no such realm, the error says
// how to find the id of one.
func (f *folder) refused(status int, answer []byte) error {
	var said wire.Error
	if json.Unmarshal(answer, &said) != nil || said.Message == "" {
		return &refusal{fmt.Sprintf("the server at %s answered %d %s", f.addr, status, http.StatusText(status)), status}
	}
	text := said.Message
	if status == http.StatusNotFound && f.realm != "" && text == "there is no realm "+f.realm {
		text += ": -realm takes an id, and agentdungeon realms lists the ids"
	}
	return &refusal{text, status}
}

// ask sends a request to the server that has locked the worlds folder, as a host of the tenant. It sends the token
// of -token or -token-file or, without one, the token that it derives from the folder's secret key. Only the owner of
// the folder can read the key.
func (f *folder) ask(ctx context.Context, method, path string, query url.Values, sent io.Reader) (io.ReadCloser,
	error) {
	if f.addr == "" {
		return nil, errors.New("a server holds the worlds folder and has not written its address yet; try again in a moment")
	}
	query.Set("tenant", f.tenant)
	at := url.URL{Scheme: "http", Host: f.addr, Path: path, RawQuery: query.Encode()}
	req, err := http.NewRequestWithContext(ctx, method, at.String(), sent)
	if err != nil {
		return nil, err
	}
	token := f.token
	if token == "" {
		token = app.FolderToken(f.fs, f.dir, f.tenant)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	switch {
	case err != nil:
		return nil, fmt.Errorf("send a request to the server at %s: %w", f.addr, err)
	case resp.StatusCode == http.StatusOK:
		return resp.Body, nil
	}
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxRefusal))
	err = errors.Join(err, resp.Body.Close())
	if resp.StatusCode == http.StatusUnauthorized {
		if f.token != "" {
			return nil, fmt.Errorf("the server at %s does not know the given token", f.addr)
		}
		return nil, fmt.Errorf("the server at %s requires a token: give its token with -token-file or -token", f.addr)
	}
	if err != nil {
		return nil, fmt.Errorf("read the answer of the server at %s: %w", f.addr, err)
	}
	return nil, f.refused(resp.StatusCode, answer)
}
