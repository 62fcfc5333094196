package history

// Unexported names that the tests of this package use.

const MaxSearchBytes = maxSearchBytes

const ShownBytes = shownBytes

var InWord = inWord

var ParseQuery = parseQuery

func (x searchQuery) Match(a0 bool) string { return x.match(a0) }

func (x *searchQuery) PhrasesRef() *[][]string { return &x.phrases }
