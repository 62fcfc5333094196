package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"agentdungeon/server/forge"
	"agentdungeon/shared/world"
)

// The realm's skills: skills/<name>/SKILL.md and its files. A skill is written as a whole
// folder beside its place and renamed there, so that no reader and no crash ever sees
// half of one. People may put folders there, change and remove them at any time: what
// lies there is what counts.

const (
	skillsFolder = "skills"
	// maxSkillFolders is how many folders that could be skills are looked at, by name.
	maxSkillFolders = 2000
)

// Folders of a write that has not ended: a new skill that is not in its place yet, and
// one that makes way for it. No skill's name has a dot in it.
var (
	unplaced = regexp.MustCompile(`^\.([a-z0-9-]+)\.[0-9a-f]{8}\.tmp$`)
	replaced = regexp.MustCompile(`^\.([a-z0-9-]+)\.[0-9a-f]{8}\.old$`)
)

func (f *RealmFiles) skills() folder { return folder{f.root.fs, f.root.path(skillsFolder)} }

// LoadSkills reads the skills of the realm, by name: at most world.MaxSkills of those
// that are sound. Where there are too many to look at or to take, those that are known go
// before others, and what was given to somebody goes before all. A folder that holds none
// says why in Bad. What a crash has left of a write is put right first. An error means
// that nothing can be said of any of them.
func (f *RealmFiles) LoadSkills(known []world.Skill) ([]world.SkillText, error) {
	f.skillMu.Lock()
	defer f.skillMu.Unlock()
	in := f.skills()
	if err := in.realFolder(); err != nil {
		if errors.Is(err, ErrMissing) {
			return []world.SkillText{}, nil
		}
		return nil, fmt.Errorf("load skills: %w", err)
	}
	if err := f.settleSkills(in); err != nil {
		return nil, fmt.Errorf("load skills: %w", err)
	}
	entries, err := in.list()
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
	out, sound := []world.SkillText{}, 0
	looked := 0
	for _, e := range entries {
		if forge.NameProblem(e.Name()) != nil || !e.IsDir() && e.Mode()&fs.ModeSymlink == 0 {
			continue // a person's own
		}
		if looked++; looked > maxSkillFolders {
			break
		}
		s := world.SkillText{Name: e.Name()}
		skill, err := readSkillFile(in, e.Name())
		switch {
		case errors.Is(err, ErrMissing):
			continue // a folder without a SKILL.md is no skill, and none that is damaged
		case err != nil:
			s.Bad = err.Error()
		case sound == world.MaxSkills:
			s.Bad = fmt.Sprintf("there are more than %d skills", world.MaxSkills)
		default:
			s.Description = skill.Description
			s.Body = forge.Told(skill.Body, readNamed(folder{in.fs, in.path(e.Name())}, skill.Body), world.MaxSkillTold)
			sound++
		}
		out = append(out, s)
	}
	slices.SortFunc(out, func(x, y world.SkillText) int { return strings.Compare(x.Name, y.Name) })
	return out, nil
}

// readNamed gives the files that a skill's instructions name, as far as there is room
// for them in what an agent is told; one that cannot be read is left out.
func readNamed(home folder, body string) map[string]string {
	files := map[string]string{}
	room := world.MaxSkillTold - len(body)
	for _, p := range forge.Named(body) {
		if room <= 0 {
			break
		}
		sub, name, _ := strings.Cut(p, "/")
		at := folder{home.fs, home.path(sub)}
		if at.realFolder() != nil {
			continue
		}
		if text, err := at.readPlain(name, forge.MaxSkillFile); err == nil && utf8.Valid(text) {
			files[p] = string(text)
			room -= len(text)
		}
	}
	return files
}

