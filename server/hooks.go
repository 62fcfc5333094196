package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/sergi/go-diff/diffmatchpatch"
	"github.com/spf13/cobra"

	"agentdungeon/server/hooks"
	"agentdungeon/server/rendezvous"
)

// hooksFlags has the flags and arguments of hooks.
type hooksFlags struct {
	yes      bool
	do       string
	programs []hooks.Program
}

// hooksCommand returns the command hooks, which installs and removes this server's hooks in the settings of coding
// agents, and shows whether they are installed.
func hooksCommand(p *program) *cobra.Command {
	o := &hooksFlags{}
	c := p.command("hooks", "install, remove or look at the hooks of your coding agents",
		func() error { return p.hooks(o) })
	c.Use = "hooks install|remove|status [claude|codex] [flags]"
	c.Args = func(_ *cobra.Command, args []string) error { return o.parse(args) }
	c.ValidArgs = []string{"install", "remove", "status", "claude", "codex"}
	c.Flags().BoolVar(&o.yes, "yes", false, "change the files without asking")
	return c
}

func (o *hooksFlags) parse(args []string) error {
	if len(args) < 1 || len(args) > 2 || !slices.Contains([]string{"install", "remove", "status"}, args[0]) {
		return errors.New("hooks needs one of install, remove and status, and perhaps one program: claude or codex")
	}
	o.do, o.programs = args[0], hooks.Programs
	if len(args) == 2 {
		i := slices.IndexFunc(hooks.Programs, func(p hooks.Program) bool { return p.Name == args[1] })
		if i < 0 {
			return fmt.Errorf("hooks can be installed for claude and codex, not for %q", args[1])
		}
		o.programs = hooks.Programs[i : i+1]
	}
	return nil
}

func (p *program) hooks(o *hooksFlags) error {
	binary, err := os.Executable()
	if err != nil {
		return err
	}
	heard := map[string]string{}
	known := o.do == "status" && askHeard(os.Getenv, heard)
	return asText(p.stdout, false, func(w io.Writer) error {
		var errs []error
		for _, agent := range o.programs {
			path := agent.File(os.Getenv)
			if path == "" {
				return errors.New("neither HOME nor a variable of the program says where its settings are")
			}
			if o.do == "status" {
				err = hooksStatus(w, agent, path, binary, heard, known)
			} else {
				err = changeHooks(w, agent, path, binary, o)
			}
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", path, err))
			}
		}
		return errors.Join(errs...)
	})
}

// changeHooks shows how the settings of an agent change, and changes them if the user agrees.
func changeHooks(w io.Writer, agent hooks.Program, path, binary string, o *hooksFlags) error {
	before, err := hooks.Read(path)
	if err != nil {
		return err
	}
	change := agent.Install
	if o.do == "remove" {
		change = agent.Remove
	}
	text, err := change(before, binary)
	if err != nil {
		return err
	}
	if string(before) == string(text) && (before == nil) == (text == nil) {
		if o.do == "remove" {
			fmt.Fprintf(w, "%s: nothing to remove in %s\n", agent.Title, path)
		} else {
			fmt.Fprintf(w, "%s: the hooks are in %s already\n", agent.Title, path)
		}
		return nil
	}
	fmt.Fprintf(w, "%s: this changes %s\n", agent.Title, path)
	writeDiff(w, before, text)
	if asked := isTerminal(os.Stdin); !o.yes && !(asked && agreed(w)) {
		fmt.Fprintln(w, "nothing was changed; -yes changes it without asking")
		if !asked {
			return errors.New("nobody could be asked on a terminal")
		}
		return nil
	}
	if err := hooks.Write(path, before, text); err != nil {
		return err
	}
	fmt.Fprintln(w, "changed")
	if o.do == "remove" {
		fmt.Fprintln(w, "An agent that runs already may call its hooks until you start it again.")
	}
	if agent.Name != "codex" {
		return nil
	}
	if o.do == "remove" {
		text = before
	}
	_, trusted, err := agent.Trust(path, text, binary)
	if err != nil {
		trusted = 0 // the change is made; that config.toml cannot be read is no reason to fail
	}
	writeTrust(w, path, trusted, o.do)
	return nil
}

