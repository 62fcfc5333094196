package script

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"agentdungeon/server/jsonfile"
	"agentdungeon/shared/world"
)

// MaxFile is the maximum size of a script in bytes.
const MaxFile = 1 << 20

// Limits of the format. MaxFile is a limit too.
const (
	maxRules      = 1000
	maxSteps      = 1000 // steps of one rule
	maxRepeat     = 10_000_000
	maxChunkWords = 1000
	maxGap        = 60_000    // ms between two chunks
	maxDelay      = 3_600_000 // ms of one step
	maxPath       = 4096      // bytes, as on the wire
	maxLabel      = 64        // bytes of an activity, a tool or an area
	maxWords      = 1000      // bytes of the field words of a match
)

// Parse parses a script strictly. Unknown fields, wrong types, values out of range and steps that can never be played
// are errors, each in the form "name: turns[2].steps[0].finding.severity: what is wrong (line 7, column 12)". Parse
// reports at most the first ten errors.
func Parse(name string, data []byte) (*Script, error) {
	if len(data) > MaxFile {
		return nil, fmt.Errorf("%s: the script is larger than %d bytes", name, MaxFile)
	}
	r := reader{jsonfile.New(name, MaxFile)}
	r.Keep(maxFaults)
	root := node{value: r.Read(data)}
	if err := r.Err(); err != nil {
		return nil, err
	}
	s := r.script(root)
	if err := r.Err(); err != nil {
		return nil, err
	}
	s.used = make([]int, len(s.rules))
	s.tries = map[slot]int{}
	return s, nil
}

func (r reader) script(root node) *Script {
	s := &Script{}
	if all, ok := root.value.(map[string]any); ok && all["version"] != nil {
		if n := r.whole(node{"version", all["version"]}, 1, math.MaxInt); n != 1 {
			r.Fail("version", "is %d; this server plays version 1", n)
			return s // do not read on: another version may have other fields
		}
	}
	fields := r.object(root, "version", "about", "defaults", "turns", "otherwise")
	r.whole(root.field(fields, "version"), 1, 1)
	r.about(fields)
	pace := pacing{gap: 40 * time.Millisecond, words: 3}
	if d, ok := fields["defaults"]; ok {
		pace = r.pacing(r.object(d, "chunkMs", "chunkWords"), pace)
	}
	turns, hasTurns := fields["turns"]
	otherwise, hasOtherwise := fields["otherwise"]
	if !hasTurns && !hasOtherwise {
		r.Fail("", `has neither "turns" nor "otherwise", so nobody would speak`)
	}
	if hasTurns {
		for _, n := range r.list(turns, maxRules) {
			s.rules = append(s.rules, r.rule(n, pace))
		}
	}
	if hasOtherwise {
		s.otherwise = r.steps(otherwise, pace)
	}
	return s
}

// about checks the field "about" of a script or a rule, which is a comment for people.
func (r reader) about(fields map[string]node) {
	if about, ok := fields["about"]; ok {
		r.str(about)
	}
}

func (r reader) rule(n node, pace pacing) rule {
	var out rule
	fields := r.object(n, "about", "match", "times", "steps")
	r.about(fields)
	if m, ok := fields["match"]; ok {
		r.match(m, &out)
	}
	if t, ok := fields["times"]; ok {
		out.times = r.whole(t, 1, math.MaxInt)
	}
	out.steps = r.steps(n.field(fields, "steps"), pace)
	return out
}

func (r reader) match(n node, out *rule) {
	fields := r.object(n, "kind", "role", "member", "stage", "completion", "words", "turn", "attempt", "run")
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		switch f := fields[key]; key {
		case "kind":
			out.kind = r.OneOf(f.value, f.at, world.Kinds...)
		case "role":
			out.role = r.ID(f.value, f.at)
		case "member":
			out.member = r.ID(f.value, f.at)
		case "stage":
			out.stage = r.ID(f.value, f.at)
		case "completion":
			out.completion = r.OneOf(f.value, f.at, world.CompleteTurns, world.CompleteSignal)
		case "words":
			out.words = strings.ToLower(r.label(f, maxWords))
		case "turn":
			out.turn = r.whole(f, 1, math.MaxInt)
		case "attempt":
			out.attempt = r.whole(f, 1, math.MaxInt)
		case "run":
			out.run = r.whole(f, 1, math.MaxInt)
		}
	}
}
