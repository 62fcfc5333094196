package realm

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentdungeon/shared/world"
)

// A kill prevented the vault file of an insight, so only the journal has the insight. The opening restores it, and the
// erasure of its conversation removes it: no later opening brings it back, whichever files are missing (S1-19, S3-14).
func TestErasingWhatAVaultFileLacks(t *testing.T) {
	onDisk(t, cast(quoting), func(d *disk) {
		_, chat, _ := d.lived()
		k := &killer{from: d.dir, to: filepath.Join(t.TempDir(), "killed")}
		_ = k.die("") // its error only says that the disk was killed
		d.stop()
		d.dir = k.to
		knowledge := filepath.Join(d.dir, "knowledge")
		if err := os.RemoveAll(knowledge); err != nil {
			t.Fatal(err)
		}
		knows := func() (n int) {
			for _, v := range d.o.Saved.Vaults {
				n += len(v.Insights)
			}
			return n
		}
		d.open(false)
		all := knows()
		e := world.Erasure{Conversations: []string{chat}, Reason: world.ErasedOnRequest, Who: "test"}
		receipt, err := d.r.Erase(context.Background(), e)
		if err != nil || receipt.Changed["insights"] == 0 {
			t.Errorf("the receipt is %+v (%v), and %d were known", receipt, err, all)
		}
		if vaults, err := d.r.Vaults(context.Background()); err != nil || len(vaults) == 0 || strings.Contains(fmt.Sprint(vaults), chatSays) {
			t.Errorf("after the erasure the vaults are %v (%v)", vaults, err)
		}
		d.stop()
		d.gone(t, nil, []string{chatSays}, []string{adaSays, benSays})
		for _, missing := range []bool{false, true} {
			if missing {
				if err := os.RemoveAll(knowledge); err != nil {
					t.Fatal(err)
				}
			}
			d.open(false)
			if left := knows(); left == 0 || left >= all {
				t.Errorf("files missing %v: %d insights are known, %d were before the erasure", missing, left, all)
			}
			d.stop()
			d.gone(t, nil, []string{chatSays}, []string{adaSays, benSays})
		}
	})
}
