package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"time"

	"agentdungeon/server/app"
)

// listTime bounds the writing of a realm's conversations, or of its audit.
const listTime = 5 * time.Minute

// conversations lists the conversations of a realm, from the worlds folder or from the
// server that has it open; what was said in them only with -content.
func conversations(args []string, stdout, stderr io.Writer) error {
	o, err := parse("conversations", args, stderr)
	if err != nil {
		return err
	}
	f, err := o.folder()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), listTime)
	defer cancel()
	err = asText(stdout, o.json, func(w io.Writer) error { return f.conversations(ctx, w) })
	if err != nil {
		return fmt.Errorf("conversations: %w", err)
	}
	return nil
}

func (f *folder) conversations(ctx context.Context, w io.Writer) error {
	o := f.options
	if f.held {
		query := url.Values{}
		if o.content {
			query.Set("content", "1")
		}
		if o.status != "" {
			query.Set("status", o.status)
		}
		return f.copyRealm(ctx, w, "conversations", query)
	}
	return app.ConversationsInFolder(ctx, f.fs, f.dir, o.tenant, o.realm, app.Listing{Content: o.content, JSON: o.json, Status: o.status}, w)
}
