package files

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"path"

	"agentdungeon/server/skill"
	"agentdungeon/server/store/disk"
	"agentdungeon/shared/world"
)

// WriteSkill writes a skill atomically: after a crash its folder has the old or the new content, and after a
// nil error the new one. It may be called again: it returns nil if the folder has the same files already.
// It returns world.ErrSkillTaken (wrapped) if another skill has the name and must not be replaced. It
// refuses names and paths that lead out of the realm's skills folder.
func (f *Realm) WriteSkill(s world.SkillFiles) error {
	if err := checkSkill(s); err != nil {
		return fmt.Errorf("write skill %q: %w", s.Name, err)
	}
	f.skillMu.Lock()
	defer f.skillMu.Unlock()
	err := f.held.InPlace()
	if err == nil {
		err = f.writeSkill(s)
	}
	if err != nil {
		return fmt.Errorf("write skill %s: %w", s.Name, err)
	}
	return nil
}

func checkSkill(s world.SkillFiles) error {
	if p := skill.NameProblem(s.Name); p != nil {
		return errors.New(p.Message)
	}
	others := maps.Clone(s.Files)
	delete(others, skill.File)
	if problems := skill.Check(s.Files[skill.File], others); len(problems) > 0 {
		return errors.New(problems[0].Message)
	}
	return nil
}

func (f *Realm) writeSkill(s world.SkillFiles) error {
	in := f.SkillsFolder()
	err := settleSkills(in)
	if errors.Is(err, disk.ErrMissing) {
		err = in.Create()
	}
	if err != nil {
		return err
	}
	there, err := in.Has(s.Name)
	if err != nil {
		return err
	}
	if there {
		same, err := sameSkill(in, s)
		switch {
		case err != nil:
			return err
		case same:
			return in.Sync() // the folder may come from a write that was interrupted before its sync
		case !s.Replace:
			return world.ErrSkillTaken
		}
	}
	var random [4]byte
	rand.Read(random[:]) // crypto/rand.Read never returns an error
	beside := "." + s.Name + "." + hex.EncodeToString(random[:])
	fresh := disk.At(in.FS, in.Path(beside+".tmp"))
	if err := fresh.Fill(s.Files); err != nil {
		return errors.Join(err, in.FS.RemoveAll(fresh.Dir))
	}
	if there {
		if err := in.Rename(s.Name, beside+".old"); err != nil {
			return errors.Join(err, in.FS.RemoveAll(fresh.Dir))
		}
	}
	if err := in.Rename(beside+".tmp", s.Name); err != nil {
		if there {
			err = errors.Join(err, in.Rename(beside+".old", s.Name))
		}
		return errors.Join(err, in.FS.RemoveAll(fresh.Dir))
	}
	if err := in.Sync(); err != nil {
		return err // a crash between the renames leaves the new or the old folder
	}
	if there {
		if err := in.FS.RemoveAll(in.Path(beside + ".old")); err != nil {
			return fmt.Errorf("remove the replaced skill: %w", err)
		}
		return in.Sync()
	}
	return nil
}

// sameSkill reports whether the folder of a skill has exactly the files of s. It returns an error if a link or
// a file has the name of the folder.
func sameSkill(d disk.Folder, s world.SkillFiles) (bool, error) {
	home := disk.At(d.FS, d.Path(s.Name))
	if err := home.RealFolder(); err != nil {
		return false, err
	}
	n := 0
	for _, sub := range []string{"", "references", "scripts"} {
		at := disk.At(d.FS, home.Path(sub))
		entries, err := at.List()
		if err != nil {
			return false, err
		}
		for _, e := range entries {
			p := path.Join(sub, e.Name())
			if e.IsDir() && (p == "references" || p == "scripts") {
				continue
			}
			want, ok := s.Files[p]
			if !ok || !e.Mode().IsRegular() || e.Size() != int64(len(want)) {
				return false, nil
			}
			got, err := at.ReadPlain(e.Name(), int64(len(want)))
			if err != nil {
				return false, err
			}
			if string(got) != want {
				return false, nil
			}
			n++
		}
	}
	return n == len(s.Files), nil
}
