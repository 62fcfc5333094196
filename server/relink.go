package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"agentdungeon/server/app"
)

// relinkFlags has the flags and the argument of relink.
type relinkFlags struct {
	realmFlags
	to string
}

// relinkCommand returns the command relink, which links a realm to the folder to which its repository was moved. No
// server may use the worlds folder. The next opening of the realm reads the new folder.
func relinkCommand(p *program) *cobra.Command {
	o := &relinkFlags{}
	c := p.command("relink", "link a realm to the folder to which its repository was moved",
		func() error { return p.relink(o) })
	c.Use = "relink [flags] FOLDER"
	c.Args = func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return errors.New("relink needs one folder")
		}
		o.to = args[0]
		return nil
	}
	o.define(c)
	o.realmFlag(c, "")
	return c
}

func (p *program) relink(o *relinkFlags) error {
	if o.realm == "" {
		return usageError{errors.New("relink needs -realm ID; agentdungeon realms lists the ids")}
	}
	to, err := filepath.Abs(o.to)
	if err != nil {
		return fmt.Errorf("relink: %w", err)
	}
	if info, err := os.Stat(to); err != nil || !info.IsDir() {
		return fmt.Errorf("relink: %s is no folder", to)
	}
	f, err := o.folder()
	if err != nil {
		return err
	}
	from, err := app.RelinkInFolder(f.fs, f.dir, o.tenant, o.realm, to, zerolog.Nop())
	if err != nil {
		return fmt.Errorf("relink: %w", stopFirst(err))
	}
	_, err = fmt.Fprintf(p.stdout, "realm %s was linked to %s and is linked to %s from its next opening on\n",
		o.realm, from, to)
	return err
}
