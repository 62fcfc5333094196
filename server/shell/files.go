package shell

import (
	"path"
	"slices"
	"strings"

	"agentdungeon/shared/pattern"
)

// maxFiles is the maximum number of files that Files returns.
const maxFiles = 64

// File is a file that a command line reads or edits.
type File struct {
	Path string // absolute, with slashes
	Edit bool   // the command writes or moves the file
}

// Files returns the files that a command line surely reads or edits when it runs in the folder dir: the files of
// redirections, and the operands of programs that only read or only edit their operands. Files does not look at the
// disk, so it ignores patterns. reads is true if the line surely only reads.
func Files(line, dir string) (files []File, reads bool) {
	all, whole := Parse(line)
	f := finder{reads: whole && len(all) > 0}
	for _, cmd := range all {
		f.dir = dir
		if cmd.Dir != "" {
			f.dir = join(dir, cmd.Dir)
		}
		f.command(cmd)
	}
	return f.files, f.reads
}

type finder struct {
	files []File
	reads bool
	dir   string
}

func (f *finder) command(cmd Command) {
	for _, name := range cmd.In {
		f.file(name, false)
	}
	if _, ok := Script(cmd.Words); !ok && len(cmd.Words) > 0 {
		f.program(cmd)
	}
	for _, name := range cmd.Out {
		f.file(name, true)
		f.reads = f.reads && strings.HasPrefix(name, "/dev/")
	}
}

// program adds the files that a command of a known program names as operands.
func (f *finder) program(cmd Command) {
	name, args := path.Base(cmd.Words[0]), cmd.Words[1:]
	of, known := programs[name]
	switch {
	case name == "sed" && slices.ContainsFunc(args, inPlace):
		of = edits
	case name == "find" && slices.ContainsFunc(args, acts):
		known = false
	}
	f.reads = f.reads && known && of != edits && of != removes && of != moves
	if of == none || of == removes {
		return
	}
	operands := operandsOf(args, name == "sed")
	if of == moves && len(operands) > 0 {
		operands = operands[:len(operands)-1] // leave out the target, which is a file or a folder
	}
	for _, w := range operands {
		if !strings.ContainsAny(w, "*?[") {
			f.file(w, of != shows)
		}
	}
}

// file adds a file to the result, unless its path is unknown or can differ between machines (as with "~").
func (f *finder) file(name string, edit bool) {
	if name == "" || strings.HasPrefix(name, "~") || strings.HasPrefix(name, "/dev/") || len(name) > 4096 {
		return
	}
	if name = join(f.dir, name); !path.IsAbs(name) || len(f.files) >= maxFiles {
		return
	}
	if file := (File{name, edit}); !slices.Contains(f.files, file) {
		f.files = append(f.files, file)
	}
}

// operands says what a program does with its operands.
type operands int

const (
	none    operands = iota // not all operands are files
	shows                   // the program only reads its operands
	edits                   // the program writes its operands
	removes                 // the program removes its operands, which is no edit: then there is nothing to see
	moves                   // the program moves all operands but the last to the last
)

// programs maps the names of known programs to what they do with their operands. Programs with edits, removes or
// moves write; all others only read.
var programs = map[string]operands{
	"cat": shows, "head": shows, "tail": shows, "nl": shows, "wc": shows, "less": shows, "bat": shows, "sed": shows,
	"tee": edits, "touch": edits, "rm": removes, "mv": moves,
	"ls": none, "rg": none, "grep": none, "find": none, "pwd": none, "tree": none, "stat": none, "echo": none,
	"printf": none, "cd": none, "true": none,
}

// operandsOf returns the arguments that are neither options nor numbers. For sed it also leaves out the script.
func operandsOf(args []string, sed bool) (out []string) {
	script := sed && !slices.ContainsFunc(args, scripted)
	for i, w := range args {
		switch {
		case w == "" || w[0] == '-' || number.MatchString(w):
		case sed && i > 0 && (args[i-1] == "-e" || args[i-1] == "-f"):
		case script:
			script = false
		default:
			out = append(out, w)
		}
	}
	return out
}

var number = pattern.New(`^\+?[0-9]+[kKMc]?$`)

func inPlace(w string) bool { return strings.HasPrefix(w, "-i") || strings.HasPrefix(w, "--in-place") }

// scripted reports whether the argument w of sed is an option whose value is the script.
func scripted(w string) bool {
	return w == "-e" || w == "-f" || strings.HasPrefix(w, "--expression") || strings.HasPrefix(w, "--file")
}

func acts(w string) bool {
	return w == "-delete" || strings.HasPrefix(w, "-exec") || strings.HasPrefix(w, "-ok") ||
		strings.HasPrefix(w, "-fprint") || strings.HasPrefix(w, "-fls")
}
