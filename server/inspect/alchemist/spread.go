package alchemist

import (
	"context"

	"agentdungeon/server/inspect"
)

func spreads() inspect.Check {
	return inspect.Check{
		ID: "alchemist/spread-accumulate", Hero: hero, Local: true,
		Looks: "JavaScript that copies all collected elements into a new list or object for each new element",
		Rule:  "Medium in a reduce over things that may be many (rows, lines, users), else low.",
		Run:   runSpreads,
	}
}

func runSpreads(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	words := told{
		one:  func(p place) string { return "Each step copies all of " + short(p.name) + " that is collected so far" },
		many: "All that is collected so far is copied for each element at %d places",
		easy: inspect.Low, hard: inspect.Medium,
		why:    "The spread copies every element that is there already: twice as many elements cost four times the work, and the copies are thrown away.",
		advice: "Make one list or object before, and push to it or set its keys; it is not shared before the end.",
	}
	for f, data := range scripts(ctx, r, "...") {
		s := readScript(data)
		var out []place
		looks := 0
		for i := range s.tokens {
			if !s.is(i, "...") || looks == maxLooks || len(out) == maxPlaces {
				continue
			}
			looks++
			if p, ok := s.spread(i); ok {
				out = append(out, p)
			}
		}
		words.tell(f, data, out, report)
	}
	return ctx.Err()
}

// spread reports whether the "..." at a token copies the list or object that a reduce or a loop builds up.
func (s *scriptCode) spread(i int) (place, bool) {
	name, open := s.text(i+1), s.tokens[i].in
	// The spread must copy the whole variable and be the first element of the new list or object.
	if name == "" || !isWord(name[0]) || open != i-1 || !s.is(open, "[") && !s.is(open, "{") || !s.is(i+2, ",") || s.is(open-1, ".") {
		return place{}, false
	}
	p := place{line: s.tokens[i].line, name: name}
	if s.is(open-1, "=") && s.is(open-2, name) && !s.is(open-3, ".") {
		loops := s.around(i)
		if len(loops) == 0 || s.leaves(i) || s.leaves(open-2) {
			return p, false
		}
		loop := s.loops[loops[0]]
		if s.declared(loop.from, name) < 0 || s.small(loop) || !s.overMany([]scriptLoop{loop}) || s.is(loop.from, "while") || s.resets(loop, name, open-2) || s.kept(loop, name) {
			return p, false
		}
		return p, true
	}
	found := s.reduces(open, &p)
	return p, found
}

// resets reports whether the loop declares or assigns the variable. The parameter but is the index of the token of an
// assignment that resets ignores.
func (s *scriptCode) resets(loop scriptLoop, name string, but int) bool {
	for at := loop.from; at <= loop.to; at++ {
		if at == but || !s.is(at, name) || s.is(at-1, ".") {
			continue
		}
		if s.is(at+1, "=") && !s.is(at+2, "=") || s.is(at-1, "let") || s.is(at-1, "const") || s.is(at-1, "var") {
			return true
		}
	}
	return false
}

// kept reports whether the loop stores, returns or passes the variable. Then each copy may be needed.
func (s *scriptCode) kept(loop scriptLoop, name string) bool {
	for at := loop.body; at <= loop.to; at++ {
		if s.is(at, name) && !s.is(at-1, "...") && !s.is(at-1, ".") && (s.is(at-1, "(") || s.is(at-1, ",") || s.is(at-1, "return") || s.is(at-1, ":") || s.is(at-1, "yield")) &&
			(s.is(at+1, ")") || s.is(at+1, ",") || s.is(at+1, ";") || s.is(at+1, "}")) {
			return true
		}
	}
	return false
}

// reduces reports whether the list or object at open is the result of the function passed to a reduce, and p.name is
// the first parameter of that function.
func (s *scriptCode) reduces(open int, p *place) bool {
	given := s.is(open-1, "return") || s.is(open-1, "=>") || s.is(open-1, "(") && s.is(open-2, "=>") || s.is(open-1, ":") || s.is(open-1, "?")
	if !given {
		return false
	}
	// Go outwards from the literal to the parentheses of the call of reduce.
	functions := 0
	for at, steps := open, 0; at >= 0 && steps < 50; at, steps = s.tokens[at].in, steps+1 {
		if s.is(at, "{") && (s.is(at-1, "=>") || s.is(at-1, ")") && s.functionHead(s.tokens[at-1].pair)) {
			functions++
		}
		if !s.is(at, "(") || !s.reduceAt(at) {
			continue
		}
		if functions > 1 || s.shortList(at) || !s.startsEmpty(at, s.text(open)) {
			return false
		}
		for i := at - 1; i > 0 && i > at-12 && !s.is(i, ";") && !s.is(i, "="); i-- {
			p.hard = p.hard || namesMany(s.text(i))
		}
		first := at + 1
		for s.is(first, "(") || s.is(first, "function") || s.is(first, "async") {
			first++
		}
		return s.is(first, p.name)
	}
	return false
}

// startsEmpty reports whether the initial value of a reduce is a list, or an object without keys. If the initial object
// has keys, the reduce usually adds no further keys.
func (s *scriptCode) startsEmpty(open int, kind string) bool {
	last, end := -1, s.tokens[open].pair
	for i := open + 1; i < end; i++ {
		if p := s.tokens[i].pair; p > i {
			i = p
		} else if s.is(i, ",") && i+1 < end {
			last = i + 1
		}
	}
	if last < 0 || !s.is(last, kind) {
		return false
	}
	return kind == "[" || s.is(last+1, "}")
}

// reduceAt matches .reduce( or .reduce<Type>(.
func (s *scriptCode) reduceAt(open int) bool {
	at := open - 1
	if s.is(at, ">") {
		for depth, steps := 0, 0; at >= 0 && steps < 60; at, steps = at-1, steps+1 {
			if s.is(at, ">") {
				depth++
			} else if s.is(at, "<") {
				if depth--; depth == 0 {
					at--
					break
				}
			}
		}
	}
	return s.is(at, "reduce") && s.is(at-1, ".")
}

// shortList reports whether reduce is called on a list literal.
func (s *scriptCode) shortList(open int) bool {
	at := open - 1
	for at > 0 && !s.is(at, "reduce") {
		at--
	}
	return s.is(at-2, "]") && s.tokens[at-2].pair >= 0 && s.listAt(s.tokens[at-2].pair)
}
