package soak_test

import (
	"testing"

	"agentdungeon/server/soak"
)

func TestASampleKeepsBothEnds(t *testing.T) {
	for _, whole := range []string{"", "1"} {
		t.Setenv("AGENTDUNGEON_WHOLE", whole)
		for n := 1; n < 300; n++ {
			var kept []int
			for i := range n {
				if !soak.Skips(i, n) {
					kept = append(kept, i)
				}
			}
			least, most := min(n, 20), 40
			if whole == "1" {
				least, most = n, n
			}
			if len(kept) < least || len(kept) > most || kept[0] != 0 || kept[len(kept)-1] != n-1 {
				t.Errorf("whole %q: of %d cases run %v", whole, n, kept)
			}
		}
		if n := soak.Cases(150, 20); (n == 150) != (whole == "1") {
			t.Errorf("whole %q: %d of 150 seeds", whole, n)
		}
	}
}
