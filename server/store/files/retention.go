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

// retentionFile holds what passes of retention know of the clock.
const (
	retentionFile     = "retention.json"
	retentionSchema   = 1
	maxRetentionBytes = 1 << 20
)

// MarkAtHand marks the current session of a realm's world. If the realm is not open, only the checkpoint
// knows it; an open realm is asked again before a conversation is deleted. Without a readable checkpoint
// any session may be the current one, so all are marked Unsure. The next opening reports what is wrong
// with the file.
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
			heads[i].Unsure = session(heads[i])
		case heads[i].ID == c.World.Party.ConversationID:
			heads[i].AtHand = true
		}
	}
}

type retentionState struct {
	Schema int `json:"schema"`
	retention.Watch
}

// LoadWatch returns what earlier passes knew of the clock. It returns the zero Watch in a new folder, and
// after a damaged file, which it sets aside. For a file of a newer version, or one that the disk cannot
// read, it returns an error: then nothing may be deleted.
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
		return retention.Watch{}, fmt.Errorf("%s: %w: schema %d, this one reads up to %d", retentionFile, disk.ErrNewer,
			state.Schema, retentionSchema)
	case errors.Is(err, disk.ErrCorrupt):
		aside, asideErr := s.root.SetAside(time.Now(), retentionFile)
		s.log.Error().Err(err).Strs("setAside",
			aside).Msg("what was known of the clock is lost; nothing is let go of until the server has lived for a day")
		return retention.Watch{}, asideErr
	case err != nil:
		return retention.Watch{}, fmt.Errorf("read %s: %w", retentionFile, err)
	}
	return state.Watch, nil
}

// SaveWatch stores what LoadWatch returns.
func (s *Worlds) SaveWatch(w retention.Watch) error {
	data, err := json.MarshalIndent(retentionState{retentionSchema, w}, "", "  ")
	if err != nil {
		return fmt.Errorf("save %s: %w", retentionFile, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return disk.ErrClosed
	}
	if err := s.inPlace(); err != nil {
		return fmt.Errorf("save %s: %w", retentionFile, err)
	}
	if err := s.root.Replace(retentionFile, append(data, '\n')); err != nil {
		return fmt.Errorf("save %s: %w", retentionFile, err)
	}
	return nil
}
