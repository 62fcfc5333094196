package files

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	"agentdungeon/server/skill"
	"agentdungeon/server/store/disk"
	"agentdungeon/shared/pattern"
	"agentdungeon/shared/world"
)

// The realm's skills: skills/<name>/SKILL.md and its files. A skill is written to a temporary folder and renamed, so
// neither a reader nor the next opening after a crash finds half of one. People may add, change and remove skill
// folders at any time, so each call reads the folders again.

const (
	skillsFolder = "skills"
	// maxSkillFolders is the maximum number of folders that LoadSkills examines.
	maxSkillFolders = 2000
)

// Names of the folders of an unfinished write: a new skill before it is renamed, and the old one that it
// replaces. No skill's name contains a dot.
var (
	unfinished = pattern.New(`^\.([a-z0-9-]+)\.[0-9a-f]{8}\.tmp$`)
	replaced   = pattern.New(`^\.([a-z0-9-]+)\.[0-9a-f]{8}\.old$`)
)

// SkillsFolder returns the folder of the realm's skills, which need not exist.
func (f *Realm) SkillsFolder() disk.Folder { return disk.At(f.Folder.FS, f.Folder.Path(skillsFolder)) }

// LoadSkills reads the realm's skills, sorted by name. At most world.MaxSkills of them are valid. If there are more,
// the skills that agents have take precedence, then the other skills in known. SkillText.Bad is the reason why a skill
// cannot be used: it is invalid, or beyond the limit. LoadSkills first completes or undoes interrupted writes. An
// error means that no skills could be read.
func (f *Realm) LoadSkills(known []world.Skill) ([]world.SkillText, error) {
	f.skillMu.Lock()
	defer f.skillMu.Unlock()
	in := f.SkillsFolder()
	err := settleSkills(in)
	if errors.Is(err, disk.ErrMissing) {
		return []world.SkillText{}, nil
	}
	var entries []fs.FileInfo
	if err == nil {
		entries, err = in.List()
	}
	if err != nil {
		return nil, fmt.Errorf("load skills: %w", err)
	}
	rank := map[string]int{}
	for _, s := range known {
		if rank[s.Name] = 1; len(s.Agents) > 0 {
			rank[s.Name] = 2
		}
	}
	slices.SortStableFunc(entries, func(x, y fs.FileInfo) int { return cmp.Compare(rank[y.Name()], rank[x.Name()]) })
	out := []world.SkillText{}
	examined, valid := 0, 0
	for _, e := range entries {
		if skill.NameProblem(e.Name()) != nil || !e.IsDir() && e.Mode()&fs.ModeSymlink == 0 {
			continue // this entry is no folder of a skill: people may put other files here
		}
		if examined++; examined > maxSkillFolders {
			break
		}
		s := world.SkillText{Name: e.Name()}
		made, err := ReadSkillFile(in, e.Name())
		switch {
		case errors.Is(err, disk.ErrMissing):
			continue // without a SKILL.md the folder is no skill
		case err != nil:
			s.Bad = err.Error()
		case valid == world.MaxSkills:
			s.Bad = fmt.Sprintf("there are more than %d skills", world.MaxSkills)
		default:
			s.Description = made.Description
			s.Body = skill.ForPrompt(made.Body, readNamed(disk.At(in.FS, in.Path(e.Name())), made.Body), world.MaxSkillPrompt)
			valid++
		}
		out = append(out, s)
	}
	slices.SortFunc(out, func(x, y world.SkillText) int { return strings.Compare(x.Name, y.Name) })
	return out, nil
}

// readNamed returns the files that the instructions of a skill mention by path, as far as they fit into an agent's
// prompt. It skips files that cannot be read.
func readNamed(home disk.Folder, body string) map[string]string {
	files := map[string]string{}
	room := world.MaxSkillPrompt - len(body)
	for _, p := range skill.Named(body) {
		if room <= 0 {
			break
		}
		sub, name, _ := strings.Cut(p, "/")
		at := disk.At(home.FS, home.Path(sub))
		if at.RealFolder() != nil {
			continue
		}
		if text, err := at.ReadPlain(name, skill.MaxFile); err == nil && utf8.Valid(text) {
			files[p] = string(text)
			room -= len(text)
		}
	}
	return files
}

