package secrets

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"
)

// TestRulesFindWhatGitleaksFinds asserts that in texts for which the hits of gitleaks were recorded, the
// same rules hit on the same lines, with the same secrets and the same text around them.
func TestRulesFindWhatGitleaksFinds(t *testing.T) {
	raw, err := os.ReadFile("testdata/secrets.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded []struct {
		Text []byte
		Hits []string
	}
	if err := json.Unmarshal(raw, &recorded); err != nil {
		t.Fatal(err)
	}
	met := map[string]bool{}
	for i, r := range recorded {
		got := []string{}
		for _, h := range hitsIn(string(r.Text)) {
			sum := sha256.Sum256([]byte(h.secret + "\x00" + h.line))
			got = append(got, fmt.Sprintf("%s %d %s", h.rule, h.row, hex.EncodeToString(sum[:6])))
			met[h.rule] = true
		}
		slices.Sort(got)
		if !slices.Equal(got, r.Hits) {
			t.Errorf("text %d: found %q, gitleaks %q\n%q", i, got, r.Hits, r.Text)
		}
	}
	if len(met) < len(rules)*9/10 {
		t.Errorf("the texts meet %d of %d rules", len(met), len(rules))
	}
}
