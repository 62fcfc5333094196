package files_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/afero"

	"agentdungeon/server/skill"
	"agentdungeon/server/store/crashfs"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/storetest"
	"agentdungeon/shared/world"
)

// skillOf returns a valid skill with two files that contain text.
func skillOf(t testing.TB, name, text string) world.SkillFiles {
	t.Helper()
	body, err := skill.Write(skill.Skill{Name: name, Description: "Does " + text + ". Use when asked.", Body: text + "\n\nSee references/a.md and scripts/run.sh."})
	storetest.Must(t, err)
	return world.SkillFiles{Name: name, Files: map[string]string{
		skill.File: body, "references/a.md": "About " + text + ".\n", "scripts/run.sh": "echo " + text + "\n",
	}}
}

// lies returns the files of a skill, nil for none.
func lies(t *testing.T, fsys afero.Fs, dir, name string) map[string]string {
	t.Helper()
	files, err := files.OpenRealm(fsys, dir).ReadSkill(name)
	if errors.Is(err, world.ErrNoSkill) {
		return nil
	}
	storetest.Must(t, err)
	return files
}

func TestSkillsAreWrittenAndFound(t *testing.T) {
	onEach(t, func(t *testing.T, fsys afero.Fs, dir string) {
		f := files.OpenRealm(fsys, dir)
		if list, err := f.LoadSkills(nil); err != nil || list == nil || len(list) != 0 {
			t.Fatalf("a realm without the folder: %v, %v", list, err)
		}
		one, other := skillOf(t, "one", "something"), skillOf(t, "one", "another thing")
		storetest.Must(t, f.WriteSkill(one))
		storetest.Must(t, f.WriteSkill(one)) // again is no harm
		storetest.MustBe(t, f.WriteSkill(other), world.ErrSkillTaken)
		if got := lies(t, fsys, dir, "one"); !maps.Equal(got, one.Files) {
			t.Fatalf("%v", got)
		}
		if list, err := f.LoadSkills(nil); err != nil || len(list) != 1 || list[0].Body != "something\n\nSee references/a.md and scripts/run.sh.\n\n## references/a.md\n\nAbout something.\n\n## scripts/run.sh\n\n```\necho something\n```" {
			t.Fatalf("an agent is told %+v, %v", list, err)
		}
		other.Replace = true
		storetest.Must(t, f.WriteSkill(other))
		if got := lies(t, fsys, dir, "one"); !maps.Equal(got, other.Files) {
			t.Fatalf("%v", got)
		}
		at := filepath.Join(dir, "skills")
		if n := storetest.Names(t, fsys, at); !slices.Equal(n, []string{"one"}) {
			t.Errorf("left over: %v", n)
		}
		// Of the folders that people put there, valid skills are found, invalid ones are returned
		// with the reason, and others are skipped.
		writeFile(t, fsys, filepath.Join(at, "dropped", "SKILL.md"), "---\nname: dropped\ndescription: From a person.\n---\nDo it.\n")
		writeFile(t, fsys, filepath.Join(at, "broken", "SKILL.md"), "no frontmatter")
		writeFile(t, fsys, filepath.Join(at, "liar", "SKILL.md"), "---\nname: other\ndescription: x\n---\n")
		writeFile(t, fsys, filepath.Join(at, "huge", "SKILL.md"), strings.Repeat("x", skill.MaxFile+1))
		writeFile(t, fsys, filepath.Join(at, "empty", "notes.txt"), "x")
		writeFile(t, fsys, filepath.Join(at, "My Own", "SKILL.md"), "x")
		list, err := f.LoadSkills(nil)
		storetest.Must(t, err)
		var got []string
		for _, s := range list {
			line := s.Name + ":" + s.Description
			if s.Bad != "" {
				line = s.Name + " is bad"
			}
			got = append(got, line)
		}
		if want := []string{"broken is bad", "dropped:From a person.", "huge is bad", "liar is bad", "one:Does another thing. Use when asked."}; !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
		storetest.Must(t, fsys.RemoveAll(filepath.Join(at, "one")))
		if list, err = f.LoadSkills(nil); err != nil || len(list) != 4 {
			t.Errorf("%v, %v", list, err)
		}
	})
}

