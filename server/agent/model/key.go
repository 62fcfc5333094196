package model

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/afero"
)

// Environment variables that may hold the key. The first of them that is not empty is used.
const (
	KeyVariable       = "AGENTDUNGEON_MODEL_KEY"
	OpenAIKeyVariable = "OPENAI_API_KEY"
)

const (
	maxKey = 4 << 10 // bytes of a key, and of its file
	// minSecret is the shortest key, in bytes, that is removed from texts. People give servers that need no key a word
	// like "ollama" as the key; texts may contain such a word.
	minSecret = 12
	// shownKey replaces the key in texts.
	shownKey = "[key]"
)

// Key is the key of the model's server. Its string form shows only whether there is a key, so
// that no log and no error can reveal it.
type Key struct{ secret string }

// NewKey returns the Key for text, the zero Key if text is blank. Its errors do not repeat the text.
func NewKey(text string) (Key, error) {
	text = strings.TrimSpace(text)
	if len(text) > maxKey {
		return Key{}, fmt.Errorf("the model's key is over %d bytes long", maxKey)
	}
	for i := range len(text) {
		if text[i] <= ' ' || text[i] > '~' { // a header cannot have other characters
			return Key{}, errors.New("the model's key holds blanks, line breaks or characters that are not ASCII")
		}
	}
	return Key{text}, nil
}

// ReadKey returns the key from KeyVariable, OpenAIKeyVariable or the file at path: the first of them that has a key.
// from is the name of the variable or the path of the file. Having no key is no error, because local servers need none.
// The file must be readable by its owner alone (mode 0600 or stricter).
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

func readKeyFile(files afero.Fs, path string) (Key, error) {
	text, err := ReadSecret(files, "the model's key file", path)
	if err != nil {
		return Key{}, err
	}
	key, err := NewKey(text)
	if err != nil {
		return Key{}, fmt.Errorf("%s: %w", path, err)
	}
	return key, nil
}

// ReadSecret returns the text of a file with a key or a token, without the blanks around it. The file must be a regular
// one, readable by its owner alone (mode 0600 or stricter), and not blank. what names it in errors, which do not repeat
// its text: "the token file".
func ReadSecret(files afero.Fs, what, path string) (text string, err error) {
	f, err := files.Open(path)
	if err != nil {
		return "", fmt.Errorf("open %s: %w", what, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat() // Stat asks the open file, so that nobody can replace the file in between
	switch {
	case err != nil:
		return "", fmt.Errorf("stat %s: %w", what, err)
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s %s is not a regular file", what, path)
	case info.Mode().Perm()&^fs.FileMode(0o600) != 0:
		return "", fmt.Errorf("%s %s allows more than its owner's access (mode %04o): "+
			"make it yours alone with chmod 600", what, path, info.Mode().Perm())
	}
	data, err := io.ReadAll(io.LimitReader(f, maxKey+1))
	if err != nil {
		return "", fmt.Errorf("read %s: %w", what, err)
	}
	if len(data) > maxKey {
		return "", fmt.Errorf("%s %s is over %d bytes long", what, path, maxKey)
	}
	if text = strings.TrimSpace(string(data)); text == "" {
		return "", fmt.Errorf("%s %s is empty", what, path)
	}
	return text, nil
}

// IsZero reports whether there is no key.
func (k Key) IsZero() bool { return k.secret == "" }

// String does not reveal the key.
func (k Key) String() string {
	if k.IsZero() {
		return ""
	}
	return shownKey
}

// GoString does not reveal the key.
func (k Key) GoString() string { return "model.Key{" + k.String() + "}" }

// MarshalText does not reveal the key.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// hide removes the key from a text.
func (k Key) hide(text string) string {
	if len(k.secret) < minSecret {
		return text
	}
	return strings.ReplaceAll(text, k.secret, shownKey)
}

// keyFilter removes the key from a text that arrives in pieces. It holds back a suffix that may
// be the beginning of the key, at most the key's length.
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

// rest returns the text that the filter still holds back when the whole text has arrived. If this text has at least
// minSecret bytes, it is the first part of a key that was cut off, and rest returns shownKey instead.
func (v *keyFilter) rest() string {
	text := v.held
	v.held = ""
	if len(text) >= minSecret {
		return shownKey
	}
	return text
}
