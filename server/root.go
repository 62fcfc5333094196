package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// root returns the root command with all subcommands. The cobra library adds the help and completion commands.
func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use: "agentdungeon",
		Long: "Agent Dungeon shows the work of AI agents on a repository as a dungeon in the browser.\n" +
			"Without a command it serves; agentdungeon serve --help lists the flags of that.",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetOut(&terminal{out: p.stdout})
	root.SetErr(&terminal{out: p.stderr})
	root.CompletionOptions.DisableNoDescFlag = true
	root.AddCommand(
		serveCommand(p), realmsCommand(p), exportCommand(p), conversationsCommand(p), eraseCommand(p),
		auditCommand(p), retentionCommand(p), checkCommand(p), repairCommand(p), relinkCommand(p),
		hookCommand(p), hooksCommand(p),
		mcpCommand(p), reviewCommand(p),
		p.command("version", "say which build this is", func() error {
			_, err := fmt.Fprintln(p.stdout, version)
			return err
		}),
	)
	root.InitDefaultHelpCmd()
	if help, _, err := root.Find([]string{"help"}); err == nil {
		show := help.Run
		help.Run, help.RunE = nil, func(c *cobra.Command, args []string) error {
			if about, _, err := root.Find(args); about == nil || err != nil {
				return fmt.Errorf("there is no command %q", strings.Join(args, " "))
			}
			show(c, args)
			return nil
		}
	}
	root.InitDefaultCompletionCmd()
	if shells, _, err := root.Find([]string{"completion"}); err == nil {
		shells.Short = "write what makes a shell complete commands and flags"
		shells.RunE = func(*cobra.Command, []string) error {
			return errors.New("completion needs a shell: bash, zsh, fish or powershell")
		}
	}
	return root
}

// arguments rewrites the command line for the cobra library. It inserts serve if the line names no command, and
// turns -flag into --flag. It joins a flag and its value with "=", so that a value may begin with a dash. The value
// of -resume is optional. If the next argument is not a flag, it is the value, and arguments inserts "= " between
// them: the space tells resumeFlag.Set that the rest is an id.
func arguments(root *cobra.Command, args []string) []string {
	if len(args) == 1 && (args[0] == "-h" || args[0] == "-help" || args[0] == "--help") {
		return []string{"--help"}
	}
	if len(args) == 1 && (args[0] == "-v" || args[0] == "-version" || args[0] == "--version") {
		return []string{"version"}
	}
	if len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd) {
		return completed(root, args)
	}
	if len(args) == 0 || args[0] == "" || args[0][0] == '-' {
		args = append([]string{"serve"}, args...)
	}
	c, _, err := root.Find(args[:1])
	if err != nil {
		return args
	}
	return append([]string{args[0]}, spelled(c.Flags(), args[1:])...)
}

// completed rewrites the arguments of a request to complete a word of the command line. It rewrites all arguments
// but the last with the function arguments; the last one is the word to complete and stays as it is.
func completed(root *cobra.Command, args []string) []string {
	plain(root)
	asked, line, last := args[:1:1], args[1:], ""
	if len(line) > 0 {
		line, last = line[:len(line)-1], line[len(line)-1]
	}
	if len(line) > 0 {
		line = arguments(root, line)
	} else if strings.HasPrefix(last, "-") {
		line = []string{"serve"}
	}
	return append(append(asked, line...), last)
}

// plain removes the backquotes from the descriptions of all flags. They name a flag's value in the help; a shell would
// show them.
func plain(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) { f.Usage = strings.ReplaceAll(f.Usage, "`", "") })
	for _, sub := range c.Commands() {
		plain(sub)
	}
}

// spelled rewrites the arguments of a command that has these flags. If a flag follows where the value of a flag is
// missing, spelled leaves out all that follows, and the library reports that the first flag needs an argument. Else
// -token -worlds X would set the token to "-worlds".
func spelled(flags *pflag.FlagSet, args []string) (out []string) {
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if arg == "--" {
			return append(append(out, arg), args...)
		}
		bare, name, valued := flagIn(arg)
		if bare == "" || bare == arg {
			out = append(out, arg)
			continue
		}
		arg = "--" + bare
		if name == "h" {
			arg = "--help"
		}
		if f := flags.Lookup(name); f != nil && !valued && len(args) > 0 {
			switch _, optional := f.Value.(*resumeFlag); {
			case f.NoOptDefVal == "" && isFlag(flags, args[0]):
				return append(out, arg)
			case f.NoOptDefVal == "":
				arg, args = arg+"="+args[0], args[1:]
			case optional && !strings.HasPrefix(args[0], "-"):
				arg, args = arg+"= "+args[0], args[1:]
			}
		}
		out = append(out, arg)
	}
	return out
}

// isFlag reports whether the argument is one of the flags, with or without a value.
func isFlag(flags *pflag.FlagSet, arg string) bool {
	bare, name, _ := flagIn(arg)
	return bare != arg && flags.Lookup(name) != nil
}

// flagIn returns an argument without its leading dashes, the name before "=" in it, and whether it has a "=".
func flagIn(arg string) (bare, name string, valued bool) {
	bare = strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-")
	name, _, valued = strings.Cut(bare, "=")
	return bare, name, valued
}
