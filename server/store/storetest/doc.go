// Package storetest plays a realm on a real folder for the tests of server/store: it numbers, folds
// and commits events, kills, damages and reopens. Only tests import it.
package storetest
