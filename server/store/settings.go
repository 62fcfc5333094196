package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"agentdungeon/shared/world"
)

const (
	settingsFile     = "settings.json"
	settingsSchema   = 1
	maxSettingsBytes = 1 << 20
	schemaKey        = "schema"
)

// Defaults are the settings that a new realm begins with.
func (s *Store) Defaults() world.Settings { return *s.settings.Load() }

// UpdateDefaults changes some of the defaults of new realms, by the rules of
// world.UpdateSettings, all or nothing. What a person has written into the file
// meanwhile counts; a file with mistakes in it is set aside before it is replaced.
func (s *Store) UpdateDefaults(raw map[string]json.RawMessage) (world.Settings, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return s.Defaults(), ErrClosed
	}
	now, fault := s.readSettings()
	if fault != nil && !errors.Is(fault, ErrMissing) && !errors.Is(fault, ErrCorrupt) {
		return s.Defaults(), fmt.Errorf("update the defaults: %w", fault)
	}
	next, err := world.UpdateSettings(now, raw)
	if err != nil {
		return s.Defaults(), err
	}
	if errors.Is(fault, ErrCorrupt) {
		if _, err := s.root.setAside(time.Now(), settingsFile); err != nil {
			return s.Defaults(), fmt.Errorf("update the defaults: %w", err)
		}
	}
	data, err := json.MarshalIndent(struct {
		Schema int `json:"schema"`
		world.Settings
	}{settingsSchema, next}, "", "  ")
	if err != nil {
		return s.Defaults(), fmt.Errorf("update the defaults: %w", err)
	}
	if err := s.root.replace(settingsFile, append(data, '\n')); err != nil {
		return s.Defaults(), fmt.Errorf("update the defaults: %w", err)
	}
	s.settings.Store(&next)
	return next, nil
}

// openSettings takes what is good in settings.json. People write that file, so
// one with a mistake stays where it is and the log says what to mend.
func (s *Store) openSettings() {
	now, err := s.readSettings()
	if err != nil && !errors.Is(err, ErrMissing) {
		s.log.Error().Err(err).Msg("settings.json is not used, or not all of it")
	}
	s.settings.Store(&now)
}

// readSettings gives the defaults with every good setting of the file over them.
// An error says what is wrong with the rest: ErrMissing, ErrCorrupt (which names
// the fields), ErrNewer, or the disk's own.
func (s *Store) readSettings() (world.Settings, error) {
	now := world.DefaultSettings()
	data, err := s.root.read(settingsFile, maxSettingsBytes)
	if err != nil {
		return now, err
	}
	raw := map[string]json.RawMessage{}
	if err := json.Unmarshal(data, &raw); err != nil {
		return now, fmt.Errorf("%s: %w: %w", settingsFile, ErrCorrupt, err)
	}
	schema := settingsSchema // a person need not write it
	var errs []error
	if v, ok := raw[schemaKey]; ok {
		if err := json.Unmarshal(v, &schema); err != nil || schema < 1 {
			errs = append(errs, errors.New("schema must be a whole number from 1"))
		}
		delete(raw, schemaKey)
	}
	if schema > settingsSchema {
		return now, fmt.Errorf("%s: %w: schema %d, this one reads up to %d", settingsFile, ErrNewer, schema, settingsSchema)
	}
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		next, err := world.UpdateSettings(now, map[string]json.RawMessage{name: raw[name]})
		if err != nil {
			errs = append(errs, err)
		}
		now = next
	}
	if err := errors.Join(errs...); err != nil {
		return now, fmt.Errorf("%s: %w: %w", settingsFile, ErrCorrupt, err)
	}
	return now, nil
}
