package recovery

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/spf13/afero"

	"agentdungeon/server/skill"
	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/shared/wire"
)

// Check examines the realms of a tenant or, if realmID is not "", only that realm. dir is the worlds folder. Check
// changes nothing there and works on a read-only disk. It locks the folder, so that no server starts meanwhile. It
// returns a *LockedError if a server has locked the folder, and ErrLocked (wrapped) if another program has a realm
// open. The results say what is wrong with each realm; an error concerns the folder.
func Check(ctx context.Context, fsys afero.Fs, dir, tenant, realmID string) (found []*Checked, err error) {
	err = withRealms(fsys, dir, tenant, realmID, func(w *files.Stopped, entries []files.RealmEntry) error {
		for _, e := range entries {
			c, err := check(ctx, w, e, w.RealmDir(e))
			if err != nil {
				return fmt.Errorf("check realm %s: %w", e.ID, err)
			}
			found = append(found, c)
		}
		return nil
	})
	return found, err
}

// withRealms locks the worlds folder dir, so that no server can open it. It calls f with the realms of a tenant or,
// if realmID is not "", with only that realm.
func withRealms(fsys afero.Fs, dir, tenant, realmID string,
	f func(w *files.Stopped, entries []files.RealmEntry) error) (err error) {
	w, err := files.Look(fsys, dir)
	if err != nil {
		return err
	}
	release, err := w.KeepStill()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	entries, err := w.Entries(tenant, realmID)
	if err != nil {
		return err
	}
	return f(w, entries)
}

// check examines one realm: e is its registry entry, and dir its folder.
func check(ctx context.Context, w *files.Stopped, e files.RealmEntry, dir string) (c *Checked, err error) {
	c = &Checked{RealmID: e.ID, Tenant: e.Tenant, Dir: dir, Damage: []string{}, entry: e}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c.defaults = w.Defaults()
	if info, err := w.FS().Stat(dir); errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		c.damaged("the realm's folder is missing")
		c.Opening = "removes the realm from the list of realms"
		return c, nil
	}
	held, err := w.HoldRealm(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, held.Release()) }()
	if c.Bytes, err = files.SizeOf(w.FS(), dir); err != nil {
		return nil, err
	}
	d := newRealmDir(files.OpenRealm(w.FS(), dir), e.Realm(), c.defaults, time.Now())
	checkpoints := newCheckpointFiles()
	c.checkStates(d, checkpoints)
	c.checkFiles(d.files)
	if err := c.checkJournal(ctx, d, checkpoints); err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		c.damaged("%s cannot be checked: %s", sqlite.JournalFile, err)
		c.Opening = "fails with the same error, or reports an error of the disk"
	}
	return c, nil
}

// checkStates examines both checkpoints.
func (c *Checked) checkStates(d *realmDir, checkpoints []*checkpointFile) {
	for _, f := range checkpoints {
		f.load(d.files)
		st := CheckedState{Name: f.name, There: !errors.Is(f.err, disk.ErrMissing)}
		switch {
		case f.isUsable(d):
		case f.loaded != nil:
			st.Problem = "it belongs to another realm"
		case st.There:
			st.Problem = strings.TrimPrefix(f.err.Error(), f.name+": ")
		}
		if f.loaded != nil {
			st.Seq, st.SavedAt, st.Messages = f.loaded.Seq, f.loaded.SavedAt, f.loaded.Messages
		}
		if st.Problem != "" {
			c.damaged("%s: %s", f.name, st.Problem)
		}
		c.States = append(c.States, st)
	}
}

// checkFiles examines the files that were set aside, the vaults and the skills. An invalid skill is a person's
// mistake and no damage.
func (c *Checked) checkFiles(home *files.Realm) {
	entries, err := home.KnowledgeFolder.List()
	if err != nil {
		c.damaged("%s", err)
	}
	for _, e := range entries {
		if id, isJSON := strings.CutSuffix(e.Name(), ".json"); !isJSON || !wire.ValidID(id) {
			continue // the file is no vault: it was set aside, is temporary, or a person put it there
		}
		c.Vaults.Count++
		if _, err := home.LoadVault(e.Name()); err != nil {
			c.Vaults.Bad++
			c.Vaults.list(e.Name())
			c.damaged("%s/%s", files.KnowledgeName, err)
		}
	}
	skills := home.SkillsFolder()
	if entries, err = skills.List(); err != nil {
		c.damaged("%s", err)
	}
	for _, e := range entries {
		if skill.NameProblem(e.Name()) != nil || !e.IsDir() {
			continue
		}
		_, err := files.ReadSkillFile(skills, e.Name())
		if errors.Is(err, disk.ErrMissing) {
			continue // a folder without a SKILL.md is not meant as a skill
		}
		if c.Skills.Count++; err != nil {
			c.Skills.Bad++
			c.Skills.list(e.Name())
		}
	}
	if err := home.EachAside(func(name string, _ fs.FileInfo) {
		c.SetAside.Count++
		c.SetAside.list(name)
	}); err != nil {
		c.damaged("%s", err)
	}
}
