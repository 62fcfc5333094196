package history

// Unexported names that the tests of this package use.

const MaxSearchBytes = maxSearchBytes

const ShownBytes = shownBytes

var InWord = inWord

var SearchWords = searchWords

func (x sought) Match(a0 bool) string { return x.match(a0) }

func (x *sought) PhrasesRef() *[][]string { return &x.phrases }
