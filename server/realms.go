package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/afero"
	"github.com/spf13/cobra"

	"agentdungeon/server/store/files"
	"agentdungeon/shared/world"
)

// realmsCommand returns the command "realms", which lists a tenant's realms. It also works while a server has locked
// the worlds folder.
func realmsCommand(p *program) *cobra.Command {
	o := &tenantFlags{}
	c := p.command("realms", "list the realms of the worlds folder", func() error { return p.realms(o) })
	o.define(c)
	return c
}

func (p *program) realms(o *tenantFlags) error {
	if err := o.check(); err != nil {
		return err
	}
	dir, err := worldsFolder(o.worlds)
	if err != nil {
		return err
	}
	if err := files.CheckFolder(afero.NewOsFs(), dir); err != nil {
		return err
	}
	list, holder, held, err := files.Inspect(afero.NewOsFs(), dir, o.tenant)
	if err != nil {
		return err
	}
	if len(list) == 0 && o.tenant != world.DefaultTenant { // a new folder has no realms, but nobody made this tenant
		return fmt.Errorf("tenant %s has no realms in %s", o.tenant, dir)
	}
	lockedBy := "-"
	switch {
	case held && holder.PID == 0: // the file .lock of the server was deleted, so its PID is unknown
		lockedBy = "a process that .lock does not name"
	case held:
		lockedBy = fmt.Sprintf("pid %d at %s", holder.PID, cmp.Or(holder.Address, "?"))
	}
	copies, err := files.Copies(afero.NewOsFs(), dir, o.tenant)
	if err != nil {
		return err
	}
	return asText(p.stdout, false, func(w io.Writer) error {
		return errors.Join(writeRealms(w, list, lockedBy), writeCopies(w, copies))
	})
}

func writeRealms(w io.Writer, list []files.Inspected, lockedBy string) error {
	out := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(out, "ID\tPATH\tSIZE\tEVENTS\tLAST SAVED\tLOCKED BY")
	for _, r := range list {
		saved := cmp.Or(r.SavedAt.String(), "never")
		if r.Problem != "" {
			saved = "unreadable: " + r.Problem
		}
		fmt.Fprintf(out, "%s\t%s\t%d\t%d\t%s\t%s\n", r.ID, cmp.Or(r.Path, "-"), r.Size, r.Events, saved, lockedBy)
	}
	return out.Flush()
}

// writeCopies lists the folders that are copies of realms. A person can replace a realm by its copy.
func writeCopies(w io.Writer, names []string) error {
	var errs []error
	for _, name := range names {
		_, err := fmt.Fprintf(w, "copy of a realm, not a realm itself: %s\n", name)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
