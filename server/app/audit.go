package app

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"agentdungeon/server/store/files"
	"agentdungeon/server/store/recovery"
	"agentdungeon/shared/world"
)

// auditor reads a realm's audit. journal.Journal implements it.
type auditor interface {
	Audit(ctx context.Context, since world.Time, after int64, limit int) ([]world.AuditRow, error)
}

// Audit writes the realm's audit.
func (s Stopped) Audit(ctx context.Context, since world.Time, asJSON bool, w io.Writer) error {
	return s.opened(ctx, files.OpenToRead, func(o *recovery.Opened) error {
		return errors.Join(writeAudit(ctx, w, o.Journal, since, asJSON), lostTranscripts(o))
	})
}

// audit writes the rows of a realm's audit from since on to w. format is "text" or "json". The gate calls it.
func (a *App) audit(ctx context.Context, w io.Writer, tenant, realmID, format string, since world.Time) error {
	asJSON, err := isJSON(format)
	if err != nil {
		return err
	}
	r, err := a.realm(ctx, tenant, realmID)
	if err != nil {
		return err
	}
	from, ok := r.Transcripts().(auditor)
	if !ok {
		return errors.New("the realm's journal keeps no audit")
	}
	return writeAudit(ctx, w, from, since, asJSON)
}

// auditPage is the maximum number of audit rows that writeAudit holds in memory.
const auditPage = 1000

func writeAudit(ctx context.Context, w io.Writer, from auditor, since world.Time, asJSON bool) error {
	out := bufio.NewWriter(w)
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	between := `{"audit":[`
	if !asJSON {
		fmt.Fprintln(table, "AT\tACTION\tWHO\tCONVERSATION\tBEFORE\tAFTER\tNOTE") // Flush returns the error
	}
	for after := int64(0); ; {
		page, err := from.Audit(ctx, since, after, auditPage)
		if err != nil {
			return err
		}
		for _, row := range page {
			after = row.N
			if !asJSON {
				fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", row.At, row.Action, row.Who, row.ConversationID, row.Before,
					row.After, line(row.Note))
				continue
			}
			raw, err := json.Marshal(row)
			if err != nil {
				return err
			}
			fmt.Fprint(out, between)
			between = ",\n"
			if _, err := out.Write(raw); err != nil {
				return err
			}
		}
		if len(page) < auditPage {
			break
		}
	}
	if !asJSON {
		return errors.Join(table.Flush(), out.Flush())
	}
	if between[0] == '{' {
		fmt.Fprint(out, between)
	}
	fmt.Fprintln(out, "]}")
	return out.Flush()
}
