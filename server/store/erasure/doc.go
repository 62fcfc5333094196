// Package erasure removes what an erasure covers from a realm's journal and files (P16.3).
//
// It owns the order of the steps in the database (intent, scope, redaction, receipt), which part of
// each row is redacted, and how the next opening ends an erasure that was interrupted.
// It implements the Eraser of server/realm/erasure.
//
// It never decides who may erase what. The actor calls it, and server/store/recovery when a realm
// is opened.
package erasure
