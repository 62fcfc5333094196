package script

import (
	"encoding/base64"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

	"agentdungeon/shared/pattern"
	"agentdungeon/shared/world"
)

// stepKinds lists the kinds of steps. A step has one field that says which kind it is, and may have further fields.
// The function read gets that field's value as n, and all fields of the step.
var stepKinds = []struct {
	name    string
	options []string
	read    func(r reader, n node, fields map[string]node, pace pacing) step
}{
	{"say", []string{"repeat", "chunkMs", "chunkWords"}, reader.say},
	{"chunks", []string{"chunkMs"}, reader.chunks},
	{"bytes", []string{"chunkMs"}, reader.bytes},
	{"delayMs", []string{"always"}, reader.delay},
	{"finding", nil, reader.finding},
	{"artifact", nil, reader.artifact},
	{"insight", nil, reader.insight},
	{"activity", []string{"tool"}, reader.activity}, // it comes before tool, because activity has an option named tool
	{"read", nil, reader.reads},
	{"tool", nil, reader.tool},
	{"thought", nil, reader.thought},
	{"seal", nil, reader.seal},
	{"error", nil, reader.fails},
	{"stall", nil, reader.stalls},
	{"empty", nil, reader.empty},
}

func (r reader) steps(n node, pace pacing) []step {
	items := r.list(n, maxSteps)
	out := make([]step, 0, len(items))
	spoke := false
	for i, item := range items {
		s := r.step(item, pace)
		if s == nil {
			continue
		}
		ends := false
		switch s := s.(type) {
		case say, chunks, raw:
			spoke = true
		case tool:
			ends = s.open
		case fail, stall:
			ends = true
		case empty:
			ends = true
			if spoke {
				r.Fail(item.at, "a turn with text cannot have the step empty")
			}
		}
		if ends && i < len(items)-1 {
			r.Fail(items[i+1].at, "is never played: the step before it ends the turn")
		}
		out = append(out, s)
	}
	return out
}

func (r reader) step(n node, pace pacing) step {
	if _, ok := n.value.(map[string]any); !ok {
		r.Fail(n.at, "must be an object")
		return nil
	}
	fields := r.object(n)
	found := -1
	var names []string
	for i, kind := range stepKinds {
		names = append(names, kind.name)
		if _, ok := fields[kind.name]; !ok || found >= 0 && slices.Contains(stepKinds[found].options, kind.name) {
			continue
		}
		if found >= 0 {
			r.Fail(n.at, "is one step, not %s and %s at once", stepKinds[found].name, kind.name)
			return nil
		}
		found = i
	}
	if found < 0 {
		r.Fail(n.at, "is no step; a step has one of %s", strings.Join(names, ", "))
		return nil
	}
	kind := stepKinds[found]
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if key != kind.name && !slices.Contains(kind.options, key) {
			r.Fail(fields[key].at, "does not belong to a step with %s", kind.name)
		}
	}
	return kind.read(r, fields[kind.name], fields, r.pacing(fields, pace))
}

func (r reader) say(n node, fields map[string]node, pace pacing) step {
	s := say{text: r.words(n), repeat: 1, words: pace.words, gap: pace.gap}
	if f, ok := fields["repeat"]; ok {
		s.repeat = r.whole(f, 1, maxRepeat)
	}
	return s
}

func (r reader) chunks(n node, _ map[string]node, pace pacing) step {
	return chunks{texts: r.texts(n), gap: pace.gap}
}

func (r reader) texts(n node) []string {
	var out []string
	for _, item := range r.list(n, MaxFile) {
		out = append(out, r.words(item))
	}
	return out
}

func (r reader) bytes(n node, _ map[string]node, pace pacing) step {
	data, err := base64.StdEncoding.DecodeString(r.str(n))
	switch {
	case err != nil:
		r.Fail(n.at, "must be base64")
	case len(data) == 0:
		r.Fail(n.at, "must not be empty")
	}
	return raw{text: string(data), gap: pace.gap}
}

func (r reader) delay(n node, fields map[string]node, _ pacing) step {
	s := delay{d: r.ms(n, 1, maxDelay)}
	if f, ok := fields["always"]; ok {
		s.always = r.isTrue(f)
	}
	return s
}

