package claude

import (
	"bytes"
	"encoding/json"
	"strings"
)

// typedCommand is the name of the call that shows a command which a person ran in the program with "!". The program
// itself has no tool of this name, so a call of it names no files: the person has touched them, not the agent.
const typedCommand = "typed command"

// Beginnings of the texts in which the program records such a command and its output.
const (
	typedBegin  = "<bash-input>"
	outputBegin = "<bash-stdout>"
)

// typedInput returns the command in the form in which the program's own tools have one.
func typedInput(text string) json.RawMessage {
	var input bytes.Buffer
	enc := json.NewEncoder(&input)
	enc.SetEscapeHTML(false) // people read it
	if enc.Encode(map[string]string{"command": between(text, typedBegin, "</bash-input>")}) != nil {
		return nil
	}
	return bytes.TrimSpace(input.Bytes())
}

// typedOutput returns the output of the command.
func typedOutput(text string) string {
	return between(text, outputBegin, "</bash-stdout>") + between(text, "<bash-stderr>", "</bash-stderr>")
}

// prompted returns the text of a prompt as the person typed it. The program records a slash command in tags.
func prompted(text string) string {
	if !strings.HasPrefix(text, "<command-") {
		return text
	}
	name, args := between(text, "<command-name>", "</command-name>"), between(text, "<command-args>", "</command-args>")
	return strings.TrimSpace(name + " " + args)
}

// between returns the text between the first begin and the last end after it, "" if there is none.
func between(text, begin, end string) string {
	_, rest, _ := strings.Cut(text, begin)
	at := strings.LastIndex(rest, end)
	if at < 0 {
		return ""
	}
	return rest[:at]
}

// noticed returns what notifications of the program about background tasks say, in their summaries; "" for any other
// text. Behind a notification that wakes the agent for a hook stands the text of that hook, which can be the words of a
// person: such a text is a prompt.
func noticed(text string) string {
	const begin, end = "<task-notification>", "</task-notification>"
	all, ok := strings.CutPrefix(strings.TrimSpace(text), begin)
	if !ok {
		return ""
	}
	var summaries []string
	for _, one := range strings.Split(all, begin) {
		_, rest, _ := strings.Cut(one, "<summary>")
		summary, _, ok := strings.Cut(rest, "</summary>")
		if !ok || !strings.Contains(one, "<task-id>") || !strings.HasSuffix(strings.TrimSpace(one), end) {
			return ""
		}
		summaries = append(summaries, strings.TrimSpace(summary))
	}
	return strings.Join(summaries, "\n")
}
