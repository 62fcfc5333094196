package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"agentdungeon/server/app"
	"agentdungeon/server/retention"
)

// retainTime limits a retention pass of the command. The next pass continues where a pass was stopped.
const retainTime = 30 * time.Minute

// retentionFlags has the flags of retention.
type retentionFlags struct {
	realmFlags
	dryRun, force bool
}

// retentionCommand returns the command retention, which marks old conversations as abandoned and deletes old ones
// that have ended. With -dry-run it only reports what is due. If a server has locked the worlds folder, the command
// sends the request to the server.
func retentionCommand(p *program) *cobra.Command {
	o := &retentionFlags{}
	c := p.command("retention", "mark and delete conversations by age", func() error { return p.retain(o) })
	o.define(c)
	o.jsonFlag(c)
	o.tokenFlag(c, "the hosts'")
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "only say what would be marked or deleted, and when")
	c.Flags().BoolVar(&o.force, "force", false,
		"do it although the clock has jumped or nobody knows how long the server was away")
	return c
}

func (p *program) retain(o *retentionFlags) error {
	f, err := o.folder()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), retainTime)
	defer cancel()
	var report *retention.Report
	if f.held {
		report, err = f.askRetention(ctx, o)
	} else {
		report, err = app.RetentionInFolder(ctx, f.fs, f.dir, o.tenant, o.dryRun, o.force, zerolog.Nop())
	}
	if report != nil && err == nil {
		if o.json {
			err = json.NewEncoder(p.stdout).Encode(report)
		} else {
			err = asText(p.stdout, false, func(w io.Writer) error { return app.WriteRetention(w, report) })
		}
		if report.Waits != "" && !o.dryRun {
			err = errors.Join(err, errors.New("nothing was deleted; if the clock is right, use -force"))
		}
	}
	if err != nil {
		return fmt.Errorf("retention: %w", err)
	}
	return nil
}

func (f *folder) askRetention(ctx context.Context, o *retentionFlags) (report *retention.Report, err error) {
	method, query := http.MethodPost, url.Values{}
	if o.dryRun {
		method = http.MethodGet
		query.Set("dryRun", "1")
	}
	if o.force {
		query.Set("force", "1")
	}
	body, err := f.ask(ctx, method, "/api/retention", query, nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	if err := json.NewDecoder(body).Decode(&report); err != nil {
		return nil, fmt.Errorf("read the server's answer: %w", err)
	}
	return report, nil
}
