package store

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/afero"

	"agentdungeon/shared/world"
)

// learns commits one insight of a member for each text.
func (r *rig) learns(member string, texts ...string) {
	r.t.Helper()
	for _, text := range texts {
		r.commit(&world.KnowledgeUpdated{AgentID: member, Area: "door", Text: text})
	}
}

// saves writes a member's vault as the actor would now, and the mark behind it.
func (r *rig) saves(member string, texts ...string) {
	r.t.Helper()
	v := world.Vault{AgentID: member, Epoch: r.o.Saved.Epoch, Seq: r.w.Tick}
	for _, text := range texts {
		v.Insights = append(v.Insights, world.Insight{Area: "door", Text: text, At: r.at})
	}
	must(r.t, r.o.Files.WriteVault(v))
	must(r.t, r.o.Journal.MarkVaults(world.VaultMark{Epoch: v.Epoch, Seq: v.Seq, Vaults: map[string]int64{member: v.Seq}}))
}

// knows fails the test where an opening gives a member other insights, oldest first.
func knows(t *testing.T, o *OpenedRealm, member string, want ...string) {
	t.Helper()
	got := []string{}
	for _, v := range o.Saved.Vaults {
		if v.AgentID == member {
			for _, in := range v.Insights {
				got = append(got, in.Text)
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s knows %q, want %q", member, got, want)
	}
}

// What was learned after a vault was written is in the journal and comes back from there
// at an opening, once, whatever the files lack (S3-14).
func TestAnOpeningFoldsWhatAVaultLacks(t *testing.T) {
	vaultFile := func(dir, member string) string {
		return filepath.Join(dir, knowledgeFolder, member+".json")
	}
	for name, c := range map[string]struct {
		lived func(t *testing.T, r *rig)
		spoil func(t *testing.T, dir string)
		want  []string
	}{
		"no file was written": {lived: func(t *testing.T, r *rig) { r.learns("scout", "one", "two") }, want: []string{"one", "two"}},
		"the file is older": {lived: func(t *testing.T, r *rig) {
			r.learns("scout", "one")
			r.saves("scout", "one")
			r.learns("scout", "two")
		}, want: []string{"one", "two"}},
		"the file has all": {lived: func(t *testing.T, r *rig) {
			r.learns("scout", "one", "two")
			r.saves("scout", "one", "two")
		}, want: []string{"one", "two"}},
		"older insights are in the file alone": {lived: func(t *testing.T, r *rig) {
			r.saves("scout", "from before the journal")
			r.learns("scout", "two")
		}, want: []string{"from before the journal", "two"}},
		"the events lie in blocks": {lived: func(t *testing.T, r *rig) {
			r.tell()
			r.learns("scout", "one")
			r.saves("scout", "one")
			r.say(3)
			r.learns("scout", "two")
			r.say(40)
			r.learns("scout", "three")
			r.packAll(5, 2)
		}, want: []string{"one", "two", "three"}},
		"the file is of an older version": {lived: func(t *testing.T, r *rig) {
			r.learns("scout", "one", "two", "three")
			v := world.Vault{AgentID: "scout", Insights: []world.Insight{{Area: "door", Text: "one", At: r.at - 14}, {Area: "door", Text: "two", At: r.at - 7}}}
			must(t, r.o.Files.WriteVault(v))
		}, want: []string{"one", "two", "three"}},
		"the file is gone": {lived: func(t *testing.T, r *rig) {
			r.learns("scout", "one")
			r.saves("scout", "one")
			r.learns("scout", "two")
		}, spoil: func(t *testing.T, dir string) { must(t, os.Remove(vaultFile(dir, "scout"))) }, want: []string{"one", "two"}},
		"the file is damaged": {lived: func(t *testing.T, r *rig) {
			r.learns("scout", "one")
			r.saves("scout", "one")
		}, spoil: func(t *testing.T, dir string) { must(t, os.WriteFile(vaultFile(dir, "scout"), []byte("{"), 0o600)) }, want: []string{"one"}},
		"the file is of another journal": {lived: func(t *testing.T, r *rig) {
			r.learns("scout", "one")
			must(t, r.o.Files.WriteVault(world.Vault{AgentID: "scout", Epoch: "ELSEWHERE", Seq: 4000, Insights: []world.Insight{{Area: "door", Text: "zero", At: 4}}}))
			must(t, r.o.Journal.MarkVaults(world.VaultMark{Epoch: "ELSEWHERE", Seq: 4000, Vaults: map[string]int64{"scout": 4000}}))
		}, want: []string{"zero", "one"}},
		"what was erased": {lived: func(t *testing.T, r *rig) {
			r.learns("scout", "one")
			r.commit(&world.KnowledgeUpdated{AgentID: "scout", Area: world.ErasedName})
			r.learns("scout", "two")
		}, want: []string{"one", "two"}},
		"more than a vault keeps": {lived: func(t *testing.T, r *rig) {
			for n := range world.MaxInsights + 3 {
				r.learns("scout", fmt.Sprint(n))
			}
		}, want: func() (want []string) {
			for n := range world.MaxInsights {
				want = append(want, fmt.Sprint(n+3))
			}
			return want
		}()},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.commit(&world.RealmCreated{Realm: rigRealm, Settings: world.DefaultSettings()})
			c.lived(t, r)
			dir := r.killed()
			if c.spoil != nil {
				c.spoil(t, dir)
			}
			o := mustOpen(t, dir)
			knows(t, o, "scout", c.want...)
			for _, err := range o.Warnings {
				t.Errorf("warned: %v", err)
			}
		})
	}
}

