package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"time"

	"github.com/spf13/afero"

	"agentdungeon/server/app"
	"agentdungeon/server/store"
)

// listTime bounds the writing of a realm's conversations.
const listTime = 5 * time.Minute

// conversations lists the conversations of a realm, from the worlds folder or from the
// server that has it open; what was said in them only with -content.
func conversations(args []string, stdout, stderr io.Writer) (err error) {
	o, err := parse("conversations", args, stderr)
	if err != nil {
		return err
	}
	dir, err := o.worldsFolder()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), listTime)
	defer cancel()
	fs := afero.NewOsFs()
	holder, held, err := store.ReadLock(fs, dir)
	if err != nil {
		return err
	}
	if !held {
		if err := app.ConversationsInFolder(ctx, fs, dir, o.tenant, o.realm, app.Listing{Content: o.content, JSON: o.json, Status: o.status}, stdout); err != nil {
			return fmt.Errorf("conversations: %w", err)
		}
		return nil
	}
	query := url.Values{"format": {"text"}}
	if o.json {
		query.Set("format", "json")
	}
	if o.content {
		query.Set("content", "1")
	}
	if o.status != "" {
		query.Set("status", o.status)
	}
	body, err := o.ask(ctx, fs, dir, holder.Address, "conversations", query)
	if err != nil {
		return fmt.Errorf("conversations: %w", err)
	}
	_, err = io.Copy(stdout, body)
	return errors.Join(err, body.Close())
}
