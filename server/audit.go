package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"agentdungeon/shared/world"
)

// auditFlags has the flags of audit.
type auditFlags struct {
	realmFlags
	since string
}

// auditCommand returns the command audit, which lists who changed what in a realm. The list never contains
// words of conversations.
func auditCommand(p *program) *cobra.Command {
	o := &auditFlags{}
	c := p.command("audit", "list who changed what in a realm", func() error { return p.audit(o) })
	o.define(c)
	o.realmFlag(c, " (default the last active one)")
	o.jsonFlag(c)
	o.tokenFlag(c, "the hosts'")
	c.Flags().StringVar(&o.since, "since", "",
		"only from this `time` on, like 2026-01-31 or 2026-01-31T10:00:00Z, or a duration back from now, like 24h")
	return c
}

func (p *program) audit(o *auditFlags) error {
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
	err = asText(p.stdout, o.json, func(w io.Writer) error {
		if f.held {
			return f.copyRealm(ctx, w, "audit", url.Values{"since": {since.String()}})
		}
		return f.stopped().Audit(ctx, since, o.json, w)
	})
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	return nil
}
