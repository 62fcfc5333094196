package store

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"agentdungeon/server/forge"
	"agentdungeon/shared/world"
)

// WriteSkill writes a skill as a whole: after a crash at any point its folder holds what
// was there before or what was to be written, and after a nil error that. Where the same
// bytes lie already it has succeeded, so it may be tried again. world.ErrSkillTaken
// (wrapped) where another skill lies there and is not to be replaced. It never writes
// outside the realm's skills folder: names and paths that could are refused.
func (f *RealmFiles) WriteSkill(s world.SkillFiles) error {
	if err := checkSkill(s); err != nil {
		return fmt.Errorf("write skill %q: %w", s.Name, err)
	}
	f.skillMu.Lock()
	defer f.skillMu.Unlock()
	err := f.held.inPlace()
	if err == nil {
		err = f.writeSkill(s)
	}
	if err != nil {
		return fmt.Errorf("write skill %s: %w", s.Name, err)
	}
	return nil
}

func checkSkill(s world.SkillFiles) error {
	if p := forge.NameProblem(s.Name); p != nil {
		return errors.New(p.Message)
	}
	others := maps.Clone(s.Files)
	delete(others, forge.SkillFile)
	if problems := forge.Check(s.Files[forge.SkillFile], others); len(problems) > 0 {
		return errors.New(problems[0].Message)
	}
	return nil
}

func (f *RealmFiles) writeSkill(s world.SkillFiles) error {
	in := f.skills()
	if err := in.realFolder(); errors.Is(err, ErrMissing) {
		if err := in.create(); err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	if err := f.settleSkills(in); err != nil {
		return err
	}
	there, err := in.has(s.Name)
	if err != nil {
		return err
	}
	if there {
		same, err := in.sameSkill(s)
		switch {
		case err != nil:
			return err
		case same:
			return in.sync() // of a life that was cut short before it
		case !s.Replace:
			return world.ErrSkillTaken
		}
	}
	var random [4]byte
	rand.Read(random[:]) // never fails
	beside := "." + s.Name + "." + hex.EncodeToString(random[:])
	fresh := folder{in.fs, in.path(beside + ".tmp")}
	if err := fresh.fill(s.Files); err != nil {
		return errors.Join(err, in.fs.RemoveAll(fresh.dir))
	}
	if there {
		if err := in.rename(s.Name, beside+".old"); err != nil {
			return errors.Join(err, in.fs.RemoveAll(fresh.dir))
		}
	}
	if err := in.rename(beside+".tmp", s.Name); err != nil {
		if there {
			err = errors.Join(err, in.rename(beside+".old", s.Name))
		}
		return errors.Join(err, in.fs.RemoveAll(fresh.dir))
	}
	if err := in.sync(); err != nil {
		return err // the next try finds what it is to write, or what was there
	}
	if there {
		if err := in.fs.RemoveAll(in.path(beside + ".old")); err != nil {
			return fmt.Errorf("remove what was replaced: %w", err)
		}
		return in.sync()
	}
	return nil
}

// fill makes the folder with these files, durably but for its own name.
func (d folder) fill(files map[string]string) error {
	if err := d.fs.Mkdir(d.dir, folderPerm); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	subs := map[string]bool{} // references and scripts
	for _, p := range slices.Sorted(maps.Keys(files)) {
		at, name := d, p
		if sub, rest, below := strings.Cut(p, "/"); below {
			at, name = folder{d.fs, d.path(sub)}, rest
			if !subs[sub] {
				if err := d.fs.Mkdir(at.dir, folderPerm); err != nil {
					return fmt.Errorf("make folder: %w", err)
				}
				subs[sub] = true
			}
		}
		f, err := d.fs.OpenFile(at.path(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, filePerm)
		if err != nil {
			return fmt.Errorf("create %s: %w", p, err)
		}
		if err := writeAndSync(f, []byte(files[p])); err != nil {
			return fmt.Errorf("write %s: %w", p, err)
		}
	}
	for sub := range subs {
		if err := (folder{d.fs, d.path(sub)}).sync(); err != nil {
			return err
		}
	}
	return d.sync()
}

// sameSkill says whether exactly these files lie there. A link, or a file in the place of
// the folder, is an error: it is not ours to replace.
func (d folder) sameSkill(s world.SkillFiles) (bool, error) {
	home := folder{d.fs, d.path(s.Name)}
	if err := home.realFolder(); err != nil {
		return false, err
	}
	n := 0
	for _, sub := range []string{"", "references", "scripts"} {
		at := home
		if sub != "" {
			at = folder{d.fs, home.path(sub)}
		}
		entries, err := at.list()
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
			got, err := at.readPlain(e.Name(), int64(len(want)))
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
func (f *RealmFiles) settleSkills(in folder) error {
	entries, err := in.list()
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
			there, err := in.has(old[1])
			if err != nil {
				return err
			}
			if !there {
				if err := in.rename(e.Name(), old[1]); err != nil {
					return err
				}
				continue
			}
		}
		if err := in.fs.RemoveAll(in.path(e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove what a crash has left: %w", err)
		}
	}
	if changed {
		return in.sync()
	}
	return nil
}
