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

// Trusted returns a text that says how many of the program's hooks Codex trusts. path is the file with the hooks.
// Codex asks its user, and stores a hash for each trusted hook in config.toml beside the file; the key is the hook's
// position in the file. Trusted cannot compute this hash, so a hook that was changed after the user trusted it counts
// as trusted too; Codex itself asks again for such a hook.
func (p Program) Trusted(path string, settings []byte, binary string) (string, error) {
	config, err := os.ReadFile(filepath.Join(filepath.Dir(path), "config.toml"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	_, list, err := hooksOf(settings)
	if err != nil || list == nil {
		return "no", err
	}
	all, trusted := 0, 0
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
	switch trusted {
	case 0:
		return "no; Codex asks at its next start", nil
	case all:
		return "yes", nil
	}
	return fmt.Sprintf("%d of %d hooks; Codex asks for the others at its next start", trusted, all), nil
}
