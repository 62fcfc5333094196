// Package storetest runs a realm on a real folder for the tests of server/store: it numbers, folds
// and commits events, and kills, damages and reopens the realm. Only tests import it.
package storetest
