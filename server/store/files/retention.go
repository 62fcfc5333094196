package files

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"agentdungeon/server/kinds"
	"agentdungeon/server/retention"
	"agentdungeon/server/store/disk"
)

// retentionFile holds the clock times that retention passes have recorded (retention.Watch).
const (
	retentionFile     = "retention.json"
	retentionSchema   = 1
	maxRetentionBytes = 1 << 20
)

// MarkAtHand sets Current for that conversation in heads which is the realm's current session, because retention must
// not delete it. The realm's checkpoint names that session. If the checkpoint cannot be read, MarkAtHand sets
// MaybeCurrent for all sessions. The checkpoint of an open realm may be out of date, so the realm checks again before
// it erases.
func (t *Tenant) MarkAtHand(id string, heads []retention.Head) {
	session := func(h retention.Head) bool { return kinds.Rules(h.Kind).Sessions }
	if !slices.ContainsFunc(heads, session) {
		return
	}
	var c *LoadedCheckpoint
	files, err := t.RealmFiles(id)
	if err == nil {
		c, err = files.LoadCheckpoint(StateFile)
	}
	for i := range heads {
		switch {
		case err != nil:
			heads[i].MaybeCurrent = session(heads[i])
		case session(heads[i]) && slices.Contains(c.World.AtHand(), heads[i].ID):
			heads[i].Current = true
		}
	}
}

type retentionState struct {
	Schema int `json:"schema"`
	retention.Watch
}

// LoadWatch returns the clock times that earlier retention passes have recorded. It returns the zero Watch if the file
// is missing or damaged, and sets a damaged file aside. It returns an error if the file is of a newer version or
// cannot be read; the caller must then delete nothing.
func (s *Worlds) LoadWatch() (retention.Watch, error) {
	data, err := s.root.Read(retentionFile, maxRetentionBytes)
	if errors.Is(err, disk.ErrMissing) {
		return retention.Watch{}, nil
	}
	var state retentionState
	if err == nil {
		if jerr := json.Unmarshal(data, &state); jerr != nil || state.Schema < 1 || state.Waits < 0 {
			err = fmt.Errorf("%s: %w", retentionFile, errors.Join(disk.ErrCorrupt, jerr))
		}
	}
	switch {
	case err == nil && state.Schema > retentionSchema:
		return retention.Watch{}, fmt.Errorf("%s: %w", retentionFile, disk.NewerSchema(state.Schema, retentionSchema))
	case errors.Is(err, disk.ErrCorrupt):
		aside, asideErr := s.root.SetAside(time.Now(), retentionFile)
		s.log.Error().Err(err).Strs("setAside", aside).
			Msg("retention.json is damaged; retention deletes nothing until the server has run for a day")
		return retention.Watch{}, asideErr
	case err != nil:
		return retention.Watch{}, fmt.Errorf("read %s: %w", retentionFile, err)
	}
	return state.Watch, nil
}

// SaveWatch stores w, which the next LoadWatch returns.
func (s *Worlds) SaveWatch(w retention.Watch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.writable()
	if err == nil {
		err = s.replace(retentionFile, retentionState{retentionSchema, w})
	}
	if err != nil {
		return fmt.Errorf("save %s: %w", retentionFile, err)
	}
	return nil
}
