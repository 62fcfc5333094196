package recovery

import (
	"errors"
	"io/fs"
	"strings"

	"agentdungeon/server/skill"
	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/files"
	"agentdungeon/shared/wire"
)

// What a check reads besides the database.

// checkFiles examines the other files of the folder. An invalid skill is a person's mistake and no
// damage.
func (c *Checked) checkFiles(home *files.Realm) {
	entries, err := home.KnowledgeFolder.List()
	if err != nil {
		c.damaged("%s", err)
	}
	for _, e := range entries {
		if id, isJSON := strings.CutSuffix(e.Name(), ".json"); !isJSON || !wire.ValidID(id) {
			continue // set aside, temporary, or another file of a person
		}
		c.Vaults.Count++
		if _, err := home.LoadVault(e.Name()); err != nil {
			c.Vaults.Bad++
			c.Vaults.name(e.Name())
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
			c.Skills.name(e.Name())
		}
	}
	if err := home.EachAside(func(name string, _ fs.FileInfo) {
		c.SetAside.Count++
		c.SetAside.name(name)
	}); err != nil {
		c.damaged("%s", err)
	}
}
