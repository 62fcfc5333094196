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

// Limits of one kind of conversation, in days; 0 means never.
type Limits struct {
	CompletedDays    int `json:"completedDays"`    // how long a completed or failed conversation is kept after its end
	AbandonedDays    int `json:"abandonedDays"`    // how long an abandoned conversation is kept after it was marked
	AbandonAfterDays int `json:"abandonAfterDays"` // after how long a silence a conversation is marked abandoned
}

// Policy has limits by kind. A kind without limits is kept for ever.
type Policy map[string]Limits

// MaxDays is the longest limit: a hundred years.
const MaxDays = 36_500

// Default returns the limits of a server without settings: forges have limits, other kinds are
// kept.
func Default() Policy {
	return Policy{world.KindForge: {CompletedDays: 90, AbandonedDays: 90, AbandonAfterDays: 30}}
}

// Section is the setting with the limits by kind.
const Section = "retention"

// Flat has the names of the forges' limits as settings outside the section.
var Flat = []string{"abandonAfterDays", "retentionAbandonedDays", "retentionCompletedDays"}

// Owns reports whether a setting of settings.json belongs to retention.
func Owns(name string) bool { return name == Section || slices.Contains(Flat, name) }

// Parse returns the policy from the settings in raw, over the defaults. The errors name every
// wrong kind and field. If there is an error there is no policy: deletion must not follow half of
// what an operator meant.
func Parse(raw map[string]json.RawMessage) (Policy, error) {
	p := Default()
	var errs []error
	forge := p[world.KindForge]
	for _, name := range Flat {
		v, ok := raw[name]
		if !ok {
			continue
		}
		at := map[string]*int{"retentionCompletedDays": &forge.CompletedDays, "retentionAbandonedDays": &forge.AbandonedDays,
			"abandonAfterDays": &forge.AbandonAfterDays}[name]
		if err := days(v, at); err != nil {
			errs = append(errs, fmt.Errorf("%s %w", name, err))
		}
	}
	p[world.KindForge] = forge
	if v, ok := raw[Section]; ok {
		errs = append(errs, p.kinds(v)...)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return p, nil
}

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
		l := p[kind]
		at := map[string]*int{"completedDays": &l.CompletedDays, "abandonedDays": &l.AbandonedDays,
			"abandonAfterDays": &l.AbandonAfterDays}
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			if at[name] == nil {
				errs = append(errs, fmt.Errorf("%s.%s has no limit %.64q: %v", Section, kind, name, slices.Sorted(maps.Keys(at))))
				continue
			}
			if err := days(fields[name], at[name]); err != nil {
				errs = append(errs, fmt.Errorf("%s.%s.%s %w", Section, kind, name, err))
			}
		}
		p[kind] = l
	}
	return errs
}

func days(raw json.RawMessage, to *int) error {
	var n *int
	if err := json.Unmarshal(bytes.TrimSpace(raw), &n); err != nil || n == nil || *n < 0 || *n > MaxDays {
		return fmt.Errorf("must be a whole number of days from 0 (never) to %d", MaxDays)
	}
	*to = *n
	return nil
}
