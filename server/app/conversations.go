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

	"agentdungeon/server/realm"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/recovery"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Listing has the options of a list of a realm's conversations (S1-25).
type Listing struct {
	Content bool   // list the rows of the transcripts too
	JSON    bool   // write JSON; otherwise text
	Status  string // list only conversations with this status, "" for all (S1-B11)
}

// pageSize is the maximum number of rows or of conversations that a list holds in memory.
const pageSize = 200

// writeConversations writes the conversations of an open realm to w. format is "text" or "json". The gate
// calls it.
func (a *App) writeConversations(ctx context.Context, w io.Writer, tenant, realmID, format, status string,
	content bool) error {
	asJSON, err := isJSON(format)
	if err != nil {
		return err
	}
	r, err := a.realm(ctx, tenant, realmID)
	if err != nil {
		return err
	}
	return Listing{Content: content, JSON: asJSON, Status: status}.write(ctx, w, r.Transcripts())
}

// isJSON reports whether format is "json". It returns an error if format is neither "text" nor "json".
func isJSON(format string) (bool, error) {
	if format != "text" && format != "json" {
		return false, wire.Errorf(wire.BadField, "format must be text or json")
	}
	return format == "json", nil
}

// Conversations writes the realm's conversations.
func (s Stopped) Conversations(ctx context.Context, l Listing, w io.Writer) error {
	return s.opened(ctx, files.OpenToRead, func(o *recovery.Opened) error {
		return errors.Join(l.write(ctx, w, o.Journal), lostTranscripts(o))
	})
}

func (l Listing) write(ctx context.Context, w io.Writer, t realm.Transcripts) error {
	// An unknown status is an error, so that it does not give an empty list.
	if l.Status != "" && !slices.Contains(world.ConversationStatuses, l.Status) {
		return wire.Errorf(wire.BadField, "status must be one of %s", strings.Join(world.ConversationStatuses, ", "))
	}
	out := bufio.NewWriter(w)
	write := l.writeText
	if l.JSON {
		write = l.writeJSON
	}
	if err := write(ctx, out, t); err != nil {
		return err
	}
	return out.Flush()
}

// each calls do for each conversation that l selects.
func (l Listing) each(ctx context.Context, t realm.Transcripts, do func(world.ConversationInfo) error) error {
	for next := (world.ConversationQuery{Status: l.Status, Limit: pageSize}); ; {
		page, more, err := t.Conversations(ctx, next)
		if err != nil {
			return err
		}
		for _, c := range page {
			if err := do(c); err != nil {
				return err
			}
			// The id is needed too, because several conversations can have the same time.
			next.Before, next.BeforeID = c.UpdatedAt, c.ConversationID
		}
		if !more || len(page) == 0 {
			return nil
		}
	}
}

func (l Listing) writeText(ctx context.Context, out *bufio.Writer, t realm.Transcripts) error {
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tKIND\tSTATUS\tMESSAGES\tUPDATED\tTITLE") // errors of this writer are returned by Flush
	if err := l.each(ctx, t, func(c world.ConversationInfo) error {
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%s\t%s\n", c.ConversationID, c.Kind, c.Status, c.Messages, c.UpdatedAt,
			line(c.Title))
		return nil
	}); err != nil {
		return err
	}
	if err := table.Flush(); err != nil || !l.Content {
		return err
	}
	if err := writePeople(ctx, out, t); err != nil {
		return err
	}
	return l.each(ctx, t, func(c world.ConversationInfo) error {
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

func (l Listing) writeJSON(ctx context.Context, out *bufio.Writer, t realm.Transcripts) error {
	between := `{"conversations":[`
	err := l.each(ctx, t, func(c world.ConversationInfo) error {
		head, err := json.Marshal(c)
		if err != nil {
			return err
		}
		fmt.Fprint(out, between)
		between = ",\n"
		if !l.Content {
			_, err = out.Write(head)
			return err
		}
		// Write the rows one by one, because a transcript may be larger than the memory.
		fmt.Fprintf(out, `%s,"rows":[`, head[:len(head)-1])
		next := ""
		if err := rows(ctx, t, c.ConversationID, func(m world.Message) error {
			row, err := json.Marshal(m)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(out, "%s%s", next, row)
			next = ",\n"
			return err
		}); err != nil {
			return err
		}
		_, err = fmt.Fprint(out, "]}")
		return err
	})
	if err != nil {
		return err
	}
	if between[0] == '{' {
		fmt.Fprint(out, between)
	}
	if !l.Content {
		fmt.Fprintln(out, "]}")
		return nil
	}
	list, err := t.People(ctx)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(list)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "],\n\"people\":%s}\n", raw)
	return err
}

// writePeople writes the ids and names of the people of a realm, those included who spoke in no conversation.
func writePeople(ctx context.Context, out *bufio.Writer, t realm.Transcripts) error {
	list, err := t.People(ctx)
	if err != nil || len(list) == 0 {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "\nPERSON\tNAMES\tLAST NAMED") // errors of this writer are returned by Flush
	for _, p := range list {
		fmt.Fprintf(table, "%s\t%s\t%s\n", p.SpectatorID, line(strings.Join(p.Names, ", ")), p.LastAt)
	}
	return table.Flush()
}

// rows calls yield for each row of a transcript, the oldest first, and holds only one page in memory. Transcripts.Rows
// returns pages from the newest to the oldest, so rows first collects the bounds of all pages.
func rows(ctx context.Context, t realm.Transcripts, id string, yield func(world.Message) error) error {
	var bounds []int64 // the argument before of each page, the newest page first
	for before := int64(0); ; {
		page, more, err := t.Rows(ctx, id, "", before, pageSize)
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
		page, _, err := t.Rows(ctx, id, "", bounds[i], pageSize)
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

// line returns s as one line: each run of white space becomes one space, and control characters become
// visible.
func line(s string) string { return strings.Join(strings.Fields(world.Visible(s)), " ") }

func indented(s string) string { return "    " + strings.ReplaceAll(world.Visible(s), "\n", "\n    ") }
