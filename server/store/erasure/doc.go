// Package erasure takes what an erasure is of out of a realm's journal and files (P16.3).
//
// It owns the order of the steps in the database (the intent, the scope, redacting, the receipt),
// what of each row is redacted, and how an erasure that was cut short is ended at the next opening.
// It implements the Eraser of server/realm/erasure.
//
// It never decides who may erase what. The actor calls it, and server/store/recovery when a realm
// is opened.
package erasure
