package files

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"agentdungeon/server/jsonfile"
	"agentdungeon/server/retention"
	"agentdungeon/server/store/disk"
	"agentdungeon/shared/world"
)

const (
	settingsFile     = "settings.json"
	settingsSchema   = 1
	maxSettingsBytes = 1 << 20
	schemaKey        = "schema"
)

// Defaults returns the settings of new realms.
func (s *Worlds) Defaults() world.Settings { return *s.settings.Load() }

// UpdateDefaults changes some settings of new realms, by the rules of world.UpdateSettings, all or none. It
// first reads what a person has written into the file meanwhile. It sets a file with mistakes aside
// before it replaces it.
func (s *Worlds) UpdateDefaults(raw map[string]json.RawMessage) (world.Settings, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return s.Defaults(), disk.ErrClosed
	}
	now, kept, fault := s.readSettings()
	if fault != nil && !errors.Is(fault, disk.ErrMissing) && !errors.Is(fault, disk.ErrCorrupt) {
		return s.Defaults(), fmt.Errorf("update the defaults: %w", fault)
	}
	next, err := world.UpdateSettings(now, raw)
	if err != nil {
		return s.Defaults(), err
	}
	if errors.Is(fault, disk.ErrCorrupt) {
		if _, err := s.root.SetAside(time.Now(), settingsFile); err != nil {
			return s.Defaults(), fmt.Errorf("update the defaults: %w", err)
		}
	}
	data, err := json.MarshalIndent(struct {
		Schema int `json:"schema"`
		world.Settings
		Retention     json.RawMessage `json:"retention,omitempty"`
		AbandonAfter  json.RawMessage `json:"abandonAfterDays,omitempty"`
		AbandonedDays json.RawMessage `json:"retentionAbandonedDays,omitempty"`
		CompletedDays json.RawMessage `json:"retentionCompletedDays,omitempty"`
	}{
		settingsSchema, next, kept[retention.Section],
		kept["abandonAfterDays"], kept["retentionAbandonedDays"], kept["retentionCompletedDays"],
	}, "", "  ")
	if err != nil {
		return s.Defaults(), fmt.Errorf("update the defaults: %w", err)
	}
	if err := s.root.Replace(settingsFile, append(data, '\n')); err != nil {
		return s.Defaults(), fmt.Errorf("update the defaults: %w", err)
	}
	s.settings.Store(&next)
	return next, nil
}

// openSettings loads the valid settings of settings.json. People write that file, so a file with a
// mistake stays, and the log says what to correct.
func (s *Worlds) openSettings() {
	now, _, err := s.readSettings()
	if err != nil && !errors.Is(err, disk.ErrMissing) {
		s.log.Error().Err(err).Msg("settings.json has mistakes; the settings concerned are not used")
	}
	s.settings.Store(&now)
	if _, err := s.Retention(); err != nil {
		s.log.Error().Err(err).Msg("no conversation is deleted until the limits in settings.json are corrected")
	}
}

// Retention returns the policy in settings.json as it is now: an operator need not restart the server. If
// the file has a mistake or cannot be read, it returns no policy and an error that says why.
func (s *Worlds) Retention() (retention.Policy, error) {
	_, raw, err := s.readSettings()
	if raw == nil && err != nil && !errors.Is(err, disk.ErrMissing) {
		return nil, err
	}
	p, err := retention.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", settingsFile, disk.ErrCorrupt, err)
	}
	return p, nil
}

// readSettings returns the defaults, overridden by every valid setting of the file. kept has the fields that
// retention owns, nil if the file could not be read. The error says what is wrong with the rest:
// ErrMissing, ErrCorrupt (which names the fields), ErrNewer, or an error of the disk.
func (s *Worlds) readSettings() (now world.Settings, kept map[string]json.RawMessage, err error) {
	now = world.DefaultSettings()
	data, err := s.root.Read(settingsFile, maxSettingsBytes)
	if err != nil {
		return now, nil, err
	}
	raw, err := jsonfile.Fields(settingsFile, data, maxSettingsBytes)
	if err != nil {
		return now, nil, fmt.Errorf("%w: %w", disk.ErrCorrupt, err)
	}
	schema := settingsSchema // a person may leave it out
	var errs []error
	if v, ok := raw[schemaKey]; ok {
		if err := json.Unmarshal(v, &schema); err != nil || schema < 1 {
			errs = append(errs, errors.New("schema must be a whole number from 1"))
		}
		delete(raw, schemaKey)
	}
	if schema > settingsSchema {
		return now, nil, fmt.Errorf("%s: %w: schema %d, this one reads up to %d", settingsFile, disk.ErrNewer, schema,
			settingsSchema)
	}
	kept = map[string]json.RawMessage{}
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		if retention.Owns(name) {
			kept[name] = raw[name]
			continue
		}
		next, err := world.UpdateSettings(now, map[string]json.RawMessage{name: raw[name]})
		if err != nil {
			errs = append(errs, err)
		}
		now = next
	}
	if err := errors.Join(errs...); err != nil {
		return now, kept, fmt.Errorf("%s: %w: %w", settingsFile, disk.ErrCorrupt, err)
	}
	return now, kept, nil
}
