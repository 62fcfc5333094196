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
	err = asText(stdout, o.json, func(w io.Writer) error {
		if f.held {
			return f.copyRealm(ctx, w, "audit", url.Values{"since": {since.String()}})
		}
		return app.AuditInFolder(ctx, f.fs, f.dir, o.tenant, o.realm, since, o.json, w)
	})
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	return nil
}