func (r reader) finding(n node, _ map[string]node, _ pacing) step {
	var s finding
	fields := r.object(n, "severity", "title", "text", "path", "line")
	severity, title := n.field(fields, "severity"), n.field(fields, "title")
	s.Severity = r.OneOf(severity.value, severity.at, world.Severities...)
	s.Title = r.placeholders(title, r.label(title, world.MaxTitle))
	if f, ok := fields["text"]; ok {
		s.Text = r.placeholders(f, r.limited(f, world.MaxFindingText))
	}
	if f, ok := fields["path"]; ok {
		s.Path = r.path(f)
	}
	if f, ok := fields["line"]; ok {
		s.Line = r.whole(f, 1, math.MaxInt)
		if s.Path == "" {
			r.Fail(f.at, "needs a path")
		}
	}
	return s
}

// path reads the path of a file or folder below the root of the repository; "" is the root.
func (r reader) path(n node) string {
	s := r.limited(n, maxPath)
	if s != "" && (!fs.ValidPath(s) || s == "." || strings.ContainsFunc(s, unicode.IsControl)) {
		r.Fail(n.at, `must be a path below the root, like "docs/intro.md"`)
	}
	return s
}

func (r reader) artifact(n node, _ map[string]node, _ pacing) step {
	fields := r.object(n, "name", "text")
	return artifact{Name: r.label(n.field(fields, "name"), world.MaxTitle), Text: r.words(n.field(fields, "text"))}
}

func (r reader) insight(n node, _ map[string]node, _ pacing) step {
	fields := r.object(n, "area", "text")
	return insight{area: r.label(n.field(fields, "area"), maxLabel), text: r.words(n.field(fields, "text"))}
}

func (r reader) activity(n node, fields map[string]node, _ pacing) step {
	s := activity{Activity: r.label(n, maxLabel)}
	if f, ok := fields["tool"]; ok {
		s.Tool = r.label(f, maxLabel)
	}
	return s
}

// reads reads a path without checking that it exists. A script is played in many folders, and the realm ignores a path
// that is not on the map.
func (r reader) reads(n node, _ map[string]node, _ pacing) step {
	return read(r.label(n, maxPath))
}

func (r reader) tool(n node, _ map[string]node, pace pacing) step {
	s := tool{ok: true, repeat: 1}
	fields := r.object(n, "name", "input", "output", "repeat", "ok", "reads", "delayMs", "always", "chunks", "chunkMs",
		"end")
	s.name = r.label(n.field(fields, "name"), maxLabel)
	s.gap = r.pacing(fields, pace).gap
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		switch f := fields[key]; key {
		case "input":
			s.input = r.placeholders(f, r.limited(f, world.MaxToolInput))
		case "output":
			s.output = r.words(f)
		case "repeat":
			s.repeat = r.whole(f, 1, maxRepeat)
		case "ok":
			s.ok = r.boolean(f)
		case "reads":
			s.reads = r.boolean(f)
		case "delayMs":
			s.wait.d = r.ms(f, 1, maxDelay)
		case "always":
			s.wait.always = r.isTrue(f)
		case "chunks":
			s.pieces = r.texts(f)
		case "end":
			s.open = !r.boolean(f)
		}
	}
	if len(s.output)*s.repeat > world.MaxMessageText {
		r.Fail(n.field(fields, "repeat").at, "makes an output of more than %d bytes", world.MaxMessageText)
	}
	for _, key := range []string{"output", "repeat", "ok"} {
		if f, ok := fields[key]; ok && s.open {
			r.Fail(f.at, "has no effect, because this tool never ends")
		}
	}
	return s
}

func (r reader) thought(n node, _ map[string]node, _ pacing) step { return thought(r.words(n)) }

func (r reader) seal(n node, _ map[string]node, _ pacing) step {
	return seal(r.placeholders(n, r.str(n)))
}

var errorCode = pattern.New(`^[a-z][a-z0-9_]{0,39}$`)

func (r reader) fails(n node, _ map[string]node, _ pacing) step {
	fields := r.object(n, "code", "message")
	code := n.field(fields, "code")
	s := fail{code: r.str(code), message: r.words(n.field(fields, "message"))}
	if !errorCode.MatchString(s.code) {
		r.Fail(code.at, `must be a code like "model": 1 to 40 characters of a-z 0-9 _`)
	}
	return s
}

func (r reader) stalls(n node, _ map[string]node, _ pacing) step {
	r.isTrue(n)
	return stall{}
}

func (r reader) empty(n node, _ map[string]node, _ pacing) step {
	r.isTrue(n)
	return empty{}
}
