package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// each is the number of packages that are drawn for each language.
const each = 4

var languages = []string{"Go", "JavaScript", "Python"}

// parcel is a public package with source.
type parcel struct{ language, client, name, version string }

// String returns the package as a line of repositories.txt or drawn.txt.
func (p parcel) String() string {
	return strings.Join([]string{p.language, p.client, p.name, p.version}, " ")
}

// folder returns the name of the folder into which the package is fetched.
func (p parcel) folder() string { return strings.ReplaceAll(strings.TrimPrefix(p.name, "@"), "/", "-") }

// parse reads a list: a line for each package with language, client, name and version; lines that begin with # are comments.
func parse(text string) (out []parcel, err error) {
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" || line[0] == '#' {
			continue
		}
		words := strings.Fields(line)
		if len(words) != 4 || !slices.Contains(languages, words[0]) || clients[words[1]] == nil {
			return nil, fmt.Errorf("%q is not a language, a client, a name and a version", line)
		}
		out = append(out, parcel{words[0], words[1], words[2], words[3]})
	}
	return out, nil
}

// draw chooses packages from a list by a hash and returns them in the order of languages. It leaves out packages of
// which any version is in before, the list of the packages that were drawn earlier.
func draw(hash string, list, before []parcel) (out []parcel, err error) {
	list = slices.DeleteFunc(slices.Clone(list), func(p parcel) bool {
		return slices.ContainsFunc(before, func(b parcel) bool { return b.client == p.client && b.name == p.name })
	})
	shuffle(hash, list, parcel.String)
	for _, language := range languages {
		n := len(out)
		for _, p := range list {
			if p.language == language && len(out) < n+each {
				out = append(out, p)
			}
		}
		if len(out) < n+each {
			return nil, fmt.Errorf("fewer than %d packages of %s were never drawn: the list needs more", each, language)
		}
	}
	return out, nil
}

// shuffle sorts a list by hashes of the parameter hash and each name, so that its order before does not matter.
func shuffle[T any](hash string, list []T, name func(T) string) {
	key := func(v T) []byte {
		sum := sha256.Sum256([]byte(hash + " " + name(v)))
		return sum[:]
	}
	slices.SortFunc(list, func(a, b T) int { return bytes.Compare(key(a), key(b)) })
}