// writeTrust writes what Codex does about its user's trust in hooks that were installed or removed. trusted is the
// number of them for which it has an entry in its config.toml.
func writeTrust(w io.Writer, path string, trusted int, do string) {
	switch {
	case do == "install" && trusted == 0:
		fmt.Fprintln(w, "Codex runs a hook only after you have trusted it: it asks at its next start.")
	case do == "install":
		fmt.Fprintln(w, "Codex runs a hook only after you have trusted it. It has your trust from before for",
			hooksCount(trusted)+"; it asks at its next start if one of them has changed.")
	case trusted > 0:
		fmt.Fprintf(w, "Codex keeps your trust in %s in its config.toml, as [hooks.state.\"%s:...\"].\n",
			hooksCount(trusted), path)
		fmt.Fprintln(w, "This does no harm: the trust is for exactly these hooks. Codex asks you about any other hook in",
			"their place.")
	}
}

// hooksCount returns a number of hooks in words.
func hooksCount(n int) string {
	if n == 1 {
		return "1 hook"
	}
	return fmt.Sprint(n, " hooks")
}

// maxPreview is the length in bytes above which a line of a diff is too long to read. A hook with its entry is shorter,
// unless the path of this program is very long.
const maxPreview = 240

// writeDiff writes the lines that are added or removed. If they are too long, because the file has its content on few
// lines, it writes the difference of the same contents with a line for each hook.
func writeDiff(w io.Writer, before, text []byte) {
	lines := diff(string(before), string(text))
	if slices.ContainsFunc(lines, func(line string) bool { return len(line) > maxPreview }) {
		lines = diff(hooks.Spread(before), hooks.Spread(text))
		fmt.Fprintln(w, "(shown with more line breaks than the file has; the file keeps its form)")
	}
	for _, line := range lines {
		fmt.Fprintln(w, line)
	}
}

// diff returns the lines that are added or removed, each with a mark in front.
func diff(before, text string) (out []string) {
	differ := diffmatchpatch.New()
	a, b, lines := differ.DiffLinesToRunes(before, text)
	marks := map[diffmatchpatch.Operation]string{diffmatchpatch.DiffInsert: "+", diffmatchpatch.DiffDelete: "-"}
	for _, d := range differ.DiffCharsToLines(differ.DiffMainRunes(a, b, false), lines) {
		for line := range strings.Lines(d.Text) {
			if mark := marks[d.Type]; mark != "" {
				out = append(out, mark+strings.TrimRight(line, "\r\n"))
			}
		}
	}
	return out
}

// agreed asks the user on the terminal and reports whether they agreed.
func agreed(w io.Writer) bool {
	fmt.Fprint(w, "change it? [y/N] ")
	answer, err := bufio.NewReader(os.Stdin).ReadString('\n')
	return err == nil && slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(answer)))
}

// hooksStatus writes whether an agent's hooks are installed, whether they are trusted, and when they last called.
func hooksStatus(w io.Writer, agent hooks.Program, path, binary string, heard map[string]string, known bool) error {
	text, err := hooks.Read(path)
	if err != nil {
		return err
	}
	state, err := agent.Installed(text, binary)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s: %s (%s)\n", agent.Title, state, path)
	if state == hooks.None {
		return nil
	}
	if agent.Name == "codex" {
		trusted, err := agent.Trusted(path, text, binary)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "  trusted by you in Codex: %s\n", trusted)
	}
	last := "unknown, no server runs"
	if known {
		last = cmp.Or(heard[agent.Name], "not since the server's start")
	}
	fmt.Fprintln(w, "  last heard:", last)
	return nil
}

// askHeard asks the running servers for the time of the last hook call of each program, and puts the times into heard.
// It returns false if no server answers.
func askHeard(getenv func(string) string, heard map[string]string) (known bool) {
	ctx, cancel := context.WithTimeout(context.Background(), toldTime)
	defer cancel()
	client := localClient()
	for _, s := range rendezvous.Servers(getenv) {
		response, err := askLocal(ctx, client, s, http.MethodGet, "/api/hook", nil)
		if err != nil {
			continue
		}
		var said struct {
			Heard map[string]time.Time `json:"heard"`
		}
		err = json.NewDecoder(io.LimitReader(response.Body, maxPayload)).Decode(&said)
		response.Body.Close()
		if err != nil || response.StatusCode != http.StatusOK {
			continue
		}
		known = true
		for program, at := range said.Heard {
			heard[program] = max(heard[program], at.UTC().Format(time.RFC3339))
		}
	}
	return known
}
