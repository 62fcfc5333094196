package inspect

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"
)

// shebangBytes is the number of bytes at the beginning of a file in which languageOfProgram looks for the interpreter.
const shebangBytes = 1 << 10

var (
	// reexec matches a line by which a shell script starts an interpreter with itself: exec env node "$0" "$@". The
	// group has the words before "$0".
	reexec = Pattern("\\bexec['\"]*[ \t]+([^$`\n]*?)[ \t]+[\"']?\\$(?:0|\\{0\\})(?:[\"' \t\r]|$)")
	// splitOption matches env's option -S, behind which the command may follow without a space.
	splitOption = Pattern(`^(?:-[0iv]*S|--split-string=)`)
	// noQuotes removes the quotes of a shell's words.
	noQuotes = strings.NewReplacer(`"`, "", `'`, "")
)

// reexecLines is the number of lines after the shebang line in which reexec is searched for.
const reexecLines = 5

// languageOfProgram returns the language of the interpreter in the shebang line of a program, or "". head is the
// beginning of the program.
func languageOfProgram(head []byte) string {
	first, rest, _ := strings.Cut(string(head[:min(len(head), shebangBytes)]), "\n")
	command, is := strings.CutPrefix(first, "#!")
	if !is {
		return ""
	}
	words := interpreter(strings.Fields(command))
	if len(words) == 0 {
		return ""
	}
	lang := languageOfInterpreter(words[0])
	if lang != "Shell" {
		return lang
	}
	for range reexecLines {
		line, after, more := strings.Cut(rest, "\n")
		if m := reexec.FindStringSubmatch(line); m != nil {
			if words = interpreter(strings.Fields(noQuotes.Replace(m[1]))); onlyOptions(words) {
				return cmp.Or(languageOfInterpreter(words[0]), lang)
			}
		}
		if rest = after; !more {
			break
		}
	}
	return lang
}

// onlyOptions reports whether a command is an interpreter with nothing but options, so that the next word is the
// program that it runs.
func onlyOptions(words []string) bool {
	if len(words) == 0 {
		return false
	}
	for _, w := range words[1:] {
		if !strings.HasPrefix(w, "-") {
			return false
		}
	}
	return true
}

// interpreter returns a command without the call of env before it.
func interpreter(words []string) []string {
	if len(words) == 0 || path.Base(words[0]) != "env" {
		return words
	}
	for words = words[1:]; len(words) > 0; words = words[1:] {
		switch w := words[0]; {
		case splitOption.MatchString(w):
			if command := w[len(splitOption.FindString(w)):]; command != "" {
				return append([]string{command}, words[1:]...)
			}
		case w == "-u" || w == "-C": // the next word belongs to the option
			words = words[min(1, len(words)-1):]
		case !strings.HasPrefix(w, "-") && !strings.Contains(w, "="): // neither an option nor a variable
			return words
		}
	}
	return nil
}

// languageOfInterpreter returns the language of an interpreter's name or path, with or without a version: python3.11.
func languageOfInterpreter(p string) string {
	name := path.Base(p)
	if lang := interpreterLangs()[name]; lang != "" {
		return lang
	}
	return interpreterLangs()[strings.TrimRight(name, "-.0123456789")]
}

// head returns the beginning of a file in which languageOfProgram looks; nil if the file cannot be read.
func head(fsys fs.FS, p string) []byte {
	in, err := fsys.Open(p)
	if err != nil {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(in, shebangBytes))
	if errors.Join(err, in.Close()) != nil {
		return nil
	}
	return text
}
