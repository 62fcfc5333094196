package alchemist

import (
	"slices"
	"strconv"
)

// around returns the indexes of the loops around a token within its function, innermost first. The function passed to
// forEach counts as the body of a loop.
func (s *scriptCode) around(i int) []int {
	var out []int
	for n, loop := range slices.Backward(s.loops) {
		if loop.body <= i && i <= loop.to && s.sameFunction(i, loop) {
			out = append(out, n)
		}
		if len(out) == deepest {
			break
		}
	}
	return out
}

// sameFunction reports whether a token is in the same function as a loop around it. The function passed to forEach does
// not count as a function of its own.
func (s *scriptCode) sameFunction(i int, loop scriptLoop) bool {
	functions := 0
	for at, steps := s.tokens[i].in, 0; at >= loop.body && steps < 200; at, steps = s.tokens[at].in, steps+1 {
		if s.is(at, "{") && (s.is(at-1, "=>") || s.is(at-1, ")") && s.functionHead(s.tokens[at-1].pair)) {
			functions++
		}
	}
	if s.is(loop.from, "forEach") {
		functions--
	}
	return functions <= 0
}

// functionHead reports whether the parenthesis at open begins the parameters of a function and not the head of an if or
// a loop.
func (s *scriptCode) functionHead(open int) bool {
	switch s.text(open - 1) {
	case "if", "for", "while", "switch", "catch", "with", "await":
		return false
	}
	return true
}

// small reports whether the loop's text limits its turns to a small number, or to the entries of a
// literal list.
func (s *scriptCode) small(loop scriptLoop) bool {
	if s.is(loop.from, "forEach") {
		return s.is(loop.from-2, "]") && s.listAt(s.tokens[loop.from-2].pair)
	}
	end := s.tokens[loop.head].pair
	if s.is(end-1, "]") && s.listAt(s.tokens[end-1].pair) {
		return true
	}
	for i := loop.head + 1; i < end; i++ {
		if s.is(i, "<") || s.is(i, ">") {
			at := i + 1
			if s.is(at, "=") {
				at++
			}
			if n, err := strconv.Atoi(s.text(at)); err == nil && n > 1 && n < manyTurns {
				return true
			}
		}
	}
	return false
}

// listAt reports whether a bracket opens a list literal without a spread. A bracket may also open an index, and a list
// with a spread may be long.
func (s *scriptCode) listAt(open int) bool {
	switch s.text(open - 1) {
	case "of", "(", "=", ",", "return", ":", "?", ";", "{", "}", "=>":
		for i := open; i < s.tokens[open].pair; i++ {
			if s.is(i, "...") {
				return false
			}
		}
		return open >= 0
	}
	return false
}

// grown returns the long loops over collections around a token that end before the list does, innermost first. A list
// outlives a loop if it is declared as [] before the loop, in a block that contains the loop, and is not reset inside.
func (s *scriptCode) grown(i int, name string) []scriptLoop {
	var out []scriptLoop
	loops := s.around(i)
	if len(loops) == 0 || name == "" || !isWord(name[0]) {
		return nil
	}
	at := s.declared(s.loops[loops[0]].from, name)
	if at < 0 {
		return nil
	}
	for _, n := range loops {
		loop := s.loops[n]
		if at > loop.from || s.sets(loop, name) {
			break
		}
		if !s.small(loop) && !s.is(loop.from, "while") {
			out = append(out, loop)
		}
	}
	return out
}

// overMany reports whether one of the loops goes over a collection whose name contains a word of the list many.
func (s *scriptCode) overMany(loops []scriptLoop) bool {
	for _, loop := range loops {
		from, to := loop.head, s.tokens[loop.head].pair
		if s.is(loop.from, "forEach") { // the expression before .forEach, and the parameter
			from, to = loop.from-6, loop.from+4
		}
		for i := max(0, from); i <= to && i < from+30; i++ {
			if namesMany(s.text(i)) {
				return true
			}
		}
	}
	return false
}

// declared returns the position of the nearest "name = []" or "name = {}" before a token, in a block that contains the
// token. It returns -1 if another declaration or assignment of the name is nearer.
func (s *scriptCode) declared(before int, name string) int {
	for i := before - 1; i > 0; i-- {
		if !s.is(i, name) || s.is(i-1, ".") {
			continue
		}
		at := i + 1
		if s.is(at, ":") { // its type
			for at < len(s.tokens) && at < i+30 && !s.is(at, "=") && !s.is(at, ";") {
				at++
			}
		}
		if !s.is(at, "=") || s.is(at+1, "=") {
			if s.is(i-1, "const") || s.is(i-1, "let") || s.is(i-1, "var") {
				return -1
			}
			continue
		}
		if (s.is(at+1, "[") && s.is(at+2, "]") || s.is(at+1, "{") && s.is(at+2, "}")) && s.holds(s.tokens[i].in, before) {
			return i
		}
		return -1
	}
	return -1
}

func (s *scriptCode) holds(bracket, i int) bool {
	return bracket < 0 || s.tokens[bracket].pair < 0 || bracket < i && i < s.tokens[bracket].pair
}

// sets reports whether a loop assigns a new value to the list or removes something from it.
func (s *scriptCode) sets(loop scriptLoop, name string) bool {
	for i := loop.from; i <= loop.to; i++ {
		if !s.is(i, name) || s.is(i-1, ".") {
			continue
		}
		switch s.text(i + 1) {
		case "=":
			if !s.is(i+2, "=") {
				return true
			}
		case ".":
			switch s.text(i + 2) {
			case "pop", "shift", "splice":
				return true
			case "length":
				if s.is(i+3, "=") && !s.is(i+4, "=") {
					return true
				}
			}
		}
		if s.is(i-1, "let") || s.is(i-1, "const") || s.is(i-1, "var") {
			return true
		}
	}
	return false
}

// calls reports whether a loop calls a method of the list.
func (s *scriptCode) calls(loop scriptLoop, name, method string) bool {
	for i := loop.from; i+3 <= loop.to; i++ {
		if s.is(i, name) && s.is(i+1, ".") && s.is(i+2, method) && !s.is(i-1, ".") {
			return true
		}
	}
	return false
}

// leaves reports whether a later statement in the block of token i leaves the loop.
func (s *scriptCode) leaves(i int) bool {
	in := s.tokens[i].in
	end := len(s.tokens)
	if in >= 0 && s.tokens[in].pair > 0 {
		end = s.tokens[in].pair
	}
	for at := i + 1; at < end; at++ {
		if p := s.tokens[at].pair; p > at {
			at = p
			continue
		}
		if s.is(at, "return") || s.is(at, "break") {
			return true
		}
	}
	return false
}
