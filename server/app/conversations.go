package app

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/afero"

	"agentdungeon/server/realm"
	"agentdungeon/server/store/recovery"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Listing is how to write a realm's conversations: as text, one line each, or as JSON; with
// Content also what was said in them (S1-25).
type Listing struct {
	Content bool
	JSON    bool
	Status  string // only those of it, "" for all (S1-B11)
}

// talkPage is how many rows or conversations are in memory at once.
const talkPage = 200

// conversations writes the conversations of a realm that this server holds.
func (a *App) conversations(ctx context.Context, w io.Writer, tenant, realmID string, l Listing) error {
	r, err := a.realm(ctx, tenant, realmID)
	if err != nil {
		return err
	}
	return l.write(ctx, w, r.Transcripts())
}

// ConversationsInFolder writes the conversations of a realm in a worlds folder without a server;
// it returns disk.ErrLocked if a server holds it. realmID "" is the last active realm.
func ConversationsInFolder(ctx context.Context, fs afero.Fs, worlds, tenant, realmID string, l Listing,
	w io.Writer) error {
	return readFolder(ctx, fs, worlds, tenant, realmID, func(o *recovery.Opened) error {
		return errors.Join(l.write(ctx, w, o.Journal), lostTalks(o))
	})
}

// listed is a conversation of the listing.
type listed struct {
	world.ConversationInfo
	Rows []world.Message `json:"rows,omitempty"`
}

func (l Listing) write(ctx context.Context, w io.Writer, t realm.Transcripts) error {
	if l.Status != "" && !slices.Contains(world.ConversationStatuses, l.Status) { // not an empty list
		return wire.Errorf(wire.BadField, "status must be one of %s", strings.Join(world.ConversationStatuses, ", "))
	}
	out := bufio.NewWriter(w)
	each := l.text(ctx, out, t)
	if l.JSON {
		each = l.json(ctx, out, t)
	}
	if err := each(func(yield func(world.ConversationInfo) error) error {
		for next := (world.ConversationQuery{Status: l.Status, Limit: talkPage}); ; {
			page, more, err := t.Conversations(ctx, next)
			if err != nil {
				return err
			}
			for _, c := range page {
				if err := yield(c); err != nil {
					return err
				}
				next.Before, next.BeforeID = c.UpdatedAt, c.ConversationID // retention marks hundreds in one millisecond
			}
			if !more || len(page) == 0 {
				return nil
			}
		}
	}); err != nil {
		return err
	}
	return out.Flush()
}

// all iterates over conversations.
type all func(yield func(world.ConversationInfo) error) error

func (l Listing) text(ctx context.Context, out *bufio.Writer, t realm.Transcripts) func(all) error {
	return func(conversations all) error {
		table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(table, "ID\tKIND\tSTATUS\tMESSAGES\tUPDATED\tTITLE") // a bufio.Writer keeps its error for Flush
		if err := conversations(func(c world.ConversationInfo) error {
			fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%s\t%s\n", c.ConversationID, c.Kind, c.Status, c.Messages, c.UpdatedAt,
				line(c.Title))
			return nil
		}); err != nil {
			return err
		}
		if err := table.Flush(); err != nil || !l.Content {
			return err
		}
		return conversations(func(c world.ConversationInfo) error {
			fmt.Fprintf(out, "\n== %s (%s)\n", line(c.Title), c.ConversationID)
			return rows(ctx, t, c.ConversationID, func(m world.Message) error {
				who := cmp.Or(m.Name, m.MemberID, m.Role)
				if m.Tool != nil {
					who += ", tool " + m.Tool.Name
				}
				if m.Status != world.MessageDone {
					who += ", " + m.Status
				}
				_, err := fmt.Fprintf(out, "\n%s %s\n%s\n", m.At, line(who), indented(m.Content))
				return err
			})
		})
	}
}

func (l Listing) json(ctx context.Context, out *bufio.Writer, t realm.Transcripts) func(all) error {
	return func(conversations all) error {
		between := `{"conversations":[`
		err := conversations(func(c world.ConversationInfo) error {
			item := listed{ConversationInfo: c}
			head, err := json.Marshal(item)
			if err != nil {
				return err
			}
			fmt.Fprint(out, between)
			between = ",\n"
			if !l.Content {
				_, err = out.Write(head)
				return err
			}
			// Rows are written one by one: a transcript may be larger than the memory.
			fmt.Fprintf(out, `%s,"rows":[`, head[:len(head)-1])
			next := ""
			if err := rows(ctx, t, c.ConversationID, func(m world.Message) error {
				row, err := json.Marshal(m)
				fmt.Fprint(out, next)
				next = ",\n"
				return errors.Join(err, func() error { _, err := out.Write(row); return err }())
			}); err != nil {
				return err
			}
			_, err = fmt.Fprint(out, "]}")
			return err
		})
		if between[0] == '{' {
			fmt.Fprint(out, between)
		}
		fmt.Fprintln(out, "]}")
		return err
	}
}

// rows iterates over a transcript from its beginning, with one page in memory. Pages are read
// backwards, so their bounds are collected first.
func rows(ctx context.Context, t realm.Transcripts, id string, yield func(world.Message) error) error {
	var bounds []int64 // before which each page ends, the newest first
	for before := int64(0); ; {
		page, more, err := t.Rows(ctx, id, "", before, talkPage)
		if err != nil {
			return err
		}
		if len(page) > 0 {
			bounds = append(bounds, before)
			before = page[0].Seq
		}
		if !more || len(page) == 0 {
			break
		}
	}
	for i := len(bounds) - 1; i >= 0; i-- {
		page, _, err := t.Rows(ctx, id, "", bounds[i], talkPage)
		if err != nil {
			return err
		}
		for _, m := range page {
			if err := yield(m); err != nil {
				return err
			}
		}
	}
	return nil
}

// line joins the lines of a text.
func line(s string) string { return strings.Join(strings.Fields(world.Visible(s)), " ") }

func indented(s string) string { return "    " + strings.ReplaceAll(world.Visible(s), "\n", "\n    ") }

// writeConversations serves the gate, in format "text" or "json".
func (a *App) writeConversations(ctx context.Context, w io.Writer, tenant, realmID, format, status string,
	content bool) error {
	switch format {
	case "text", "json":
		return a.conversations(ctx, w, tenant, realmID, Listing{Content: content, JSON: format == "json", Status: status})
	}
	return wire.Errorf(wire.BadField, "format must be text or json")
}
