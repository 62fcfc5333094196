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

// Limits has the limits of one kind of conversation, in days. 0 means that the action never happens.
type Limits struct {
	CompletedDays    int `json:"completedDays"`    // a conversation is deleted so many days after its end
	AbandonedDays    int `json:"abandonedDays"`    // one is deleted so many days after it was marked as abandoned
	AbandonAfterDays int `json:"abandonAfterDays"` // one is marked as abandoned so many days after its last update
}

// field returns the limit with that JSON name, or nil if there is none.
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

// Policy has the limits by kind. Retention never marks or deletes conversations of a kind without limits.
type Policy map[string]Limits

// MaxDays is the longest limit, a hundred years.
const MaxDays = 36_500

// Default returns the policy that applies if there are no settings.
func Default() Policy {
	return Policy{flatKind: {CompletedDays: 90, AbandonedDays: 90, AbandonAfterDays: 30}}
}

// Section is the name of the setting whose value has the limits of each kind.
const Section = "retention"

// flatKind is the kind whose limits can also be set outside Section, because document 001 defines such settings for
// forges. flat maps each of these settings to the limit that it sets.
const flatKind = world.KindForge

var flat = map[string]string{
	"abandonAfterDays":       "abandonAfterDays",
	"retentionAbandonedDays": "abandonedDays",
	"retentionCompletedDays": "completedDays",
}

// Owns reports whether a setting of settings.json belongs to retention.
func Owns(name string) bool { return name == Section || flat[name] != "" }

// Parse returns the default policy, in which the settings in raw replace the defaults. Its error names every invalid
// kind and limit. After an error it returns no policy, so that nothing is deleted by mistake.
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

// kinds sets the limits of each kind from raw, the value of the setting Section.
func (p Policy) kinds(raw json.RawMessage) (errs []error) {
	var kinds map[string]json.RawMessage
	if err := json.Unmarshal(raw, &kinds); err != nil || kinds == nil {
		return []error{fmt.Errorf("%s must have limits by kind, like {\"chat\": {\"completedDays\": 90}}", Section)}
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		if !slices.Contains(world.Kinds, kind) {
			errs = append(errs, fmt.Errorf("%s: there is no kind %.64q; the kinds are %v", Section, kind, world.Kinds))
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
				errs = append(errs, fmt.Errorf(
					"%s.%s has no limit %.64q; the limits are abandonAfterDays, abandonedDays and completedDays",
					Section, kind, name))
			} else if err := days(fields[name], limit); err != nil {
				errs = append(errs, fmt.Errorf("%s.%s.%s %w", Section, kind, name, err))
			}
		}
		p[kind] = limits
	}
	return errs
}

// days parses a limit and sets *to. Its error completes a sentence that begins with the name of the setting.
func days(raw json.RawMessage, to *int) error {
	var n *int
	if err := json.Unmarshal(bytes.TrimSpace(raw), &n); err != nil || n == nil || *n < 0 || *n > MaxDays {
		return fmt.Errorf("must be a whole number of days from 0 (never) to %d", MaxDays)
	}
	*to = *n
	return nil
}
