package alchemist

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"agentdungeon/server/inspect"
)

// pyLine is one statement of a Python text, which may take several lines.
type pyLine struct {
	number int
	indent int
	mask   string // its text without comments and with blanked strings
	parent int    // the statement whose block contains it, -1 at the top
	end    int    // the first statement after its block
}

type pyCode struct {
	lines []pyLine
	set   map[string]bool // cache of sets
}

// readPython splits a Python text into statements. It recognises strings, comments, brackets and indentation, and
// treats everything else as a plain statement.
func readPython(data []byte) *pyCode {
	mask := maskPython(data)
	p := &pyCode{set: map[string]bool{}}
	var stack []int // open blocks
	number, depth := 0, 0
	var cur *pyLine
	var masked strings.Builder
	finish := func() {
		if cur == nil {
			return
		}
		cur.mask = strings.TrimSpace(masked.String())
		for len(stack) > 0 && p.lines[stack[len(stack)-1]].indent >= cur.indent {
			p.lines[stack[len(stack)-1]].end = len(p.lines)
			stack = stack[:len(stack)-1]
		}
		cur.parent = -1
		if len(stack) > 0 {
			cur.parent = stack[len(stack)-1]
		}
		cur.end = len(p.lines) + 1
		p.lines = append(p.lines, *cur)
		if strings.HasSuffix(cur.mask, ":") {
			stack = append(stack, len(p.lines)-1)
		}
		cur, depth = nil, 0
		masked.Reset()
	}
	for at := 0; at < len(data); {
		end := at
		for end < len(data) && data[end] != '\n' {
			end++
		}
		number++
		m := string(mask[at:end])
		if cur == nil {
			if strings.TrimSpace(m) == "" {
				at = end + 1
				continue
			}
			cur = &pyLine{number: number, indent: indentOf(m)}
		}
		for i := range len(m) {
			switch m[i] {
			case '(', '[', '{':
				depth++
			case ')', ']', '}':
				depth--
			}
		}
		masked.WriteString(m)
		open := end < len(data) && mask[end] != '\n'
		if depth > 0 || open || strings.HasSuffix(strings.TrimRight(m, " \t\r"), "\\") {
			masked.WriteByte(' ')
		} else {
			finish()
		}
		at = end + 1
	}
	finish()
	for _, i := range stack {
		p.lines[i].end = len(p.lines)
	}
	return p
}

func indentOf(line string) int {
	n := 0
	for i := range len(line) {
		switch line[i] {
		case ' ':
			n++
		case '\t':
			n += 8 - n%8
		default:
			return n
		}
	}
	return n
}

// maskPython replaces the content of strings and comments by spaces. It also replaces line ends inside strings, so that
// the statement continues on the next line.
func maskPython(data []byte) []byte {
	out := make([]byte, len(data))
	copy(out, data)
	for i := 0; i < len(data); {
		switch c := data[i]; c {
		case '#':
			for i < len(data) && data[i] != '\n' {
				out[i] = ' '
				i++
			}
		case '"', '\'':
			three := i+2 < len(data) && data[i+1] == c && data[i+2] == c
			width := 1
			if three {
				width = 3
			}
			i += width
			for i < len(data) {
				if data[i] == '\\' && i+1 < len(data) {
					out[i], out[i+1] = ' ', ' '
					i += 2
					continue
				}
				if !three && data[i] == '\n' {
					break
				}
				if data[i] == c && (!three || i+2 < len(data) && data[i+1] == c && data[i+2] == c) {
					i += width
					break
				}
				out[i] = ' '
				i++
			}
		default:
			i++
		}
	}
	return out
}

var (
	pyScope  = inspect.Pattern(`^(async\s+)?(def|class)\b|^(\w+\s*=\s*)?lambda\b`)
	pyLoop   = inspect.Pattern(`^(async\s+)?(for|while)\b`)
	pySmall  = inspect.Pattern(`^for\b.*\bin\s*(range\(\s*\d{1,2}\s*\)|\(.*,.*\)|\[.*\])\s*:$|^while\b.*[<>]=?\s*\d{1,2}\b`)
	pyAssign = inspect.Pattern(`^([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?)\s*(?::[^=]+)?=([^=].*)$`)
)

// loops returns the loops around a statement up to its function, innermost first.
func (p *pyCode) loops(i int) []int {
	var out []int
	for at := p.lines[i].parent; at >= 0; at = p.lines[at].parent {
		if pyScope.MatchString(p.lines[at].mask) {
			break
		}
		if pyLoop.MatchString(p.lines[at].mask) {
			out = append(out, at)
		}
	}
	return out
}

