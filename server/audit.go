package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"time"

	"agentdungeon/server/app"
	"agentdungeon/shared/world"
)

// audit lists who changed what in a realm: never what was said.
func audit(args []string, stdout, stderr io.Writer) error {
	o, err := parse("audit", args, stderr)
	if err != nil {
		return err
	}
	since, err := world.ParseSince(o.since, time.Now())
	if err != nil {
		return usageError{fmt.Errorf("-since: %w", err)}
	}
	f, err := o.folder()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), listTime)
	defer cancel()
	if f.held {
		err = f.copyRealm(ctx, stdout, "audit", url.Values{"since": {since.String()}})
	} else {
		err = app.AuditInFolder(ctx, f.fs, f.dir, o.tenant, o.realm, since, o.json, stdout)
	}
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	return nil
}
