// Package hooks adds hooks to the settings of Claude Code and Codex, and removes them again. A hook is a command
// that the coding agent runs at an event; these hooks run "agentdungeon hook".
//
// It owns the list of hooked events, and how a settings file is edited: all other bytes of the file stay, and after
// a removal the file is as it was before the installation. Install and Remove are pure. Read and Write access the
// disk. A file that is not plain JSON is not changed. The package runs no program and sends nothing to a server.
//
// The command hooks of the main package calls it.
package hooks

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"agentdungeon/shared/pattern"
)

// Program is a coding agent that has hooks.
type Program struct {
	Name   string
	Title  string
	events []event
}

// event is an event of the program that gets a hook.
type event struct {
	name    string
	timeout int  // limit of the hook's run, in seconds
	wake    bool // the hook runs beside the agent and can wake it
}

// Programs lists the programs for which hooks can be installed.
var Programs = []Program{
	{"claude", "Claude Code", []event{
		{name: "PermissionRequest", timeout: 600}, {name: "PostToolUse", timeout: 5},
		{name: "PostToolUseFailure", timeout: 5}, {name: "PermissionDenied", timeout: 5},
		{name: "UserPromptSubmit", timeout: 5}, {name: "SessionStart", timeout: 5}, {name: "SessionEnd", timeout: 5},
		{name: "Stop", timeout: 5}, {name: "Stop", timeout: 86400, wake: true}, {name: "Notification", timeout: 5},
		{name: "SubagentStop", timeout: 5},
	}},
	{"codex", "Codex", []event{
		{name: "PermissionRequest", timeout: 25}, {name: "PostToolUse", timeout: 5},
		{name: "UserPromptSubmit", timeout: 5}, {name: "SessionStart", timeout: 5}, {name: "SessionEnd", timeout: 5},
		{name: "Stop", timeout: 5}, {name: "SubagentStop", timeout: 5},
	}},
}

// File returns the path of the settings file for the program's hooks. getenv is like os.Getenv. If it names no home
// folder, File returns "".
func (p Program) File(getenv func(string) string) string {
	variable, folder, name := "CLAUDE_CONFIG_DIR", ".claude", "settings.json"
	if p.Name == "codex" {
		variable, folder, name = "CODEX_HOME", ".codex", "hooks.json"
	}
	if dir := getenv(variable); dir != "" {
		return filepath.Join(dir, name)
	}
	if home := getenv("HOME"); home != "" {
		return filepath.Join(home, folder, name)
	}
	return ""
}

// handler is a hook in the form that both programs read.
type handler struct {
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout"`
	Async   bool   `json:"async,omitempty"`
	Rewake  bool   `json:"asyncRewake,omitempty"`
}

// text returns the settings entry of a hook for an event. binary is the path of this server's program.
func (p Program) text(e event, binary string) (string, error) {
	words := " hook "
	if e.wake {
		words += "-wake "
	}
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(struct {
		Matcher string    `json:"matcher"`
		Hooks   []handler `json:"hooks"`
	}{"", []handler{{"command", quote(binary) + words + p.Name, e.timeout, e.wake, e.wake}}})
	return strings.TrimSuffix(out.String(), "\n"), err
}

// quote quotes s so that a shell reads it as one word.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// ourCommand matches the command of a hook of this server; the first group is the path of the binary as one shell word.
var ourCommand = pattern.New(`^('(?:[^']|'\\'')*'|"[^"]*"|\S+) hook (?:-wake )?(\w+)$`)

// ours reports whether command was written by Install for this program, with the path binary or with the path of an
// earlier installation.
func (p Program) ours(command, binary string) bool {
	m := ourCommand.FindStringSubmatch(command)
	if m == nil || m[2] != p.Name {
		return false
	}
	base := filepath.Base(strings.ReplaceAll(strings.Trim(m[1], `'"`), `'\''`, "'"))
	return base == "agentdungeon" || base == filepath.Base(binary)
}

// fresh is the content of a settings file that Install has created, after all hooks are removed from it.
const fresh = "{\n}\n"

// Install returns the settings with the program's hooks. It replaces older hooks of this server. settings is nil if
// there is no file.
func (p Program) Install(settings []byte, binary string) ([]byte, error) {
	text, err := p.Remove(settings, binary)
	if err != nil {
		return nil, err
	}
	for _, e := range p.events {
		entry, err := p.text(e, binary)
		if err != nil {
			return nil, err
		}
		if text == nil {
			text = []byte("{\n  " + first(e.name, entry, style{"\n", "  "}) + "\n}\n")
		} else if text, err = add(text, e.name, entry); err != nil {
			return nil, err
		}
	}
	if settings != nil && p.same(settings, text) {
		return settings, nil // the user or the program has moved the hooks to another place in the file
	}
	return text, nil
}