// scope returns the function around a statement, -1 for the module.
func (p *pyCode) scope(i int) int {
	for at := p.lines[i].parent; at >= 0; at = p.lines[at].parent {
		if pyScope.MatchString(p.lines[at].mask) {
			return at
		}
	}
	return -1
}

// below reports whether statement i is in the block that belongs to the statement with the index block.
func (p *pyCode) below(i, block int) bool { return i > block && i < p.lines[block].end }

// inside returns the text of the block of a statement with spaces in place of the content of strings.
func (p *pyCode) inside(block int) string {
	var b strings.Builder
	for i := block; i < p.lines[block].end; i++ {
		b.WriteString(p.lines[i].mask)
		b.WriteByte('\n')
	}
	return b.String()
}

// grown returns the outermost of the long loops around a statement that end before the variable does. It returns -1
// unless fits accepts the last value that the function assigns to the variable before that loop.
func (p *pyCode) grown(i int, name string, fits func(value string) bool) int {
	found := -1
	for _, loop := range p.loops(i) {
		if p.sets(loop, name) {
			break
		}
		if !pySmall.MatchString(p.lines[loop].mask) {
			found = loop
		}
	}
	if found < 0 {
		return -1
	}
	scope := p.scope(i)
	// Look for the last assignment in the same function before the loop.
	for at := found - 1; at > scope; at-- {
		if !strings.HasPrefix(p.lines[at].mask, name) || p.scope(at) != scope {
			continue
		}
		if m := pyAssign.FindStringSubmatch(p.lines[at].mask); m != nil && m[1] == name {
			if fits(strings.TrimSpace(m[2])) && !endsLoopBetween(p, at, found) {
				return found
			}
			return -1
		}
	}
	return -1
}

// endsLoopBetween reports whether an assignment is in a block that ends before a loop begins. at and loop are the
// indexes of the two statements.
func endsLoopBetween(p *pyCode, at, loop int) bool {
	parent := p.lines[at].parent
	return parent >= 0 && !p.below(loop, parent)
}

// sets reports whether a loop assigns a new value to the variable, other than by extending it, or removes something
// from it.
func (p *pyCode) sets(loop int, name string) bool {
	key := strconv.Itoa(loop) + " " + name
	known, ok := p.set[key]
	if !ok {
		known = p.looksSet(loop, name)
		p.set[key] = known
	}
	return known
}

func (p *pyCode) looksSet(loop int, name string) bool {
	for i := loop; i < p.lines[loop].end; i++ {
		mask := p.lines[i].mask
		if !strings.Contains(mask, name) {
			continue
		}
		if vars, _, ok := strings.Cut(mask, " in "); ok && strings.HasPrefix(vars, "for") && slices.Contains(words(vars), name) {
			return true
		}
		if m := pyAssign.FindStringSubmatch(mask); m != nil && m[1] == name && !strings.HasPrefix(strings.TrimSpace(m[2]), name+" +") {
			return true
		}
		if strings.HasPrefix(mask, "del "+name) || strings.Contains(mask, " as "+name+":") || strings.Contains(mask, ", "+name+" =") || strings.HasPrefix(mask, name+", ") {
			return true
		}
		for _, call := range []string{".clear(", ".pop(", ".popleft(", ".remove("} {
			if strings.Contains(mask, name+call) {
				return true
			}
		}
	}
	return false
}

func words(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// overMany reports whether one of the loops around statement i goes over a collection whose name contains a word of the
// list many. outermost is the index of the outermost loop to look at.
func (p *pyCode) overMany(i, outermost int) bool {
	for _, loop := range p.loops(i) {
		if head := p.lines[loop].mask; len(head) < 400 && !pySmall.MatchString(head) && namesMany(head) {
			return true
		}
		if loop == outermost {
			break
		}
	}
	return false
}

// leaves reports whether a statement after statement i in the same block leaves the loop.
func (p *pyCode) leaves(i int) bool {
	for at := i + 1; at < len(p.lines); at++ {
		if p.lines[at].parent == p.lines[i].parent {
			word, _, _ := strings.Cut(p.lines[at].mask, " ")
			if word == "return" || word == "break" || word == "raise" {
				return true
			}
		} else if p.lines[at].indent < p.lines[i].indent {
			return false
		}
	}
	return false
}
