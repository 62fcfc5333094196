package party

import (
	"bytes"
	"iter"
	"slices"
	"strings"
	"unicode"

	"agentdungeon/shared/world"
)

// Intents of an Address. The intent is the priority of the address in the queue.
const (
	P1 = "P1" // asked before all other addresses
	P2 = "P2" // the default
	P3 = "P3" // asked after all other addresses
)

// Limits of markers.
const (
	maxNames = 64      // addresses of one message, and names of its [DROP: ...]; more are ignored
	maxTask  = 4 << 10 // bytes of a team task; the rest is cut off
)

// Address is a name in [NEXT: ...] with its intent.
type Address struct {
	Name   string
	Intent string // P1, P2 or P3
}

// Marks holds the markers of one message (S2-B8), with the names as the message has them; team.Find finds their
// members.
type Marks struct {
	Next    []Address // in their order, without duplicates; at most maxNames
	From    string    // the name in the last [FROM: ...], "" for none
	Task    *string   // the text of the last [TEAM_TASK: ...], nil for none; "" removes the task
	DropAll bool
	Drop    []string // names whose items leave the queue, at most maxNames
}

// The method and merges the markers of an answer that has two rows: m has the markers of the first row, more those
// of the second.
func (m Marks) and(more Marks) Marks {
	m.Next, m.Drop = slices.Clone(m.Next), slices.Clone(m.Drop)
	for _, a := range more.Next {
		m.next(a)
	}
	for _, name := range more.Drop {
		m.drop(name)
	}
	m.DropAll = m.DropAll || more.DropAll
	if more.From != "" {
		m.From = more.From
	}
	if more.Task != nil {
		m.Task = more.Task
	}
	return m
}

func (m *Marks) next(a Address) {
	if len(m.Next) < maxNames && !slices.Contains(m.Next, a) {
		m.Next = append(m.Next, a)
	}
}

func (m *Marks) drop(name string) {
	if len(m.Drop) < maxNames && !slices.Contains(m.Drop, name) {
		m.Drop = append(m.Drop, name)
	}
}

// Kinds of markers, in capital letters.
const (
	markNext = "NEXT"
	markFrom = "FROM"
	markTask = "TEAM_TASK"
	markDrop = "DROP"
)

// Read returns the markers of a closed message and the text to store. The text to store lacks [NEXT: ...] and
// [DROP: ...], which only choose the next speaker; [FROM: ...] and [TEAM_TASK: ...] stay (S2-B8). A text without
// markers is stored unchanged. For a message with nothing but [NEXT: ...] and [DROP: ...], the text is "".
//
// A marker takes effect only on the last line of text and on the lines after it that hold nothing but markers.
// It takes no effect in fenced, indented or inline code, in quoted lines, between double quotation marks, after
// a backslash, or within other brackets.
func Read(text string) (Marks, string) {
	lines := lastLines(text)
	var m Marks
	for _, l := range lines {
		for _, k := range l.marks {
			m.take(k)
		}
	}
	return m, strip(text, lines, markNext, markDrop)
}

// Bare returns a text without the markers that take effect (see Read), for prompts and summaries (S2-B8).
func Bare(text string) string {
	return strip(text, lastLines(text), markNext, markDrop, markFrom, markTask)
}

// take adds the marker k to m.
func (m *Marks) take(k mark) {
	switch k.kind {
	case markNext:
		for name := range names(k.value) {
			a := Address{Name: name, Intent: P2}
			if at := strings.LastIndexByte(name, '!'); at >= 0 {
				if in := strings.ToUpper(strings.TrimSpace(name[at+1:])); in == P1 || in == P2 || in == P3 {
					a = Address{Name: trimName(name[:at]), Intent: in}
				}
			}
			if a.Name != "" {
				m.next(a)
			}
		}
	case markFrom:
		if name := trimName(k.value); name != "" {
			m.From = name
		}
	case markTask:
		task, _ := world.Cut(strings.TrimSpace(k.value), maxTask)
		m.Task = &task
	case markDrop:
		for name := range names(k.value) {
			if strings.EqualFold(name, "all") {
				m.DropAll = true
			} else {
				m.drop(name)
			}
		}
	}
}

