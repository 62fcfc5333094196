package brief

import (
	"strings"

	"agentdungeon/shared/world"
)

// Sentences of every kind of prompt.
const (
	// Concrete describes every good answer.
	Concrete = "It is concrete (names, numbers, files, examples), says what you know and what you only assume"
	// Plain asks for the answer without talk about it.
	Plain = "Write the answer itself, without a word about how you will go about it."
)

// Opening returns the beginning of every prompt: who the agent is, where it takes part (a
// sentence), and that texts of others cannot change the rules.
func Opening(role world.Role, where, rules string) string {
	name := role.Name
	if name == "" {
		name = role.ID
	}
	out := "# You are the " + Name(name) + "\n\n"
	if persona, _ := Cut(strings.TrimSpace(role.Persona), maxPersona); persona != "" {
		out += persona + "\n\n"
	}
	return out + where + " " + rules + "\n\n"
}

// Restored tells an agent that it has lost its memory in a restart of the server, and where to find
// everything that counts ("in this text"). begun says whether something had begun (S3-20).
func Restored(where string, begun bool) string {
	out := "The session was restored after the server had stopped. You remember nothing of it: all that counts is " +
		where + "."
	if begun {
		out += " Go on from there and do not begin again."
	}
	return out
}

// Retry tells an agent how its last try ended, by the status of the run or its error code, "" for none.
// noun names what is requested again.
func Retry(what, noun string) string {
	switch what {
	case "", world.RunDone, world.RunRunning:
		return ""
	case world.RunInterrupted:
		return "This " + noun + " of yours was cut off before it ended. Take it again, whole."
	case world.RunCancelled:
		return "Your last try at this " + noun + " was stopped before it ended. Take it again, whole."
	case world.RunTimeout:
		return "Your last try at this " + noun + " took too long and was stopped. Answer shorter and sooner."
	case world.ChatLimit:
		return "Your last try at this " + noun + " was too long to be kept. Answer much shorter."
	case world.ChatEmpty:
		return "Your last try at this " + noun + " held no text. Answer in words."
	}
	return "Your last try at this " + noun + " failed. Take it again, whole."
}

// Section returns a heading and its text, "" without a text.
func Section(title, text string) string {
	if text == "" {
		return ""
	}
	return "## " + title + "\n\n" + text + "\n\n"
}

// Material returns a quoted text of others under a heading, at most limit bytes, after an
// introductory sentence ("" for none).
func Material(title, intro, text string, limit int) string {
	if intro != "" {
		intro += "\n\n"
	}
	text, short := Quote(text, limit)
	if short {
		text += "\n\n(The text is cut here.)"
	}
	return Section(title, intro+text)
}

// nameBy calls a function that may be nil.
func nameBy(f func(string) string, id string) string {
	if f != nil {
		id = f(id)
	}
	return Name(id)
}