// same reports whether two JSON texts have the same content, apart from white space and the order of members.
func (Program) same(a, b []byte) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	one, err := json.Marshal(x)
	two, errTwo := json.Marshal(y)
	return err == nil && errTwo == nil && string(one) == string(two)
}

// first returns the text of the member "hooks" of the settings, with one entry for the event name.
func first(name, entry string, s style) string {
	return `"hooks": {` + s.line(2) + `"` + name + `": ` + listOf(entry, s) + s.line(1) + "}"
}

func listOf(entry string, s style) string { return "[" + s.line(3) + entry + s.line(2) + "]" }

// add adds an entry after the existing entries for the event name.
func add(text []byte, name, entry string) ([]byte, error) {
	root, hooks, err := hooksOf(text)
	if err != nil {
		return nil, err
	}
	s := styleOf(text, root)
	if hooks == nil {
		return with(text, root, first(name, entry, s), s, 1), nil
	}
	array, err := hooks.member(name)
	switch {
	case err != nil:
		return nil, err
	case array == nil:
		return with(text, hooks, `"`+name+`": `+listOf(entry, s), s, 2), nil
	case array.open != '[':
		return nil, fmt.Errorf("its hooks for %s are not a list", name)
	}
	return with(text, array, entry, s, 3), nil
}

// hooksOf returns the root of the settings and the value of its member "hooks", nil if there is none.
func hooksOf(text []byte) (root, hooks *node, err error) {
	if root, err = parse(text); err != nil {
		return nil, nil, err
	}
	if root.open != '{' {
		return nil, nil, errors.New("it is not a JSON object")
	}
	if hooks, err = root.member("hooks"); err == nil && hooks != nil && hooks.open != '{' {
		err = errors.New("its hooks are not a JSON object")
	}
	return root, hooks, err
}

// Remove returns the settings without the program's hooks. It returns nil if there is no file, or if Install has made
// the file and nothing else is in it.
func (p Program) Remove(settings []byte, binary string) ([]byte, error) {
	text := settings
	for text != nil {
		next, err := p.removeOne(text, binary)
		if err != nil {
			return nil, err
		}
		if next == nil {
			break
		}
		if text = next; len(text) == 0 {
			return nil, nil
		}
	}
	return text, nil
}

// removeOne removes one hook of the program. It returns nil if there is no hook, and an empty text if Install has made
// the file and nothing else is left in it.
func (p Program) removeOne(text []byte, binary string) ([]byte, error) {
	root, hooks, err := hooksOf(text)
	if err != nil || hooks == nil {
		return nil, err
	}
	for i, member := range hooks.parts {
		for j, entry := range member.value.parts {
			inner, k := p.find(text, entry.value, binary)
			switch {
			case inner == nil:
			case len(inner.parts) > 1:
				return without(text, inner, k), nil
			case !madeHere(member.value):
				return without(text, member.value, j), nil
			case !madeHere(hooks):
				return without(text, hooks, i), nil
			default:
				at := slices.IndexFunc(root.parts, func(m *part) bool { return m.value == hooks })
				left := without(text, root, at)
				if madeHere(root) && string(left) == fresh {
					left = []byte{}
				}
				return left, nil
			}
		}
	}
	return nil, nil
}

// find looks in an entry for a hook of the program. It returns the list that has the hook and the hook's index in the
// list; nil if there is none.
func (p Program) find(text []byte, entry *node, binary string) (list *node, index int) {
	list, err := entry.member("hooks")
	if entry.open != '{' || err != nil || list == nil || list.open != '[' {
		return nil, 0
	}
	for k, hook := range list.parts {
		var h struct {
			Command any `json:"command"`
		}
		if json.Unmarshal(text[hook.value.start:hook.value.end], &h) != nil {
			continue
		}
		if command, ok := h.Command.(string); ok && p.ours(command, binary) {
			return list, k
		}
	}
	return nil, 0
}

// Installed says whether the settings have all hooks of the program.
type Installed string

// States of an installation.
const (
	None  Installed = "not installed"
	Older Installed = "installed, but not as this version would; install again"
	Whole Installed = "installed"
)

// Installed returns whether the settings have the program's hooks, and whether these are the hooks of this version.
func (p Program) Installed(settings []byte, binary string) (Installed, error) {
	if settings == nil {
		return None, nil
	}
	has, err := p.removeOne(settings, binary)
	if err != nil || has == nil {
		return None, err
	}
	text, err := p.Install(settings, binary)
	switch {
	case err != nil:
		return None, err
	case p.same(text, settings):
		return Whole, nil
	}
	return Older, nil
}
