package model

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/afero"
)

// Variables that may hold the key, the first of them that is not empty.
const (
	KeyVariable       = "AGENTDUNGEON_MODEL_KEY"
	OpenAIKeyVariable = "OPENAI_API_KEY"
)

const (
	maxKey = 4 << 10 // bytes of a key, and of the file that holds it
	// minSecret is the length from which a key is looked for in what comes back: servers
	// without keys are given words like "ollama", which texts may hold.
	minSecret = 12
	// shownKey stands where the key stood.
	shownKey = "[key]"
)

// Key is the secret that the model's server is shown. It prints as nothing but whether
// there is one, so that no log and no error can tell it.
type Key struct{ secret string }

// NewKey takes a key as a person wrote it, "" for none. An error does not repeat it.
func NewKey(text string) (Key, error) {
	text = strings.TrimSpace(text)
	if len(text) > maxKey {
		return Key{}, fmt.Errorf("the model's key is over %d bytes long", maxKey)
	}
	for i := range len(text) {
		if text[i] <= ' ' || text[i] > '~' { // a header takes nothing else
			return Key{}, errors.New("the model's key holds blanks, line breaks or characters that are not ASCII")
		}
	}
	return Key{text}, nil
}

// ReadKey finds the key: KeyVariable, else OpenAIKeyVariable, else the file, if one is
// named. from says where it was. No key at all is no error: servers on the own machine
// need none. The file must be readable by its owner alone (mode 0600 or stricter).
func ReadKey(env func(string) string, files afero.Fs, path string) (key Key, from string, err error) {
	for _, name := range []string{KeyVariable, OpenAIKeyVariable} {
		if text := strings.TrimSpace(env(name)); text != "" {
			if key, err = NewKey(text); err != nil {
				return Key{}, "", fmt.Errorf("%s: %w", name, err)
			}
			return key, name, nil
		}
	}
	if path == "" {
		return Key{}, "", nil
	}
	if key, err = readKeyFile(files, path); err != nil {
		return Key{}, "", err
	}
	return key, path, nil
}

func readKeyFile(files afero.Fs, path string) (key Key, err error) {
	f, err := files.Open(path)
	if err != nil {
		return Key{}, fmt.Errorf("open the model's key file: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat() // of what was opened, so that nobody can swap it in between
	switch {
	case err != nil:
		return Key{}, fmt.Errorf("look at the model's key file: %w", err)
	case !info.Mode().IsRegular():
		return Key{}, fmt.Errorf("the model's key file %s is not a file", path)
	case info.Mode().Perm()&^fs.FileMode(0o600) != 0:
		return Key{}, fmt.Errorf("the model's key file %s may be used by others (mode %04o): make it yours alone with "+
			"chmod 600", path, info.Mode().Perm())
	}
	data, err := io.ReadAll(io.LimitReader(f, maxKey+1))
	if err != nil {
		return Key{}, fmt.Errorf("read the model's key file: %w", err)
	}
	if key, err = NewKey(string(data)); err != nil {
		return Key{}, fmt.Errorf("%s: %w", path, err)
	}
	if key.IsZero() {
		return Key{}, fmt.Errorf("the model's key file %s is empty", path)
	}
	return key, nil
}

// IsZero says that there is no key.
func (k Key) IsZero() bool { return k.secret == "" }

// String never tells the key.
func (k Key) String() string {
	if k.IsZero() {
		return ""
	}
	return shownKey
}

// GoString never tells the key.
func (k Key) GoString() string { return "model.Key{" + k.String() + "}" }

// MarshalText never tells the key.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// hide takes the key out of a whole text.
func (k Key) hide(text string) string {
	if len(k.secret) < minSecret {
		return text
	}
	return strings.ReplaceAll(text, k.secret, shownKey)
}

// keyFilter takes the key out of a text that comes in pieces: it holds back what may be the
// key's beginning, at most the key's length.
type keyFilter struct {
	key  Key
	held string
}

func (v *keyFilter) push(text string) string {
	if len(v.key.secret) < minSecret {
		return text
	}
	text = v.key.hide(v.held + text)
	keep := min(len(text), len(v.key.secret)-1)
	for keep > 0 && !strings.HasPrefix(v.key.secret, text[len(text)-keep:]) {
		keep--
	}
	v.held = text[len(text)-keep:]
	return text[:len(text)-keep]
}

// rest gives what was held back, at the end. So much of a key's beginning is no chance.
func (v *keyFilter) rest() string {
	text := v.held
	v.held = ""
	if len(text) >= minSecret {
		return shownKey
	}
	return text
}
