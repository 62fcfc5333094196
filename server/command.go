package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// program has the output streams and results of one run of the command line.
type program struct {
	stdout, stderr io.Writer
	began          bool // a command runs: its flags and arguments were valid
}

// command returns a command that takes flags but no other arguments. Before the command calls run, it sets
// flags from environment variables.
func (p *program) command(name, does string, run func() error) *cobra.Command {
	return &cobra.Command{
		Use:                   name + " [flags]",
		Short:                 does,
		DisableFlagsInUseLine: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("%s takes no arguments besides flags: %q", name, args[0])
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error {
			if err := variables(c.Flags()); err != nil {
				return err
			}
			p.began = true
			return run()
		},
	}
}

// variables sets each flag that is not on the command line from its environment variable. The variable of a flag is
// AGENTDUNGEON_ and the flag's name in capitals, with _ for -. An empty variable of a boolean flag is ignored.
func variables(set *pflag.FlagSet) error {
	var bad error
	set.VisitAll(func(f *pflag.Flag) {
		key := "AGENTDUNGEON_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		v, ok := os.LookupEnv(key)
		if !ok || f.Changed || f.Name == "help" || bad != nil || v == "" && f.NoOptDefVal != "" {
			return
		}
		if err := f.Value.Set(v); err != nil {
			bad = fmt.Errorf("%s: %w", key, err)
		}
	})
	return bad
}

// offer makes the shell complete the value of the flag with one of values.
func offer(c *cobra.Command, flag string, values ...string) {
	if err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values,
		cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic("a flag that is not there: " + flag)
	}
}

// offerFolders makes the shell complete the value of the flag with the path of a folder.
func offerFolders(c *cobra.Command, flag string) {
	if err := c.MarkFlagDirname(flag); err != nil {
		panic("a flag that is not there: " + flag)
	}
}
