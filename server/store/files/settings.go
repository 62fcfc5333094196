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

// Defaults are the settings that a new realm begins with.
func (s *Worlds) Defaults() world.Settings { return *s.settings.Load() }

// UpdateDefaults changes some of the defaults of new realms, by the rules of
// world.UpdateSettings, all or nothing. What a person has written into the file
// meanwhile counts; a file with mistakes in it is set aside before it is replaced.
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

// openSettings takes what is good in settings.json. People write that file, so
// one with a mistake stays where it is and the log says what to mend.
func (s *Worlds) openSettings() {
	now, _, err := s.readSettings()
	if err != nil && !errors.Is(err, disk.ErrMissing) {
		s.log.Error().Err(err).Msg("settings.json is not used, or not all of it")
	}
	s.settings.Store(&now)
	if _, err := s.Retention(); err != nil {
		s.log.Error().Err(err).Msg("nothing is let go of until the limits in settings.json are mended")
	}
}

// Retention is what settings.json says of how long conversations are kept, as it stands
// now: an operator need not restart the server. With a mistake in it, or while the disk
// does not give it, there is no policy, and the error says why.
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

// readSettings gives the defaults with every good setting of the file over them, and
// those that retention owns as they stand there, nil where the file could not be read.
// An error says what is wrong with the rest: ErrMissing, ErrCorrupt (which names
// the fields), ErrNewer, or the disk's own.
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
	schema := settingsSchema // a person need not write it
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