// Names and paths never lead out of the skills folder, and an invalid skill is not written.
func TestSkillsStayInTheirFolder(t *testing.T) {
	onEach(t, func(t *testing.T, fsys afero.Fs, dir string) {
		f := files.OpenRealm(fsys, dir)
		for _, name := range []string{"", ".", "..", "../x", "a/b", "A", ".x", "a..b", strings.Repeat("a", 65), "x.tmp"} {
			s := skillOf(t, "good", "x")
			s.Name = name
			if f.WriteSkill(s) == nil {
				t.Errorf("%q is written", name)
			}
			if _, err := f.ReadSkill(name); !errors.Is(err, world.ErrNoSkill) {
				t.Errorf("%q is read: %v", name, err)
			}
		}
		for _, p := range []string{"../x", "/etc/passwd", "references/../../x", "scripts/", "other/x", "SKILL.md/x", "references/a/b"} {
			s := skillOf(t, "good", "x")
			s.Files[p] = "x"
			s.Files[skill.File] += p + "\n"
			if f.WriteSkill(s) == nil {
				t.Errorf("%q is written", p)
			}
		}
		if there, err := f.Folder.Has("skills"); err != nil || there {
			t.Errorf("something was made: %v", err)
		}
	})
	t.Run("links", func(t *testing.T) {
		dir, outside := t.TempDir(), t.TempDir()
		fsys := afero.NewOsFs()
		f := files.OpenRealm(fsys, dir)
		storetest.Must(t, os.Mkdir(filepath.Join(dir, "skills"), 0o700))
		storetest.Must(t, os.Symlink(outside, filepath.Join(dir, "skills", "good")))
		writeFile(t, fsys, filepath.Join(outside, "SKILL.md"), "---\nname: good\ndescription: x\n---\nx\n")
		s := skillOf(t, "good", "x")
		s.Replace = true
		if f.WriteSkill(s) == nil || len(storetest.Names(t, fsys, outside)) != 1 {
			t.Error("a link is written through, or taken away")
		}
		if _, err := f.ReadSkill("good"); err == nil {
			t.Error("a link is read through")
		}
		storetest.Must(t, os.RemoveAll(filepath.Join(dir, "skills")))
		storetest.Must(t, os.Symlink(outside, filepath.Join(dir, "skills")))
		if f.WriteSkill(s) == nil {
			t.Error("a linked skills folder is written into")
		}
		if _, err := f.LoadSkills(nil); err == nil {
			t.Error("a linked skills folder is read")
		}
	})
}

// After a power cut in any operation of a write, whatever part of the unsynced data survives, there is the old or the
// new skill, whole; after an acknowledged write it is the new one.
func TestSkillsSurvivePowerCuts(t *testing.T) {
	for _, replace := range []bool{false, true} {
		t.Run(fmt.Sprint("replace ", replace), func(t *testing.T) {
			old, fresh := skillOf(t, "one", "the old"), skillOf(t, "one", "the new")
			fresh.Replace = replace
			for k := 1; ; k++ {
				disk := crashfs.NewDisk()
				f := files.OpenRealm(disk, "/w/r")
				storetest.Must(t, f.SkillsFolder().Create())
				if replace {
					storetest.Must(t, f.WriteSkill(old))
				}
				disk.CutAt(k)
				acked := f.WriteSkill(fresh) == nil
				for _, loss := range disk.Losses() {
					after := disk.Crash(loss)
					got := lies(t, after, "/w/r", "one")
					switch {
					case maps.Equal(got, fresh.Files):
					case acked, replace && !maps.Equal(got, old.Files), !replace && got != nil:
						t.Fatalf("cut at %d, %+v, acknowledged %v: %v", k, loss, acked, got)
					}
					again := files.OpenRealm(after, "/w/r") // the next process writes the skill again
					storetest.Must(t, again.WriteSkill(fresh))
					if got := lies(t, after, "/w/r", "one"); !maps.Equal(got, fresh.Files) || len(storetest.Names(t, after, "/w/r/skills")) != 1 {
						t.Fatalf("cut at %d, %+v, and again: %v", k, loss, got)
					}
				}
				if !disk.Cut() {
					return
				}
			}
		})
	}
}

// A fault in any operation, once or until it ends, is an error or harmless: there is the old or the new skill, and
// the next try succeeds.
func TestSkillsSurviveFaults(t *testing.T) {
	kinds := []error{syscall.ENOSPC, syscall.EIO, syscall.EROFS}
	for _, lasting := range []bool{false, true} {
		onEach(t, func(t *testing.T, base afero.Fs, dir string) {
			for k := 1; ; k++ {
				faults := crashfs.NewFaults(base)
				home := fmt.Sprintf("%s/r%d", dir, k)
				f := files.OpenRealm(faults, home)
				old, fresh := skillOf(t, "one", "the old"), skillOf(t, "one", "the new")
				fresh.Replace = true
				storetest.Must(t, f.WriteSkill(old))
				before := faults.Ops()
				if lasting {
					faults.FailFrom(k, kinds[k%3])
				} else {
					faults.FailAt(k, kinds[k%3])
				}
				err := f.WriteSkill(fresh)
				reached := faults.Ops()-before >= k
				faults.Heal()
				got := lies(t, base, home, "one")
				if !maps.Equal(got, fresh.Files) && (err == nil || !maps.Equal(got, old.Files)) {
					t.Fatalf("fault %d: %v; %v", k, err, got)
				}
				storetest.Must(t, f.WriteSkill(fresh))
				if got := lies(t, base, home, "one"); !maps.Equal(got, fresh.Files) {
					t.Fatalf("fault %d, and again: %v", k, got)
				}
				if !reached {
					return
				}
			}
		})
	}
}

