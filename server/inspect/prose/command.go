package prose

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

// commands reports the commands in guides that cannot work in this repository.
func commands(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	if packed(r) {
		return nil // the commands are for the repository, of which a package has a part
	}
	var k *known
	var index *pathIndex
	for i := range r.Files {
		f := &r.Files[i]
		if !guide(f) || published(r, f) || strings.Contains(strings.ToUpper(f.Path), "_TEMPLATE") {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		data, ok := r.Text(f.Path)
		if !ok || !strings.Contains(string(data), "```") && !strings.Contains(string(data), "~~~") {
			continue
		}
		if k == nil {
			k, index = know(ctx, r), indexPaths(r)
		}
		w := &walker{r: r, k: k, index: index, file: f, text: string(data)}
		for _, fence := range parse(data).fences {
			w.fence(fence)
		}
		for _, b := range w.bad {
			out := inspect.Finding{
				Severity: inspect.Low, Path: f.Path, Line: b.n, Same: b.what,
				Title:    inspect.Clip(fmt.Sprintf("%s says %s, which cannot work", f.Base(), b.what), 100),
				Evidence: inspect.Clip(b.text, 200) + "\n" + b.why,
				Why:      "Whoever follows the text gets an error and does not know whether they or the text are wrong.",
				Advice:   "Correct the command, or restore what it calls.",
			}
			if f.Dir() == "" {
				out.Severity = inspect.Medium
			}
			report(out)
		}
	}
	return nil
}

// wrong is a command that cannot work. n is the number of its line, text the line, what the command, and why the
// reason.
type wrong struct {
	n               int
	text, what, why string
}

// walker judges the commands of one guide in order. It keeps track of the folders in which a reader who types the
// commands may be.
type walker struct {
	r     *inspect.Repo
	k     *known
	index *pathIndex
	file  *inspect.File
	text  string
	dirs  []string // folders the reader may be in: the root, the guide's folder, targets of cd

	lost    bool // the reader's folder is unknown until the next heading
	heading int  // the number of headings above the command that set lost
	judged  int
	bad     []wrong
	told    map[string]bool
}

const (
	maxCommand  = 16 << 10 // bytes of a command over several lines
	maxCommands = 2000     // commands of one guide that are judged
)

var shells = []string{"", "sh", "bash", "shell", "console", "zsh", "shell-session", "shellsession", "terminal",
	"sh-session", "bash-session", "command", "cmd", "text", "fish"}

// fence judges the commands of one fenced code block.
func (w *walker) fence(b fence) {
	if !slices.Contains(shells, b.info) {
		return
	}
	if w.lost && b.heading != w.heading {
		w.lost = false
	}
	if w.dirs == nil {
		w.dirs = []string{""}
		if d := w.file.Dir(); d != "" {
			w.dirs = append(w.dirs, d)
		}
	}
	prompted := slices.ContainsFunc(b.lines, func(s string) bool { return prompt.MatchString(s) })
	if b.info == "" || b.info == "text" {
		if !prompted && !allCommands(b.lines) {
			return
		}
	}
	joined, at := "", 0
	for i, text := range b.lines {
		if joined == "" {
			at = b.n + i
			if prompted && !prompt.MatchString(text) {
				continue // output of the command
			}
			text = prompt.ReplaceAllString(text, "")
			if strings.Contains(text, "<<") {
				return // a here-document follows
			}
		}
		if len(joined) > maxCommand {
			return // too long to be typed by a person
		}
		if strings.HasSuffix(text, `\`) {
			joined += strings.TrimSuffix(text, `\`) + " "
			continue
		}
		joined += text
		if !w.line(at, joined, b.heading) {
			return
		}
		joined = ""
	}
}

var (
	prompt    = inspect.Pattern(`^\s*(?:[\w.@~/:-]*\s?[$%❯➜]|PS [^>]*>|>)\s+`)
	separator = inspect.Pattern(`\s*(?:&&|\|\||;|\|)\s*`)
	firstWord = inspect.Pattern(`^\s*(\$ |#|(sudo |time )?(make|npm|yarn|pnpm|go|python3?|node|bash|sh|cd|git|` +
		`cp|mkdir|export|docker|pip3?|\./[\w./-]+|[A-Z_]+=\S+ \S+)( |$))`)
)

// allCommands reports whether all lines of a block without a language are commands.
func allCommands(lines []string) bool {
	n := 0
	for _, l := range lines {
		if strings.TrimSpace(l) == "" {
			continue
		}
		if !firstWord.MatchString(l) {
			return false
		}
		n++
	}
	return n > 0
}

// line judges the commands on one line. It returns false if the following lines of the block must not be judged.
func (w *walker) line(n int, text string, heading int) bool {
	if i := strings.Index(text, " #"); i >= 0 {
		text = text[:i]
	}
	trimmed := strings.TrimSpace(text)
	if trimmed == "" || trimmed[0] == '#' || w.lost {
		return !w.lost
	}
	if strings.ContainsAny(trimmed, "\"'`") && strings.ContainsAny(trimmed, ";|&") {
		return true // a separator may be inside quotes, which are not parsed
	}
	for _, part := range separator.Split(trimmed, -1) {
		words := strings.Fields(part)
		for len(words) > 0 && (assignment.MatchString(words[0]) || words[0] == "sudo" || words[0] == "time" ||
			words[0] == "exec") {
			words = words[1:]
		}
		if len(words) == 0 {
			continue
		}
		if w.moves(words) {
			w.lost, w.heading = true, heading
			return false
		}
		if w.judged++; w.judged > maxCommands {
			return false
		}
		if what, why := w.judge(words); why != "" && !w.told[what] {
			if w.told == nil {
				w.told = map[string]bool{}
			}
			w.told[what] = true
			w.bad = append(w.bad, wrong{n, strings.TrimSpace(text), what, why})
		}
	}
	return true
}

var assignment = inspect.Pattern(`^[A-Za-z_]\w*=`)

// moves follows a command that changes the reader's folder. lost reports whether the folder is unknown after the
// command.
func (w *walker) moves(words []string) (lost bool) {
	switch words[0] {
	case "cd", "pushd":
		if len(words) < 2 {
			return true
		}
		to := strings.TrimSuffix(strings.Trim(words[1], `"'`), "/")
		if to == ".." || to == "-" || to == "." || strings.HasPrefix(to, "../") {
			return false
		}
		for _, d := range w.dirs {
			if p := path.Join(d, to); w.r.HasDir(p) && p != "." {
				if !slices.Contains(w.dirs, p) {
					w.dirs = append(w.dirs, p)
				}
				return false
			}
		}
		return !w.k.own[strings.ToLower(path.Base(to))]
	case "git":
		if len(words) > 2 && words[1] == "clone" {
			for _, a := range words[2:] {
				name := strings.ToLower(strings.TrimSuffix(path.Base(a), ".git"))
				if w.k.own[name] {
					return false
				}
			}
			return true
		}
	case "npx", "npm", "yarn", "pnpm", "bun", "bunx", "cargo", "rails", "django-admin", "composer":
		return slices.ContainsFunc(words[1:], func(s string) bool {
			return s == "create" || s == "init" || s == "new" || strings.HasPrefix(s, "create-") || s == "create-project" ||
				s == "startproject" || s == "dlx"
		})
	case "docker", "podman", "ssh", "vagrant", "kubectl", "nix-shell", "tar", "unzip":
		return slices.ContainsFunc(words[1:], func(s string) bool {
			return s == "exec" || s == "-it" || s == "ssh" ||
				s == "-i" || s == "-ti"
		}) || words[0] == "ssh" || words[0] == "tar" || words[0] == "unzip"
	}
	return false
}

// judge returns a command that cannot work and the reason. The reason is "" if the command may work.
func (w *walker) judge(words []string) (what, why string) {
	switch words[0] {
	case "make", "gmake":
		return w.make(words[1:])
	case "npm", "pnpm", "yarn":
		return w.npm(words)
	case "go":
		return w.golang(words[1:])
	case "python", "python3", "node", "bash", "sh", "ruby", "perl", "php":
		if len(words) > 1 {
			return w.script(words[0], words[1])
		}
	default:
		if strings.HasPrefix(words[0], "./") {
			return w.script("", words[0])
		}
	}
	return "", ""
}

var target = inspect.Pattern(`^[A-Za-z0-9][\w./-]*$`)

func (w *walker) make(args []string) (what, why string) {
	if w.k.makeUnknown || len(args) == 0 || len(args) > 6 {
		return "", ""
	}
	for _, a := range args {
		switch {
		case strings.HasPrefix(a, "-"), strings.Contains(a, "="):
			if a == "-C" || a == "-f" || strings.HasPrefix(a, "-C") || strings.HasPrefix(a, "--") || strings.HasPrefix(a, "-f") {
				return "", ""
			}
			continue
		case !target.MatchString(a):
			return "", ""
		}
		if englishWords[a] {
			return "", ""
		}
		if w.k.targets[a] || w.k.matches(a) {
			continue
		}
		if w.k.makefiles == 0 {
			return "make " + a, "The repository has no Makefile."
		}
		for _, d := range w.dirs {
			if p := path.Join(d, a); w.r.File(p) != nil || w.r.HasDir(p) {
				return "", ""
			}
		}
		if strings.Contains(w.text, "\n"+a+":") {
			return "", "" // the guide shows a Makefile with this target
		}
		return "make " + a, fmt.Sprintf("No Makefile has the target %s (%d looked at).", a, w.k.makefiles)
	}
	return "", ""
}

var englishWords = map[string]bool{"sure": true, "it": true, "the": true, "a": true, "an": true, "this": true,
	"that": true, "your": true, "use": true, "some": true, "changes": true, "any": true, "you": true}

// usual lists names of npm scripts that are never names of installed programs. Any other name x in "yarn x" may be the
// name of an installed program.
var usual = []string{"build", "start", "dev", "test", "lint", "serve", "format", "watch", "typecheck"}

func (w *walker) npm(words []string) (what, why string) {
	if len(w.k.scripts) == 0 || slices.ContainsFunc(words, func(s string) bool {
		return s == "--if-present" ||
			strings.ContainsAny(s, "<>$*{")
	}) {
		return "", ""
	}
	rest := words[1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0], "-") {
		return "", "" // options before the command may name another folder
	}
	if len(rest) == 0 {
		return "", ""
	}
	name := ""
	switch {
	case rest[0] == "run" || rest[0] == "run-script":
		if len(rest) > 1 {
			name = rest[1]
		}
		if words[0] == "yarn" && !strings.Contains(name, ":") && !slices.Contains(usual, name) {
			return "", ""
		}
	case words[0] == "npm" && (rest[0] == "test" || rest[0] == "start"), words[0] != "npm" &&
		(slices.Contains(usual, rest[0]) || strings.Contains(rest[0], ":")):
		name = rest[0]
	}
	if !scriptName.MatchString(name) || w.k.scripts[name] || name == "start" && w.r.File("server.js") != nil ||
		strings.Contains(w.text, `"`+name+`"`) {
		return "", ""
	}
	return words[0] + " run " + name, fmt.Sprintf("No package.json has the script %s (%s looked at).", name,
		files(w.k.manifests))
}

func files(n int) string {
	if n == 1 {
		return "1 file"
	}
	return fmt.Sprintf("%d files", n)
}

var scriptName = inspect.Pattern(`^[A-Za-z][\w:.-]*$`)

func (w *walker) golang(args []string) (what, why string) {
	if len(args) < 2 || !slices.Contains([]string{"run", "build", "install", "test", "vet"}, args[0]) || !w.k.golang {
		return "", ""
	}
	for i, a := range args[1:] {
		if i > 0 && args[0] == "run" {
			break // arguments of the program
		}
		if !strings.HasPrefix(a, "./") || i > 0 && (args[i] == "-o" || args[i] == "-c") {
			continue
		}
		p := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(a[2:], "..."), "/"), "/")
		if p == "" || !plainPath.MatchString(p) || w.there(p) {
			continue
		}
		if dir := path.Dir(p); dir == "." && !w.k.program || dir != "." && !w.there(dir) {
			continue // probably a folder of the reader's own program
		}
		return "go " + args[0] + " " + a, fmt.Sprintf("There is no %s.", p)
	}
	return "", ""
}

