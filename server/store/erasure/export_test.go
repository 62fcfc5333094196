package erasure

// This file exports internals for the tests of this package.

const DropPage = dropPage

var RedactFor = &redactFor

const RedactRows = redactRows

var ThinFrom = &thinFrom