// Other files and folders beside skills hide none of them. A link to a folder elsewhere is no skill, so that each
// skill in a prompt can be opened.
func TestSkillsAmongOtherThings(t *testing.T) {
	dir := t.TempDir()
	f := files.OpenRealm(afero.NewOsFs(), dir)
	storetest.Must(t, f.WriteSkill(skillOf(t, "zeta", "something")))
	at := filepath.Join(dir, "skills")
	for i := range files.MaxSkillFolders + 1 {
		storetest.Must(t, os.WriteFile(filepath.Join(at, fmt.Sprintf("a%d", i)), nil, 0o600))
	}
	elsewhere := filepath.Join(t.TempDir(), "linked")
	storetest.Must(t, os.Mkdir(elsewhere, 0o700))
	storetest.Must(t, os.WriteFile(filepath.Join(elsewhere, skill.File), []byte(skillOf(t, "linked", "what is elsewhere").Files[skill.File]), 0o600))
	storetest.Must(t, os.Symlink(elsewhere, filepath.Join(at, "linked")))
	list, err := f.LoadSkills(nil)
	storetest.Must(t, err)
	if len(list) != 2 || list[0].Name != "linked" || list[0].Bad == "" || list[1].Name != "zeta" || list[1].Bad != "" {
		t.Errorf("%v", list)
	}
	if _, err := f.ReadSkill("linked"); err == nil {
		t.Error("a link is opened")
	}
}

// If there are too many folders or skills, those that agents have are read before the other known ones, and these
// before all others, whatever their names.
func TestKnownSkillsGoFirst(t *testing.T) {
	dir := t.TempDir()
	f := files.OpenRealm(afero.NewOsFs(), dir)
	at := filepath.Join(dir, "skills")
	for i := range files.MaxSkillFolders + 10 {
		storetest.Must(t, os.MkdirAll(filepath.Join(at, fmt.Sprintf("a%d", i)), 0o700))
	}
	storetest.Must(t, f.WriteSkill(skillOf(t, "zeta", "given")))
	storetest.Must(t, f.WriteSkill(skillOf(t, "yota", "known")))
	storetest.Must(t, f.WriteSkill(skillOf(t, "iota", "new")))
	known := []world.Skill{{Name: "yota"}, {Name: "zeta", Agents: []string{"bard"}}}
	taken := func(known []world.Skill) (out []string) {
		t.Helper()
		list, err := f.LoadSkills(known)
		storetest.Must(t, err)
		for _, s := range list {
			if s.Bad == "" {
				out = append(out, s.Name)
			}
		}
		return out
	}
	if got := taken(known); !slices.Equal(got, []string{"yota", "zeta"}) {
		t.Errorf("behind too many folders: %q", got)
	}
	storetest.Must(t, os.RemoveAll(at))
	for i := range world.MaxSkills + 10 {
		name := fmt.Sprintf("a%d", i)
		writeFile(t, afero.NewOsFs(), filepath.Join(at, name, skill.File), skillOf(t, name, "new").Files[skill.File])
	}
	storetest.Must(t, f.WriteSkill(skillOf(t, "zeta", "given")))
	got := taken(known)
	if len(got) != world.MaxSkills || got[len(got)-1] != "zeta" || !slices.IsSorted(got) {
		t.Errorf("%d of too many skills are taken: %q", len(got), got)
	}
}

// A frontmatter whose YAML aliases multiply ("billion laughs": each repeats the one before it eight times) is refused
// quickly.
func TestSkillsOfAliases(t *testing.T) {
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString("---\nname: laughs\na0: &a0 [x,x,x,x,x,x,x,x]\n")
	for i := 1; i < 20; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 8), ","))
	}
	b.WriteString("description: [*a19]\n---\nDo it.\n")
	storetest.Must(t, os.MkdirAll(filepath.Join(dir, "skills", "laughs"), 0o700))
	storetest.Must(t, os.WriteFile(filepath.Join(dir, "skills", "laughs", skill.File), []byte(b.String()), 0o600))
	list, err := files.OpenRealm(afero.NewOsFs(), dir).LoadSkills(nil)
	storetest.Must(t, err)
	if len(list) != 1 || list[0].Bad == "" {
		t.Errorf("%v", list)
	}
}
