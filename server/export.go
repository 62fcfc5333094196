package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/spf13/afero"

	"agentdungeon/server/app"
	"agentdungeon/server/store"
)

// maxExport bounds what is taken from a server, in bytes; a world has at most some
// 10 MB, and a report no more than a few times as much.
const maxExport = 256 << 20

// export writes a realm's report to a file or to standard output: from the worlds
// folder, or from the server that has it open.
func export(args []string, stdout, stderr io.Writer) error {
	o, err := parse("export", args, stderr)
	if err != nil {
		return err
	}
	dir, err := o.worldsFolder()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	fs := afero.NewOsFs()
	holder, held, err := store.ReadLock(fs, dir)
	if err != nil {
		return err
	}
	var data []byte
	if held {
		data, err = o.fetch(ctx, fs, dir, holder.Address)
	} else {
		f, e := app.ExportFolder(ctx, fs, dir, o.tenant, o.realm, o.format, version)
		if err = e; err == nil {
			data = f.Data
		}
	}
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if o.out == "" || o.out == "-" {
		_, err = stdout.Write(data)
		return err
	}
	return os.WriteFile(o.out, data, 0o644)
}

// fetch asks the server that holds the folder for the report.
func (o *options) fetch(ctx context.Context, fs afero.Fs, dir, addr string) ([]byte, error) {
	body, err := o.ask(ctx, fs, dir, addr, "export", url.Values{"format": {o.format}})
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(body, maxExport))
	return data, errors.Join(err, body.Close())
}

// ask asks the server that holds the folder for something of a realm.
func (o *options) ask(ctx context.Context, fs afero.Fs, dir, addr, what string, query url.Values) (io.ReadCloser, error) {
	id := o.realm
	if id == "" {
		var err error
		if id, err = store.LastActiveIn(fs, dir, o.tenant); err != nil {
			return nil, err
		}
	}
	if id == "" {
		return nil, fmt.Errorf("no realm of tenant %s in %s was active; name one with -realm", o.tenant, dir)
	}
	return o.request(ctx, fs, dir, addr, http.MethodGet, "/api/realms/"+id+"/"+what, query, nil)
}

// request asks the server that holds the folder, as a host of the tenant: by -token, else
// by the token that the server makes of the folder's key, which only the folder's owner
// can read. A token of another tenant gets nothing.
func (o *options) request(ctx context.Context, fs afero.Fs, dir, addr, method, path string, query url.Values, sent io.Reader) (io.ReadCloser, error) {
	if addr == "" {
		return nil, errors.New("a server holds the worlds folder and does not say where it is; try again in a moment")
	}
	query.Set("tenant", o.tenant)
	at := url.URL{Scheme: "http", Host: addr, Path: path, RawQuery: query.Encode()}
	req, err := http.NewRequestWithContext(ctx, method, at.String(), sent)
	if err != nil {
		return nil, err
	}
	token := o.token
	if token == "" {
		token = app.FolderToken(fs, dir, o.tenant)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	switch {
	case err != nil:
		return nil, fmt.Errorf("ask the server at %s: %w", addr, err)
	case resp.StatusCode == http.StatusOK:
		return resp.Body, nil
	}
	answer, err := io.ReadAll(io.LimitReader(resp.Body, 200))
	err = errors.Join(err, resp.Body.Close())
	if resp.StatusCode == http.StatusUnauthorized {
		return nil, fmt.Errorf("the server at %s wants a token: give it with -token", addr)
	}
	return nil, errors.Join(fmt.Errorf("the server at %s answers %s: %s", addr, resp.Status, answer), err)
}