// ReadSkillFile reads and checks the SKILL.md of a skill. The name in its frontmatter must equal that of its
// folder.
func ReadSkillFile(in disk.Folder, name string) (skill.Skill, error) {
	home := disk.At(in.FS, in.Path(name))
	if err := home.RealFolder(); err != nil { // ReadSkill returns no files of a link, so a link is no skill here either
		return skill.Skill{}, err
	}
	text, err := home.ReadPlain(skill.File, skill.MaxFile)
	if err != nil {
		return skill.Skill{}, err
	}
	if !utf8.Valid(text) {
		return skill.Skill{}, fmt.Errorf("%s: %w: it is not UTF-8", skill.File, disk.ErrCorrupt)
	}
	made, err := skill.Parse(string(text))
	if err != nil {
		return made, fmt.Errorf("%s: %w: %w", skill.File, disk.ErrCorrupt, err)
	}
	if made.Name != name {
		return made, fmt.Errorf("%s: %w: it names the skill %q, not %q as its folder", skill.File, disk.ErrCorrupt,
			made.Name, name)
	}
	if p := skill.DescriptionProblem(made.Description); p != nil {
		return made, fmt.Errorf("%s: %w: %s", skill.File, disk.ErrCorrupt, p.Message)
	}
	return made, nil
}

// ReadSkill returns the files of a skill by path: SKILL.md and the text files below references and scripts,
// at most skill.MaxResources of them and skill.MaxSize bytes in all. It leaves out the rest, and files that
// are not text. It returns world.ErrNoSkill (wrapped) if there is no skill of that name.
func (f *Realm) ReadSkill(name string) (map[string]string, error) {
	if skill.NameProblem(name) != nil {
		return nil, fmt.Errorf("read skill %q: %w", name, world.ErrNoSkill)
	}
	f.skillMu.Lock()
	defer f.skillMu.Unlock()
	in := f.SkillsFolder()
	err := settleSkills(in)
	var files map[string]string
	if err == nil {
		files, err = readSkillFolder(in, name)
	}
	switch {
	case errors.Is(err, disk.ErrMissing):
		return nil, fmt.Errorf("read skill %s: %w", name, world.ErrNoSkill)
	case err != nil:
		return nil, fmt.Errorf("read skill %s: %w", name, err)
	}
	return files, nil
}

func readSkillFolder(in disk.Folder, name string) (map[string]string, error) {
	home := disk.At(in.FS, in.Path(name))
	if err := home.RealFolder(); err != nil {
		return nil, err
	}
	text, err := home.ReadPlain(skill.File, skill.MaxFile)
	if err != nil {
		return nil, err
	}
	files := map[string]string{skill.File: strings.ToValidUTF8(string(text), "\uFFFD")}
	size := len(text)
	for _, sub := range []string{"references", "scripts"} {
		at := disk.At(in.FS, home.Path(sub))
		if err := at.RealFolder(); err != nil {
			continue // most skills do not have this folder; a link is not followed
		}
		entries, err := at.List()
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			p := sub + "/" + e.Name()
			if skill.PathProblem(p) != nil || len(files) > skill.MaxResources || !e.Mode().IsRegular() ||
				e.Size() > int64(skill.MaxSize-size) {
				continue
			}
			text, err := at.ReadPlain(e.Name(), int64(skill.MaxSize-size))
			if err != nil || !utf8.Valid(text) {
				continue
			}
			size += len(text)
			files[p] = string(text)
		}
	}
	return files, nil
}

// settleSkills completes or undoes writes that a crash interrupted. It removes a new skill that was not renamed
// yet. It renames a replaced skill back if the new one is missing, otherwise it removes the replaced skill. It
// returns ErrMissing or ErrCorrupt if the realm has no skills folder or a link in its place.
func settleSkills(in disk.Folder) error {
	if err := in.RealFolder(); err != nil {
		return err
	}
	entries, err := in.List()
	if err != nil {
		return err
	}
	changed := false
	for _, e := range entries {
		old := replaced.FindStringSubmatch(e.Name())
		if !e.IsDir() || old == nil && !unfinished.MatchString(e.Name()) {
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
			return fmt.Errorf("remove the remains of an interrupted write: %w", err)
		}
	}
	if changed {
		return in.Sync()
	}
	return nil
}
