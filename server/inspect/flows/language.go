package flows

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

// To find out which texts a regular expression lets through, this file examines the automaton of the expression, so
// that it does not matter how the expression is written.

// harm describes the texts that can do harm in some kinds of sinks: those with an ASCII character that is not in
// harmless or is in bad, or with pair twice in a row.
type harm struct {
	kinds         kinds
	harmless, bad string // ASCII characters; one of the two is ""
	pair          string // a character that does harm if it occurs twice in a row, "" for none
}

const wordRunes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

var harms = []harm{
	{sql, wordRunes + "@:+-.", "", "-"},
	{command, wordRunes + "@%+=:,./-", "", ""},
	{files, "", `/\`, "."},
	{narrow, "", `/\`, ""},
	{fetch, wordRunes + "-", "", ""},
	{code | object, wordRunes + ".-", "", ""},
	{template, "", "{}<>%$#", ""},
}

func (h *harm) rune(r rune) bool {
	if h.bad != "" {
		return strings.ContainsRune(h.bad, r)
	}
	return r < 0x80 && !strings.ContainsRune(h.harmless, r)
}

// tokens returns texts of which every harmful text contains at least one.
func (h *harm) tokens() (out []string) {
	for r := rune(0); r < 0x80; r++ {
		if h.rune(r) {
			out = append(out, string(r))
		}
	}
	if h.pair != "" {
		out = append(out, h.pair+h.pair)
	}
	return out
}

// Limits of a pattern: its length in bytes and the instructions of its automaton.
const maxPattern, maxProgram = 400, 2_000

// test says where in a text a match of a pattern has to be. begin is set if the match has to begin where the text
// begins, end if it has to end where the text ends.
type test struct{ begin, end bool }

// program returns the automaton of a pattern, or nil if the pattern is empty, too long, or not one that Go can parse.
// Go's syntax covers most patterns of the other languages.
func program(pattern string, t test) *syntax.Prog {
	if pattern == "" || len(pattern) > maxPattern || strings.Contains(pattern, "\x00") {
		return nil
	}
	pattern = "(?:" + inGo(pattern) + ")"
	if !t.begin {
		pattern = "(?s:.*)" + pattern
	}
	if !t.end {
		pattern += "(?s:.*)"
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil || len(prog.Inst) > maxProgram {
		return nil
	}
	return prog
}

// escape matches a backslash with the characters that it escapes.
var escape = inspect.Pattern(`\\(?:u[0-9a-fA-F]{4}|.)`)

// inGo returns a pattern of another language with the escapes \Z and \u001e as Go writes them: \z and \x{001e}.
func inGo(pattern string) string {
	return escape.ReplaceAllStringFunc(pattern, func(e string) string {
		switch {
		case e == `\Z`:
			return `\z`
		case len(e) > len(`\u`) && e[1] == 'u':
			return `\x{` + e[len(`\u`):] + `}`
		}
		return e
	})
}

// passing is a state of an automaton that reads a text: its instruction, and what is known of the text so far.
type passing struct {
	pc                         uint32
	harmful, half, began, done bool
}

// lets reports whether an automaton accepts some harmful text.
func (h *harm) lets(prog *syntax.Prog) bool {
	seen := map[passing]bool{}
	todo := []passing{{pc: uint32(prog.Start)}}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[s] {
			continue
		}
		seen[s] = true
		inst := &prog.Inst[s.pc]
		next := s
		next.pc = inst.Out
		switch inst.Op {
		case syntax.InstMatch:
			if s.harmful {
				return true
			}
		case syntax.InstAlt, syntax.InstAltMatch:
			other := s
			other.pc = inst.Arg
			todo = append(todo, next, other)
		case syntax.InstEmptyWidth:
			op := syntax.EmptyOp(inst.Arg)
			next.done = s.done || op&syntax.EmptyEndText != 0
			if op&syntax.EmptyBeginText == 0 || !s.began {
				todo = append(todo, next)
			}
		case syntax.InstCapture, syntax.InstNop:
			todo = append(todo, next)
		case syntax.InstFail:
		default:
			if !s.done {
				todo = append(todo, h.reads(inst, next)...)
			}
		}
	}
	return false
}

// reads returns the possible states after an instruction that reads one rune.
func (h *harm) reads(inst *syntax.Inst, s passing) (out []passing) {
	s.began = true
	for r := rune(0); r <= 0x80; r++ { // 0x80 stands for every rune that is not ASCII
		if !accepts(inst, r) {
			continue
		}
		n := s
		n.half = string(r) == h.pair
		n.harmful = s.harmful || h.rune(r) || s.half && n.half
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

func accepts(inst *syntax.Inst, r rune) bool {
	switch inst.Op {
	case syntax.InstRuneAny:
		return true
	case syntax.InstRuneAnyNotNL:
		return r != '\n'
	}
	if r < 0x80 {
		return inst.MatchRune(r)
	}
	return len(inst.Rune) > 0 && inst.Rune[len(inst.Rune)-1] >= r
}

// matching returns the kinds of harm that a text cannot do if the pattern matches it at the place that t demands. known
// is false if the pattern cannot be parsed.
func matching(pattern string, t test) (out kinds, known bool) {
	prog := program(pattern, t)
	if prog == nil {
		return 0, false
	}
	for i := range harms {
		if h := &harms[i]; !h.lets(prog) {
			out |= h.kinds
		}
	}
	return out.settled(), true
}

// admits reports whether some text that the pattern matches as a whole contains one of the runes. It also returns
// true if the pattern cannot be parsed.
func admits(pattern, runes string) bool {
	prog := program(pattern, test{true, true})
	return prog == nil || (&harm{bad: runes}).lets(prog)
}

// failing returns the kinds of harm that a text cannot do if the pattern matches nowhere in it.
func failing(pattern string) (out kinds) {
	prog := program(pattern, test{true, true})
	if prog == nil || slices.ContainsFunc(prog.Inst, func(i syntax.Inst) bool { return i.Op == syntax.InstEmptyWidth }) {
		return 0
	}
	re, err := regexp.Compile(inGo(pattern))
	if err != nil {
		return 0
	}
	for i := range harms {
		h := &harms[i]
		if !slices.ContainsFunc(h.tokens(), func(token string) bool { return !re.MatchString(token) }) {
			out |= h.kinds
		}
	}
	if re.MatchString("..") {
		out |= files
	}
	return out.settled()
}

// settled removes narrow (no path separator) from k if k has files (no harm to files at all), which says more.
func (k kinds) settled() kinds {
	if k&files != 0 {
		k &^= narrow
	}
	return k
}

// expression begins the dotted name that the engine gives to a JavaScript regular expression; the flags follow.
const expression = "RegExp/"

// pattern lowers a regular expression of JavaScript.
func pattern(out *Expr, text, flags string) *Expr {
	inside := strings.Map(func(r rune) rune {
		if strings.ContainsRune("ims", r) {
			return r
		}
		return -1
	}, flags)
	if inside != "" {
		text = "(?" + inside + ":" + text + ")"
	}
	out.Kind, out.Text, out.Keys = Const, text, []string{expression + flags}
	return out
}

// matched returns the kinds of harm that the result of a call cannot do, because it is the match of a pattern, or
// because the call replaces all matches of a pattern.
func (t *table) matched(c *site) (out kinds) {
	if len(c.args) == 0 {
		return 0
	}
	every := c.method == "replaceAll" || c.method == "ReplaceAll" || c.method == "replace" && t.patterns["re.match"]
	if k := len(c.args); every && k > 1 && c.args[k-1].isFixed() && c.args[k-2].isFixed() && c.args[k-2].text == "/" &&
		!strings.Contains(c.args[k-1].text, "/") {
		return narrow
	}
	if !strings.HasPrefix(c.args[0].symbol(), expression) {
		return 0
	}
	p, all := c.args[0].text, strings.Contains(c.args[0].sym[len(expression):], "g")
	switch {
	case c.method == "replace" && all && (p == "/" || p == `\/`) && len(c.args) > 1 && c.args[1].isFixed() &&
		!strings.Contains(c.args[1].text, "/"):
		return narrow
	case c.method == "match":
		out, _ = matching(p, test{true, true})
	case c.method != "replace" && c.method != "replaceAll" || !all || len(c.args) < 2 || !c.args[1].isFixed():
		return 0
	default:
		out = failing(p)
		for i := range harms {
			h := &harms[i]
			if slices.ContainsFunc(h.tokens(), func(token string) bool { return strings.Contains(c.args[1].text, token) }) {
				out &^= h.kinds
			}
		}
	}
	return out
}

func (v *value) isFixed() bool { return v != nil && v.fixed }
