package hooks

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

var capital = regexp.MustCompile(`\B[A-Z]`)

// Trusted says how many of the program's hooks in the file path, with the given settings, Codex has stored its
// user's trust of. It is in config.toml beside the file: a hash for each hook, by its place. The hash cannot be
// compared, so a hook that has changed since counts too; Codex asks again for it.
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
