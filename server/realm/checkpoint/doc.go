// Package checkpoint keeps a realm's files in step with its world: pictures of the world
// become state.json and, once a day, a base in the journal; what members have learned becomes
// their vault files. It owns what is to be written and when, and the goroutines that encode
// and write it. It never decides or shows anything and reads no file; the journal has all that
// is here, so a lost checkpoint costs an opening time and nothing else. The realm's actor calls
// it.
package checkpoint
