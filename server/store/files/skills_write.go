package files

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"

	"agentdungeon/server/skill"
	"agentdungeon/server/store/disk"
	"agentdungeon/shared/world"
)

// WriteSkill writes a skill as a whole: after a crash at any point its folder holds what
// was there before or what was to be written, and after a nil error that. Where the same
// bytes lie already it has succeeded, so it may be tried again. world.ErrSkillTaken
// (wrapped) where another skill lies there and is not to be replaced. It never writes
// outside the realm's skills folder: names and paths that could are refused.
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
	if err := in.RealFolder(); errors.Is(err, disk.ErrMissing) {
		if err := in.Create(); err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	if err := f.settleSkills(in); err != nil {
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
			return in.Sync() // of a life that was cut short before it
		case !s.Replace:
			return world.ErrSkillTaken
		}
	}
	var random [4]byte
	rand.Read(random[:]) // never fails
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
		return err // the next try finds what it is to write, or what was there
	}
	if there {
		if err := in.FS.RemoveAll(in.Path(beside + ".old")); err != nil {
			return fmt.Errorf("remove what was replaced: %w", err)
		}
		return in.Sync()
	}
	return nil
}

// sameSkill says whether exactly these files lie there. A link, or a file in the place of
// the folder, is an error: it is not ours to replace.
func sameSkill(d disk.Folder, s world.SkillFiles) (bool, error) {
	home := disk.At(d.FS, d.Path(s.Name))
	if err := home.RealFolder(); err != nil {
		return false, err
	}
	n := 0
	for _, sub := range []string{"", "references", "scripts"} {
		at := home
		if sub != "" {
			at = disk.At(d.FS, home.Path(sub))
		}
		entries, err := at.List()
		if err != nil {
			return false, err
		}
		for _, e := range entries {
			p := e.Name()
			if sub != "" {
				p = sub + "/" + p
			} else if e.IsDir() && (p == "references" || p == "scripts") {
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

// settleSkills puts right what a crash has left of writes: a new skill that did not come
// to its place is removed, one that had made way for it comes back where the new one is
// not there, else it is removed.
func (f *Realm) settleSkills(in disk.Folder) error {
	entries, err := in.List()
	if err != nil {
		return err
	}
	changed := false
	for _, e := range entries {
		old := replaced.FindStringSubmatch(e.Name())
		if !e.IsDir() || old == nil && !unplaced.MatchString(e.Name()) {
			continue
		}
		changed = true
		if old != nil {
			there, err := in.Has(old[1])
			if err != nil {
				return err
			}
			if !there {
				if err := in.Rename(e.Name(), old[1]); err != nil {
					return err
				}
				continue
			}
		}
		if err := in.FS.RemoveAll(in.Path(e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove what a crash has left: %w", err)
		}
	}
	if changed {
		return in.Sync()
	}
	return nil
}
