package files

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"agentdungeon/server/jsonfile"
	"agentdungeon/server/retention"
	"agentdungeon/server/store/disk"
	"agentdungeon/shared/world"
)

const (
	settingsFile     = "settings.json"
	settingsSchema   = 1
	maxSettingsBytes = 1 << 20
)

// Defaults returns the settings of new realms.
func (s *Worlds) Defaults() world.Settings { return s.defaults }

// openSettings loads the valid settings of settings.json. Only people write that file, so a file with a mistake
// stays as it is, and a log message says what to correct.
func (s *Worlds) openSettings() {
	defaults, _, err := s.readSettings()
	if err != nil && !errors.Is(err, disk.ErrMissing) {
		s.log.Error().Err(err).Msg("settings.json has mistakes; the invalid settings are not used")
	}
	s.defaults = defaults
	if _, err := s.Retention(); err != nil {
		s.log.Error().Err(err).Msg("no conversation is deleted until the limits in settings.json are corrected")
	}
}

// Retention reads the policy from settings.json, so that an operator who changes it need not restart the server. It
// returns no policy and an error if the limits have a mistake or the file cannot be read.
func (s *Worlds) Retention() (retention.Policy, error) {
	_, raw, err := s.readSettings()
	if raw == nil && err != nil && !errors.Is(err, disk.ErrMissing) {
		return nil, err
	}
	p, err := retention.Parse(raw)
	if err != nil {
		return nil, mistake{fmt.Errorf("%s: %w", settingsFile, err)}
	}
	return p, nil
}

// mistake is an error in settings.json, which only people write. It counts as disk.ErrCorrupt, but tells them nothing
// of damage.
type mistake struct{ error }

func (mistake) Is(target error) bool { return target == disk.ErrCorrupt }

func (m mistake) Unwrap() error { return m.error }

// readSettings returns the built-in settings, overridden by every valid setting of the file. limits has the
// settings of the file that belong to package retention, nil if the file could not be read. The error is
// ErrMissing, ErrNewer, an error of the disk, or ErrCorrupt, which names the invalid fields.
func (s *Worlds) readSettings() (defaults world.Settings, limits map[string]json.RawMessage, err error) {
	defaults = world.DefaultSettings()
	data, err := s.root.Read(settingsFile, maxSettingsBytes)
	if err != nil {
		return defaults, nil, err
	}
	raw, err := jsonfile.Fields(settingsFile, data, maxSettingsBytes)
	if err != nil {
		return defaults, nil, mistake{err}
	}
	schema := settingsSchema // a file without the field schema has the present schema
	var errs []error
	if v, ok := raw["schema"]; ok {
		if err := json.Unmarshal(v, &schema); err != nil || schema < 1 {
			errs = append(errs, errors.New("schema must be a whole number from 1"))
		}
		delete(raw, "schema")
	}
	if schema > settingsSchema {
		return defaults, nil, fmt.Errorf("%s: %w", settingsFile, disk.NewerSchema(schema, settingsSchema))
	}
	limits = map[string]json.RawMessage{}
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		if retention.Owns(name) {
			limits[name] = raw[name]
			continue
		}
		next, err := world.UpdateSettings(defaults, map[string]json.RawMessage{name: raw[name]})
		if err != nil {
			errs = append(errs, err)
		}
		defaults = next
	}
	if err := errors.Join(errs...); err != nil {
		return defaults, limits, mistake{fmt.Errorf("%s: %w", settingsFile, err)}
	}
	return defaults, limits, nil
}
