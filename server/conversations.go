package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"agentdungeon/server/app"
	"agentdungeon/shared/world"
)

// listTime limits how long a command may take to write the conversations or the audit of a realm.
const listTime = 5 * time.Minute

// conversationsFlags has the flags of conversations.
type conversationsFlags struct {
	realmFlags
	content bool
	status  string
}

// conversationsCommand returns the command conversations, which lists the conversations of a realm. It reads them from
// the worlds folder or, if a server uses that folder, from the server. With -content the list includes the messages.
func conversationsCommand(p *program) *cobra.Command {
	o := &conversationsFlags{}
	c := p.command("conversations", "list a realm's conversations, and what was said in them",
		func() error { return p.conversations(o) })
	o.define(c)
	o.realmFlag(c, " (default the last active one)")
	o.jsonFlag(c)
	o.tokenFlag(c, "the hosts'")
	c.Flags().BoolVar(&o.content, "content", false, "also what was said")
	c.Flags().StringVar(&o.status, "status", "", "only those of this `status`, like active or abandoned")
	offer(c, "status", world.ConversationStatuses...)
	return c
}

func (p *program) conversations(o *conversationsFlags) error {
	if o.status != "" && !slices.Contains(world.ConversationStatuses, o.status) {
		return usageError{fmt.Errorf("-status %q: the status must be one of %s", o.status,
			strings.Join(world.ConversationStatuses, ", "))}
	}
	f, err := o.folder()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), listTime)
	defer cancel()
	err = asText(p.stdout, o.json, func(w io.Writer) error { return f.conversations(ctx, w, o) })
	if err != nil {
		return fmt.Errorf("conversations: %w", err)
	}
	return nil
}

func (f *folder) conversations(ctx context.Context, w io.Writer, o *conversationsFlags) error {
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
	return f.stopped().Conversations(ctx, app.Listing{Content: o.content, JSON: o.json, Status: o.status}, w)
}
