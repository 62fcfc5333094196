package script

import (
	"encoding/base64"
	"io/fs"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"agentdungeon/shared/world"
)

// stepKinds has the fields that determine what a step does, each with the other fields that it may
// have.
var stepKinds = []struct {
	name    string
	options []string
	read    func(*reader, *node, map[string]*node, pacing) step
}{
	{"say", []string{"repeat", "chunkMs", "chunkWords"}, (*reader).say},
	{"chunks", []string{"chunkMs"}, (*reader).chunks},
	{"bytes", []string{"chunkMs"}, (*reader).bytes},
	{"delayMs", []string{"always"}, (*reader).delay},
	{"finding", nil, (*reader).finding},
	{"artifact", nil, (*reader).artifact},
	{"insight", nil, (*reader).insight},
	{"activity", []string{"tool"}, (*reader).activity}, // before tool, because it has an option of that name
	{"read", nil, (*reader).reads},
	{"tool", nil, (*reader).tool},
	{"thought", nil, (*reader).thought},
	{"seal", nil, (*reader).seal},
	{"error", nil, (*reader).fails},
	{"stall", nil, (*reader).stalls},
	{"empty", nil, (*reader).empty},
}

func (r *reader) steps(n *node, pace pacing) []step {
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
				r.fail(item, "a turn that has said something is not empty")
			}
		}
		if ends && i < len(items)-1 {
			r.fail(items[i+1], "is never played: the step before it ends the turn")
		}
		out = append(out, s)
	}
	return out
}

func (r *reader) step(n *node, pace pacing) step {
	fields, ok := n.value.(map[string]*node)
	if !ok {
		r.fail(n, "must be an object")
		return nil
	}
	found := -1
	var names []string
	for i, kind := range stepKinds {
		names = append(names, kind.name)
		if fields[kind.name] == nil {
			continue
		}
		if found >= 0 && slices.Contains(stepKinds[found].options, kind.name) {
			continue
		}
		if found >= 0 {
			r.fail(n, "is one step, not %s and %s at once", stepKinds[found].name, kind.name)
			return nil
		}
		found = i
	}
	if found < 0 {
		r.fail(n, "is no step; a step has one of %s", strings.Join(names, ", "))
		return nil
	}
	kind := stepKinds[found]
	for _, key := range sortedKeys(fields) {
		if key != kind.name && !slices.Contains(kind.options, key) {
			r.fail(fields[key], "does not belong to a step with %s", kind.name)
		}
	}
	return kind.read(r, fields[kind.name], fields, r.pacing(fields, pace))
}

// words reads a non-empty text, which may have placeholders.
func (r *reader) words(n *node) string {
	s := r.str(n)
	if s == "" && n.value == "" {
		r.fail(n, `must not be empty; a turn without a word is {"empty": true}`)
	}
	return r.placeholders(n, s)
}

func (r *reader) placeholders(n *node, s string) string {
	found := placeholder.FindAllString(s, -1)
	if len(found) > maxPlaceholders {
		r.fail(n, "has %d placeholders, at most %d fit", len(found), maxPlaceholders)
	}
	for _, p := range found {
		if !slices.Contains(placeholders, p) {
			r.fail(n, "there is no placeholder %s; there are %s", clip(p, 64), strings.Join(placeholders, ", "))
			break
		}
	}
	return s
}

// label reads a short name without control characters.
func (r *reader) label(n *node, limit int) string {
	s := r.str(n)
	switch {
	case strings.TrimSpace(s) == "":
		r.fail(n, "must not be empty")
	case len(s) > limit:
		r.fail(n, "is %d bytes long, at most %d fit", len(s), limit)
	case strings.ContainsFunc(s, unicode.IsControl):
		r.fail(n, "holds a control character")
	}
	return s
}

// need reads a required field of an object.
func need[T any](r *reader, n *node, fields map[string]*node, key string, read func(*node) T) T {
	if f := fields[key]; f != nil {
		return read(f)
	}
	r.fail(n, "has no %s", key)
	var zero T
	return zero
}

func (r *reader) say(n *node, fields map[string]*node, pace pacing) step {
	s := say{text: r.words(n), repeat: 1, words: pace.words, gap: ms(pace.gapMS)}
	if f := fields["repeat"]; f != nil {
		s.repeat = r.whole(f, 1, maxRepeat)
	}
	return s
}

func (r *reader) chunks(n *node, _ map[string]*node, pace pacing) step {
	s := chunks{gap: ms(pace.gapMS)}
	for _, item := range r.list(n, math.MaxInt) {
		s.texts = append(s.texts, r.words(item))
	}
	return s
}

func (r *reader) bytes(n *node, _ map[string]*node, pace pacing) step {
	data, err := base64.StdEncoding.DecodeString(r.str(n))
	switch {
	case err != nil:
		r.fail(n, "must be base64")
	case len(data) == 0:
		r.fail(n, "must not be empty")
	}
	return raw{text: string(data), gap: ms(pace.gapMS)}
}

func (r *reader) delay(n *node, fields map[string]*node, _ pacing) step {
	s := delay{d: ms(r.whole(n, 1, maxDelay))}
	if f := fields["always"]; f != nil {
		s.always = r.isTrue(f)
	}
	return s
}