// readSkillFile reads and checks the SKILL.md of a skill; one whose frontmatter has
// another name than its folder is none.
func readSkillFile(in folder, name string) (forge.Skill, error) {
	home := folder{in.fs, in.path(name)}
	if err := home.realFolder(); err != nil { // as ReadSkill sees it: what agents are told can be opened
		return forge.Skill{}, err
	}
	text, err := home.readPlain(forge.SkillFile, forge.MaxSkillFile)
	if err != nil {
		return forge.Skill{}, err
	}
	if !utf8.Valid(text) {
		return forge.Skill{}, fmt.Errorf("%s: %w: it is not UTF-8", forge.SkillFile, ErrCorrupt)
	}
	skill, err := forge.Parse(string(text))
	if err != nil {
		return skill, fmt.Errorf("%s: %w: %w", forge.SkillFile, ErrCorrupt, err)
	}
	if skill.Name != name {
		return skill, fmt.Errorf("%s: %w: it says that its name is %q", forge.SkillFile, ErrCorrupt, skill.Name)
	}
	if p := forge.DescriptionProblem(skill.Description); p != nil {
		return skill, fmt.Errorf("%s: %w: %s", forge.SkillFile, ErrCorrupt, p.Message)
	}
	return skill, nil
}

// ReadSkill gives the files of a skill by path: SKILL.md and the text files below
// references and scripts, at most forge.MaxResources of them and forge.MaxSkill bytes in
// all; what is more, or no text, is left out. world.ErrNoSkill (wrapped) where there is
// none of the name.
func (f *RealmFiles) ReadSkill(name string) (map[string]string, error) {
	if forge.NameProblem(name) != nil {
		return nil, fmt.Errorf("read skill %q: %w", name, world.ErrNoSkill)
	}
	f.skillMu.Lock()
	defer f.skillMu.Unlock()
	in := f.skills()
	err := in.realFolder()
	if err == nil {
		err = f.settleSkills(in)
	}
	var files map[string]string
	if err == nil {
		files, err = readSkillFolder(in, name)
	}
	switch {
	case errors.Is(err, ErrMissing):
		return nil, fmt.Errorf("read skill %s: %w", name, world.ErrNoSkill)
	case err != nil:
		return nil, fmt.Errorf("read skill %s: %w", name, err)
	}
	return files, nil
}

func readSkillFolder(in folder, name string) (map[string]string, error) {
	home := folder{in.fs, in.path(name)}
	if err := home.realFolder(); err != nil {
		return nil, err
	}
	text, err := home.readPlain(forge.SkillFile, forge.MaxSkillFile)
	if err != nil {
		return nil, err
	}
	files := map[string]string{forge.SkillFile: strings.ToValidUTF8(string(text), "\uFFFD")}
	size := len(text)
	for _, sub := range []string{"references", "scripts"} {
		at := folder{in.fs, home.path(sub)}
		if err := at.realFolder(); err != nil {
			continue // there need be none
		}
		entries, err := at.list()
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			p := sub + "/" + e.Name()
			if forge.PathProblem(p) != nil || len(files) > forge.MaxResources || !e.Mode().IsRegular() || e.Size() > int64(forge.MaxSkill-size) {
				continue
			}
			text, err := at.readPlain(e.Name(), int64(forge.MaxSkill-size))
			if err != nil || !utf8.Valid(text) {
				continue
			}
			size += len(text)
			files[p] = string(text)
		}
	}
	return files, nil
}

// realFolder says whether a folder is there and is one itself, no link to one.
func (d folder) realFolder() error {
	info, err := lstat(d.fs, d.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w", d.dir, ErrMissing)
	case err != nil:
		return fmt.Errorf("look for %s: %w", d.dir, err)
	case !info.IsDir():
		return fmt.Errorf("%s: %w: it is no folder of its own", d.dir, ErrCorrupt)
	}
	return nil
}

// readPlain reads a file that is no link and has at most limit bytes.
func (d folder) readPlain(name string, limit int64) ([]byte, error) {
	info, err := lstat(d.fs, d.path(name))
	if err == nil && info.Mode()&os.ModeSymlink != 0 {
		return nil, fmt.Errorf("%s: %w: it is a link", name, ErrCorrupt)
	}
	return d.read(name, limit)
}