var (
	plainPath = inspect.Pattern(`^[\w][\w./-]*$`)
	scriptExt = []string{".sh", ".py", ".js", ".mjs", ".cjs", ".rb", ".pl", ".php", ".bash"}
)

// there reports whether path p may exist in one of the folders in which the reader may be. It also returns true if p is
// the end of any path of the repository, because the reader may be in a folder that the walker does not know.
func (w *walker) there(p string) bool {
	for _, d := range w.dirs {
		if !w.index.missing(w.r, path.Join(d, p)) {
			return true
		}
	}
	return w.k.ends(w.r, p)
}

// script judges the path of a script that a command runs. with is the word before the path. A path is reported only if
// its folder exists, because other paths may not belong to the repository. A script that the guide creates or downloads
// is not reported.
func (w *walker) script(with, p string) (what, why string) {
	p = strings.TrimPrefix(p, "./")
	if !plainPath.MatchString(p) || !slices.Contains(scriptExt, path.Ext(p)) || w.there(p) {
		return "", ""
	}
	dir := path.Dir(p)
	if dir == "." || !slices.ContainsFunc(w.dirs, func(d string) bool { return w.r.HasDir(path.Join(d, dir)) }) {
		return "", ""
	}
	if madeHere(w.text, path.Base(p)) {
		return "", ""
	}
	return strings.TrimSpace(with + " " + p), fmt.Sprintf("The folder %s has no %s.", dir, path.Base(p))
}

// madeHere reports whether a guide's text creates or downloads a file with the name base.
func madeHere(text, base string) bool {
	made := regexp.MustCompile(`(?m)(curl|wget|cat\s*>|>\s*|touch|nano|vim?|cp|mv|-o|tee|create|save|download|` +
		`write)\b?[^\n]*` + regexp.QuoteMeta(base))
	return made.MatchString(text)
}
