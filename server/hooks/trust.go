package hooks

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"agentdungeon/shared/pattern"
)

var capital = pattern.New(`\B[A-Z]`)

// Trusted returns a text that says how many of the program's hooks Codex trusts; see Trust.
func (p Program) Trusted(path string, settings []byte, binary string) (string, error) {
	all, trusted, err := p.Trust(path, settings, binary)
	switch {
	case err != nil:
		return "", err
	case all == 0:
		return "no", nil
	case trusted == 0:
		return "no; Codex asks at its next start", nil
	case trusted == all:
		return "yes", nil
	}
	return fmt.Sprintf("%d of %d hooks; Codex asks for the others at its next start", trusted, all), nil
}

// Trust returns how many hooks of the program the settings have, and for how many of them Codex has its user's trust.
// path is the file with the hooks. Codex asks its user, and stores a hash for each trusted hook in config.toml beside
// the file; the key is the hook's position in the file. Trust cannot compute this hash, so a hook that was changed
// after the user trusted it counts as trusted too; Codex itself asks again for such a hook, and for another hook at the
// position. Codex keeps the hashes when the hooks are removed.
func (p Program) Trust(path string, settings []byte, binary string) (all, trusted int, err error) {
	config, err := os.ReadFile(filepath.Join(filepath.Dir(path), "config.toml"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, 0, err
	}
	if settings == nil {
		return 0, 0, nil
	}
	_, list, err := hooksOf(settings)
	if err != nil || list == nil {
		return 0, 0, err
	}
	for _, member := range list.parts {
		event := strings.ToLower(capital.ReplaceAllString(member.key, "_$0"))
		for j, entry := range member.value.parts {
			inner, k := p.find(settings, entry.value, binary)
			if inner == nil {
				continue
			}
			all++
			table := fmt.Sprintf("[hooks.state.%q]", fmt.Sprintf("%s:%s:%d:%d", path, event, j, k))
			_, rest, ok := strings.Cut(string(config), table+"\n")
			if rest, _, _ = strings.Cut(rest, "\n["); ok && strings.Contains("\n"+rest, "\ntrusted_hash = ") {
				trusted++
			}
		}
	}
	return all, trusted, nil
}