// names returns the names in a list that is separated by commas, also Chinese ones.
func names(list string) iter.Seq[string] {
	return func(yield func(string) bool) {
		comma := func(c rune) bool { return strings.ContainsRune(",，、", c) }
		for name := range strings.FieldsFuncSeq(list, comma) {
			if name = trimName(name); name != "" && !yield(name) {
				return
			}
		}
	}
}

// trimName removes the white space, quotation marks, @ and * that people and models put around names.
func trimName(name string) string {
	return strings.TrimFunc(name, func(c rune) bool {
		return unicode.IsSpace(c) || unicode.IsControl(c) || strings.ContainsRune("@*\"'“”„«»", c)
	})
}

// mark is a marker in a text. Read says which markers take effect.
type mark struct {
	start, end  int // byte offsets in the whole text
	kind, value string
}

// line is a line of a text on which markers take effect; see lastLines.
type line struct {
	start, end int // byte offsets in the whole text
	marks      []mark
	pure       bool // set if the line has only markers
	blank      bool
}

// isFiller reports whether a character may stand beside the markers on a pure line (see lastLines): white space,
// emphasis, bullets and punctuation.
func isFiller(c rune) bool { return unicode.IsSpace(c) || strings.ContainsRune("*_-+~.,:;!?", c) }

// lastLines returns the lines on which markers take effect, in the order of the text: the last line of text,
// unless it is code or quoted, and the lines after it that are blank or pure. A pure line holds nothing but
// markers.
func lastLines(text string) []line {
	if strings.IndexByte(text, '[') < 0 {
		return nil
	}
	var out []line
	all := blocks(text)
	for i := len(all) - 1; i >= 0; i-- {
		b := all[i]
		if b.kind == blockBlank {
			out = append(out, line{start: b.start, end: b.end, blank: true})
			continue
		}
		if b.kind == blockCode {
			break
		}
		first := i // the first line of the paragraph
		for first > 0 && all[first-1].kind == blockText {
			first--
		}
		guards := inline(text[all[first].start:b.end], text, all[first:i+1])
		for ; i >= first; i-- {
			l := line{start: all[i].start, end: all[i].end}
			l.marks = marksIn(text, l.start, l.end, guards, all[first].start)
			l.pure = len(l.marks) > 0 && strings.TrimFunc(without(text, l, nil), isFiller) == ""
			out = append(out, l)
			if !l.pure {
				slices.Reverse(out)
				return out
			}
		}
		i++ // the loop decrements it
	}
	slices.Reverse(out)
	return out
}

// without returns the text of the line l without its markers of some kinds, or of all kinds if kinds is nil. It
// joins the remaining pieces with a space, so that they do not form a new marker.
func without(text string, l line, kinds []string) string {
	var out []byte // built in one pass, because a long line may hold many markers
	at := l.start
	add := func(piece string) {
		if at > l.start {
			out, piece = bytes.TrimRight(out, " \t"), strings.TrimLeft(piece, " \t")
			if len(out) > 0 && piece != "" && strings.IndexByte(".,;!?", piece[0]) < 0 {
				out = append(out, ' ')
			}
		}
		out = append(out, piece...)
	}
	for _, k := range l.marks {
		if kinds == nil || slices.Contains(kinds, k.kind) {
			add(text[at:k.start])
			at = k.end
		}
	}
	add(text[at:l.end])
	return string(out)
}

// strip returns text without the markers of some kinds in lines, and without the lines that held nothing
// else.
func strip(text string, lines []line, kinds ...string) string {
	gone := func(k mark) bool { return slices.Contains(kinds, k.kind) }
	if !slices.ContainsFunc(lines, func(l line) bool { return slices.ContainsFunc(l.marks, gone) }) {
		return text
	}
	var b strings.Builder
	b.WriteString(text[:lines[0].start])
	for _, l := range lines {
		var kept string
		switch {
		case l.blank:
		case l.pure:
			var keep []string
			for _, k := range l.marks {
				if !gone(k) {
					keep = append(keep, text[k.start:k.end])
				}
			}
			if len(keep) == 0 {
				continue
			}
			kept = strings.Join(keep, " ")
		case slices.ContainsFunc(l.marks, gone):
			kept = without(text, l, kinds)
		default:
			kept = text[l.start:l.end]
		}
		b.WriteString(kept)
		b.WriteByte('\n')
	}
	return strings.TrimRight(b.String(), " \t\r\n")
}
