package files

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"agentdungeon/server/store/disk"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

const (
	vaultSchema   = 1
	maxVaultBytes = 16 << 20
	// MaxVaults limits the files that LoadVaults reads. A realm has at most world.MaxAgentsEver agents.
	MaxVaults = 1000
)

type vaultFile struct {
	Schema int `json:"schema"`
	world.Vault
}

// WriteVault replaces knowledge/<agentId>.json (S3-14) with the newest world.MaxInsights insights. It first
// sets aside a file that cannot be read.
func (f *Realm) WriteVault(v world.Vault) error {
	if !wire.ValidID(v.AgentID) {
		return fmt.Errorf("write vault: %q is not an agent's id", v.AgentID)
	}
	if over := len(v.Insights) - world.MaxInsights; over > 0 {
		v.Insights = v.Insights[over:]
	}
	if v.Insights == nil {
		v.Insights = []world.Insight{}
	}
	data, err := encodeJSON(vaultFile{vaultSchema, v})
	if err != nil {
		return fmt.Errorf("write vault: %w", err)
	}
	if len(data) > maxVaultBytes {
		return fmt.Errorf("write vault of %s: its %d bytes exceed the limit of %d", v.AgentID, len(data), maxVaultBytes)
	}
	return f.write("write vault of "+v.AgentID, func() error { return f.writeVault(v.AgentID, data) })
}

func (f *Realm) writeVault(agentID string, data []byte) error {
	name := agentID + ".json"
	if !f.replaceable[agentID] {
		if err := f.KnowledgeFolder.Create(); err != nil {
			return err
		}
		if _, err := f.LoadVault(name); errors.Is(err, disk.ErrCorrupt) || errors.Is(err, disk.ErrNewer) {
			if _, err := f.KnowledgeFolder.SetAside(time.Now(), name); err != nil {
				return err
			}
		} else if err != nil && !errors.Is(err, disk.ErrMissing) {
			return err
		}
		f.replaceable[agentID] = true
	}
	return f.KnowledgeFolder.Replace(name, data)
}

// LoadVaults reads all vaults of the realm, sorted by agent id. It sets damaged vaults aside and skips vaults of a
// newer version. bad has the present names of all these files. An error comes from the disk, or means that there are
// more than MaxVaults; LoadVaults then also returns the vaults that it could read.
func (f *Realm) LoadVaults() (vaults []world.Vault, bad []string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	entries, err := f.KnowledgeFolder.List()
	if err != nil {
		return nil, nil, fmt.Errorf("load vaults: %w", err)
	}
	if len(entries) > 0 {
		f.KnowledgeFolder.Settle()
	}
	var errs []error
	for _, e := range entries {
		agentID, isJSON := strings.CutSuffix(e.Name(), ".json")
		if !isJSON || !wire.ValidID(agentID) {
			continue // the file is no vault: it was set aside, is temporary, or a person put it there
		}
		if len(vaults) == MaxVaults {
			errs = append(errs, fmt.Errorf("there are more than %d vaults", MaxVaults))
			break
		}
		v, err := f.LoadVault(e.Name())
		switch {
		case err == nil:
			vaults = append(vaults, *v)
			f.replaceable[agentID] = true
		case errors.Is(err, disk.ErrNewer):
			bad = append(bad, e.Name())
		case errors.Is(err, disk.ErrCorrupt):
			aside, err := f.KnowledgeFolder.SetAside(time.Now(), e.Name())
			bad = append(bad, aside...)
			errs = append(errs, err)
		default:
			errs = append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return vaults, bad, fmt.Errorf("load vaults: %w", err)
	}
	return vaults, bad, nil
}

// LoadVault reads knowledge/<name>. It returns ErrMissing, ErrCorrupt or ErrNewer, wrapped, or an error of the
// disk.
func (f *Realm) LoadVault(name string) (*world.Vault, error) {
	data, err := f.KnowledgeFolder.Read(name, maxVaultBytes)
	if err != nil {
		return nil, err
	}
	var file vaultFile
	switch err := json.Unmarshal(data, &file); {
	case file.Schema > vaultSchema: // checked first: a newer version may have changed the type of any field
		return nil, fmt.Errorf("%s: %w", name, disk.NewerSchema(file.Schema, vaultSchema))
	case err != nil:
		return nil, fmt.Errorf("%s: %w: %w", name, disk.ErrCorrupt, err)
	case file.Schema < 1:
		return nil, fmt.Errorf("%s: %w: its schema number is missing or less than 1", name, disk.ErrCorrupt)
	case file.AgentID+".json" != name:
		return nil, fmt.Errorf("%s: %w: it is the vault of agent %q", name, disk.ErrCorrupt, file.AgentID)
	case len(file.Insights) > world.MaxInsights:
		return nil, fmt.Errorf("%s: %w: %d insights exceed the limit of %d", name, disk.ErrCorrupt, len(file.Insights),
			world.MaxInsights)
	}
	if file.Insights == nil {
		file.Insights = []world.Insight{}
	}
	return &file.Vault, nil
}

const (
	mapFileName = "map.json"
	maxMapBytes = 256 << 20 // 100,000 files make about 17 MB
)

// WriteMap replaces map.json, the last scan of the linked folder. It also replaces a damaged map.json, because the
// linked folder can be scanned again.
func (f *Realm) WriteMap(raw []byte) error {
	if len(raw) > maxMapBytes {
		return fmt.Errorf("write map: its %d bytes exceed the limit of %d", len(raw), maxMapBytes)
	}
	return f.write("write map", func() error { return f.Folder.Replace(mapFileName, raw) })
}

// LoadMap reads map.json. It returns ErrMissing, or ErrCorrupt if the file is not valid JSON.
func (f *Realm) LoadMap() ([]byte, error) {
	raw, err := f.Folder.Read(mapFileName, maxMapBytes)
	if err != nil {
		return nil, err
	}
	if !json.Valid(bytes.TrimSpace(raw)) {
		return nil, fmt.Errorf("%s: %w: it is not valid JSON", mapFileName, disk.ErrCorrupt)
	}
	return raw, nil
}
