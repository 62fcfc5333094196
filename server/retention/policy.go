package retention

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"agentdungeon/shared/world"
)

// Limits are the limits of one kind of conversation, in days; 0 means never.
type Limits struct {
	CompletedDays    int `json:"completedDays"`    // from the end of a completed or failed conversation to its deletion
	AbandonedDays    int `json:"abandonedDays"`    // from the mark of an abandoned conversation to its deletion
	AbandonAfterDays int `json:"abandonAfterDays"` // from the last update of a conversation to its mark as abandoned
}

// field returns the limit with that name in JSON, or nil.
func (l *Limits) field(name string) *int {
	switch name {
	case "completedDays":
		return &l.CompletedDays
	case "abandonedDays":
		return &l.AbandonedDays
	case "abandonAfterDays":
		return &l.AbandonAfterDays
	}
	return nil
}

// Policy has limits by kind. Conversations of a kind without limits are kept for ever.
type Policy map[string]Limits

// MaxDays is the longest limit, a hundred years.
const MaxDays = 36_500

// Default returns the limits of a server without settings.
func Default() Policy {
	return Policy{flatKind: {CompletedDays: 90, AbandonedDays: 90, AbandonAfterDays: 30}}
}

// Section is the setting with the limits by kind.
const Section = "retention"

// flatKind is the kind whose limits are also settings outside Section, because document 001 defines
// them for forges. flat has the limit of each such setting.
const flatKind = world.KindForge

var flat = map[string]string{
	"abandonAfterDays":       "abandonAfterDays",
	"retentionAbandonedDays": "abandonedDays",
	"retentionCompletedDays": "completedDays",
}

// Owns reports whether a setting of settings.json belongs to retention.
func Owns(name string) bool { return name == Section || flat[name] != "" }

// Parse returns the default policy with the settings in raw. Its error names every invalid kind and
// limit; there is no policy then, so that nothing is deleted by mistake.
func Parse(raw map[string]json.RawMessage) (Policy, error) {
	p := Default()
	var errs []error
	limits := p[flatKind]
	for _, name := range slices.Sorted(maps.Keys(flat)) {
		if v, ok := raw[name]; ok {
			if err := days(v, limits.field(flat[name])); err != nil {
				errs = append(errs, fmt.Errorf("%s %w", name, err))
			}
		}
	}
	p[flatKind] = limits
	if v, ok := raw[Section]; ok {
		errs = append(errs, p.kinds(v)...)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return p, nil
}

// kinds sets the limits of the setting Section.
func (p Policy) kinds(raw json.RawMessage) (errs []error) {
	var kinds map[string]json.RawMessage
	if err := json.Unmarshal(raw, &kinds); err != nil || kinds == nil {
		return []error{fmt.Errorf("%s must have limits by kind, like {\"chat\": {\"completedDays\": 90}}", Section)}
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		if !slices.Contains(world.Kinds, kind) {
			errs = append(errs, fmt.Errorf("%s: there is no kind %.64q: %v", Section, kind, world.Kinds))
			continue
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(kinds[kind], &fields); err != nil || fields == nil {
			errs = append(errs, fmt.Errorf("%s.%s must have limits, like {\"completedDays\": 90}", Section, kind))
			continue
		}
		limits := p[kind]
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			limit := limits.field(name)
			if limit == nil {
				errs = append(errs, fmt.Errorf("%s.%s has no limit %.64q: [abandonAfterDays abandonedDays completedDays]",
					Section, kind, name))
			} else if err := days(fields[name], limit); err != nil {
				errs = append(errs, fmt.Errorf("%s.%s.%s %w", Section, kind, name, err))
			}
		}
		p[kind] = limits
	}
	return errs
}

// days sets *to to a limit. An error completes a sentence that begins with the setting's name.
func days(raw json.RawMessage, to *int) error {
	var n *int
	if err := json.Unmarshal(bytes.TrimSpace(raw), &n); err != nil || n == nil || *n < 0 || *n > MaxDays {
		return fmt.Errorf("must be a whole number of days from 0 (never) to %d", MaxDays)
	}
	*to = *n
	return nil
}