// A vault that stands at an event which the journal has lost holds nothing of what was
// learned under the same seq since.
func TestAVaultBeyondTheJournal(t *testing.T) {
	r := newRig(t)
	r.commit(&world.RealmCreated{Realm: rigRealm, Settings: world.DefaultSettings()})
	r.learns("scout", "one")
	short := r.killed()
	r.say(20)
	r.learns("scout", "two")
	r.saves("scout", "one", "two")
	copyDir(t, filepath.Join(r.dir, knowledgeFolder), filepath.Join(short, knowledgeFolder))

	r.dir = short
	r.open()
	knows(t, r.o, "scout", "one", "two") // what a file holds was shown
	r.learns("scout", "three")
	r.dir = r.killed()
	r.open()
	knows(t, r.o, "scout", "one", "two", "three")
}

// One damaged event costs one insight, and the opening says so.
func TestADamagedInsightCostsOne(t *testing.T) {
	r := newRig(t)
	r.commit(&world.RealmCreated{Realm: rigRealm, Settings: world.DefaultSettings()})
	r.learns("scout", "one", "two", "three")
	r.say(3)
	r.checkpoint()
	if _, err := r.o.Journal.w.exec("UPDATE journal SET frame = CAST(replace(CAST(frame AS TEXT), 'two', 'tvo') AS BLOB) WHERE type = ?", knowledgeType); err != nil {
		t.Fatal(err)
	}
	o := mustOpen(t, r.killed())
	knows(t, o, "scout", "one", "three")
	if len(o.Warnings) != 1 || !strings.Contains(o.Warnings[0].Error(), "learned") {
		t.Errorf("warnings %v", o.Warnings)
	}
}

// A vault of a newer version is left as it is, although the journal has more.
func TestANewerVaultIsLeftAlone(t *testing.T) {
	r := newRig(t)
	r.commit(&world.RealmCreated{Realm: rigRealm, Settings: world.DefaultSettings()})
	r.learns("scout", "one")
	r.saves("scout", "one")
	dir := r.killed()
	newer := `{"schema":99,"agentId":"scout"}`
	must(t, afero.WriteFile(afero.NewOsFs(), filepath.Join(dir, knowledgeFolder, "scout.json"), []byte(newer), 0o600))
	for _, v := range mustOpen(t, dir).Saved.Vaults {
		if v.Behind {
			t.Errorf("%s is to be written over a newer file", v.AgentID)
		}
	}
}
