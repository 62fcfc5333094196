package script

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"agentdungeon/shared/world"
)

// Limits of the format besides MaxFile.
const (
	maxRules      = 1000
	maxSteps      = 1000 // of one rule
	maxRepeat     = 10_000_000
	maxChunkWords = 1000
	maxGap        = 60_000    // ms between two chunks
	maxDelay      = 3_600_000 // ms of one step
	maxPath       = 4096      // bytes, as on the wire
	maxLabel      = 64        // bytes of activity, tool, area
	maxWords      = 1000      // bytes of match's words
)

var (
	plainName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	errorCode = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)
)

// Parse parses a script strictly. Unknown fields, wrong types, values out of range and steps that
// can never be played are errors, each in the form "name: turns[2].steps[0].finding.severity: what
// is wrong". It reports up to ten at once.
func Parse(name string, data []byte) (*Script, error) {
	r := &reader{name: name}
	root := r.tree(data)
	var s *Script
	if root != nil {
		s = r.script(root)
	}
	if err := r.err(); err != nil {
		return nil, err
	}
	s.used = make([]int, len(s.rules))
	s.tries = map[slot]int{}
	return s, nil
}

// pacing is how text is streamed unless a step says otherwise.
type pacing struct{ gapMS, words int }

func (r *reader) script(root *node) *Script {
	s := &Script{}
	if all, ok := root.value.(map[string]*node); ok && all["version"] != nil {
		if n := r.whole(all["version"], 1, math.MaxInt); n != 1 {
			r.fail(all["version"], "is %d; this server plays version 1", n)
			return s // what else it holds may well be right there
		}
	}
	fields, ok := r.object(root, "version", "about", "defaults", "turns", "otherwise")
	if !ok {
		return s
	}
	if fields["version"] == nil {
		r.fail(root, `has no "version"; write "version": 1`)
	}
	if about := fields["about"]; about != nil {
		r.str(about)
	}
	pace := pacing{gapMS: 40, words: 3}
	if d := fields["defaults"]; d != nil {
		if df, ok := r.object(d, "chunkMs", "chunkWords"); ok {
			pace = r.pacing(df, pace)
		}
	}
	turns, otherwise := fields["turns"], fields["otherwise"]
	if turns == nil && otherwise == nil {
		r.fail(root, `has neither "turns" nor "otherwise", so nobody would speak`)
	}
	if turns != nil {
		for _, n := range r.list(turns, maxRules) {
			s.rules = append(s.rules, r.rule(n, pace))
		}
	}
	if otherwise != nil {
		s.otherwise = r.steps(otherwise, pace)
	}
	return s
}

func (r *reader) pacing(fields map[string]*node, pace pacing) pacing {
	if n := fields["chunkMs"]; n != nil {
		pace.gapMS = r.whole(n, 0, maxGap)
	}
	if n := fields["chunkWords"]; n != nil {
		pace.words = r.whole(n, 1, maxChunkWords)
	}
	return pace
}

func (r *reader) rule(n *node, pace pacing) rule {
	var out rule
	fields, ok := r.object(n, "about", "match", "times", "steps")
	if !ok {
		return out
	}
	if about := fields["about"]; about != nil {
		r.str(about)
	}
	if m := fields["match"]; m != nil {
		r.match(m, &out)
	}
	if t := fields["times"]; t != nil {
		out.times = r.whole(t, 1, math.MaxInt)
	}
	if s := fields["steps"]; s != nil {
		out.steps = r.steps(s, pace)
	} else {
		r.fail(n, "has no steps")
	}
	return out
}

func (r *reader) match(n *node, out *rule) {
	fields, ok := r.object(n, "kind", "role", "member", "stage", "completion", "words", "turn", "attempt", "run")
	if !ok {
		return
	}
	for _, key := range sortedKeys(fields) {
		f := fields[key]
		switch key {
		case "kind":
			if out.kind = r.str(f); !slices.Contains(kinds, out.kind) {
				r.fail(f, "must be one of %s", strings.Join(kinds, ", "))
			}
		case "member":
			out.member = r.id(f)
		case "words":
			out.words = strings.ToLower(r.label(f, maxWords))
		case "role":
			out.role = r.id(f)
		case "stage":
			out.stage = r.id(f)
		case "completion":
			out.completion = r.str(f)
			if out.completion != world.CompleteTurns && out.completion != world.CompleteSignal {
				r.fail(f, "must be %s or %s", world.CompleteTurns, world.CompleteSignal)
			}
		case "turn":
			out.turn = r.whole(f, 1, math.MaxInt)
		case "attempt":
			out.attempt = r.whole(f, 1, math.MaxInt)
		case "run":
			out.run = r.whole(f, 1, math.MaxInt)
		}
	}
}

var kinds = []string{world.KindProcess, world.KindCouncil, world.KindChat, world.KindParty, world.KindForge}

// id reads the id of a role or a stage, in the form of the templates.
func (r *reader) id(n *node) string {
	s := r.str(n)
	if !plainName.MatchString(s) {
		r.fail(n, "must be an id: 1 to 64 characters of A-Z a-z 0-9 _ -")
	}
	return s
}
