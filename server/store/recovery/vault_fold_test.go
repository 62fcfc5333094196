package recovery_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/afero"

	"agentdungeon/server/store/files"
	"agentdungeon/server/store/recovery"
	"agentdungeon/server/store/storetest"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// knows fails the test unless an opening has exactly these insights of a member, oldest first.
func knows(t *testing.T, o *recovery.Opened, member string, want ...string) {
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

// An opening adds the insights that a vault lacks from the journal, once, whichever files are missing (S3-14).
func TestAnOpeningFoldsWhatAVaultLacks(t *testing.T) {
	vaultFile := func(dir, member string) string {
		return filepath.Join(dir, files.KnowledgeName, member+".json")
	}
	for name, c := range map[string]struct {
		lived func(t *testing.T, r *storetest.Rig)
		spoil func(t *testing.T, dir string)
		want  []string
	}{
		"no file was written": {lived: func(t *testing.T, r *storetest.Rig) { r.Learns("scout", "one", "two") }, want: []string{"one", "two"}},
		"the file is older": {lived: func(t *testing.T, r *storetest.Rig) {
			r.Learns("scout", "one")
			r.Saves("scout", "one")
			r.Learns("scout", "two")
		}, want: []string{"one", "two"}},
		"the file has all": {lived: func(t *testing.T, r *storetest.Rig) {
			r.Learns("scout", "one", "two")
			r.Saves("scout", "one", "two")
		}, want: []string{"one", "two"}},
		"older insights are in the file alone": {lived: func(t *testing.T, r *storetest.Rig) {
			r.Saves("scout", "from before the journal")
			r.Learns("scout", "two")
		}, want: []string{"from before the journal", "two"}},
		"the events lie in blocks": {lived: func(t *testing.T, r *storetest.Rig) {
			r.Tell()
			r.Learns("scout", "one")
			r.Saves("scout", "one")
			r.Say(3)
			r.Learns("scout", "two")
			r.Say(40)
			r.Learns("scout", "three")
			r.PackAll(5, 2)
		}, want: []string{"one", "two", "three"}},
		"the file is of an older version": {lived: func(t *testing.T, r *storetest.Rig) {
			r.Learns("scout", "one", "two", "three")
			v := world.Vault{AgentID: "scout", Insights: []world.Insight{{Area: "door", Text: "one", At: r.At - 14}, {Area: "door", Text: "two", At: r.At - 7}}}
			storetest.Must(t, r.O.Files.WriteVault(v))
		}, want: []string{"one", "two", "three"}},
		"the file is gone": {lived: func(t *testing.T, r *storetest.Rig) {
			r.Learns("scout", "one")
			r.Saves("scout", "one")
			r.Learns("scout", "two")
		}, spoil: func(t *testing.T, dir string) { storetest.Must(t, os.Remove(vaultFile(dir, "scout"))) }, want: []string{"one", "two"}},
		"the file is damaged": {lived: func(t *testing.T, r *storetest.Rig) {
			r.Learns("scout", "one")
			r.Saves("scout", "one")
		}, spoil: func(t *testing.T, dir string) {
			storetest.Must(t, os.WriteFile(vaultFile(dir, "scout"), []byte("{"), 0o600))
		}, want: []string{"one"}},
		"the file is of another journal": {lived: func(t *testing.T, r *storetest.Rig) {
			r.Learns("scout", "one")
			storetest.Must(t, r.O.Files.WriteVault(world.Vault{AgentID: "scout", Epoch: "ELSEWHERE", Seq: 4000, Insights: []world.Insight{{Area: "door", Text: "zero", At: 4}}}))
			storetest.Must(t, r.O.Journal.MarkVaults(world.VaultMark{Epoch: "ELSEWHERE", Seq: 4000, Vaults: map[string]int64{"scout": 4000}}))
		}, want: []string{"zero", "one"}},
		"what was erased": {lived: func(t *testing.T, r *storetest.Rig) {
			r.Learns("scout", "one")
			r.Commit(&world.KnowledgeUpdated{AgentID: "scout", Area: world.ErasedName})
			r.Learns("scout", "two")
		}, want: []string{"one", "two"}},
		"more than a vault keeps": {lived: func(t *testing.T, r *storetest.Rig) {
			for n := range world.MaxInsights + 3 {
				r.Learns("scout", fmt.Sprint(n))
			}
		}, want: func() (want []string) {
			for n := range world.MaxInsights {
				want = append(want, fmt.Sprint(n+3))
			}
			return want
		}()},
	} {
		t.Run(name, func(t *testing.T) {
			r := storetest.NewRig(t)
			r.Commit(&world.RealmCreated{Realm: storetest.RigRealm, Settings: world.DefaultSettings()})
			c.lived(t, r)
			dir := r.Killed()
			if c.spoil != nil {
				c.spoil(t, dir)
			}
			o := storetest.MustOpen(t, dir)
			knows(t, o, "scout", c.want...)
			for _, err := range o.Warnings {
				t.Errorf("warned: %v", err)
			}
		})
	}
}

// If the journal is an older copy, a vault's file can be of a later event than the journal has. New insights then get
// numbers up to that of the file, and an opening adds them nevertheless.
func TestAVaultBeyondTheJournal(t *testing.T) {
	r := storetest.NewRig(t)
	r.Commit(&world.RealmCreated{Realm: storetest.RigRealm, Settings: world.DefaultSettings()})
	r.Learns("scout", "one")
	short := r.Killed()
	r.Say(20)
	r.Learns("scout", "two")
	r.Saves("scout", "one", "two")
	storetest.CopyDir(t, filepath.Join(r.Dir, files.KnowledgeName), filepath.Join(short, files.KnowledgeName))

	r.Dir = short
	r.Open()
	knows(t, r.O, "scout", "one", "two") // insights in a vault file were shown
	r.Learns("scout", "three")
	r.Dir = r.Killed()
	r.Open()
	knows(t, r.O, "scout", "one", "two", "three")
}

// One damaged event loses one insight, and the opening reports it.
func TestADamagedInsightCostsOne(t *testing.T) {
	r := storetest.NewRig(t)
	r.Commit(&world.RealmCreated{Realm: storetest.RigRealm, Settings: world.DefaultSettings()})
	r.Learns("scout", "one", "two", "three")
	r.Say(3)
	r.Checkpoint()
	storetest.Must(t, r.O.Journal.Amend("test", func(w *tables.Writer) error {
		_, err := w.Exec("UPDATE journal SET frame = CAST(replace(CAST(frame AS TEXT), 'two', 'tvo') AS BLOB) WHERE type = ?", new(world.KnowledgeUpdated).EventType())
		return err
	}))
	o := storetest.MustOpen(t, r.Killed())
	knows(t, o, "scout", "one", "three")
	if len(o.Warnings) != 1 || !strings.Contains(o.Warnings[0].Error(), "learned") {
		t.Errorf("warnings %v", o.Warnings)
	}
}

// A vault of a newer version is not overwritten, although the journal has more insights.
func TestANewerVaultIsLeftAlone(t *testing.T) {
	r := storetest.NewRig(t)
	r.Commit(&world.RealmCreated{Realm: storetest.RigRealm, Settings: world.DefaultSettings()})
	r.Learns("scout", "one")
	r.Saves("scout", "one")
	dir := r.Killed()
	newer := `{"schema":99,"agentId":"scout"}`
	storetest.Must(t, afero.WriteFile(afero.NewOsFs(), filepath.Join(dir, files.KnowledgeName, "scout.json"), []byte(newer), 0o600))
	for _, v := range storetest.MustOpen(t, dir).Saved.Vaults {
		if v.Behind {
			t.Errorf("%s is to be written over a newer file", v.AgentID)
		}
	}
}
