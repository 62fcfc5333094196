package codex

import (
	"cmp"
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"

	"agentdungeon/server/reader/jsonl"
	"agentdungeon/server/shadow"
	"agentdungeon/server/shell"
	"agentdungeon/shared/pattern"
	"agentdungeon/shared/world"
)

// maxTouches is the maximum number of files of one call.
const maxTouches = 64

// stat returns the name and info of a regular file without opening it.
func stat(path string) (string, os.FileInfo, error) {
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = &os.PathError{Op: "open", Path: path, Err: jsonl.ErrNotFile}
	}
	return path, info, err
}

// shellInput is the input of the shell tools: exec_command (field cmd), shell (command as a list), shell_command
// (command as a text) and local_shell_call.
type shellInput struct {
	Cmd         string          `json:"cmd"`
	Command     json.RawMessage `json:"command"`
	Dir         string          `json:"workdir"`
	OtherDir    string          `json:"working_directory"`
	Permissions string          `json:"sandbox_permissions"`
	Escalated   bool            `json:"with_escalated_permissions"` // of older versions, in place of sandbox_permissions
	Message     string          `json:"message"`
	Path        string          `json:"path"`
}

// toolOf returns the tool call of an item, nil for none, and whether the call asks to run outside the sandbox.
func toolOf(it item, dir string) (*shadow.Tool, bool) {
	input, t := it.Input, &shadow.Tool{Name: it.Name}
	switch it.Type {
	case "function_call", "custom_tool_call", "tool_search_call":
		if len(it.Args) > 0 {
			input = textOf(it.Args, nil)
		}
	case "local_shell_call":
		t.Name, input = "shell", string(it.Action)
	default:
		return nil, false
	}
	if t.Name == "" {
		t.Name = it.Type
	}
	if it.Space != "" && it.Space != "functions" {
		t.Name = it.Space + "." + t.Name
	}
	t.Name = cut(t.Name, shadow.MaxReason)
	t.Input = cut(input, shadow.MaxInput)
	if t.Name == "apply_patch" {
		var in struct {
			Input string `json:"input"`
		}
		if json.Unmarshal([]byte(input), &in) == nil && in.Input != "" {
			input = in.Input
		}
		patched(t, input, dir)
		return t, false
	}
	var in shellInput
	if json.Unmarshal([]byte(input), &in) != nil {
		return t, false
	}
	if sub := absolute(dir, cmp.Or(in.Dir, in.OtherDir)); in.Dir+in.OtherDir != "" && sub != "" {
		dir = sub
	}
	command := in.Cmd
	if command == "" {
		command = commandOf(in.Command)
	}
	switch {
	case command == "":
		t.Brief = firstLine(cmpOr(in.Message, in.Path))
	case strings.Contains(command, "*** Begin Patch") && strings.HasPrefix(command, "apply_patch"):
		patched(t, command, dir)
	default:
		t.Brief = firstLine(command)
		files, reads := shell.Files(command, dir)
		t.Reads = reads
		for _, f := range files {
			touch(t, dir, f.Path, f.Edit)
		}
	}
	if t.Name == "view_image" {
		t.Reads = true
		touch(t, dir, in.Path, false)
	}
	return t, in.Permissions == "require_escalated" || in.Escalated
}

// commandOf returns a command as a person types it. For the list ["bash", "-lc", "ls"] it returns "ls".
func commandOf(raw json.RawMessage) string {
	var text string
	var words []string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	if json.Unmarshal(raw, &words) != nil {
		return ""
	}
	if len(words) == 3 && (words[1] == "-lc" || words[1] == "-c") {
		return words[2]
	}
	return strings.Join(words, " ")
}

// patched adds to t the files that a patch names in lines such as "*** Update File: main.go".
func patched(t *shadow.Tool, patch, dir string) {
	var names []string
	for line := range strings.Lines(patch) {
		for _, head := range []string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "} {
			if name, ok := strings.CutPrefix(strings.TrimSpace(line), head); ok && len(names) < maxTouches {
				names = append(names, name)
				touch(t, dir, name, true)
			}
		}
	}
	t.Brief = cut(strings.Join(names, ", "), shadow.MaxReason)
}

func touch(t *shadow.Tool, dir, name string, edit bool) {
	path := absolute(dir, name)
	if name == "" || path == "" || len(path) > 4096 || len(t.Touches) >= maxTouches {
		return
	}
	if c := (shadow.Touch{Path: path, Edit: edit}); !slices.Contains(t.Touches, c) {
		t.Touches = append(t.Touches, c)
	}
}

var exit = pattern.New(`(?m)^(?:Process exited with code|Exit code:) (-?[0-9]+)$`)

// outcome returns the output of a tool, whether the tool succeeded, and whether the text says with which status a
// command ended. The text that the model gets begins with lines such as "Process exited with code 1" and "Output:";
// older versions wrote {"output", "metadata": {"exit_code"}}.
func outcome(text string) (output string, ok, ended bool) {
	var old struct {
		Output   *string `json:"output"`
		Metadata struct {
			Exit int `json:"exit_code"`
		} `json:"metadata"`
	}
	if strings.HasPrefix(text, "{") && json.Unmarshal([]byte(text), &old) == nil && old.Output != nil {
		return *old.Output, old.Metadata.Exit == 0, true
	}
	before, body, has := strings.Cut(text, "Output:\n")
	if m := exit.FindStringSubmatch(before); m != nil && has {
		code, err := strconv.Atoi(m[1])
		return body, err == nil && code == 0, true
	}
	if has && strings.HasPrefix(before, "Chunk ID: ") { // the command still runs
		return body, true, false
	}
	for _, bad := range []string{"exec_command failed", "apply_patch verification failed", "rejected by user",
		"execution error", "failed to ", "unsupported call", "aborted by user", "write_stdin failed",
		"unable to locate image"} {
		if strings.HasPrefix(text, bad) || strings.HasPrefix(text, "Wall time: ") && strings.HasSuffix(text, bad) {
			return text, false, false
		}
	}
	return text, true, false
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return cut(s, shadow.MaxReason)
}

// cut calls world.Cut and returns only its first result.
func cut(s string, limit int) string {
	s, _ = world.Cut(s, limit)
	return s
}

func cmpOr(names ...string) string {
	for _, n := range names {
		if n != "" {
			return cut(n, shadow.MaxReason)
		}
	}
	return ""
}
