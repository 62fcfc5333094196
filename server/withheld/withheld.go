// Package withheld decides which parts of a tool call are not kept because git ignores a file that the call names
// (P17.9).
//
// It owns the rule and no state. It finds the files that a call names in the call's input, also in a command line, and
// asks its caller which of them git ignores. It cannot know whether a program prints the content of files that its
// command does not name. server/follow asks it about the calls in transcripts, server/agenthook about those in hook
// payloads.
package withheld

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentdungeon/server/shell"
)

// maxFiles is the maximum number of files of one call that are checked. A call with more files is withheld.
const maxFiles = 200

// Verdict says which parts of a call are not kept.
type Verdict struct {
	Output bool     // the call's result is not kept
	Input  bool     // the call's input is not kept either, because it contains content of a file
	Files  []string // the files of the call that git ignores
}

// Kept returns the JSON text that is kept instead of an input: the names of the files that git ignores.
func (v Verdict) Kept() string {
	fields := map[string]any{"withheld": "git ignores this file", "files": v.Files}
	if len(v.Files) == 1 {
		fields = map[string]any{"withheld": "git ignores this file", "file_path": v.Files[0]}
	}
	text, _ := json.Marshal(fields) // cannot fail, because fields has only strings
	return string(text)
}

// Names returns the names of the files as a short text.
func (v Verdict) Names() string {
	names := make([]string, min(len(v.Files), 3))
	for i := range names {
		names[i] = filepath.Base(v.Files[i])
	}
	return strings.Join(names, ", ")
}

// Call returns the verdict on a call in the folder dir. input is JSON or a text in the program's own form. edited are
// files of which the caller knows that the call edits them. ignored reports whether git ignores the file at a path.
func Call(dir, input string, edited []string, ignored func(path string) bool) Verdict {
	c := call{dir: dir, ignored: ignored}
	for _, path := range edited {
		c.file(path, true)
	}
	var fields map[string]any
	if json.Unmarshal([]byte(input), &fields) != nil {
		c.text(input)
		return c.Verdict
	}
	for _, name := range []string{"file_path", "notebook_path", "filePath", "absolute_path", "path"} {
		if path, ok := fields[name].(string); ok {
			c.file(path, true)
		}
	}
	for _, name := range []string{"command", "cmd", "input", "patch"} {
		switch v := fields[name].(type) {
		case string:
			c.text(v)
		case []any:
			c.arguments(v)
		}
	}
	return c.Verdict
}

// call is the examination of one call.
type call struct {
	Verdict
	dir     string
	ignored func(string) bool
	seen    int
}

// file checks whether git ignores a file of the call, and adds it to the verdict if so. content is set if the input can
// contain the file's content.
func (c *call) file(path string, content bool) {
	if c.seen++; path == "" || len(path) > 4096 {
		return
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.dir, path)
	}
	if c.seen <= maxFiles && !c.ignored(path) {
		return
	}
	c.Output, c.Input = true, c.Input || content
	if path = filepath.Clean(path); !slices.Contains(c.Files, path) && len(c.Files) < 64 {
		c.Files = append(c.Files, path)
	}
}

// text looks for ignored files in a patch or a command line.
func (c *call) text(text string) {
	patch := false
	for line := range strings.Lines(text) {
		for _, head := range []string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "} {
			if name, ok := strings.CutPrefix(strings.TrimSpace(line), head); ok {
				patch = true
				c.file(name, true)
			}
		}
	}
	if !patch {
		c.line(text)
	}
}

// arguments looks for ignored files in a command in the form of a list of its name and arguments.
func (c *call) arguments(list []any) {
	var words []string
	for _, v := range list {
		if s, ok := v.(string); ok {
			words = append(words, s)
		}
	}
	if script, ok := shell.Script(words); ok {
		c.text(script)
		return
	}
	c.command(shell.Command{Words: words})
}

// line looks for ignored files in a command line. If it cannot be parsed, line looks at each of its words.
func (c *call) line(line string) {
	all, whole := shell.Parse(line)
	for _, cmd := range all {
		c.command(cmd)
	}
	if len(all) > 0 || whole {
		return
	}
	writes := strings.Contains(line, ">")
	separates := func(r rune) bool { return strings.ContainsRune(" \t\n\"'`|;&<>()", r) }
	for _, word := range strings.FieldsFunc(line, separates) {
		if c.names(word) {
			c.file(word, writes)
		}
	}
}

// quiet has the commands that name files but do not print their content.
var quiet = map[string]bool{
	"source": true, ".": true, "test": true, "[": true, "[[": true, "ls": true, "rm": true, "cp": true, "mv": true,
	"mkdir": true, "touch": true, "chmod": true, "chown": true, "stat": true, "wc": true, "du": true, "cd": true,
	"ln": true, "echo": true, "printf": true,
}

// searches has the commands that print lines of all files in the folders that they name.
var searches = map[string]bool{"grep": true, "egrep": true, "fgrep": true, "rg": true, "ag": true, "ack": true}

// command looks for ignored files in a simple command.
func (c *call) command(cmd shell.Command) {
	dir := c.dir
	if c.dir = cmd.Dir; !filepath.IsAbs(c.dir) {
		c.dir = filepath.Join(dir, cmd.Dir)
	}
	defer func() { c.dir = dir }()
	for _, path := range cmd.Out {
		c.file(path, true)
	}
	name := ""
	if len(cmd.Words) > 0 {
		name = filepath.Base(cmd.Words[0])
	}
	if quiet[name] {
		return
	}
	for _, path := range cmd.In {
		c.file(path, false)
	}
	for i, word := range cmd.Words {
		if i == 0 {
			continue
		}
		if at := strings.LastIndexAny(word, "=@"); at >= 0 { // the file follows the sign, as in --file=.env or -d @.env
			word = word[at+1:]
		}
		for _, path := range c.matches(word) {
			if c.names(path) || searches[name] && c.folder(path) {
				c.file(path, name == "tee")
			}
		}
	}
}

// names reports whether a word of a command seems to name a file: a file that exists and is no program, or, if it does
// not exist, a name with a dot. So "build" in "npm run build" names no file, although a folder of that name can exist.
func (c *call) names(word string) bool {
	info, err := c.stat(word)
	if err != nil {
		return strings.Contains(filepath.Base(word), ".") && word != "." && word != ".."
	}
	return info.Mode().IsRegular() && info.Mode().Perm()&0o111 == 0
}

func (c *call) folder(word string) bool {
	info, err := c.stat(word)
	return err == nil && info.IsDir()
}

func (c *call) stat(word string) (fs.FileInfo, error) {
	if word == "" || len(word) > 4096 {
		return nil, fs.ErrNotExist
	}
	return os.Stat(c.path(word))
}

func (c *call) path(word string) string {
	if filepath.IsAbs(word) {
		return word
	}
	return filepath.Join(c.dir, word)
}

// matches returns the files that a word of a command names. A word with a pattern in its last part can name several.
func (c *call) matches(word string) []string {
	dir, pattern := filepath.Split(word)
	if !strings.ContainsAny(pattern, "*?[") || strings.ContainsAny(dir, "*?[") {
		return []string{word}
	}
	f, err := os.Open(c.path(filepath.Clean(dir)))
	if err != nil {
		return nil
	}
	defer f.Close() //nolint:errcheck // nothing was written
	names, _ := f.Readdirnames(1000)
	var out []string
	for _, name := range names {
		hidden := strings.HasPrefix(name, ".") && !strings.HasPrefix(pattern, ".")
		if ok, _ := filepath.Match(pattern, name); ok && !hidden {
			out = append(out, dir+name)
		}
	}
	return out
}