func (r *reader) finding(n *node, _ map[string]*node, _ pacing) step {
	var s finding
	fields, ok := r.object(n, "severity", "title", "text", "path", "line")
	if !ok {
		return s
	}
	s.Severity = need(r, n, fields, "severity", func(f *node) string {
		v := r.str(f)
		if !slices.Contains(world.Severities, v) {
			r.fail(f, "must be one of %s", strings.Join(world.Severities, ", "))
		}
		return v
	})
	s.Title = need(r, n, fields, "title", func(f *node) string {
		return r.placeholders(f, r.label(f, world.MaxTitle))
	})
	if f := fields["text"]; f != nil {
		s.Text = r.placeholders(f, r.str(f))
		if len(s.Text) > world.MaxFindingText {
			r.fail(f, "is %d bytes long, at most %d fit", len(s.Text), world.MaxFindingText)
		}
	}
	if f := fields["path"]; f != nil {
		s.Path = r.path(f)
	}
	if f := fields["line"]; f != nil {
		s.Line = r.whole(f, 1, math.MaxInt)
		if s.Path == "" {
			r.fail(f, "needs a path")
		}
	}
	return s
}

// path reads a file or folder below the repository's root; "" is the root.
func (r *reader) path(n *node) string {
	s := r.str(n)
	switch {
	case s == "":
	case len(s) > maxPath:
		r.fail(n, "is %d bytes long, at most %d fit", len(s), maxPath)
	case !fs.ValidPath(s) || s == "." || strings.ContainsFunc(s, unicode.IsControl):
		r.fail(n, `must be a path below the root, like "docs/intro.md"`)
	}
	return s
}

func (r *reader) artifact(n *node, _ map[string]*node, _ pacing) step {
	var s artifact
	if fields, ok := r.object(n, "name", "text"); ok {
		s.Name = need(r, n, fields, "name", func(f *node) string { return r.label(f, world.MaxTitle) })
		s.Text = need(r, n, fields, "text", r.words)
	}
	return s
}

func (r *reader) insight(n *node, _ map[string]*node, _ pacing) step {
	var s insight
	if fields, ok := r.object(n, "area", "text"); ok {
		s.area = need(r, n, fields, "area", func(f *node) string { return r.label(f, maxLabel) })
		s.text = need(r, n, fields, "text", r.words)
	}
	return s
}

func (r *reader) activity(n *node, fields map[string]*node, _ pacing) step {
	s := activity{Activity: r.label(n, maxLabel)}
	if f := fields["tool"]; f != nil {
		s.Tool = r.label(f, maxLabel)
	}
	return s
}

// reads reads a path without checking that it exists: a script is played in many folders, and a path
// that is not on the map is ignored.
func (r *reader) reads(n *node, _ map[string]*node, _ pacing) step {
	return read(r.label(n, maxPath))
}

func (r *reader) tool(n *node, _ map[string]*node, pace pacing) step {
	s := tool{ok: true, repeat: 1, gap: ms(pace.gapMS)}
	fields, ok := r.object(n, "name", "input", "output", "repeat", "ok", "reads", "delayMs", "always", "chunks", "chunkMs",
		"end")
	if !ok {
		return s
	}
	s.name = need(r, n, fields, "name", func(f *node) string { return r.label(f, maxLabel) })
	s.gap = ms(r.pacing(fields, pace).gapMS)
	for _, key := range sortedKeys(fields) {
		f := fields[key]
		switch key {
		case "input":
			s.input = r.placeholders(f, r.str(f))
			if len(s.input) > world.MaxToolInput {
				r.fail(f, "is %d bytes long, at most %d fit", len(s.input), world.MaxToolInput)
			}
		case "output":
			s.output = r.words(f)
		case "repeat":
			s.repeat = r.whole(f, 1, maxRepeat)
		case "ok":
			s.ok = r.boolean(f)
		case "reads":
			s.reads = r.boolean(f)
		case "delayMs":
			s.wait.d = ms(r.whole(f, 1, maxDelay))
		case "always":
			s.wait.always = r.isTrue(f)
		case "chunks":
			for _, item := range r.list(f, math.MaxInt) {
				s.pieces = append(s.pieces, r.words(item))
			}
		case "end":
			s.open = !r.boolean(f)
		}
	}
	if len(s.output)*s.repeat > world.MaxMessageText {
		r.fail(fields["repeat"], "makes an output of more than %d bytes", world.MaxMessageText)
	}
	for _, key := range []string{"output", "repeat", "ok"} {
		if s.open && fields[key] != nil {
			r.fail(fields[key], "is never told: this tool has no end")
		}
	}
	return s
}

func (r *reader) thought(n *node, _ map[string]*node, _ pacing) step { return thought(r.words(n)) }

func (r *reader) seal(n *node, _ map[string]*node, _ pacing) step {
	return seal(r.placeholders(n, r.str(n)))
}

func (r *reader) fails(n *node, _ map[string]*node, _ pacing) step {
	var s fail
	if fields, ok := r.object(n, "code", "message"); ok {
		s.code = need(r, n, fields, "code", func(f *node) string {
			v := r.str(f)
			if !errorCode.MatchString(v) {
				r.fail(f, `must be a code like "model": 1 to 40 characters of a-z 0-9 _`)
			}
			return v
		})
		s.message = need(r, n, fields, "message", r.words)
	}
	return s
}

func (r *reader) stalls(n *node, _ map[string]*node, _ pacing) step {
	r.isTrue(n)
	return stall{}
}

func (r *reader) empty(n *node, _ map[string]*node, _ pacing) step {
	r.isTrue(n)
	return empty{}
}

func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }
