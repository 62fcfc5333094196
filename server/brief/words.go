package brief

import (
	"cmp"
	"strings"

	"agentdungeon/shared/world"
)

// Sentences that several prompts contain.
const (
	// Concrete describes a good answer.
	Concrete = "It is concrete (names, numbers, files, examples), says what you know and what you only assume"
	// Plain is the sentence of a prompt that asks for the answer alone, without a comment on how it is made.
	Plain = "Write the answer itself, without a word about how you will go about it."
)

// Opening returns the beginning of a prompt: the agent's name and persona, a sentence about where it
// takes part, and sentences that forbid texts of others to change the rules.
func Opening(role world.Role, where, rules string) string {
	out := "# You are the " + Name(cmp.Or(role.Name, role.ID)) + "\n\n"
	if persona, _ := Cut(strings.TrimSpace(role.Persona), maxPersona); persona != "" {
		out += persona + "\n\n"
	}
	return out + where + " " + rules + "\n\n"
}

// Restored returns sentences for an agent that remembers nothing because the server was restarted (S3-20). The
// parameter where says where the agent finds all that counts, for example "in this text". begun is set if the
// conversation began before the restart.
func Restored(where string, begun bool) string {
	out := "The session was restored after the server had stopped. You remember nothing of it: all that counts is " +
		where + "."
	if begun {
		out += " Go on from there and do not begin again."
	}
	return out
}

// Retry returns sentences about the failure of the agent's last run, "" for no failure. The parameter what is the
// status or the error code of that run; noun names what the agent must repeat.
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

// Section returns a heading and text, or "" if text is "".
func Section(title, text string) string {
	if text == "" {
		return ""
	}
	return "## " + title + "\n\n" + text + "\n\n"
}

// Material returns a section of a prompt: the heading title, the introductory sentence intro (which may be "") and a
// quotation of text, which somebody else wrote. The quotation has at most limit bytes of text.
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

// nameBy returns the name f(id), in the form of Name. If f is nil, it returns id in that form.
func nameBy(f func(string) string, id string) string {
	if f != nil {
		id = f(id)
	}
	return Name(id)
}
