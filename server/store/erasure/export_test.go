package erasure

// What the tests of this package see of its inside.

const DropPage = dropPage

var RedactFor = &redactFor

const RedactRows = redactRows

var ThinFrom = &thinFrom
