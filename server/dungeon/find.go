package dungeon

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// MaxFound limits what Find returns.
const MaxFound = 50

// Numbers for how a word matches a path; the best way has the lowest number. fitOf adds the numbers of all words.
const (
	isName = iota
	beginsName
	inName
	inPath
	lettersOfName // the letters of the word, in their order
	lettersOfPath
	fitsNot
)

// Find returns the files and folders whose paths match every word of text, the best first: at most MaxFound, and more
// is set if there are more. A path matches a word if it has the letters of the word in their order, in upper or lower
// case. A path that has the word as it is comes before others, and a match in the name comes before one in the folders
// above. If text has no word, Find returns nothing. If ctx ends, Find returns its cause.
func (t *Tree) Find(ctx context.Context, text string) (found []Entry, more bool, err error) {
	words := strings.Fields(strings.ToLower(text))
	if len(words) == 0 {
		return nil, false, nil
	}
	var best []fitting
	looked := 0
	for e := range t.All {
		if looked++; looked%4096 == 0 && ctx.Err() != nil {
			return nil, false, context.Cause(ctx)
		}
		fit, ok := fitOf(words, strings.ToLower(e.Path))
		if !ok || e.Path == "" {
			continue
		}
		f := fitting{fit, e}
		at, _ := slices.BinarySearchFunc(best, f, fitting.compare)
		if at < MaxFound {
			best = slices.Insert(best, at, f)
		}
		if len(best) > MaxFound {
			best = best[:MaxFound]
			more = true
		}
		more = more || at >= MaxFound
	}
	for _, f := range best {
		found = append(found, f.Entry)
	}
	return found, more, nil
}

// fitOf returns how well a path matches the words, as the sum of one number for each word; a lower sum is a better
// match. ok is false if one of the words does not match.
func fitOf(words []string, path string) (sum int, ok bool) {
	_, name := splitLast(path)
	for _, w := range words {
		fit := fitOfWord(w, path, name)
		if fit == fitsNot {
			return 0, false
		}
		sum += fit
	}
	return sum, true
}

func fitOfWord(word, path, name string) int {
	switch {
	case !hasLetters(path, word):
		return fitsNot
	case word == name:
		return isName
	case strings.HasPrefix(name, word):
		return beginsName
	case strings.Contains(name, word):
		return inName
	case strings.Contains(path, word):
		return inPath
	case hasLetters(name, word):
		return lettersOfName
	}
	return lettersOfPath
}

// hasLetters reports whether text has the letters of word in their order.
func hasLetters(text, word string) bool {
	ok := true
	for _, letter := range word {
		if _, text, ok = strings.Cut(text, string(letter)); !ok {
			return false
		}
	}
	return true
}

// fitting is an entry that matches, and how well: less is better.
type fitting struct {
	fit int
	Entry
}

// compare orders the better match first and, of two equal ones, the one with the shorter path.
func (f fitting) compare(other fitting) int {
	return cmp.Or(
		cmp.Compare(f.fit, other.fit), cmp.Compare(len(f.Path), len(other.Path)), strings.Compare(f.Path, other.Path),
	)
}
